/** The loop that sends follow-ups. Companies take turns. */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../../platform/work/claims/leases.ts';
import {
  claimFollowUps,
  FOLLOW_UP_QUEUE,
  restFollowUps,
  takeUnsettledFollowUps,
  type ClaimedFollowUp,
  type FollowUpEnd,
} from './queue-queries.ts';
import { endOrLog, SETTLE_SECONDS, settleLeftWork } from '../left-work.ts';
import { giveUpFollowUp, isRefused, sendFollowUp, settleLeftFollowUp } from './send.ts';

const NAME = 'follow-ups';
const SLOTS = 32;
const SLOTS_PER_COMPANY = 8;
// A network takes longer than this only when it is in trouble.
const SLOW_MS = 5_000;
const SEND_MS = 30_000;
const MAX_ATTEMPTS = 3;
const PAUSE_SECONDS = 10;

export function startFollowUps(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  return startClaimLoop<ClaimedFollowUp, FollowUpEnd>(
    {
      ...openLeases<ClaimedFollowUp>(system, FOLLOW_UP_QUEUE),
      name: NAME,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      slowMs: SLOW_MS,
      claim: (capacity) => claimFollowUps(system, capacity),
      act: (followUp) => sendOnce(kit, followUp),
      actMs: SEND_MS,
      record: async (ends) => {
        const resting = ends.filter(({ pause_seconds }) => pause_seconds !== null);
        if (resting.length > 0) await restFollowUps(system, resting);
      },
      sweep: () =>
        settleLeftWork(kit, {
          name: NAME,
          take: () => takeUnsettledFollowUps(system, SETTLE_SECONDS),
          settle: settleLeftFollowUp,
        }),
    },
    kit,
  );
}

/** Sends a follow-up. Never throws. */
async function sendOnce(kit: Kit, followUp: ClaimedFollowUp): Promise<FollowUpEnd> {
  const { company, _id, claimed_at, attempts } = followUp;
  const end = { company, _id, claimed_at };
  try {
    await (attempts > MAX_ATTEMPTS ? giveUpFollowUp(kit, followUp) : sendFollowUp(kit, followUp));
    return { ...end, pause_seconds: null };
  } catch (error) {
    // Failure policy: what is refused is FAILED, and anything else is tried again after a pause, a few times.
    kit.log.warn({ err: error, follow_up: _id }, 'follow-ups: a follow-up could not be sent');
    if (isRefused(error)) await endOrLog(kit, NAME, followUp, giveUpFollowUp);
    return { ...end, pause_seconds: PAUSE_SECONDS };
  }
}
