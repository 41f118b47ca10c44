/**
 * One change to many conversations. The request fixes which conversations they are and stores the run; a worker changes them one after the
 * other.
 */
import type { Origin } from '../../../platform/http/audit.ts';
import { AppError, insideOf, invalid, notFound, unknownReference } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { lockLimit } from '../../../platform/store/limit-lock.ts';
import { makePage, pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import { applyValues } from '../../custom-fields/values.ts';
import { expectUsers } from '../../users/assignments.ts';
import { expectKnownReferences, findMatchingIds } from '../list.ts';
import {
  countOpenRuns,
  countRuns,
  endRunEarly,
  findNewestFirst,
  findRun,
  findRuns,
  insertRun,
  listRuns,
} from './queries.ts';
import {
  MAX_SELECTED,
  type ConversationChange,
  type ConversationRun,
  type ConversationRunCreate,
  type ConversationRunQuery,
} from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// The number of runs of a company that may wait or be worked on, with 100,000 conversations together.
const MAX_OPEN = declareLimit(10, {
  topic: 'Messages',
  what: 'Waiting and running bulk changes, per company',
  beyond: '409',
});

/** The queue of the loop that works on runs. */
export const RUNS = 'conversation runs';

/** Selects the conversations and stores the run. Throws when the change cannot be made in any conversation. */
export async function startRun(
  tenant: Tenant,
  { ids, filter, change }: ConversationRunCreate,
  origin: Origin,
): Promise<ConversationRun> {
  if (ids === undefined && filter === undefined) throw invalid('ids', 'or filter is required', 'REQUIRED');
  if (ids !== undefined && filter !== undefined) throw invalid('filter', 'is not allowed with ids');
  await checkInside('change', () => checkChange(tenant, change));
  const selected = ids ?? (await checkInside('filter', () => findMatchingIds(tenant, filter ?? {}, MAX_SELECTED + 1)));
  if (selected.length > MAX_SELECTED)
    throw invalid('filter', `selects more than ${MAX_SELECTED} conversations, the most per run`, 'TOO_MANY');
  // A contact has one open conversation in an inbox: of several that a run reopens, the first one is opened and the others are refused.
  const conversations = await findNewestFirst(tenant.read, selected);
  if (ids) expectAll(ids, conversations);
  const { type, id, name } = tenant.principal;
  return tenant.tx(async (tx) => {
    await lockLimit(tx, 'conversation-runs');
    if ((await countOpenRuns(tx)) >= MAX_OPEN)
      throw new AppError('RUNS_WAITING', `${MAX_OPEN} bulk changes of the company are in progress`);
    const _id = newId();
    tx.created(_id);
    tx.wakes(RUNS);
    return insertRun(tx, { _id, change, conversations, actor: { type, id, name }, origin });
  });
}

/** Names the fields in the errors of a check by their place in the request. */
async function checkInside<T>(parent: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    // Failure policy: the error is thrown on, with other paths.
    throw error instanceof AppError && error.status === 400 ? insideOf(parent, error) : error;
  }
}

/** Checks what holds for all conversations, and not what depends on the state of each. */
async function checkChange({ read }: Tenant, change: ConversationChange): Promise<void> {
  const { owner, attendant, agent, step, snoozed_until } = change;
  await expectUsers(read, { owner, attendant });
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

export async function readRun({ read }: Tenant, id: string): Promise<ConversationRun> {
  return expectRun(read, id);
}

async function expectRun(tx: TenantRead, id: string): Promise<ConversationRun> {
  const run = await findRun(tx, id);
  if (!run) throw notFound();
  return run;
}

/** Reads runs by their ids, for callers that follow their progress. Those that do not exist are left out. */
export const readConversationRuns = (read: TenantRead, ids: string[]): Promise<ConversationRun[]> =>
  findRuns(read, ids);

export async function pageRuns(tenant: Tenant, query: ConversationRunQuery): Promise<Page<ConversationRun>> {
  const { status = null } = query;
  const window = pageWindow('conversation-runs', query);
  const rows = await listRuns(tenant.read, status, window);
  return makePage(query, window, rows, () => countRuns(tenant.read, status, window));
}

/** Ends a run after the conversation that is being changed. A run that has ended stays as it is. */
export async function cancelRun(tenant: Tenant, id: string): Promise<ConversationRun> {
  return tenant.tx(async (tx) => {
    if ((await endRunEarly(tx, id, null)) > 0) announceRun(tx, id);
    return expectRun(tx, id);
  });
}

/** Names the run to the change feed. */
export const announceRun = (tx: TenantTx, id: string): void =>
  tx.changed([{ company: tx.companyId, kind: 'CONVERSATION_RUN', ids: [id] }]);
