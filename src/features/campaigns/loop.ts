/** The loop that works on campaigns. Companies take turns, so that a large campaign does not delay those of others. */
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/claims/claim-loop.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/due-work.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { createShares } from '../../platform/shares.ts';
import { createWakeUps } from '../../platform/wake-ups.ts';
import { HOLD_SECONDS } from './portion.ts';
import { workOnCampaign } from './turn.ts';
import {
  addUpChanges,
  claimCampaigns,
  HAS_CHANGES,
  IS_WAITING,
  queueDueCampaigns,
  recordTurns,
  renewHolds,
  type ClaimedCampaign,
  type TurnOutcome,
} from './turn-queries.ts';

// A campaign that sends mostly waits for the slots of its number, so a process can work on many; one company has this many of them.
const SLOTS = 32;
const SLOTS_PER_COMPANY = 4;
// A turn takes no further portion after TURN_MS. Its last calls take at most LAST_MS.
const TURN_MS = 5_000;
const LAST_MS = 12_000;
// A worker renews its holds a few times before they end. Another worker that took a campaign too early would send nothing twice.
const RENEW_MS = 1_500;
// A campaign whose turn failed would fail again at once.
const PAUSE_SECONDS = 5;
// The calls to networks that the campaigns of a process make at once; a company makes at most half of them.
const CALLS = 256;
const CALL_WAIT_MS = 10_000;

const queued = createWakeUps();
/** Wakes the loop of this process that works on campaigns. */
export const wakeCampaigns = queued.wake;

/** Renews the holds of this process, so that no other worker takes its campaigns. */
function keepHolds(system: SystemTx) {
  const held = new Set<ClaimedCampaign>();
  const timer = setInterval(() => {
    // Failure policy: the next renewal comes before the holds end. Without any, another worker takes the campaigns.
    if (held.size > 0) void renewHolds(system, [...held], HOLD_SECONDS).catch(() => undefined);
  }, RENEW_MS).unref();
  return {
    add: (claimed: ClaimedCampaign) => held.add(claimed),
    delete: (claimed: ClaimedCampaign) => held.delete(claimed),
    stop: () => clearInterval(timer),
  };
}

/** Returns the function that works on a claimed campaign for one turn, which never throws. */
function createTurns(kit: Kit, stopping: AbortSignal, holds: ReturnType<typeof keepHolds>) {
  const calls = createShares(CALLS / 2, CALL_WAIT_MS, { all: CALLS, kept: CALLS / 8 });
  return async (claimed: ClaimedCampaign): Promise<TurnOutcome> => {
    const { company, _id, seq, claimed_at } = claimed;
    const outcome = { company, _id, seq, claimed_at };
    holds.add(claimed);
    const endMs = performance.now() + TURN_MS;
    try {
      const options = { calls, stopping, isOver: () => performance.now() > endMs };
      return { ...outcome, pause_seconds: await workOnCampaign(kit, claimed, options) };
    } catch (error) {
      // Failure policy: the campaign goes on after a pause.
      kit.log.warn({ err: error, campaign: _id }, 'campaigns: a turn was interrupted');
      return { ...outcome, pause_seconds: PAUSE_SECONDS };
    } finally {
      holds.delete(claimed);
    }
  };
}

export function startCampaigns(kit: Kit): Pick<ClaimLoop, 'dueWork' | 'stop'> {
  const system = kit.database.system('upkeep');
  const stopping = new AbortController();
  const holds = keepHolds(system);
  const loop = startClaimLoop<ClaimedCampaign, TurnOutcome>(
    {
      name: 'campaigns',
      waiting: IS_WAITING,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: async (capacity) => {
        await queueDueCampaigns(system);
        return claimCampaigns(system, capacity, HOLD_SECONDS);
      },
      act: createTurns(kit, stopping.signal, holds),
      actMs: TURN_MS + LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, outcomes);
        wakeCampaigns();
      },
      // A campaign whose worker died is due again after a while, and the next poll finds it.
      sweep: () => Promise.resolve(),
      ahead: null,
    },
    kit,
  );
  const unsubscribe = queued.listen(loop.wake);
  return {
    dueWork: loop.dueWork,
    stop: () => {
      unsubscribe();
      stopping.abort();
      return loop.stop().finally(holds.stop);
    },
  };
}

// The pause between two runs. Whoever reads counters adds the changes to them, so some thousands of changes may wait.
const ADD_UP_EVERY_MS = 1_000;
const ADDED_UP_AT_ONCE = 5_000;

/** Adds changes up to the counters of campaigns. After a failure they stay recorded, and still count. */
export const campaignCounters = (kit: Kit): UpkeepTask =>
  createPortionedUpkeep(kit, {
    due: HAS_CHANGES,
    everyMs: ADD_UP_EVERY_MS,
    failure: 'campaigns: changes of counters wait',
    work: async () => (await addUpChanges(kit.database.system('upkeep'), ADDED_UP_AT_ONCE)) === ADDED_UP_AT_ONCE,
  });
