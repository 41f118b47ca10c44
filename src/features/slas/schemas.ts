/** The clocks of conversations, as they are stored. */
import type { Hours } from '../../channels/office-hours.ts';

/** A conversation, as far as its clocks depend on it. */
export interface Timed {
  status: string;
  priority: 'LOW' | 'MEDIUM' | 'HIGH' | 'URGENT' | null;
  inbox: string;
  team: string | null;
  waiting_since: string | null;
  /** When it was opened, or reopened last; and when its contact was first answered since then. */
  begun_at: string;
  first_reply_at: string | null;
  is_blocked: boolean;
  /** The business hours of the inbox; null if it is always open. */
  hours: Hours | null;
}

export interface Clocks {
  policy: string;
  begun_at: string;
  opened_at: string;
  is_held: boolean;
  resumed_at: string | null;
  first_reply_due_at: string | null;
  next_reply_due_at: string | null;
  close_due_at: string | null;
  breached_at: string | null;
}
