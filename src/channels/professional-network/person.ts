/** The names of people: their id at the network, the name in the address of their profile, and the chat with them. */
import { declareIdentity, NETWORK_ID, type Identity, type Person } from '../identity.ts';
import { asIdentifier, asLabel, type Json } from '../values.ts';

/** The chat of one account with a person: the two ids, with a slash between them. */
export const CHAT_NAME = declareIdentity({
  kind: 'NETWORK_CHAT',
  writing: /^[^\s/]+\/[^\s/]+$/,
  sample: 'account-1/chat-1',
});

/** The form of an id that the network gives to a person. Names in addresses of profiles are shorter, or written otherwise. */
const PROVIDER_ID = /^A[A-Z][A-Za-z]AA[\w-]{15,}$/;

export const isProviderId = (name: string): boolean => PROVIDER_ID.test(name);

export const nameChat = (account: string, chat: string): Identity => CHAT_NAME.identify(`${account}/${chat}`);

/** Returns the account's chat with the person; null when no chat of this account is known. */
export function findChat({ names }: Person, account: string): string | null {
  const chat = names.find(({ kind, address }) => kind === CHAT_NAME.kind && address.startsWith(`${account}/`));
  return chat?.address.slice(account.length + 1) ?? null;
}

export const findNetworkName = ({ names }: Person): string | null =>
  names.find(({ kind }) => kind === NETWORK_ID.kind)?.address ?? null;

/**
 * Reads an attendee of a chat. The public identifier, which ends the address of the profile, comes first: the contact's record shows it, and
 * callers of the API use it. Where the gateway leaves it out, the provider's id names the person.
 */
export function readAttendee(attendee: Json | null, account: string, chat: string | null): Person {
  const ids = [asIdentifier(attendee?.attendee_public_identifier), asIdentifier(attendee?.attendee_provider_id)];
  const names = ids.filter((id) => id !== null).map((id) => NETWORK_ID.identify(id));
  const displayName = asLabel(attendee?.attendee_name);
  const chats = chat === null || names.length === 0 ? [] : [nameChat(account, chat)];
  return { names: [...names, ...chats], ...(displayName !== null && { displayName }) };
}
