/** Changes the conversations of a run, each in a transaction of its own, so that none is locked longer than by a PATCH. */
import type { Kit } from '../../../kit.ts';
import type { ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import type { ClaimedRun, Progress } from '../../../platform/work/runs/queries.ts';
import { startRuns, toRunError } from '../../../platform/work/runs/work.ts';
import { makeChange } from './change.ts';
import { CONVERSATION_RUNS } from './runs.ts';
import { MAX_FAILURES, type ConversationChange, type ConversationFailure } from './schemas.ts';

type Run = ClaimedRun<ConversationChange>;

export const startConversationRuns = (kit: Kit): ClaimLoop =>
  startRuns<ConversationChange>(kit, {
    kind: CONVERSATION_RUNS,
    perCompany: 1,
    begin: (run, acting) => ({
      portion: async (tx) => {
        const isChanged = await makeChange(kit, tx, acting, {
          id: findNext(run),
          change: run.input,
          audit: { origin: run.origin },
        });
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
