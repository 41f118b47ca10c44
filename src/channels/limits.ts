/** The limits that networks set to sending, as a channel reports them, and the time limit of a call. */
import { declareLimit } from '../platform/values/limits.ts';

/** The time limit of a call to a network, with all its tries. An upload before a message has a limit of its own. */
export const CALL_MS = declareLimit(10_000, {
  topic: 'Messages',
  what: 'Network call for a message',
  unit: 'ms',
  beyond: 'the message stays QUEUED until its status arrives',
});

/** What has to pause after a refusal because of a rate limit: the number, its account, or the pair of the number and this person. */
export type Overload = 'number' | 'account' | 'pair';

/** A network reports by itself how many people a business may write to in a day, by the id of one of its accounts; -1 for no limit. */
export interface InboundPeopleLimit {
  kind: 'people-limit';
  account: string;
  timestamp: Date;
  people: number;
}

/** Why the network limits or blocks sending, in its own words. `at` is what has the problem: the number, its account, its business or an app. */
export interface SendingProblem {
  at: string;
  code: string | null;
  description: string;
  solution: string;
}

/** How the network rates a number. What the network does not say is null. */
export interface NumberStanding {
  /** How many people the business may write to in a day outside of their windows; -1 for no limit. */
  people: number | null;
  /** What the recipients of the last days think of the number's messages; RED is the worst. */
  quality: 'GREEN' | 'YELLOW' | 'RED' | null;
  /** Whether the network lets the number send. */
  sending: 'AVAILABLE' | 'LIMITED' | 'BLOCKED' | null;
  problems: SendingProblem[];
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
  /** Reads how the network rates the number; null when the network refuses to say it. Throws when no answer came. */
  readStanding?(config: Config, signal: AbortSignal): Promise<NumberStanding | null>;
  /** Returns what has to pause after a refusal with a code for a rate limit; null for other codes. */
  findOverload?(code: number | string): Overload | null;
  /** How fast the account of an inbox may send. */
  readPace?(config: Config): SendingPace;
  /** True for error codes by which the network refuses a template as such, for every recipient: it is paused, or was removed. */
  refusesTemplate?(code: number | string): boolean;
}

/**
 * A change of the business's account or of one of its numbers, after which the numbers of the account are asked for their standing.
 * `coexistence` is null when the change does not say whether the business also uses its own app.
 */
export interface InboundAccount {
  kind: 'account';
  /** The account (the Cloud API's waba_id), which may have several inboxes. */
  account: string;
  timestamp: Date;
  coexistence: boolean | null;
}
