/** What the web chat shares with other rooms. */
import type { Intake } from '../inbound/intake.ts';
import type { Live } from '../live/live.ts';

export interface WebChatServices {
  /** Stores what visitors write and report. */
  intake: Intake;
  live: Live;
}
