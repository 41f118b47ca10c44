/** The routes about contacts. */
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import { readList, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { invalidBody, required } from './errors.ts';
import { expectTexts, noSuchNumber } from './given.ts';
import { readPerson, toJid } from './jid.ts';
import { findContact, findNumber, MOST_RECORDS, readContacts, readRecords, readWindow, showContact } from './people.ts';
import type { EvolutionCaller, EvolutionRoutes } from './route.ts';

/** Whether a number can be one of WhatsApp. Its network is not asked. */
function checkNumber(given: unknown): JsonObject {
  const number = String(given);
  const person = readPerson(number);
  const phone = person && 'phone' in person ? person.phone : '';
  return { jid: phone ? toJid(phone) : number, exists: phone !== '' && !isPhoneFault(readPhone(phone, null)), number };
}

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
    async run(_caller, { body }) {
      const numbers = readList(body, 'numbers');
      if (numbers.length === 0) throw required('numbers');
      return numbers.slice(0, MOST_RECORDS).map(checkNumber);
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
