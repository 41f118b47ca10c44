/**
 * The channel port: a channel translates between one network's wire and the platform's words. It knows no database and no
 * feature. A property of `can` describes what differs between channels, so that no other code asks for a channel by name.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { TObject } from 'typebox';
import type { Outbound } from '../platform/outbound.ts';
import type { ContentType, MessageContent } from './content.ts';

/** A cause of failure as the network words it; `code` is the network's own number, or one of the platform's strings. */
export interface NetworkError {
  code: number | string;
  title: string;
  message: string;
  details: string;
}

/** How a network names a person. At least one of the three is there. `phone` is digits without `+`. */
export interface Person {
  phone?: string;
  bsuid?: string;
  parentBsuid?: string;
  /** Display name, when the network tells it. */
  name?: string;
}

interface InboundBase {
  /** The network's own address of the inbox (the Cloud API's phone_number_id). */
  address: string;
  /** When it happened, by the network's clock. */
  timestamp: Date;
}

export interface InboundMessage extends InboundBase, MessageContent {
  kind: 'message';
  externalId: string;
  /** live: just written by the contact · echo: sent from the business's own app · history: an old one, synchronised. */
  origin: 'live' | 'echo' | 'history';
  /** True when the business wrote it (echoes always, history sometimes). */
  fromBusiness: boolean;
  /** True for the network's own notices (a changed number). */
  system: boolean;
  /** The contact's side, also when the business wrote it. */
  person: Person;
  replyTo: string | null;
  /** The advertisement or the product that led here, as the network sends it. */
  referral: Record<string, unknown> | null;
  /** Passed on from another chat, once or many times. */
  forwarded: 'ONCE' | 'OFTEN' | null;
  errors: NetworkError[];
  /** The state that a history message had. */
  historyStatus: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | null;
  /** The person's new names, when the notice says that they changed. */
  renamed: Person | null;
}

export interface InboundStatus extends InboundBase {
  kind: 'status';
  externalId: string;
  /** Our own message id, given to the network with the send; null when it does not return it. */
  messageId: string | null;
  /** Whom the message went to, by the names that the network tells. */
  person: Person;
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  errors: NetworkError[];
}

export interface InboundEdit extends InboundBase {
  kind: 'edit';
  externalId: string;
  originalExternalId: string;
  /** The network's name of whoever wrote it; null when it does not say. */
  from: string | null;
  content: MessageContent;
}

export interface InboundRevoke extends InboundBase {
  kind: 'revoke';
  externalId: string;
  originalExternalId: string;
}

/** News about the account: `coexistence` null when it says nothing about it. */
export interface InboundAccount {
  kind: 'account';
  /** The account (the Cloud API's waba_id): it may stand behind several inboxes. */
  account: string;
  timestamp: Date;
  coexistence: boolean | null;
}

/** A person told the network whether they want the business's messages. */
export interface InboundPreference extends InboundBase {
  kind: 'preference';
  person: Person;
  optedOut: boolean;
}

/** One element of a callback that could not be understood. It is kept aside and never blocks its neighbours. */
export interface InboundUnreadable {
  kind: 'unreadable';
  address: string | null;
  reason: string;
  raw: unknown;
}

export type Inbound =
  | InboundMessage
  | InboundStatus
  | InboundEdit
  | InboundRevoke
  | InboundPreference
  | InboundAccount
  | InboundUnreadable;

export interface OutboundMessage {
  /** Our own message id; the network returns it with each status. */
  messageId: string;
  to: Person;
  content: MessageContent;
  /** The network's id of the message that this one answers. */
  replyTo: string | null;
}

/**
 * accepted: the network took it · rejected: it certainly did not go out · unknown: nobody can tell, so it is never sent
 * again. `network` is true when the network itself named the cause.
 */
export type SendResult =
  /** `person`: by which names the network knows the recipient. */
  | { outcome: 'accepted'; externalId: string; person: Person }
  | { outcome: 'rejected'; error: NetworkError; network: boolean }
  | { outcome: 'unknown' };

/** The network's verdict on an inbox's credentials. `retry` is false when only a person can mend it. */
export type CheckResult = { ok: true; coexistence: boolean | null } | { ok: false; error: string; retry: boolean };

export interface Callback {
  /** Null: the network shall forget the address that it was told before. */
  url: string | null;
  verifyToken: string;
}

/** The settings of an inbox on one channel. The inboxes store and show them without knowing what they are. */
export interface ChannelSettings<Config = Record<string, unknown>> {
  /** The property of an inbox that carries them; no two channels share one. */
  field: string;
  /** What a caller writes. Null when the settings come from the network itself. */
  body: TObject | null;
  /** What an answer shows; each secret is masked. */
  record: TObject;
  /** Properties that are encrypted at rest. */
  secrets: readonly string[];
  /** The network's address of the inbox: one ACTIVE inbox of the installation owns it. */
  address(config: Config): string;
  /** The network's account, which may hold several addresses; null where a network has none. */
  account(config: Config): string | null;
  /** Addresses inside the settings that this process will call: checked like every address that a tenant gives. */
  targets(config: Config): { path: string; url: string }[];
  /** Settings that the channel accepts, as a caller writes them: the contract suite runs over them. */
  sample: Config;
}

/** What a channel is, as far as it can be said without a network: the API's description is made from it. */
export interface ChannelDeclaration<Name extends string = string, Config = Record<string, unknown>> {
  name: Name;
  /** Null when an inbox of the channel needs none. */
  settings: ChannelSettings<Config> | null;
  needsNumber: boolean;
  /** How people are named on this channel, as far as a person may write it down. */
  person: RegExp;
  can: {
    /** What it sends. */
    content: readonly ContentType[];
    markRead: boolean;
    window24h: boolean;
    reportsFailures: boolean;
  };
  /** The channel's way to its network. A channel without one neither sends nor receives. */
  open?(network: NetworkAccess): ChannelNetwork<Config>;
}

/** What the process gives a channel to speak with its network. */
export interface NetworkAccess {
  graphUrl: string;
  appSecret: string | null;
  outbound: Outbound;
}

export interface ChannelNetwork<Config = Record<string, unknown>> {
  /** `callback`: where the network shall notify us for this inbox, when that is not the address it knows already. */
  check?(config: Config, signal: AbortSignal, callback: Callback | null): Promise<CheckResult>;
  send?(message: OutboundMessage, config: Config, signal: AbortSignal): Promise<SendResult>;
  /** True for the code of a refusal that says that the credentials themselves are not accepted. */
  refusesCredentials?(code: number | string): boolean;
  /** Throws NetworkRefusal when the network refused it, and another error when it did not take it; the caller tries again later. */
  markRead?(externalId: string, config: Config, signal: AbortSignal): Promise<void>;
  /** A failure's cause in Portuguese, for display. */
  failureText?(code: number | string): string;
  callbacks?: Callbacks;
}

export type Channel<Config = Record<string, unknown>> = Omit<ChannelDeclaration<string, Config>, 'open'> &
  ChannelNetwork<Config>;

/** Keeps the name of a declaration as its own type, so that the registry's names are a union and not just texts. */
export const declareChannel = <const Name extends string, Config>(
  declaration: ChannelDeclaration<Name, Config>,
): ChannelDeclaration<Name, Config> => declaration;

/** What the network refused, where no message is there that could carry the cause. */
export class NetworkRefusal extends Error {
  readonly error: NetworkError;

  constructor(message: string, error: NetworkError) {
    super(message);
    this.name = 'NetworkRefusal';
    this.error = error;
  }
}

/** A phone number, in the writings that people use. */
export const PHONE = /^\+?[0-9][0-9 ().-]*$/;

/** A channel without settings that can do nothing: what a new one begins with. */
export const SILENT = {
  settings: null,
  needsNumber: false,
  person: /\S/,
  can: { content: [], markRead: false, window24h: false, reportsFailures: false },
} satisfies Omit<ChannelDeclaration, 'name'>;

/** Bytes that are compared with their signature while they arrive. */
export interface SignatureCheck {
  add(bytes: Buffer): void;
  /** After the last of them. */
  holds(): boolean;
}

/** How a channel takes the calls of its network, at one path for the whole installation. */
export interface Callbacks {
  path: `/hooks/${string}`;
  /** A GET with which the network asks whether the path is ours. Null when it is no such question. */
  readHandshake?(query: Record<string, unknown>): { token: string; challenge: string } | null;
  /** Begins to check what the headers sign, before the bytes are there. Null when they can hold no signature. */
  beginCheck(headers: IncomingHttpHeaders): SignatureCheck | null;
  /** Whose callback it seems to be, found without parsing megabytes; empty where that can not be seen. */
  firstAddress(raw: Buffer): string;
  /**
   * The whole batch, one element at a time: every entry, change, message and status. Null stands for a part that says
   * nothing to us, so that whoever reads a long row of those can pause as well. Never throws on a parsed JSON value.
   */
  parse(body: unknown): Iterable<Inbound | null>;
}
