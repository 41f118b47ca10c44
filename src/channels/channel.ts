/**
 * The channel port: a channel translates between one network's wire and the platform's words. Pure: it knows no
 * database and no feature. What differs between channels is said in `can`, so that nobody asks for a channel by name.
 */
import { Type, type TSchema } from 'typebox';

export const CHANNEL_NAMES = ['WAP_AUTO_CLOSER', 'WEB_V2', 'PARTNER_API', 'PROFESSIONAL_NETWORK', 'EMAIL'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

export const CONTENT_TYPES = [
  'TEXT',
  'IMAGE',
  'AUDIO',
  'VIDEO',
  'DOCUMENT',
  'STICKER',
  'TEMPLATE',
  'INTERACTIVE',
  'LOCATION',
  'CONTACTS',
  'REACTION',
  'UNSUPPORTED',
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

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

export interface InboundMedia {
  networkId: string | null;
  mimeType: string | null;
  fileName: string | null;
  size: number | null;
  sha256: string | null;
  url: string | null;
  voice: boolean;
  animated: boolean;
}

/** What a message says; shared by messages and by edits of messages. Absent parts are null. */
export interface InboundContent {
  contentType: ContentType;
  content: string | null;
  media: InboundMedia | null;
  /** The contact's choice: `type` is the network's (button_reply, list_reply, nfm_reply, button, order, …). */
  interactive: {
    type: string;
    id: string | null;
    title: string | null;
    description: string | null;
    payload: string | null;
    /** Structured answers (a flow's response, an order); a response that is not valid JSON stays a string. */
    response: unknown;
  } | null;
  location: {
    latitude: number;
    longitude: number;
    name: string | null;
    address: string | null;
    url: string | null;
  } | null;
  /** Shared contact cards, as the network sends them. */
  contacts: unknown[] | null;
  /** `emoji` null takes the reaction back. */
  reaction: { externalId: string; emoji: string | null } | null;
  /** Of UNSUPPORTED: what the network calls it, and the element as it came; `raw` null where it is too large to keep. */
  unsupported: { kind: string; raw: Record<string, unknown> | null } | null;
}

interface InboundBase {
  /** The network's own address of the inbox (the Cloud API's phone_number_id). */
  address: string;
  /** When it happened, by the network's clock. */
  timestamp: Date;
}

export interface InboundMessage extends InboundBase, InboundContent {
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
  content: InboundContent;
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

export interface OutboundText {
  /** Our own message id; the network returns it with each status. */
  messageId: string;
  to: Person;
  content: string;
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

export interface Channel<Config = Record<string, unknown>> {
  name: ChannelName;
  /** The inbox property that carries this channel's settings; null when it needs none. */
  configField: 'api_wap_config' | 'partner_api_config' | 'professional_network_config' | null;
  config: TSchema;
  /** Settings that are encrypted at rest and masked in answers. */
  secrets: readonly string[];
  needsNumber: boolean;
  /** How people are named on this channel, as far as a person may write it down. */
  person: RegExp;
  can: { text: boolean; markRead: boolean; window24h: boolean; reportsFailures: boolean };
  /** The network's address of the inbox: one ACTIVE inbox of the installation owns it. Null when there is none. */
  address(config: Config): string | null;
  /** Addresses inside the settings that this process will call: checked like every address that a tenant gives. */
  targets(config: Config): { path: string; url: string }[];
  /** `callback`: where the network shall notify us for this inbox, when that is not the address it knows already. */
  check?(config: Config, signal: AbortSignal, callback: Callback | null): Promise<CheckResult>;
  send?(message: OutboundText, config: Config, signal: AbortSignal): Promise<SendResult>;
  /** True for the code of a refusal that says that the credentials themselves are not accepted. */
  refusesCredentials?(code: number | string): boolean;
  /** Throws NetworkRefusal when the network refused it, and another error when it did not take it; the caller tries again later. */
  markRead?(externalId: string, config: Config, signal: AbortSignal): Promise<void>;
  /** A failure's cause in Portuguese, for display. */
  failureText?(code: number | string): string;
}

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
export const silentChannel = (name: ChannelName): Channel => ({
  name,
  configField: null,
  config: Type.Object({}),
  secrets: [],
  needsNumber: false,
  person: /\S/,
  can: { text: false, markRead: false, window24h: false, reportsFailures: false },
  address: () => null,
  targets: () => [],
});

/** Bytes that are compared with their signature while they arrive. */
export interface SignatureCheck {
  add(bytes: Buffer): void;
  /** After the last of them. */
  holds(): boolean;
}

/** The inbound half of a channel whose network calls us. */
export interface CallbackTranslator {
  /** Begins to check what `signature` signs, before its bytes are there. Null when it can be no signature. */
  beginCheck(signature: string | undefined): SignatureCheck | null;
  /**
   * The whole batch, one element at a time: every entry, change, message and status. Null stands for a part that says
   * nothing to us, so that whoever reads a long row of those can pause as well. Never throws on a parsed JSON value.
   */
  parse(body: unknown): Iterable<Inbound | null>;
}
