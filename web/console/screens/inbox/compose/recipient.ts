/** Whom a new conversation is with: a contact, or a number or address that is no contact yet. */
import type { Contact, Inbox } from '@parley/sdk';
import { findContacts, nameContact } from '../../../records/contacts.ts';

export interface Recipient {
  /** The contact's id; "new" for somebody who is no contact yet. */
  _id: string;
  contact: Contact | null;
  phone: string | null;
  email: string | null;
}

export const ofContact = (contact: Contact): Recipient => ({
  _id: contact._id,
  contact,
  phone: contact.phone_number,
  email: contact.email,
});

export const nameRecipient = ({ contact, phone, email }: Recipient): string =>
  contact ? nameContact(contact) : (phone ?? email ?? '');

const PHONE = /^\+?[\d\s().-]{6,}$/;
const EMAIL = /^\S+@\S+\.\S+$/;

/** Finds contacts by a text, and takes a text that is a number or an e-mail address of no contact as it is. */
export async function findRecipients(text: string | undefined, signal: AbortSignal): Promise<Recipient[]> {
  const found = (await findContacts(text, signal)).map(ofContact);
  const typed = text?.trim() ?? '';
  const fresh = { _id: 'new', contact: null, phone: null, email: null };
  if (PHONE.test(typed) && found.length === 0) return [{ ...fresh, phone: typed }];
  if (EMAIL.test(typed) && !found.some(({ email }) => email?.toLowerCase() === typed.toLowerCase()))
    return [{ ...fresh, email: typed }, ...found];
  return found;
}

/** The inboxes that reach the recipient. A visitor of the web chat is there only while they write. */
export const listInboxesFor = ({ contact, phone, email }: Recipient, inboxes: readonly Inbox[]): Inbox[] =>
  inboxes.filter(({ channel, status }) => {
    if (status !== 'ACTIVE' || channel === 'WEB_V2') return false;
    if (channel === 'EMAIL') return email !== null;
    if (channel === 'PROFESSIONAL_NETWORK') return contact !== null && contact.professional_network_identifier !== null;
    return phone !== null;
  });
