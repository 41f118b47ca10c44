/**
 * Tries every place of an id for a user who sees no inbox: what belongs to an inbox must get the same answer there as an unknown id, and appear
 * in no answer.
 */
import { newId } from '../../../src/platform/values/ids.ts';
import { allows, ROLE_SCOPES, type Scope } from '../../../src/platform/values/scopes.ts';
import type { Platform } from '../../support/platform.ts';
import {
  areSameAnswers,
  buildValidRequest,
  prepareRecords,
  sendAndCheck,
  withTextAt,
  type Findings,
} from './asking.ts';
import { createFullCompany, findId } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions, type Position } from './positions.ts';

/** The kinds of records that belong to an inbox. */
const HIDDEN = [
  'inbox',
  'conversation',
  'message',
  'campaign',
  'enrollment',
  'rule-run',
  'agent-turn',
  'follow-up',
  'scheduled-message',
  'csat-survey',
  'history-entry',
  'bulk-run',
];
/** Rules, SLA policies and saved views name inboxes and campaigns in their settings. */
const NAMED_IN_SETTINGS = ['inbox', 'campaign'];

export async function checkMembers(platform: Platform, operations: Operation[]): Promise<Findings> {
  const account: Findings = { asked: 0, faults: [] };
  const own = await createFullCompany(platform);
  const { token } = await platform.createUser(own._id, 'OPERATOR');
  const members = { users: [], teams: [] };
  await platform.call(200, 'PUT', `/v1/inboxes/${findId(own, 'inbox')}`, {
    key: own.key,
    body: { members, default_owner: null },
  });
  const secrets = HIDDEN.filter((kind) => !NAMED_IN_SETTINGS.includes(kind)).map((kind) => findId(own, kind));
  const pair = { platform, own, other: { ...own, secrets } };
  const caller = { name: 'a user who sees no inbox', token, headers: {}, refusal: null };
  for (const operation of operations.filter(
    ({ scope }) => scope !== null && allows(ROLE_SCOPES.OPERATOR, scope as Scope),
  )) {
    await prepareRecords(operation, platform, own);
    const valid = buildValidRequest(operation, own);
    // Nothing that the operation makes is hidden, so the request is only sent where it changes nothing.
    if (operation.method === 'GET') await sendAndCheck(pair, account, { caller, asking: valid });
    for (const position of findPositions(operation))
      for (const kind of position.kinds.filter((each) => HIDDEN.includes(each))) {
        const put = (id: string) =>
          sendAndCheck(pair, account, { caller, asking: withTextAt(valid, position, position.write(id, own)) });
        const [unknown, hidden] = [await put(newId()), await put(findId(own, kind))];
        if (!areSameAnswers(unknown, hidden)) account.faults.push(describe(operation, position, unknown, hidden));
      }
  }
  return account;
}

function describe(
  { name }: Operation,
  { path }: Position,
  ...[unknown, hidden]: [{ status: number; text: string }, { status: number; text: string }]
): string {
  const shown = ({ status, text }: { status: number; text: string }): string => `${status} ${text.slice(0, 300)}`;
  return `${name}, ${path}: a hidden id answers ${shown(hidden)}, an unknown one ${shown(unknown)}`;
}
