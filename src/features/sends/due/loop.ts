/** The loop that sends the due messages of a source, such as follow-ups and scheduled messages. Companies take turns. */
import type { Kit } from '../../../kit.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { openLeases, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import { endOrLog, SETTLE_SECONDS, settleLeftWork } from './left-work.ts';
import { claimDue, restDue, takeUnsettledDue } from './queue-queries.ts';
import type { ClaimedSend, DueEnd, UnsettledSend } from './schemas.ts';

const SLOTS = 32;
const SLOTS_PER_COMPANY = 8;
// A network takes longer than this only when it is in trouble.
const SLOW_MS = 5_000;
const SEND_MS = 30_000;
const MAX_ATTEMPTS = 3;
const PAUSE_SECONDS = 10;

/** What the loop has to know of those who send a message at its time. */
export interface DueSource {
  /** The name of the queue, also in the log. */
  name: string;
  queue: LeasedTable;
  /**
   * Sends a claimed row, and stores its message and that it is being sent in one transaction before the call to the network. Throws an AppError for
   * what cannot be sent later either.
   */
  send(kit: Kit, row: ClaimedSend): Promise<void>;
  /** Ends a row that cannot be sent. The reason is null when too many attempts have failed. */
  giveUp(kit: Kit, row: ClaimedSend, reason: AppError | null): Promise<void>;
  /** Ends a row whose worker died while it called the network, or the outcome of whose message was unknown. */
  settleLeft(kit: Kit, row: UnsettledSend): Promise<void>;
}

export function startDueSends(kit: Kit, source: DueSource): ClaimLoop {
  const system = kit.database.system('upkeep');
  const { name, queue } = source;
  return startClaimLoop<ClaimedSend, DueEnd>(
    {
      ...openLeases<ClaimedSend>(system, queue),
      name,
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      slowMs: SLOW_MS,
      claim: (capacity) => claimDue(system, queue, capacity),
      act: (row) => sendOnce(kit, source, row),
      actMs: SEND_MS,
      record: async (ends) => {
        const resting = ends.filter(({ pause_seconds }) => pause_seconds !== null);
        if (resting.length > 0) await restDue(system, queue, resting);
      },
      sweep: () =>
        settleLeftWork(kit, {
          name,
          take: () => takeUnsettledDue(system, queue, SETTLE_SECONDS),
          settle: source.settleLeft,
        }),
    },
    kit,
  );
}

/** Sends a row. Never throws. */
export async function sendOnce(kit: Kit, { name, send, giveUp }: DueSource, row: ClaimedSend): Promise<DueEnd> {
  const { company, _id, claimed_at, attempts } = row;
  const end = { company, _id, claimed_at };
  try {
    await (attempts > MAX_ATTEMPTS ? giveUp(kit, row, null) : send(kit, row));
    return { ...end, pause_seconds: null };
  } catch (error) {
    // Failure policy: a refusal ends the row as FAILED; any other error is retried a few times after a pause.
    kit.log.warn({ err: error, row: _id }, `${name}: a message could not be sent`);
    if (isRefused(error)) await endOrLog(kit, name, row, () => giveUp(kit, row, error));
    return { ...end, pause_seconds: PAUSE_SECONDS };
  }
}

/** Returns true when sending cannot succeed later either: the platform has refused what would be sent. */
const isRefused = (error: unknown): error is AppError => error instanceof AppError && error.status < 500;
