import { toText, type Json } from '../exchange.ts';
import type { Fault } from '../settings.ts';

/** The key of the gateway, which the sandbox alone needs, and which therefore protects nothing. */
export const NETWORK_API_KEY = 'sandbox-network-key';

/** A profile of the network. */
export type Profile = { provider_id: string; public_identifier: string | null; name: string };

/** An account of the gateway, which acts for one profile. */
export type Account = Profile & { id: string; status: string; created_at: string };

export type Chat = { id: string; account_id: string; other: Profile };

/** `media_id`: the file in the sandbox's store, for the phone page. */
export type StoredFile = {
  id: string;
  type: string;
  mimetype: string;
  file_name: string;
  bytes: Buffer;
  media_id?: string;
};

/** A message in either direction, and what the phone page shows of it. */
export type StoredMessage = {
  id: string;
  chat: Chat;
  text: string | null;
  is_sender: boolean;
  files: StoredFile[];
  /** The message that it answers; null when it answers none. */
  quoted: string | null;
  timestamp: string;
  /** Of a message of the account. */
  progress: 'accepted' | 'sent' | 'delivered' | 'read';
  /** Of a message of the person: whether the platform took it; null until the first try has ended. */
  delivered: boolean | null;
  /** Whether the platform has marked the chat as read since. */
  read: boolean;
  /** How the person has reacted. Empty when the reaction was taken back. */
  reaction?: string;
  /** How the account has reacted. */
  ownReaction?: string;
};

type NewMessage = Omit<StoredMessage, 'progress' | 'delivered' | 'read' | 'reaction' | 'ownReaction'>;

export type Webhook = {
  id: string;
  name: string;
  request_url: string;
  source: string;
  events: string[] | null;
  headers: { key: string; value: string }[];
  account_ids: string[] | null;
};

export type NetworkSettings = {
  /** How long after the answer each event of a sent message is posted; null switches one off. */
  event_delays_ms: { message_received: number | null; message_delivered: number | null; message_read: number | null };
  /** Faults of the next calls, by their place: users, chats (a start), messages (a send), reaction, attachments, accounts, webhooks, link. */
  faults: Record<string, Fault[]>;
  /** Whether the event about a sent message is posted before the call that sends it is answered. */
  echo_first: boolean;
  /** Whether the answers to sends leave the id of the message out. */
  without_ids: boolean;
  /** Further copies of each event. */
  duplicates: number;
  /** The pause before the second try of an event; it doubles with each try. */
  retry_ms: number;
};

/** A log-in that a link leads to. */
export type LogIn = { id: string; type: string; name: string; notify_url: string; account: string | null };

export type NetworkState = {
  accounts: Map<string, Account>;
  profiles: Profile[];
  chats: Map<string, Chat>;
  messages: Map<string, StoredMessage>;
  webhooks: Map<string, Webhook>;
  logIns: Map<string, LogIn>;
  /** The calls that the gateway has taken, in order. Of a file only its name, type and size are kept. */
  calls: { call: string; query: Json; body: Json }[];
  settings: NetworkSettings;
  counter: number;
};

/** The newest calls and messages that are kept. */
const MOST_KEPT = 5_000;

/** The account of the demo company, which every new sandbox has. */
const DEMO: Account = {
  id: 'acc_demo',
  provider_id: 'ACoAADemoCompanyOfTheSandbox00000000000',
  public_identifier: 'demo-company',
  name: 'Demo company',
  status: 'OK',
  created_at: '2026-01-01T00:00:00.000Z',
};

/** The people of the phone page, who stay the same from start to start. */
const PEOPLE: Profile[] = [
  { provider_id: 'ACoAAMariaSilvaOfTheSandbox000000000000', public_identifier: 'maria-silva', name: 'Maria Silva' },
  { provider_id: 'ACoAAJoaoPereiraOfTheSandbox00000000000', public_identifier: 'joao-pereira', name: 'João Pereira' },
];

export const createNetwork = (): NetworkState => ({
  accounts: new Map([[DEMO.id, { ...DEMO }]]),
  profiles: [...PEOPLE],
  chats: new Map(),
  messages: new Map(),
  webhooks: new Map(),
  logIns: new Map(),
  calls: [],
  settings: {
    event_delays_ms: { message_received: 50, message_delivered: 100, message_read: 600 },
    faults: {},
    echo_first: false,
    without_ids: false,
    duplicates: 0,
    retry_ms: 200,
  },
  counter: 0,
});

export function keepMessage({ messages }: NetworkState, given: NewMessage): StoredMessage {
  const message: StoredMessage = { ...given, progress: 'accepted', delivered: null, read: false };
  messages.set(message.id, message);
  const [oldest] = messages.keys();
  if (messages.size > MOST_KEPT && oldest !== undefined) messages.delete(oldest);
  return message;
}

export function keepCall({ calls }: NetworkState, call: NetworkState['calls'][number]): void {
  calls.push(call);
  if (calls.length > MOST_KEPT) calls.shift();
}

export function makeId(state: NetworkState, kind: string): string {
  state.counter += 1;
  return `${kind}_${Date.now().toString(36)}${state.counter.toString(36).padStart(4, '0')}`;
}

/** Returns an id in the form of the network's own. */
export const makeProviderId = (state: NetworkState): string =>
  `ACoAA${Buffer.from(makeId(state, 'member')).toString('base64url').padEnd(34, 'A').slice(0, 34)}`;

export function addProfile(network: NetworkState, given: Json): Profile {
  const profile: Profile = {
    provider_id: toText(given['provider_id']) ?? makeProviderId(network),
    public_identifier: given['public_identifier'] === null ? null : (toText(given['public_identifier']) ?? null),
    name: toText(given['name']) ?? 'Maria Silva',
  };
  network.profiles.push(profile);
  return profile;
}

export function findProfile({ profiles }: NetworkState, name: string): Profile | undefined {
  return profiles.find(({ provider_id, public_identifier }) => provider_id === name || public_identifier === name);
}

/** The chat of an account with a person, which the network makes once. */
export function openChat(state: NetworkState, account: Account, other: Profile): Chat {
  const known = [...state.chats.values()].find(
    (chat) => chat.account_id === account.id && chat.other.provider_id === other.provider_id,
  );
  const chat = known ?? { id: makeId(state, 'chat'), account_id: account.id, other };
  state.chats.set(chat.id, chat);
  return chat;
}
