/** The loop that works on bulk changes of conversations. Companies take turns, so that a large run does not delay those of others. */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { openLeases, recordTurns, type TurnOutcome } from '../../../platform/work/claims/leases.ts';
import { RUNS } from './runs.ts';
import { claimRuns, RUN_QUEUE, type ClaimedRun } from './turn-queries.ts';
import { preventsAll, workOnRun } from './work.ts';

// A run uses one connection at a time; one company has one run of this process.
const SLOTS = 4;
const SLOTS_PER_COMPANY = 1;
// A turn begins no further conversation after TURN_MS. With its statements and the waits for locks, the last one takes at most LAST_MS.
const TURN_MS = 2_000;
const LAST_MS = 15_000;
// A database that has just failed would fail again at once.
const PAUSE_SECONDS = 5;

export function startConversationRuns(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  return startClaimLoop<ClaimedRun, TurnOutcome>(
    {
      ...openLeases<ClaimedRun>(system, RUN_QUEUE),
      name: RUNS,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimRuns(system, capacity),
      act: (run, stopping) => takeTurn(kit, run, stopping),
      actMs: TURN_MS + LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, RUN_QUEUE, outcomes);
        system.wakes(RUNS);
      },
    },
    kit,
  );
}

/** Works on a run for one turn. Never throws. */
async function takeTurn(kit: Kit, run: ClaimedRun, stopping: AbortSignal): Promise<TurnOutcome> {
  const { company, _id, claimed_at } = run;
  const outcome = { company, _id, claimed_at, pause_seconds: null, is_failure: false };
  const endMs = performance.now() + TURN_MS;
  try {
    await workOnRun(kit, run, () => stopping.aborted || performance.now() > endMs);
    return outcome;
  } catch (error) {
    // Failure policy: the run goes on after a pause. An error of this project counts as an attempt, so that the run does not come back for ever.
    kit.log.warn({ err: error, run: _id }, 'conversation runs: interrupted');
    return { ...outcome, pause_seconds: PAUSE_SECONDS, is_failure: !preventsAll(error) };
  }
}
