/**
 * The channel port: a channel translates between the wire format of one network and the platform's own types. A channel uses no database
 * and no feature. The properties of `can` describe how channels differ, so that no other code asks for a channel by name.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { TObject } from 'typebox';
import type { Outbound } from '../platform/outbound.ts';
import type { ContentType, MessageContent } from './content.ts';
import type { Identity, IdentityKind } from './identity.ts';

/** Why something failed, in the network's words; `code` is the network's own number, or one of the platform's strings. */
export interface NetworkError {
  code: number | string;
  title: string;
  message: string;
  details: string;
}

/** A person as a network names them. */
export interface Person {
  /** The names by which the network knows the person, the most reliable first; empty when it names nobody. */
  names: Identity[];
  /** The name for display, when the network sends one. It identifies nobody. */
  displayName?: string;
}

interface InboundBase {
  /** The network's own address of the inbox (the Cloud API's phone_number_id). */
  address: string;
  /** The time of the message, status or change, by the network's clock. */
  timestamp: Date;
}

export interface InboundMessage extends InboundBase, MessageContent {
  kind: 'message';
  externalId: string;
  /** live: a new message · echo: a message sent from the business's own app · history: an old message, synchronised. */
  origin: 'live' | 'echo' | 'history';
  /** True when the business wrote the message: always for echoes, sometimes for history. */
  fromBusiness: boolean;
  /** True for notices of the network itself, for example about a changed number. */
  system: boolean;
  /** The contact, with at least one name, also when the business wrote the message. */
  person: Person;
  replyTo: string | null;
  /** The advertisement or product that made the contact write, as the network sends it. */
  referral: Record<string, unknown> | null;
  /** Whether the contact forwarded the message from another chat, and whether it was forwarded many times. */
  forwarded: 'ONCE' | 'OFTEN' | null;
  errors: NetworkError[];
  /** The status that a message of the history had reached; null for other messages. */
  historyStatus: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | null;
  /** The person's new names, when the message is a notice that they changed. */
  renamed: Person | null;
}

export interface InboundStatus extends InboundBase {
  kind: 'status';
  externalId: string;
  /** Our own message id, which the send gave to the network; null when the network does not return it. */
  messageId: string | null;
  /** The recipient of the message, by the names that the network sends with the status. */
  person: Person;
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  errors: NetworkError[];
}

export interface InboundEdit extends InboundBase {
  kind: 'edit';
  externalId: string;
  originalExternalId: string;
  /** The network's name of the person who wrote the edit; null when the network does not name anybody. */
  from: string | null;
  content: MessageContent;
}

export interface InboundRevoke extends InboundBase {
  kind: 'revoke';
  externalId: string;
  originalExternalId: string;
}

/** A change of the business's account. `coexistence` is null when the change does not concern the shared use with the business app. */
export interface InboundAccount {
  kind: 'account';
  /** The account (the Cloud API's waba_id), which may have several inboxes. */
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

/** An element of a callback that could not be read. It is stored apart and never blocks the other elements. */
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
  /** The recipient; the first name is the one to send to. */
  to: Person;
  content: MessageContent;
  /** The network's id of the message that this one answers. */
  replyTo: string | null;
}

/**
 * accepted: the network took the message · rejected: the message certainly was not sent · unknown: the message may have been sent, so it
 * is never sent again. `network` is true when the network itself named the cause.
 */
export type SendResult =
  /** `person`: the recipient as the network's answer names them. */
  | { outcome: 'accepted'; externalId: string; person: Person }
  | { outcome: 'rejected'; error: NetworkError; network: boolean }
  | { outcome: 'unknown' };

/** Whether the network accepts the credentials of an inbox. `retry` is false when a person has to change the settings first. */
export type CheckResult = { ok: true; coexistence: boolean | null } | { ok: false; error: string; retry: boolean };

export interface Callback {
  /** The address that the network shall call; null makes the network forget an address that it got before. */
  url: string | null;
  /** The inbox's own token. The network shows it when it verifies the address, or in each call to a path of the inbox. */
  verifyToken: string;
}

/** The settings of an inbox on one channel. The code of the inboxes stores and shows them without knowing their meaning. */
export interface ChannelSettings<Config = Record<string, unknown>> {
  /** The property of an inbox that holds these settings; each channel has its own. */
  field: string;
  /** The schema of the settings in a request; null when the settings come from the network itself. */
  body: TObject | null;
  /** The schema of the settings in an answer, where each secret is masked. */
  record: TObject;
  /** Properties that are encrypted at rest. */
  secrets: readonly string[];
  /** The network's address of the inbox. Only one ACTIVE inbox of the installation owns an address. */
  address(config: Config): string;
  /** The network's account, which may have several addresses; null on networks without accounts. */
  account(config: Config): string | null;
  /** The addresses in the settings that this process will call. They are checked like every address that a tenant gives. */
  targets(config: Config): { path: string; url: string }[];
  /** An example of valid settings as a request has them; the contract tests use it. */
  sample: Config;
}

/** How channels differ. SILENT has the value of each ability for channels that do not mention it. */
export interface Abilities {
  /** The content types that the channel sends. */
  content: readonly ContentType[];
  markRead: boolean;
  window24h: boolean;
  reportsFailures: boolean;
}

/** Examples that the contract tests run over. */
export interface Samples {
  /** A number for an inbox, on channels whose inboxes need one. */
  number: string | null;
  /** One message for each content type that the channel sends. */
  contents: readonly MessageContent[];
  /** Callbacks of the network, as parsed JSON, to the inbox that has the sample settings. */
  callbacks: readonly unknown[];
}

/** The part of a channel that needs no network. The OpenAPI document is generated from it. */
export interface ChannelDeclaration<Name extends string = string, Config = Record<string, unknown>> {
  name: Name;
  /** Null when inboxes of the channel have no settings. */
  settings: ChannelSettings<Config> | null;
  needsNumber: boolean;
  /** The kinds of names by which the network knows people, the most reliable first. */
  identities: readonly IdentityKind[];
  can: Abilities;
  samples: Samples;
  /** Connects the channel to its network. A channel without this function neither sends nor receives. */
  open?(network: NetworkAccess): ChannelNetwork<Config>;
}

/** The settings and the HTTP client with which a channel calls its network. */
export interface NetworkAccess {
  graphUrl: string;
  appSecret: string | null;
  outbound: Outbound;
}

export interface ChannelNetwork<Config = Record<string, unknown>> {
  /** `callback` is the address at which the network shall notify this inbox; null leaves the network's present setting. */
  check?(config: Config, signal: AbortSignal, callback: Callback | null): Promise<CheckResult>;
  send?(message: OutboundMessage, config: Config, signal: AbortSignal): Promise<SendResult>;
  /** True for error codes by which the network refuses the credentials themselves. */
  refusesCredentials?(code: number | string): boolean;
  /** Throws NetworkRefusal when the network refused the call, and another error when no answer came; the caller tries again later. */
  markRead?(externalId: string, config: Config, signal: AbortSignal): Promise<void>;
  /** The cause of a failure in Portuguese, for display. */
  failureText?(code: number | string): string;
  callbacks?: Callbacks;
  inboxCallbacks?: InboxCallbacks<Config>;
}

export type Channel<Config = Record<string, unknown>> = Omit<ChannelDeclaration<string, Config>, 'open'> &
  ChannelNetwork<Config>;

/** Keeps the literal type of a channel's name, so that the names in the registry form a union type instead of `string`. */
export const declareChannel = <const Name extends string, Config>(
  declaration: ChannelDeclaration<Name, Config>,
): ChannelDeclaration<Name, Config> => declaration;

/** A refusal by the network in a call that sends no message, so that there is no message whose `errors` could hold the cause. */
export class NetworkRefusal extends Error {
  readonly error: NetworkError;

  constructor(message: string, error: NetworkError) {
    super(message);
    this.name = 'NetworkRefusal';
    this.error = error;
  }
}

/** A channel without settings and without abilities, as the starting point for a new channel. */
export const SILENT = {
  settings: null,
  needsNumber: false,
  identities: [],
  can: { content: [], markRead: false, window24h: false, reportsFailures: false },
  samples: { number: null, contents: [], callbacks: [] },
} satisfies Omit<ChannelDeclaration, 'name'>;

/** Checks the signature of a body while its bytes arrive. */
export interface SignatureCheck {
  add(bytes: Buffer): void;
  /** Whether the signature fits; called after the last bytes. */
  holds(): boolean;
}

/** How a channel handles the calls of its network to one inbox, each of which has a path of its own. */
export interface InboxCallbacks<Config = Record<string, unknown>> {
  /** The beginning of the path; a slash and the inbox's id follow. */
  path: `/hooks/${string}`;
  /** Starts the check of a signature or a secret before the body arrives; null when the headers have none. */
  beginCheck(headers: IncomingHttpHeaders, inbox: CalledInbox<Config>): SignatureCheck | null;
  /** Yields the elements of a callback, as Callbacks does. They belong to the inbox of the path, whatever address they have. */
  parse(body: unknown, config: Config): Iterable<Inbound | null>;
}

/** What the network of an inbox may prove itself with: a secret of the settings, or the token that it was given with the address. */
export interface CalledInbox<Config = Record<string, unknown>> {
  config: Config;
  verifyToken: string;
}

/** How a channel handles the calls of its network, which all arrive at one path of the installation. */
export interface Callbacks {
  path: `/hooks/${string}`;
  /** Reads the GET request by which the network verifies that the path is ours; null for any other request. */
  readHandshake?(query: Record<string, unknown>): { token: string; challenge: string } | null;
  /** Starts the check of a signature before the body arrives; null when the headers have no usable signature. */
  beginCheck(headers: IncomingHttpHeaders): SignatureCheck | null;
  /** The address of the first inbox in a callback, found without parsing megabytes; empty when there is none. */
  firstAddress(raw: Buffer): string;
  /**
   * Yields the elements of a callback: every entry, change, message and status. A part that the platform ignores yields null, so that
   * the caller can pause within a long row of them as well. Never throws on a parsed JSON value.
   */
  parse(body: unknown): Iterable<Inbound | null>;
}
