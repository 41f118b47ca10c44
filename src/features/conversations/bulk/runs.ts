/** One change to many conversations. A macro in many conversations is a run of the same kind (macros/runs.ts). */
import type { Origin } from '../../../platform/http/audit.ts';
import { invalid } from '../../../platform/values/errors.ts';
import type { Tenant, TenantRead } from '../../../platform/store/tenant.ts';
import { ref } from '../../../platform/values/schema.ts';
import { changeKind, startChange } from '../../../platform/work/runs/changes.ts';
import { findRuns } from '../../../platform/work/runs/queries.ts';
import { applyValues } from '../../custom-fields/values.ts';
import { expectTeam } from '../../teams/teams.ts';
import { expectUsers } from '../../users/assignments.ts';
import { expectKnownReferences, findMatchingIds } from '../list.ts';
import { findNewestFirst } from './queries.ts';
import { ConversationRun, type ConversationChange, type ConversationRunCreate } from './schemas.ts';

export const CONVERSATION_RUNS = changeKind<ConversationRun>({
  name: 'CONVERSATIONS',
  word: 'conversation',
  input: `case when input ? 'macro' then null else input end as change, input -> 'macro' as macro`,
  schema: ref(ConversationRun),
  list: 'conversation-runs',
});

interface AskedRun<I> extends Pick<ConversationRunCreate, 'ids' | 'filter'> {
  /** What the run does, as its worker reads it. */
  input: I;
  origin: Origin;
}

/** Selects the conversations and stores the run. */
export const addConversationRun = <I extends object>(
  tenant: Tenant,
  { input, ...asked }: AskedRun<I>,
  check?: (input: I) => Promise<void>,
): Promise<ConversationRun> =>
  startChange(
    tenant,
    { ...asked, change: input },
    {
      kind: CONVERSATION_RUNS,
      ...(check && { check }),
      match: (filter, most) => findMatchingIds(tenant, filter, most),
      // A contact has one open conversation in an inbox: of several that a run reopens, the first one is opened and the others are refused.
      sort: (ids) => findNewestFirst(tenant.read, ids),
    },
  );

/** Starts a change. Throws when it cannot be made in any conversation. */
export const startRun = (
  tenant: Tenant,
  { change, ...asked }: ConversationRunCreate,
  origin: Origin,
): Promise<ConversationRun> =>
  addConversationRun(tenant, { ...asked, input: change, origin }, (input) => checkChange(tenant.read, input));

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

/** Reads runs by their ids, for callers that follow their progress. Those that do not exist are left out. */
export const readConversationRuns = (read: TenantRead, ids: string[]): Promise<ConversationRun[]> =>
  findRuns(read, CONVERSATION_RUNS, ids);
