/**
 * Changes the conversations of a run one after the other, each in a transaction of its own that also counts the conversation. So a worker
 * that dies repeats nothing and leaves nothing out, and no conversation is locked longer than by a PATCH.
 */
import type { Kit } from '../../../kit.ts';
import { recordAudit, toLoggedActor } from '../../../platform/http/audit.ts';
import { isAway, isContention, toDatabaseProblem } from '../../../platform/store/db.ts';
import { AppError, invalid } from '../../../platform/values/errors.ts';
import { actAs, type Acting, type TenantTx } from '../../../platform/store/tenant.ts';
import { MAX_TAGS, type Conversation, type ConversationUpdate } from '../schemas.ts';
import { changeConversationById, refuseSecondOpen } from '../update.ts';
import { countDone, endRunEarly, findRemaining, type ConversationResult } from './queries.ts';
import { announceRun } from './runs.ts';
import { MAX_FAILURES, type ConversationChange } from './schemas.ts';
import type { ClaimedRun } from './turn-queries.ts';

// The number of attempts without progress after which a run fails, because it would end its process again.
const MAX_ATTEMPTS = 2;
const CRASHED = {
  code: 'RUN_CRASHED',
  message: 'The change crashed its process twice; changes already made are kept',
};
// The number of tries for a conversation that others lock. After these it is reported, so that it does not hold up the others.
const TRIES = 3;
const MAX_MESSAGE = 300;

/** The run has ended, or another process works on it. */
class RunLost extends Error {}

/** Goes on with a run until it ends, or until `isOver` says so. Throws an error that only prevents it for now. */
export async function workOnRun(kit: Kit, run: ClaimedRun, isOver: () => boolean): Promise<void> {
  const acting = actAs(kit.database, run.company, run.actor);
  if (run.attempts > MAX_ATTEMPTS) return failRun(acting, run._id);
  const remaining = await findRemaining(acting.read, run._id);
  if (!remaining) return;
  let place = remaining.processed;
  try {
    for (const id of remaining.conversations) {
      if (isOver()) return;
      await changeOne(kit, { acting, run }, { id, place });
      place += 1;
    }
  } catch (error) {
    // Failure policy: nothing of this process is stored any more; what it throws otherwise is tried again later.
    if (!(error instanceof RunLost)) throw error;
  }
}

const failRun = (acting: Acting, id: string): Promise<void> =>
  acting.tx(async (tx) => {
    await endRunEarly(tx, id, CRASHED);
    announceRun(tx, id);
  });

interface RunWork {
  acting: Acting;
  run: ClaimedRun;
}

/** The conversation whose turn it is, and how many of the run were done before it. */
interface Place {
  id: string;
  place: number;
}

/** Changes one conversation, or counts it as failed with the error of a PATCH. */
async function changeOne(kit: Kit, work: RunWork, { id, place }: Place): Promise<void> {
  const { acting, run } = work;
  for (let tries = 1; ; tries += 1) {
    try {
      return await refuseSecondOpen(acting, { id, path: 'status' }, () =>
        acting.tx(async (tx) => {
          const isChanged = await changeAndAudit(kit, tx, work, id);
          await count(tx, run._id, { place, isChanged, failure: null });
        }),
      );
    } catch (error) {
      // Failure policy: a conversation that others lock is tried again at once; an error of the whole database is thrown; any other error is
      // the conversation's.
      const problem = error instanceof AppError ? error : toDatabaseProblem(error);
      if (error instanceof RunLost || preventsAll(error)) throw error;
      if (isContention(error) && tries < TRIES) continue;
      if (!problem)
        kit.log.error({ err: error, run: run._id, conversation: id }, 'a conversation of a bulk change failed');
      const failure = { conversation: id, ...describeProblem(problem) };
      return acting.tx((tx) => count(tx, run._id, { place, isChanged: false, failure }));
    }
  }
}

/** Whether the error would prevent the change of every conversation. */
export const preventsAll = (error: unknown): boolean =>
  error instanceof AppError ? error.status === 503 : isAway(error);

function describeProblem(problem: AppError | null): { code: string; message: string } {
  if (!problem) return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' };
  return { code: problem.code, message: problem.message.slice(0, MAX_MESSAGE) };
}

/** Makes the change as a PATCH does, with its entry in the audit log. Returns false when the conversation was so already. */
async function changeAndAudit(kit: Kit, tx: TenantTx, { acting, run }: RunWork, id: string): Promise<boolean> {
  const { change, origin } = run;
  const { isChanged } = await changeConversationById(kit, tx, acting, {
    id,
    step: change.step,
    makeInput: (before) => toUpdate(change, before),
  });
  const entry = {
    company: run.company,
    actor: toLoggedActor(run.actor),
    resource: 'conversations',
    resourceId: id,
    origin,
  };
  if (isChanged)
    tx.awaitAtCommit(recordAudit(tx, { ...entry, action: 'conversations.update', fields: Object.keys(change) }));
  return isChanged;
}

/** Makes the PATCH of one conversation. A PATCH replaces all tags, so added and removed tags are applied to those that it has. */
function toUpdate({ add_tags, remove_tags, ...plain }: ConversationChange, { tags }: Conversation): ConversationUpdate {
  if (!add_tags && !remove_tags) return plain;
  const next = [...new Set([...tags, ...(add_tags ?? [])])].filter((tag) => !remove_tags?.includes(tag));
  if (next.length > MAX_TAGS && next.length > tags.length) throw invalid('tags', `would be more than ${MAX_TAGS}`);
  return { ...plain, tags: next };
}

/** Counts the conversation in the transaction that changes it. Throws when someone else has counted it, so that nothing is stored twice. */
async function count(tx: TenantTx, run: string, result: ConversationResult): Promise<void> {
  if ((await countDone(tx, run, result, MAX_FAILURES)) === 0) throw new RunLost();
  announceRun(tx, run);
}
