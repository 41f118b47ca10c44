/** Who this browser is for the platform. The token is kept for this page's origin only, and in memory where the browser keeps nothing. */
import { createStore, keep, readKept } from '../../browser/store.ts';
import { withLock } from '../../browser/tabs.ts';
import { keptFor } from '../address.ts';
import { openSession } from '../api/operations.ts';
import { findRefusal } from '../api/refusals.ts';
import type { ChatSession } from '../api/types.ts';

export type Visitor = Pick<ChatSession, 'token' | 'visitor' | 'is_known' | 'has_conversation' | 'unread_count'>;

const KEPT_AS = keptFor('visitor');

/** The site has said who the visitor is since this page was loaded. */
let isIdentified = false;

/** Null until somebody writes: a page that is only looked at makes no visitor. */
export const visitor = createStore<Visitor | null>(readVisitor());
/** The platform wants to know who the visitor is, and the site has not said so. */
export const needsIdentity = createStore(false);

function readKeptVisitor(): Visitor | null {
  try {
    return JSON.parse(readKept(KEPT_AS) ?? 'null') as Visitor | null;
  } catch {
    // Failure policy: what cannot be read is forgotten, and the next message begins anew.
    return null;
  }
}

/** Somebody else may sit at the browser of a known person, so the site has to say again who it is. */
function readVisitor(): Visitor | null {
  const kept = readKeptVisitor();
  return kept?.is_known && !isIdentified ? null : kept;
}

function adopt(next: Visitor | null): void {
  keep(KEPT_AS, next && JSON.stringify(next));
  visitor.set(next);
}

// Another tab has begun a session, or the visitor has logged out there.
addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS) visitor.set(readVisitor());
});

export const forgetVisitor = (): void => adopt(null);

/** The first message is stored. */
export function noteConversation(): void {
  const current = visitor.get();
  if (current && !current.has_conversation) adopt({ ...current, has_conversation: true });
}

/** Begins a session, or goes on with the one that the browser has. `identity` is the site's statement of who the visitor is. */
export const enter = (identity?: string): Promise<Visitor> => withLock(KEPT_AS, () => enterNow(identity));

async function enterNow(identity?: string): Promise<Visitor> {
  // With the token of a known person, the platform sees whether the identity names the same one.
  const token = (identity === undefined ? visitor.get() : readKeptVisitor())?.token;
  const body = identity === undefined ? {} : { identity };
  try {
    return await openAnyway(token, body);
  } catch (error) {
    if (findRefusal(error) === 'IDENTITY_REQUIRED') needsIdentity.set(true);
    throw error;
  }
}

async function openAnyway(token: string | undefined, body: Parameters<typeof openSession>[1]): Promise<Visitor> {
  try {
    const session = await openSession(token, body);
    isIdentified = session.is_known;
    adopt(session);
    needsIdentity.set(false);
    return session;
  } catch (error) {
    if (token === undefined || !isRefusedToken(error)) throw error;
    forgetVisitor();
    // Only somebody who has a name or writes needs another visitor.
    if (body.identity === undefined) throw error;
    return openAnyway(undefined, body);
  }
}

const isRefusedToken = (error: unknown): boolean => findRefusal(error) === 'UNAUTHORIZED';

/** Calls as the visitor, who is made when there is none. A token that the platform takes no more is replaced once. */
export async function asVisitor<T>(call: (token: string) => Promise<T>): Promise<T> {
  const { token } = visitor.get() ?? (await enterOnce());
  try {
    return await call(token);
  } catch (error) {
    if (!isRefusedToken(error)) throw error;
    if (visitor.get()?.token === token) forgetVisitor();
    return call((visitor.get() ?? (await enterOnce())).token);
  }
}

/** Several calls that find no visitor, also in several tabs, make one, unless the site says meanwhile who the visitor is. */
const enterOnce = (): Promise<Visitor> =>
  withLock(KEPT_AS, async () => {
    if (visitor.get() === null) visitor.set(readVisitor());
    return visitor.get() ?? enterNow();
  });

/** Calls as a visitor that there is already. When the platform takes the token no more, the visitor is forgotten. */
export async function asKnownVisitor<T>(call: (token: string) => Promise<T>): Promise<T | null> {
  const current = visitor.get();
  if (current === null) return null;
  try {
    return await call(current.token);
  } catch (error) {
    if (!isRefusedToken(error)) throw error;
    if (visitor.get()?.token === current.token) forgetVisitor();
    return null;
  }
}
