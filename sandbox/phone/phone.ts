/** What the phone page needs of every network that the sandbox plays. */
import type { Json } from '../exchange.ts';
import type { InboundMessage } from '../graph-state.ts';
import { publish } from '../live.ts';
import type { Sandbox } from '../state.ts';

/** What a person can write to: a number, an account or a mailbox of the company. */
export type PhoneAccount = {
  id: string;
  name: string;
  /** The number or the address, as people read it. */
  detail: string;
  /** open: it works; waiting: somebody has to confirm it; closed: it is signed out. */
  state: 'open' | 'waiting' | 'closed';
};

/**
 * A message on the phone, with its content in the form of the Cloud API, which the page knows. `in` has arrived there, `out` was written
 * there.
 */
export type PhoneItem = {
  id: string;
  direction: 'in' | 'out';
  message: Json;
  status?: string;
  delivered?: boolean | null;
  read?: boolean;
  errors?: Json[];
  created_at: string;
};

/** What somebody writes on the page: the account, the person, and one message in the form of `POST inbound`. */
export type PhoneNote = Json;

export type PhoneNetwork = {
  listAccounts(sandbox: Sandbox): PhoneAccount[];
  listItems(sandbox: Sandbox, account: string, contact: string): object[];
  /** Writes as the person. Returns an error sentence when the network would refuse the message. */
  write(sandbox: Sandbox, note: PhoneNote): Promise<object | string>;
  /** The person reads a message of the company. Returns false when there is no such message. */
  markRead(sandbox: Sandbox, id: string): boolean;
  /** Whether people read messages by themselves; null where the network never says that a message was read. */
  readsAlone(sandbox: Sandbox): boolean | null;
  setReadsAlone(sandbox: Sandbox, on: boolean): void;
};

/** How long after a message a person reads it by themselves. */
export const READ_MS = 600;

export type PhonePlace = { network: string; account: string; contact: string };

/** Tells the pages that a message is new or has changed. */
export function publishItem({ listeners }: Sandbox, place: PhonePlace, makeItem: () => object): void {
  if (listeners.size > 0) publish(listeners, 'messages', 'item', { ...place, item: makeItem() });
}

/** Tells the pages that an account has changed. */
export function publishAccounts({ listeners }: Sandbox, network: string): void {
  publish(listeners, 'messages', 'accounts', { network });
}

/** Tells the pages that somebody of the company writes. */
export function publishTyping({ listeners }: Sandbox, place: PhonePlace): void {
  publish(listeners, 'messages', 'typing', place);
}

/** Shows a new or changed message that somebody wrote to a number of the Cloud API. */
export function showInbound(sandbox: Sandbox, message: InboundMessage): void {
  const place = { network: 'whatsapp', account: message.phone_number_id, contact: message.from };
  publishItem(sandbox, place, () => ({ direction: 'out', ...message }));
}
