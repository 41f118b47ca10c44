/** The audit has one line for each request that writes, with its author, action and record, and none for a refused request. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/ids.ts';
import type { Platform } from '../../support/platform.ts';
import { ask, prepare, validAsking, withText, type Account, type Answer, type Asking, type Pair } from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions } from './positions.ts';

interface Line {
  company: string | null;
  actor: string;
  action: string;
  resource: string;
  record: string | null;
  fields: string[];
}

export async function proveTrails(pair: Pair, callers: Callers, operation: Operation, account: Account): Promise<void> {
  const { platform, own } = pair;
  const { allowed, refused } = await callers.chooseCast(operation);
  for (const caller of allowed) {
    await prepare(operation, platform, own);
    const asking = validAsking(operation, own);
    await proveLine(pair, account, { caller, asking });
    // A second time, when the record exists already or is deleted, it is refused.
    if (operation.method !== 'GET') await proveLine(pair, account, { caller, asking });
  }
  if (operation.method === 'GET') return;
  const valid = validAsking(operation, own);
  const [first] = allowed as [Caller];
  const misses = [
    ...refused.map((caller) => ({ caller, asking: valid })),
    { caller: first, asking: { ...valid, query: { surprise: '1' } } },
    { caller: first, asking: { ...valid, body: { ...valid.body, surprise: 1 } } },
    ...findPositions(operation).map((place) => ({ caller: first, asking: withText(valid, place, newId()) })),
  ];
  for (const miss of misses) await proveLine(pair, account, miss);
}

interface Question {
  caller: Caller;
  asking: Asking;
}

async function proveLine(pair: Pair, account: Account, { caller, asking }: Question): Promise<void> {
  // The caller gives the request an id of its own, by which its lines in the audit are found.
  const id = `trail-${randomBytes(8).toString('hex')}`;
  const answer = await ask(pair, account, { caller: withHeader(caller, 'x-request-id', id), asking });
  const lines = await readLines(pair.platform, id);
  const expected = expectedLines(pair, { caller, asking }, answer);
  if (JSON.stringify(lines) === JSON.stringify(expected)) return;
  const what = `${asking.operation.name} for ${caller.name} answers ${answer.status}`;
  account.faults.push(`${what} and leaves ${JSON.stringify(lines)}, not ${JSON.stringify(expected)}`);
}

export const withHeader = (caller: Caller, name: string, value: string): Caller => ({
  ...caller,
  headers: { ...caller.headers, [name]: value },
});

function expectedLines({ own }: Pair, { caller, asking }: Question, { status, body }: Answer): Line[] {
  const { operation } = asking;
  const { auditAction: action } = operation;
  if (!operation.successes.includes(status) || !action) return [];
  const [resource = ''] = action.split('.');
  // At a public operation no caller is known before; the record is the user who logged in.
  if (!operation.secured) {
    const user = action === 'auth.login' ? findId(own, 'user') : own.linkUser;
    return [{ company: own._id, actor: user, action, resource, record: user, fields: [] }];
  }
  return [
    {
      // Changes of a company are logged in that company.
      company: resource === 'companies' ? body._id : own._id,
      actor: readSubject(caller),
      action,
      resource,
      record: body._id,
      fields: Object.keys(asking.body ?? {}),
    },
  ];
}

/** Reads the subject of a token, which is the user or key that it belongs to. */
function readSubject({ token }: Caller): string {
  const claims = Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(claims) as { sub: string }).sub;
}

function readLines({ database }: Platform, requestId: string): Promise<Line[]> {
  return database.sql<Line & Record<string, unknown>>(
    `select company_id as company, actor_id as actor, action, resource, resource_id as record, fields
     from audit_log where request_id = $1 order by created_at, _id`,
    [requestId],
  );
}
