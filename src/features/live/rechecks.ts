/** Checks again and again whether the callers of open streams may still read what they receive. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../../platform/http/access.ts';
import type { Credentials } from '../../platform/http/auth.ts';
import { AppError } from '../../platform/values/errors.ts';
import { readSessionCookie } from '../../platform/http/session-cookie.ts';
import { readRights, type Viewer } from './viewer.ts';

// A right that is taken away ends within five seconds, as it does for requests.
const RECHECK_MS = 4_000;
const AT_ONCE = 20;

export interface Rechecks {
  /** Ends the viewer's stream when its token or session, shown by these headers, is not valid any more. Returns a function that ends this. */
  begin(viewer: Viewer, company: string, headers: IncomingHttpHeaders): () => void;
  stop(): void;
}

interface Caller {
  viewer: Viewer;
  company: string;
  credentials: Credentials;
}

export function createRechecks(access: Pick<Access, 'auth' | 'companyExists'>): Rechecks {
  const callers = new Set<Caller>();
  let isChecking = false;
  let timer: NodeJS.Timeout | null = null;

  async function recheckAll(): Promise<void> {
    timer = null;
    isChecking = true;
    const waiting = [...callers];
    const recheckSome = async (): Promise<void> => {
      for (let caller = waiting.pop(); caller; caller = waiting.pop()) await recheck(access, caller);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, recheckSome));
    isChecking = false;
    plan();
  }

  /** Plans the next round, unless one is planned or runs, which plans the one after it. */
  function plan(): void {
    if (!isChecking && callers.size > 0) timer ??= setTimeout(() => void recheckAll(), RECHECK_MS);
  }

  function cancel(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  return {
    begin: (viewer, company, headers) => {
      const credentials = { authorization: headers.authorization, session: readSessionCookie(headers) };
      const caller = { viewer, company, credentials };
      callers.add(caller);
      plan();
      return () => {
        callers.delete(caller);
        if (callers.size === 0) cancel();
      };
    },
    stop: () => {
      callers.clear();
      cancel();
    },
  };
}

/** Never throws. */
async function recheck(
  access: Pick<Access, 'auth' | 'companyExists'>,
  { viewer, company, credentials }: Caller,
): Promise<void> {
  try {
    const principal = await access.auth.authenticate(credentials);
    // Only a global key outlives the suspension of the company that it acts for.
    if (principal.type === 'global' && !(await access.companyExists(company))) viewer.stream.end();
    else viewer.allow(readRights(principal));
  } catch (error) {
    // Failure policy: while the database does not answer, the stream goes on and is checked again.
    if (error instanceof AppError && error.status < 500) viewer.stream.end();
  }
}
