/** The rows of a source of due messages, while they are sent. */
import type { LeasedRow } from '../../../platform/work/claims/leases.ts';
import type { RowOutcome } from '../../../platform/work/claims/queue.ts';

export interface ClaimedSend extends LeasedRow {
  /** How often the work on it was begun, including this time. */
  attempts: number;
}

/** How the work on a due message has ended. */
export interface DueEnd extends RowOutcome {
  company: string;
  claimed_at: string;
  /** After how many seconds it is taken again; null when it has ended. */
  pause_seconds: number | null;
}

/** A row whose worker died while it called the network, or the outcome of whose message was unknown. */
export interface UnsettledSend {
  company: string;
  _id: string;
}

/** A row of what inboxes send by themselves, which a worker is about to send. */
export interface DueAutomatic {
  conversation: string;
  /** The message, once it is stored. */
  message: string | null;
  claimed_at: string | null;
}
