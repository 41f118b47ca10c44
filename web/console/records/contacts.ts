/** Contacts: one, those that a list needs, and their names. */
import type { Contact, ContactsListQuery, Conversation } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../client.ts';
import { defineTexts, getTexts } from '../texts/texts.ts';
import { changeFeeds, placeInFeed, removeFromFeed, replaceInFeed, useFeed, type Feed, type FeedView } from './feeds.ts';
import { LIVE, queries } from './queries.ts';
import { SEGMENTS } from './segments.ts';

const keyOf = (id: string): readonly string[] => ['contact', id];
const CONTACT_FEEDS = ['contacts'] as const;
const PAGE = 50;

/** What a list of contacts shows; without search and filters it shows all of them. */
export type ContactChoice = Pick<ContactsListQuery, 'search' | 'filters' | 'business'>;

/** Lists contacts, the newest first. */
export function useContacts(choice: ContactChoice): FeedView<Contact> {
  return useFeed([...CONTACT_FEEDS, choice], (after, signal) =>
    parley.contacts.list({ ...choice, limit: PAGE, skipCount: true, after }, { signal }),
  );
}

/** As many contacts as one look-up takes. */
const MOST_IDS = 100;

interface Wanted {
  id: string;
  resolve(contact: Contact | null): void;
  reject(error: unknown): void;
}

let wanted: Wanted[] = [];

/** Reads a contact together with all others that are wanted at the same moment. Resolves with null when there is none. */
function readContact(id: string): Promise<Contact | null> {
  if (wanted.length === 0) setTimeout(() => void readWanted(), 0);
  return new Promise((resolve, reject) => wanted.push({ id, resolve, reject }));
}

async function readWanted(): Promise<void> {
  const all = wanted;
  wanted = [];
  for (let start = 0; start < all.length; start += MOST_IDS) {
    const some = all.slice(start, start + MOST_IDS);
    try {
      const ids = some.map(({ id }) => id).join(',');
      const { result } = await parley.contacts.list({ ids, limit: MOST_IDS, skipCount: true });
      const found = new Map(result.map((contact) => [contact._id, contact]));
      for (const { id, resolve } of some) resolve(found.get(id) ?? null);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}

/** Reads a contact; an empty id reads none, and null means that there is no such contact. */
export function useContact(id: string): UseQueryResult<Contact | null> {
  return useQuery({ queryKey: keyOf(id), queryFn: () => readContact(id), enabled: id !== '', ...LIVE });
}

/** The name in a conversation or message of its contact; null when it has none. */
export const nameSummary = ({ name, phone_number, email }: Conversation['contact_summary']): string | null =>
  name ?? phone_number ?? email;

/** The name of the contact of a conversation or message, which names it unless nothing but its id is known. A later change shows at once. */
export function useContactName({
  contact,
  contact_summary,
}: Pick<Conversation, 'contact' | 'contact_summary'>): string {
  const known = nameSummary(contact_summary);
  const { data } = useQuery({
    queryKey: keyOf(contact),
    queryFn: () => readContact(contact),
    enabled: known === null,
    ...LIVE,
  });
  return data ? nameContact(data) : (known ?? '…');
}

/** As many as a person looks through. */
const FOUND = 10;

/** What distinguishes contacts of the same name. */
export const describeContact = (contact: Contact): string =>
  [contact.phone_number, contact.email, showUsername(contact)].filter(Boolean).join(' · ');

export async function findContacts(search: string | undefined, signal: AbortSignal): Promise<readonly Contact[]> {
  return (await parley.contacts.list({ search, limit: FOUND, skipCount: true }, { signal })).result;
}

const NAMES = defineTexts(
  { visitor: (mark: string) => `Visitor ${mark}`, contact: (mark: string) => `Contact ${mark}` },
  {
    'pt-BR': { visitor: (mark: string) => `Visitante ${mark}`, contact: (mark: string) => `Contato ${mark}` },
    es: { visitor: (mark: string) => `Visitante ${mark}`, contact: (mark: string) => `Contacto ${mark}` },
  },
);

/** The username as people write it, with an @; null when there is none. */
export const showUsername = ({ username }: Pick<Contact, 'username'>): string | null =>
  username === null ? null : `@${username}`;

/** The phone number, e-mail or username at which the contact is reached, for a line below its name. */
export const showReach = (contact: Contact): string | null =>
  contact.phone_number ?? contact.email ?? showUsername(contact);

/** What people call the contact. One of whom nothing is known is told from others by the end of the id. */
export function nameContact(contact: Contact): string {
  const { name, phone_number, email, professional_network_identifier, external_id, source, _id } = contact;
  const known =
    name ?? phone_number ?? email ?? showUsername(contact) ?? professional_network_identifier ?? external_id;
  if (known) return known;
  const texts = getTexts(NAMES);
  const mark = _id.slice(-4).toUpperCase();
  return source === 'WIDGET' ? texts.visitor(mark) : texts.contact(mark);
}

const createdOf = (contact: Contact): string => contact.createdAt;

/** A contact that is older was changed just now, not created. */
const NEW_MS = 60_000;

export function showContact(contact: Contact): void {
  const before = queries.getQueryData<Contact>(keyOf(contact._id));
  if (before && before.updatedAt > contact.updatedAt) return;
  queries.setQueryData(keyOf(contact._id), contact);
  changeFeeds<Contact>(CONTACT_FEEDS, (feed, [, choice]) => showInFeed(feed, contact, choice as ContactChoice));
  SEGMENTS.recountSoon();
}

/** A list of all contacts shows a new one at once. Whether a search finds it, only the platform can tell. */
function showInFeed(feed: Feed<Contact>, contact: Contact, choice: ContactChoice): Feed<Contact> {
  const { search, filters, business } = choice;
  if (business !== undefined && contact.business !== business) return removeFromFeed(feed, contact._id);
  if (search === undefined && filters === undefined) return placeInFeed(feed, contact, createdOf);
  if (feed.items.some(({ _id }) => _id === contact._id)) return replaceInFeed(feed, contact);
  const isNew = Date.now() - Date.parse(contact.createdAt) < NEW_MS;
  return isNew && !feed.hasNews ? { ...feed, hasNews: true } : feed;
}

export function forgetContact(id: string): void {
  // Where the contact is open, it is gone at once.
  queries.setQueryData(keyOf(id), null);
  changeFeeds<Contact>(CONTACT_FEEDS, (feed) => removeFromFeed(feed, id));
  SEGMENTS.recountSoon();
}

export function rereadContacts(): void {
  void queries.invalidateQueries({ queryKey: CONTACT_FEEDS });
  void queries.invalidateQueries({ queryKey: ['contact'] });
}
