/** The routes about contacts. */
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import { readList, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { invalidBody, required } from './errors.ts';
import { expectTexts, noSuchNumber } from './given.ts';
import { readPerson, toJid } from './jid.ts';
import { findContact, findNumber, MOST_RECORDS, readContacts, readRecords, readWindow, showContact } from './people.ts';
import type { EvolutionCaller, EvolutionRoutes } from './route.ts';

const readNumber = (given: string): string | null => {
  const person = readPerson(given);
  return person && 'phone' in person ? person.phone : null;
};

const canExist = (phone: string | null): phone is string => phone !== null && !isPhoneFault(readPhone(phone, null));

/** Says which numbers have WhatsApp: as the network says it, or else by their form. */
async function checkNumbers({ call }: EvolutionCaller, given: string[], inbox: JsonObject): Promise<JsonObject[]> {
  const asked = given.map(readNumber).filter(canExist);
  const checked = new Map<string, JsonObject>();
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const numbers = asked.slice(from, from + AT_ONCE);
    const { result } = await call('POST', `/v1/inboxes/${inbox._id}/check-numbers`, { body: { numbers } });
    for (const each of result as JsonObject[]) checked.set(each.number as string, each);
    // A network that cannot be asked, or does not answer, is not asked for the others.
    if ((result as JsonObject[]).every(({ exists }) => exists === null)) break;
  }
  return given.map((number) => {
    const phone = readNumber(number);
    const found = checked.get(phone ?? '');
    const jid = found?.network_id ?? (phone === null ? number : toJid(phone));
    return { jid, exists: found?.exists ?? canExist(phone), number };
  });
}

/** As many as the API takes. */
const AT_ONCE = 50;

/** The contacts that have a conversation in the inbox, the latest first. */
async function listContacts(caller: EvolutionCaller, inbox: JsonObject, most: number): Promise<JsonObject[]> {
  const listIds = (found: JsonObject[]): string[] => [...new Set(found.map(({ contact }) => contact as string))];
  const query = { inbox: inbox._id as string, sort: '-last_message_at' };
  const isEnough = (found: JsonObject[]): boolean => listIds(found).length >= most;
  return readContacts(caller, listIds(await readRecords(caller, '/v1/conversations', query, isEnough)).slice(0, most));
}

async function findContacts(caller: EvolutionCaller, body: JsonObject, inbox: JsonObject): Promise<JsonObject[]> {
  const where = readObject(body, 'where');
  const id = readText(where, 'id');
  const named = readText(where, 'remoteJid') ?? id;
  if (named !== null) {
    // An id of the platform is one without a place.
    const found = await findContact(caller, named === id && !id.includes('@') ? `${id}@lid` : named);
    return found ? [found] : [];
  }
  const { first, size } = readWindow(body, MOST_RECORDS);
  const name = readText(where, 'pushName');
  if (name === null) return (await listContacts(caller, inbox, first + size)).slice(first, first + size);
  const found = (await readRecords(caller, '/v1/contacts', { search: name })).filter(
    (contact) => contact.name === name,
  );
  return found.slice(first, first + size);
}

export const CONTACT_ROUTES: EvolutionRoutes = {
  'POST chat/whatsappNumbers': {
    status: 200,
    async run(caller, { body }, inbox) {
      const numbers = readList(body, 'numbers').map(String);
      if (numbers.length === 0) throw required('numbers');
      return checkNumbers(caller, numbers.slice(0, MOST_RECORDS), inbox);
    },
  },
  'POST chat/findContacts': {
    status: 200,
    run: async (caller, { body }, inbox) =>
      (await findContacts(caller, body, inbox)).map((contact) => showContact(contact, inbox)),
  },
  'POST chat/fetchProfilePictureUrl': {
    status: 200,
    async run(caller, { body }) {
      const found = await findNumber(caller, body);
      return { wuid: toJid(String(body.number)), profilePictureUrl: found?.avatar_url ?? null };
    },
  },
  'POST chat/updateBlockStatus': {
    async run(caller, { body }) {
      const [number = '', status = ''] = expectTexts(body, 'number', 'status');
      if (!['block', 'unblock'].includes(status))
        throw invalidBody('instance.status is not one of enum values: block,unblock');
      const contact = await findContact(caller, number);
      if (!contact) throw noSuchNumber(number);
      await caller.call('PATCH', `/v1/contacts/${contact._id}`, { body: { blocked: status === 'block' } });
      return { block: 'success' };
    },
  },
};
