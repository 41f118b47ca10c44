/** Changes the conversations of a run, each in a transaction of its own, so that none is locked longer than by a PATCH. */
import type { Kit } from '../../../kit.ts';
import { recordAudit, toLoggedActor } from '../../../platform/http/audit.ts';
import type { Acting, TenantTx } from '../../../platform/store/tenant.ts';
import { invalid } from '../../../platform/values/errors.ts';
import type { ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import type { ClaimedRun, Progress } from '../../../platform/work/runs/queries.ts';
import { startRuns, toRunError } from '../../../platform/work/runs/work.ts';
import { MAX_TAGS, type Conversation, type ConversationUpdate } from '../schemas.ts';
import { changeConversationById, findSecondOpen } from '../update.ts';
import { markConversation } from '../conversations.ts';
import { CONVERSATION_RUNS } from './runs.ts';
import { MAX_FAILURES, type ConversationChange, type ConversationFailure } from './schemas.ts';

type Run = ClaimedRun<ConversationChange>;

export const startConversationRuns = (kit: Kit): ClaimLoop =>
  startRuns<ConversationChange>(kit, {
    kind: CONVERSATION_RUNS,
    perCompany: 1,
    begin: (run, acting) => ({
      portion: async (tx) => {
        const isChanged = await changeAndAudit(kit, tx, acting, run);
        return { progress: { processed: 1, changed: isChanged ? 1 : 0 } };
      },
      fail: (error) => ({ progress: countFailed(run, error) }),
    }),
  });

/** Reports a conversation that cannot be changed with the error of its PATCH. */
function countFailed(run: Run, error: unknown): Progress {
  const reason = toRunError(error);
  const failure: ConversationFailure = { conversation: findNext(run), ...reason };
  return { processed: 1, failed: 1, failures: run.failures.length < MAX_FAILURES ? [failure] : [] };
}

/** Returns the conversation whose turn it is. */
const findNext = ({ subjects }: Run): string => subjects?.[0] ?? '';

/** Makes the change as a PATCH does, and the marks. Returns false when the conversation was so already. */
async function changeAndAudit(kit: Kit, tx: TenantTx, acting: Acting, run: Run): Promise<boolean> {
  const { unread, ...change } = run.input;
  const id = findNext(run);
  const isChanged = Object.keys(change).length > 0 && (await changeFields(kit, tx, acting, { ...run, input: change }));
  const isMarked = unread !== undefined && (await markConversation(kit, tx, acting, { id, unread })).isChanged;
  return isChanged || isMarked;
}

/** Changes the fields of one conversation, with an entry in the audit log. */
async function changeFields(kit: Kit, tx: TenantTx, acting: Acting, run: Run): Promise<boolean> {
  const { company, input: change, origin } = run;
  const id = findNext(run);
  const makeInput = (before: Conversation): ConversationUpdate => toUpdate(change, before);
  const { isChanged } = await changeConversationById(kit, tx, acting, { id, step: change.step, makeInput }).catch(
    (error: unknown) => {
      // Failure policy: the refusal of a second open conversation gets its code; any other error is thrown on.
      throw findSecondOpen(error, 'status') ?? error;
    },
  );
  const entry = {
    company,
    actor: toLoggedActor(acting.actor),
    resource: 'conversations',
    resourceId: id,
    origin,
  };
  if (isChanged)
    tx.awaitAtCommit(recordAudit(tx, { ...entry, action: 'conversations.update', fields: Object.keys(change) }));
  return isChanged;
}

/** Makes the PATCH of one conversation. A PATCH replaces all tags, so added and removed tags are applied to those that it has. */
function toUpdate(
  { add_tags, remove_tags, ...plain }: Omit<ConversationChange, 'unread'>,
  { tags }: Conversation,
): ConversationUpdate {
  if (!add_tags && !remove_tags) return plain;
  const next = [...new Set([...tags, ...(add_tags ?? [])])].filter((tag) => !remove_tags?.includes(tag));
  if (next.length > MAX_TAGS && next.length > tags.length) throw invalid('tags', `would be more than ${MAX_TAGS}`);
  return { ...plain, tags: next };
}
