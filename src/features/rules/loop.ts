/** The loop in which rules look at what has happened. Companies take turns. */
import type { Kit } from '../../kit.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { startClaimLoop, type ClaimLoop } from '../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../platform/work/claims/leases.ts';
import { claimEvents, recordEvents, RULE_EVENTS, type ClaimedEvent, type EventOutcome } from './queue-queries.ts';
import { RULE_EVENTS_QUEUE } from './schemas.ts';
import { runRules } from './work.ts';

const SLOTS = 16;
const SLOTS_PER_COMPANY = 4;
// A hundred rules, each with a transaction of some statements.
const RUN_MS = 30_000;
// Tried again after 20 s, then after twice as long each time: almost six hours in all.
const MAX_ATTEMPTS = declareLimit(10, {
  topic: 'Messages',
  what: 'Rules: attempts while the platform itself fails',
  beyond: 'the run is FAILED',
});
const FIRST_PAUSE_SECONDS = 10;

export function startRules(kit: Kit): ClaimLoop {
  const system = kit.database.system('upkeep');
  return startClaimLoop<ClaimedEvent, EventOutcome>(
    {
      ...openLeases<ClaimedEvent>(system, RULE_EVENTS),
      name: RULE_EVENTS_QUEUE,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimEvents(system, capacity),
      act: (claimed) => runOnce(kit, claimed),
      actMs: RUN_MS,
      record: (outcomes) => recordEvents(system, outcomes),
    },
    kit,
  );
}

/** Never throws. */
async function runOnce(kit: Kit, claimed: ClaimedEvent): Promise<EventOutcome> {
  const { company, _id, claimed_at, attempts } = claimed;
  const end = { company, _id, claimed_at };
  try {
    if (claimed.is_active) await runRules(kit, claimed, { isLast: attempts > MAX_ATTEMPTS });
    return { ...end, pause_seconds: null };
  } catch (error) {
    // Failure policy: what the platform could not do is done later, and again and again for some hours.
    kit.log.warn({ err: error, company, event: _id }, 'rules: an event could not be looked at');
    return { ...end, pause_seconds: FIRST_PAUSE_SECONDS * 2 ** Math.min(attempts, MAX_ATTEMPTS) };
  }
}
