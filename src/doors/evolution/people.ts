/** Contacts and conversations of an instance, found by the numbers and ids that clients use. */
import { declareLimit } from '../../platform/values/limits.ts';
import { toReadablePhone } from '../../platform/values/phone.ts';
import { readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { fromProblem } from './errors.ts';
import { expectTexts } from './given.ts';
import { findContactJid, readPerson } from './jid.ts';
import type { EvolutionCaller } from './route.ts';

/** Finds the contact of a number or an id of WhatsApp; null when there is none. */
export async function findContact({ call, ask }: EvolutionCaller, written: string): Promise<JsonObject | null> {
  const named = readPerson(written);
  if (!named) return null;
  if ('contact' in named) {
    const answer = await ask('GET', `/v1/contacts/${named.contact}`);
    if (answer.status === 200) return answer.body;
    if (answer.status === 404) return null;
    throw fromProblem(answer);
  }
  // WhatsApp may write a number in another way than people do, such as a Brazilian one without its ninth digit.
  const { phone_number: value } = toReadablePhone(named.phone);
  const filters = [{ field: 'contact.phone_number', operator: 'eq', value }];
  const { result } = await call('GET', '/v1/contacts', { query: { filters, limit: 1, skipCount: true } });
  return (result as JsonObject[])[0] ?? null;
}

/** Shows the contact that someone is typing, where its network can. */
export async function showTyping(
  caller: EvolutionCaller,
  inbox: JsonObject,
  contact: JsonObject | null,
): Promise<void> {
  const conversation = await findConversation(caller, inbox, contact);
  if (conversation)
    await caller.ask('POST', `/v1/conversations/${conversation._id}/typing`, { body: { state: 'TYPING' } });
}

/** Finds the contact of the property `number`. */
export async function findNumber(caller: EvolutionCaller, body: JsonObject): Promise<JsonObject | null> {
  const [number = ''] = expectTexts(body, 'number');
  return findContact(caller, number);
}

/** Finds the newest conversation of a contact in the inbox. */
export async function findConversation(
  { call }: EvolutionCaller,
  inbox: JsonObject,
  contact: JsonObject | null,
): Promise<JsonObject | null> {
  if (!contact) return null;
  const query = { inbox: inbox._id as string, contact: contact._id as string, limit: 1, skipCount: true };
  const { result } = await call('GET', '/v1/conversations', { query: { ...query, sort: '-last_message_at' } });
  return (result as JsonObject[])[0] ?? null;
}

/** The most records that one request reads. */
export const MOST_RECORDS = declareLimit(1_000, {
  topic: 'Evolution',
  what: 'Contacts, chats or messages that one request searches',
  beyond: 'the others are left out',
});
const PAGE = 100;

/** Reads the records of a list until `enough` of them are there, the list ends, or the most were read. */
export async function readRecords(
  { call }: EvolutionCaller,
  path: string,
  query: JsonObject,
  enough: (found: JsonObject[]) => boolean = () => false,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let after: string | null = null; found.length < MOST_RECORDS;) {
    const { result, meta } = await call('GET', path, { query: { ...query, limit: PAGE, skipCount: true, after } });
    found.push(...(result as JsonObject[]));
    after = meta.nextCursor as string | null;
    if (after === null || enough(found)) break;
  }
  return found;
}

/** Reads the contacts with these ids, in the same order. */
export async function readContacts({ call }: EvolutionCaller, ids: string[]): Promise<JsonObject[]> {
  const found = new Map<string, JsonObject>();
  for (let first = 0; first < ids.length; first += PAGE) {
    const asked = ids.slice(first, first + PAGE).join();
    const { result } = await call('GET', '/v1/contacts', { query: { ids: asked, limit: PAGE, skipCount: true } });
    for (const contact of result as JsonObject[]) found.set(contact._id as string, contact);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

export const showContact = (contact: JsonObject, inbox: JsonObject): JsonObject => ({
  id: contact._id,
  remoteJid: findContactJid(contact._id as string, contact),
  pushName: contact.name,
  profilePicUrl: contact.avatar_url,
  createdAt: contact.createdAt,
  updatedAt: contact.updatedAt,
  instanceId: inbox._id,
  isGroup: false,
  isSaved: true,
  type: 'contact',
});

/** Reads which page is asked for: the first is 1, and `offset` is the size of a page. */
export function readWindow(body: JsonObject, usual: number, most = MOST_RECORDS): { first: number; size: number } {
  const read = (name: string): number => Math.floor(Number(readText(body, name) ?? 0)) || 0;
  const size = Math.min(Math.max(1, read('take') || read('offset') || usual), most);
  const first = read('skip') || (Math.max(1, read('page')) - 1) * size;
  return { first: Math.max(0, first), size };
}
