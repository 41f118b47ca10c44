/** What a channel port offers for numbers that the business also uses on a phone: its contacts and old messages come only on request. */

/** What a phone can be asked for. */
export type SyncedPart = 'contacts' | 'messages';

export interface PhoneSync<Config = Record<string, unknown>> {
  /**
   * Asks the network to send the contacts or the old messages of the phone. The network accepts that once. Returns why it refused for good, in
   * a sentence for people, or null when it accepted; throws when it should be asked again later.
   */
  requestSync?(part: SyncedPart, config: Config, signal: AbortSignal): Promise<string | null>;
}

/** What a callback says about the old messages of the phone. */
export interface InboundHistory {
  kind: 'history';
  address: string;
  /** DECLINED: the business did not share them · FAILED: the network could not send them, or a part of them. */
  status: 'RECEIVING' | 'DECLINED' | 'FAILED';
  /** How much the network has sent, in percent; null for a status without it. */
  progress: number | null;
  /** What the network says of a failure. */
  error: string | null;
}
