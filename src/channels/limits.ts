/** The limits that networks set to sending, as a channel reports them. */

/** What has to pause after a refusal because of a rate limit: the number, its account, or the pair of the number and this person. */
export type Overload = 'number' | 'account' | 'pair';

/** A network reports by itself how many people a business may write to in a day, by the id of one of its accounts; -1 for no limit. */
export interface InboundPeopleLimit {
  kind: 'people-limit';
  account: string;
  timestamp: Date;
  people: number;
}

/** How fast an account may send: a bucket for the moment and one for the day. */
export interface SendingPace {
  /** The account. Inboxes with the same one share its buckets. */
  account: string;
  /** The messages that may leave at once after a pause, more or less as the drawn times are short or long. */
  burst: number;
  /** The seconds after which one more may leave; a time in between is drawn for each message. */
  gapSeconds: { least: number; most: number };
  /** The most messages in a moving day. */
  perDay: number;
}

/** The part of a channel that knows the limits of its network. */
export interface SendingLimits<Config = Record<string, unknown>> {
  /**
   * Reads how many people the business may write to in a day outside of their windows; -1 for no limit, null when the network does not say
   * it. Throws when no answer came.
   */
  readPeopleLimit?(config: Config, signal: AbortSignal): Promise<number | null>;
  /** Returns what has to pause after a refusal with a code for a rate limit; null for other codes. */
  findOverload?(code: number | string): Overload | null;
  /** How fast the account of an inbox may send. */
  readPace?(config: Config): SendingPace;
  /** True for error codes by which the network refuses a template as such, for every recipient: it is paused, or was removed. */
  refusesTemplate?(code: number | string): boolean;
}

/** A change of the business's account. `coexistence` is null when the change does not say whether the business also uses its own app. */
export interface InboundAccount {
  kind: 'account';
  /** The account (the Cloud API's waba_id), which may have several inboxes. */
  account: string;
  timestamp: Date;
  coexistence: boolean | null;
}
