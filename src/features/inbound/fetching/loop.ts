/** The loop that fetches inboxes whose networks keep what arrives. A company occupies two slots at most. */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { createIntake } from '../intake.ts';
import { fetchInbox, TURN_MS } from './fetch.ts';
import {
  claimInboxes,
  enqueueNew,
  IS_WAITING,
  recordFetches,
  requeueDue,
  type ClaimedInbox,
  type FetchOutcome,
} from './queries.ts';
import { startWatching } from './watch.ts';

// A slot uses a connection and the memory of up to twenty mails.
const SLOTS = 8;
const SLOTS_PER_COMPANY = 2;
// A worker that is alive ends a turn before this time, with a minute to store what it has fetched.
const LEASE_SECONDS = TURN_MS / 1_000 + 60;
const REQUEUED_AT_ONCE = 1_000;

export function startFetching(kit: Kit): Pick<ClaimLoop, 'dueWork' | 'stop'> {
  const system = kit.database.system('upkeep');
  const intake = createIntake(kit);
  const fetched = kit.channels.all().flatMap(({ name, fetchItems }) => (fetchItems ? [name] : []));
  const loop = startClaimLoop<ClaimedInbox, FetchOutcome>(
    {
      name: 'fetching',
      waiting: IS_WAITING,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      claim: (capacity) => claimInboxes(system, capacity, LEASE_SECONDS),
      act: (inbox, signal) => fetchInbox({ kit, intake, signal }, inbox),
      actMs: TURN_MS,
      record: (outcomes) => kit.database.systemTx('upkeep', (tx) => recordFetches(tx, outcomes)),
      sweep: async () => {
        try {
          await enqueueNew(system, fetched);
          await requeueDue(system, REQUEUED_AT_ONCE);
        } catch (error) {
          // Failure policy: the next sweep follows in five seconds.
          kit.log.warn({ err: error }, 'fetching: the inboxes that are due could not be queued');
        }
      },
    },
    kit,
  );
  const watching = startWatching(kit, loop.wake);
  return {
    dueWork: loop.dueWork,
    stop: async () => {
      await Promise.all([watching.stop(), loop.stop()]);
    },
  };
}
