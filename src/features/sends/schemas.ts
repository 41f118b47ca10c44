/** Why a message or a whole run cannot be sent: a code of the platform or of the network, and a sentence. */
export interface Fault {
  code: number | string;
  message: string;
}

/** The message of a row that waits to be sent again. A row without one has only nulls. */
export interface StoredSend {
  /** The id of the message. */
  message: string | null;
  content: string | null;
  template: { name: string; language: string; components: Record<string, unknown>[] } | null;
  /** How often the network has refused the message for the moment. */
  refusals: number;
  /** The place in the daily limit that was reserved for the message. */
  reached_at: string | null;
  reached_before: string | null;
}
