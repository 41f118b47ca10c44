/** Checks that the audit has one entry for each request that writes, with its author, action and record, and none for a refused request. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/values/ids.ts';
import type { Platform } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import {
  sendAndCheck,
  prepareRecords,
  buildValidRequest,
  withTextAt,
  type Findings,
  type MatrixAnswer,
  type MatrixRequest,
  type CompanyPair,
} from './asking.ts';
import type { Caller, Callers } from './callers.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions } from './positions.ts';

interface AuditLine {
  company: string | null;
  actor: string;
  action: string;
  resource: string;
  record: string | null;
  fields: string[];
}

export async function checkAuditLines(
  pair: CompanyPair,
  callers: Callers,
  operation: Operation,
  account: Findings,
): Promise<void> {
  const { platform, own } = pair;
  const { allowed, refused } = await callers.chooseCast(operation);
  for (const caller of allowed) {
    await prepareRecords(operation, platform, own);
    const asking = buildValidRequest(operation, own);
    await checkAuditLine(pair, account, { caller, asking });
    // The request is sent a second time, when its record exists already or is deleted, and is then refused.
    if (operation.method !== 'GET') await checkAuditLine(pair, account, { caller, asking });
  }
  if (operation.method === 'GET') return;
  const valid = buildValidRequest(operation, own);
  const [first] = allowed as [Caller];
  const misses = [
    ...refused.map((caller) => ({ caller, asking: valid })),
    { caller: first, asking: { ...valid, query: { surprise: '1' } } },
    { caller: first, asking: { ...valid, body: { ...valid.body, surprise: 1 } } },
    ...findPositions(operation).map((place) => ({ caller: first, asking: withTextAt(valid, place, newId()) })),
  ];
  for (const miss of misses) await checkAuditLine(pair, account, miss);
}

interface AuditQuestion {
  caller: Caller;
  asking: MatrixRequest;
}

async function checkAuditLine(pair: CompanyPair, account: Findings, { caller, asking }: AuditQuestion): Promise<void> {
  // The caller gives the request an id of its own, by which its lines in the audit are found.
  const id = `trail-${randomBytes(8).toString('hex')}`;
  const answer = await sendAndCheck(pair, account, { caller: withHeader(caller, 'x-request-id', id), asking });
  const { auditAction } = asking.operation;
  // What a run changes in the background has the id of the request, too. It must not go on while the next request is checked.
  const isRun = auditAction?.includes('.start-') === true;
  if (isRun) await waitForRun(pair.platform, answer.body?._id ?? null);
  const lines = (await readLines(pair.platform, id)).filter(({ action }) => !isRun || action === auditAction);
  const expected = listExpectedLines(pair, { caller, asking }, answer);
  if (JSON.stringify(lines) === JSON.stringify(expected)) return;
  const what = `${asking.operation.name} for ${caller.name} answers ${answer.status}`;
  account.faults.push(`${what} and leaves ${JSON.stringify(lines)}, not ${JSON.stringify(expected)}`);
}

export const withHeader = (caller: Caller, name: string, value: string): Caller => ({
  ...caller,
  headers: { ...caller.headers, [name]: value },
});

function listExpectedLines(
  { own }: CompanyPair,
  { caller, asking }: AuditQuestion,
  { status, body }: MatrixAnswer,
): AuditLine[] {
  const { operation } = asking;
  const { auditAction: action } = operation;
  if (!operation.successes.includes(status) || !action) return [];
  const [resource = ''] = action.split('.');
  // A public operation has no caller with a token; the author and the record are the user who logged in or out, or used the link.
  if (!operation.secured) {
    const user = ['auth.login', 'auth.logout'].includes(action) ? findId(own, 'user') : own.linkUser;
    return [{ company: own._id, actor: user, action, resource, record: user, fields: [] }];
  }
  return [
    {
      // Changes of a company are logged in the audit of that company.
      company: resource === 'companies' ? (body._id ?? own._id) : own._id,
      actor: readSubject(caller),
      action,
      resource,
      // An answer that is no record, such as a link, belongs to the record of the path, or else to the company, or to the calling user.
      record: body._id ?? asking.params['id'] ?? body.company ?? readSubject(caller),
      fields: Object.keys(asking.body ?? {}).filter((name) => asking.body[name] !== undefined),
    },
  ];
}

/** Reads the subject of a token, which is the user or key that it belongs to. */
function readSubject({ token }: Caller): string {
  const claims = Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(claims) as { sub: string }).sub;
}

const waitForRun = ({ database }: Platform, id: string | null): Promise<boolean> =>
  waitUntil('the run to end', async () => {
    const open = await database.sql('select from runs where _id = $1 and finished_at is null', [id]);
    return open.length === 0;
  });

function readLines({ database }: Platform, requestId: string): Promise<AuditLine[]> {
  return database.sql<AuditLine & Record<string, unknown>>(
    `select company_id as company, actor_id as actor, action, resource, resource_id as record, fields
     from audit_log where request_id = $1 order by created_at, _id`,
    [requestId],
  );
}
