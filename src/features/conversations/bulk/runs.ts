/** One change to many conversations. */
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
  schema: ref(ConversationRun),
  list: 'conversation-runs',
});

/** Selects the conversations and stores the run. Throws when the change cannot be made in any conversation. */
export const startRun = (tenant: Tenant, asked: ConversationRunCreate, origin: Origin): Promise<ConversationRun> =>
  startChange(
    tenant,
    { ...asked, origin },
    {
      kind: CONVERSATION_RUNS,
      check: (change: ConversationChange) => checkChange(tenant.read, change),
      match: (filter, most) => findMatchingIds(tenant, filter, most),
      // A contact has one open conversation in an inbox: of several that a run reopens, the first one is opened and the others are refused.
      sort: (ids) => findNewestFirst(tenant.read, ids),
    },
  );

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
