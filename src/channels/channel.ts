/** The channel port. A channel translates between a network's wire format and the platform's types; `can` tells how channels differ. */
import type { Outbound } from '../platform/outside/outbound.ts';
import type { Callers } from '../platform/work/callers.ts';
import type { SettingTable, SettingValues } from '../platform/values/setting-kinds.ts';
import type { Readable } from 'node:stream';
import { NO_ABILITIES, type Abilities } from './abilities.ts';
import type { Callbacks, InboxCallbacks } from './called.ts';
import type { Callback, CheckResult, InboundConnection, Pairing } from './check.ts';
import type { FetchResult, MessageContent, Samples, WantedFile } from './content.ts';
import type { DistinctId } from './distinct.ts';
import type { ChannelEnvironment, NoSettings } from './environment.ts';
import type { FetchedItems, FetchPlace, FetchPosition, PushedItems, TranslatedItem, WatchOutcome } from './fetching.ts';
import type { Identity, IdentityKind, Person } from './identity.ts';
import type { HostedLogIn } from './log-in.ts';
import type { InboundAccount, InboundPeopleLimit, SendingLimits } from './limits.ts';
import type { OutboundFile } from './media.ts';
import type { ChannelSettings } from './settings.ts';
import type { InboundHistory, PhoneSync } from './phone-sync.ts';
import type { AnsweredMessage, MessageThread } from './thread.ts';
import type { ChannelTemplates, InboundTemplate } from './templates/network.ts';

/** The error of the network for a failure; `code` is the network's own number, or one of the platform's strings. */
export interface NetworkError {
  code: number | string;
  title: string;
  message: string;
  details: string;
}

interface InboundBase {
  /** The network's own address of the inbox (the Cloud API's phone_number_id). */
  address: string;
  /** The time of the message, status or change, by the network's clock. */
  timestamp: Date;
}

interface InboundEnvelope extends InboundBase {
  kind: 'message';
  externalId: string;
  /** Only of networks whose ids the senders make up. */
  distinct?: DistinctId;
  /** live: a new message · echo: a message sent from the business's own app · history: an old message, synchronised. */
  origin: 'live' | 'echo' | 'history';
  /** True when the business wrote the message: always for echoes, sometimes for history. */
  fromBusiness: boolean;
  /** True for notices of the network itself, for example about a changed number. */
  system: boolean;
  /** True for an echo that is no message of its own: it settles a message of ours whose outcome is not known yet. */
  isConfirmation?: true;
  /** True for an echo that is either a message of ours or one of its own: it is stored where it fits no message whose id is not known yet. */
  mayBeOurs?: true;
  /** True when no agent may answer: a program of the contact wrote the message, such as an out-of-office notice, or another person did. */
  isAutomatic?: true;
  /** The whole text of a mail of which `content` is only a part. */
  body?: string;
  /** The contact, with at least one name, also when the business wrote the message. */
  person: Person;
  replyTo: string | null;
  /** The alias by which `replyTo` may name a message of ours; absent on networks that keep our ids. */
  replyToAlias?: string;
  /** The advertisement or product that made the contact write, as the network sends it. */
  referral: Record<string, unknown> | null;
  /** Whether the contact forwarded the message from another chat, and whether it was forwarded many times. */
  forwarded: 'ONCE' | 'OFTEN' | null;
  errors: NetworkError[];
  /** The status that a message of the history had reached; null for other messages. */
  historyStatus: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | null;
  /** The attachment of a file that arrived together with its message. */
  attachment?: { _id: string; storage_key: string; url: string };
  /** The person's new names, when the message is a notice that they changed. */
  renamed: Person | null;
}

export type InboundMessage = InboundEnvelope & MessageContent;

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

interface InboundCorrection extends InboundBase {
  externalId: string;
  originalExternalId: string;
  /** True when it is a part of the synchronised history, which emits no events. */
  isHistory?: true;
}

export interface InboundEdit extends InboundCorrection {
  kind: 'edit';
  /** The network's name of the person who wrote the edit; null when the network does not name anybody. */
  from: string | null;
  content: MessageContent;
}

export type InboundRevoke = InboundCorrection & { kind: 'revoke' };

/** A person told the network whether they want the business's messages. */
export interface InboundPreference extends InboundBase {
  kind: 'preference';
  person: Person;
  optedOut: boolean;
}

/** A server's report about a message of ours. Anybody can write one: it counts for a named recipient of the inbox, else `mail` is stored. */
export interface InboundReport extends InboundBase {
  kind: 'report';
  /** Our message, when the report names it by our own id; null when only `aliases`, the other ids that it names, tell. */
  own: { messageId: string; externalId: string } | null;
  aliases: string[];
  /** The recipients that the report names; empty when it names no one, or when their names do not count. */
  recipients: Identity[];
  /** The causes of a failed delivery; null when the recipient complains, and wants no more messages. */
  errors: NetworkError[] | null;
  mail: (InboundMessage | InboundUnreadable)[];
}

/** How far an inbox has been read at its network. It is stored together with the elements before it. */
export type InboundPosition = InboundBase & { kind: 'position'; position: FetchPosition };

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
  | InboundReport
  | InboundPosition
  | InboundConnection
  | InboundHistory
  | InboundAccount
  | InboundTemplate
  | InboundPeopleLimit
  | InboundUnreadable;

export interface OutboundMessage {
  /** Our own message id; the network returns it with each status. */
  messageId: string;
  /** The recipient; the first name is the one to send to, and the others are the person's further names on the channel. */
  to: Person;
  content: MessageContent;
  /** The first line of the words, if it is the name of the operator who writes. */
  nameLine?: string;
  /** The file of an image, audio, video, document or sticker, or of the header of a template; null for other contents. */
  file: OutboundFile | null;
  /** The files that the cards of a carousel show, by the attachments that the components name. */
  cards?: ReadonlyMap<string, OutboundFile>;
  /** The network's id of the message that this one answers. */
  replyTo: string | null;
  /** The mails before this message; only for channels whose messages belong to threads. */
  thread?: MessageThread;
  /**
   * The address at which the recipient unsubscribes from messages that many get (RFC 8058); only for channels whose messages can carry it.
   */
  unsubscribe?: string;
  /** The name of the user who wrote the message, for networks on which users sign; absent for what no user wrote. */
  author?: string;
  /** What that user signs mails with; absent for the signature of the inbox. */
  signature?: string;
  /** True when a program of the business wrote the message, so that programs of the recipient do not answer it. */
  isAutomatic?: true;
  /** True when the sender limits its own rate: a rate-limit refusal is returned at once, so that all its messages can pause. */
  isPaced?: boolean;
}

/**
 * accepted: the network took the message · rejected: the message certainly was not sent · unknown: the message may have been sent, so it
 * is never sent again. `network` is true when the network itself named the cause.
 */
export type SendResult =
  /** `person`: as the answer names them. `held`: the network's word when it does not send yet. `alias`: another id of the message. */
  | { outcome: 'accepted'; externalId: string; person: Person; held?: string; alias?: string }
  /** `fileForgotten`: the network may no longer know the `networkId` of the file, so the file has to be uploaded again. */
  | { outcome: 'rejected'; error: NetworkError; network: boolean; fileForgotten?: boolean }
  | { outcome: 'unknown' };

/** The outcome of an upload, without an answer a failure: nothing was sent to anybody. `network`: whether the network named the cause. */
export type UploadResult =
  /** `expiresAt`: until then messages can name the id. */
  | { outcome: 'uploaded'; networkId: string; expiresAt: Date }
  | { outcome: 'failed'; error: NetworkError; network: boolean };

/** What a channel declares. All but `open` works without a network, and the OpenAPI document is generated from it. */
export interface ChannelDeclaration<
  Name extends string = string,
  Config = Record<string, unknown>,
  Table extends SettingTable = SettingTable,
> {
  name: Name;
  /** The settings of the operator that the channel reads. It is given these and no others; absent when it reads none. */
  environment?: ChannelEnvironment<Table>;
  /** Null when inboxes of the channel have no settings. */
  settings: ChannelSettings<Config> | null;
  needsNumber: boolean;
  /** The kinds of names by which the network knows people, the most reliable first. */
  identities: readonly IdentityKind[];
  contactSource: 'INBOUND' | 'WIDGET';
  can: Abilities;
  samples: Samples;
  /** Translates an item that was fetched. Runs in a child process, and throws when the item cannot be read. */
  translate?(item: TranslatedItem): Promise<(Inbound | null)[]>;
  /** Returns the content of a file that a pushed item or a callback has brought; null when there is none with this name. Runs in a child process. */
  extractFile?(item: Readable, file: string): Promise<Buffer | null>;
  /** Connects the channel to its network. A channel without this function neither sends nor receives. */
  open?(network: NetworkAccess<Table>): ChannelNetwork<Config>;
}

/** The operator's settings for a channel, and the client with which it calls its network. */
export interface NetworkAccess<Table extends SettingTable = NoSettings> {
  environment: SettingValues<Table>;
  outbound: Outbound;
  callers: Callers;
}

export interface ChannelNetwork<Config = Record<string, unknown>> extends SendingLimits<Config>, PhoneSync<Config> {
  /** `callback` is the address at which the network shall notify this inbox; null leaves the network's present setting. The `company` is the one whose share is used. */
  check?(config: Config, signal: AbortSignal, callback: Callback | null, company: string): Promise<CheckResult>;
  /** Returns the code by which a phone is paired with the inbox. Never throws. */
  pair?(config: Config, signal: AbortSignal): Promise<Pairing>;
  /** Returns which of these numbers (digits) the network knows, each with its own name of it. Throws when it does not say. */
  findNumbers?(numbers: readonly string[], config: Config, signal: AbortSignal): Promise<Map<string, string>>;
  /** The log-in at the network's own page, on networks where an account comes from there instead of from a request. */
  logIn?: HostedLogIn<Config>;
  send?(message: OutboundMessage, config: Config, signal: AbortSignal): Promise<SendResult>;
  /** Fetches a file that a contact sent. Never throws; `signal` also ends the stream. */
  fetchFile?(wanted: WantedFile, config: Config, signal: AbortSignal): Promise<FetchResult>;
  /** Fetches what has arrived behind the place, the oldest first. Never throws. */
  fetchItems?(config: Config, place: FetchPlace, signal: AbortSignal): Promise<FetchedItems>;
  /** Keeps a connection open until the signal ends it, and calls `onNews` when something has arrived to be fetched, a few times a second at most. Never throws. */
  watchItems?(config: Config, onNews: () => void, signal: AbortSignal): Promise<WatchOutcome>;
  /** Uploads a file before the messages that name it by the id that the network gives it. */
  uploadFile?(file: OutboundFile, config: Config, signal: AbortSignal): Promise<UploadResult>;
  /** True for error codes by which the network refuses the credentials themselves. */
  refusesCredentials?(code: number | string): boolean;
  /** Throws NetworkRefusal when the network refused the call, and another error when no answer came; the caller tries again later. */
  markRead?(message: AnsweredMessage, config: Config, signal: AbortSignal): Promise<void>;
  /** Shows for some seconds to the contact that someone writes an answer to this message. Throws as markRead does. */
  showTyping?(message: AnsweredMessage, config: Config, signal: AbortSignal): Promise<void>;
  /** Deletes a message that the business has sent, for everyone. Throws NetworkRefusal when the network refused, and another error when the outcome is unknown. */
  revoke?(sent: AnsweredMessage, config: Config, signal: AbortSignal): Promise<void>;
  templates?: ChannelTemplates<Config>;
  /** The cause of a failure in Portuguese, for display. */
  failureText?(code: number | string): string;
  callbacks?: Callbacks<Inbound>;
  inboxCallbacks?: InboxCallbacks<Inbound, Config>;
  pushedItems?: PushedItems<Config>;
}

export type Channel<Config = Record<string, unknown>> = Omit<
  ChannelDeclaration<string, Config>,
  'environment' | 'open'
> &
  ChannelNetwork<Config>;

/** Keeps the literal type of a channel's name, so that the names in the registry form a union type instead of `string`. */
export const declareChannel = <const Name extends string, Config, Table extends SettingTable = NoSettings>(
  declaration: ChannelDeclaration<Name, Config, Table>,
): ChannelDeclaration<Name, Config, Table> => declaration;

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
  contactSource: 'INBOUND',
  can: NO_ABILITIES,
  samples: { number: null, contents: [], callbacks: [] },
} satisfies Omit<ChannelDeclaration, 'name'>;
