/**
 * One change to many conversations. The request fixes which conversations they are and stores the run; a worker changes them one after the
 * other.
 */
import type { Origin } from '../../../platform/http/audit.ts';
import { AppError, checkInside, invalid, unknownReference } from '../../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { ref } from '../../../platform/values/schema.ts';
import type { RunKind } from '../../../platform/work/runs/kind.ts';
import { findRuns } from '../../../platform/work/runs/queries.ts';
import { addRun } from '../../../platform/work/runs/runs.ts';
import { applyValues } from '../../custom-fields/values.ts';
import { expectTeam } from '../../teams/teams.ts';
import { expectUsers } from '../../users/assignments.ts';
import { expectKnownReferences, findMatchingIds } from '../list.ts';
import { findNewestFirst, RUN_COLUMNS } from './queries.ts';
import {
  ConversationRun,
  MAX_SELECTED,
  RUN_STATUSES,
  type ConversationChange,
  type ConversationRunCreate,
} from './schemas.ts';

// The number of runs of a company that may wait or be worked on, with 100,000 conversations together.
const MAX_OPEN = declareLimit(10, {
  topic: 'Messages',
  what: 'Waiting and running bulk changes, per company',
  beyond: '409',
});

export const CONVERSATION_RUNS: RunKind<ConversationRun> = {
  name: 'CONVERSATIONS',
  schema: ref(ConversationRun),
  statuses: RUN_STATUSES,
  list: 'conversation-runs',
  columns: RUN_COLUMNS,
  mostOpen: MAX_OPEN,
  refuse: () => new AppError('RUNS_WAITING', `${MAX_OPEN} bulk changes of the company are in progress`),
  crashed: {
    code: 'RUN_CRASHED',
    message: 'The change crashed its process twice; changes already made are kept',
  },
};

/** Selects the conversations and stores the run. Throws when the change cannot be made in any conversation. */
export async function startRun(
  tenant: Tenant,
  { ids, filter, change }: ConversationRunCreate,
  origin: Origin,
): Promise<ConversationRun> {
  if (ids === undefined && filter === undefined) throw invalid('ids', 'or filter is required', 'REQUIRED');
  if (ids !== undefined && filter !== undefined) throw invalid('filter', 'is not allowed with ids');
  await checkInside('change', () => checkChange(tenant.read, change));
  const selected = ids ?? (await checkInside('filter', () => findMatchingIds(tenant, filter ?? {}, MAX_SELECTED + 1)));
  if (selected.length > MAX_SELECTED)
    throw invalid('filter', `selects more than ${MAX_SELECTED} conversations, the most per run`, 'TOO_MANY');
  // A contact has one open conversation in an inbox: of several that a run reopens, the first one is opened and the others are refused.
  const conversations = await findNewestFirst(tenant.read, selected);
  if (ids) expectAll(ids, conversations);
  const { type, id, name } = tenant.principal;
  const run = {
    input: change,
    subjects: conversations,
    total: conversations.length,
    actor: { type, id, name },
    origin,
  };
  return tenant.tx((tx) => addRun(tx, CONVERSATION_RUNS, run));
}

/** Checks what holds for all conversations, and not what depends on the state of each. */
export async function checkChange(read: TenantRead, change: ConversationChange): Promise<void> {
  const { owner, attendant, team, agent, step, snoozed_until } = change;
  await expectUsers(read, { owner, attendant });
  await expectTeam(read, 'team', team);
  await expectKnownReferences(read, { ...(agent && { agent }), ...(step && { step }) });
  await applyValues(read, 'conversation', {}, change.custom_fields);
  if (snoozed_until && Date.parse(snoozed_until) <= Date.now())
    throw invalid('snoozed_until', 'is in the past', 'PAST');
}

function expectAll(ids: string[], found: string[]): void {
  const existing = new Set(found);
  const unknown = ids.findIndex((id) => !existing.has(id));
  if (unknown >= 0) throw unknownReference(`ids[${unknown}]`);
}

/** Reads runs by their ids, for callers that follow their progress. Those that do not exist are left out. */
export const readConversationRuns = (read: TenantRead, ids: string[]): Promise<ConversationRun[]> =>
  findRuns(read, CONVERSATION_RUNS, ids);
