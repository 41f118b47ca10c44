/** The loop that works on campaigns. Companies take turns, so that a large campaign does not delay those of others. */
import type { Kit } from '../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../platform/work/claims/leases.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { createShares } from '../../platform/work/shares.ts';
import { workOnCampaign } from './turn.ts';
import {
  addUpChanges,
  CAMPAIGN_QUEUE,
  claimCampaigns,
  HAS_CHANGES,
  recordTurns,
  type ClaimedCampaign,
  type TurnOutcome,
} from './turn-queries.ts';

// A campaign that sends mostly waits for the slots of its number, so a process can work on many; one company has this many of them.
const SLOTS = 32;
const SLOTS_PER_COMPANY = 4;
// A turn takes no further portion after TURN_MS. Its last calls take at most LAST_MS.
const TURN_MS = 5_000;
const LAST_MS = 12_000;
// A campaign whose turn failed would fail again at once.
const PAUSE_SECONDS = 5;
// The calls to networks that the campaigns of a process make at once; a company makes at most half of them.
const CALLS = 256;
const CALL_WAIT_MS = 10_000;

/** The queue of the loop that works on campaigns. */
export const CAMPAIGNS = 'campaigns';

/** Returns the function that works on a claimed campaign for one turn, which never throws. */
function createTurns(kit: Kit) {
  const calls = createShares(CALLS / 2, CALL_WAIT_MS, { all: CALLS, kept: CALLS / 8 });
  return async (claimed: ClaimedCampaign, stopping: AbortSignal): Promise<TurnOutcome> => {
    const { company, _id, claimed_at } = claimed;
    const outcome = { company, _id, claimed_at };
    const endMs = performance.now() + TURN_MS;
    try {
      const options = { calls, stopping, isOver: () => performance.now() > endMs };
      return { ...outcome, pause_seconds: await workOnCampaign(kit, claimed, options) };
    } catch (error) {
      // Failure policy: the campaign goes on after a pause.
      kit.log.warn({ err: error, campaign: _id }, 'campaigns: a turn was interrupted');
      return { ...outcome, pause_seconds: PAUSE_SECONDS };
    }
  };
}

export function startCampaigns(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  return startClaimLoop<ClaimedCampaign, TurnOutcome>(
    {
      ...openLeases<ClaimedCampaign>(system, CAMPAIGN_QUEUE),
      name: CAMPAIGNS,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimCampaigns(system, capacity),
      act: createTurns(kit),
      actMs: TURN_MS + LAST_MS,
      record: async (outcomes) => {
        await recordTurns(system, outcomes);
        system.wakes(CAMPAIGNS);
      },
    },
    kit,
  );
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
