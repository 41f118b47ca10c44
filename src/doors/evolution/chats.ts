/** Routes that read messages and chats. */
import { setTimeout as sleep } from 'node:timers/promises';
import { declareLimit } from '../../platform/values/limits.ts';
import { readFlag, readList, readNumber, readObject, readText } from '../lenient.ts';
import type { JsonObject } from '../json.ts';
import { badRequest, invalidBody, required } from './errors.ts';
import { expectTexts, readDelayMs } from './given.ts';
import { findContactJid } from './jid.ts';
import { readFileMessage } from './message-file.ts';
import { findMessage, lookUpBy, readStatus, showMessage } from './messages.ts';
import {
  findContact,
  findConversation,
  findNumber,
  MOST_RECORDS,
  readRecords,
  readWindow,
  showTyping,
} from './people.ts';
import type { EvolutionCaller, EvolutionRoutes } from './route.ts';
import { toSeconds } from './message-content.ts';

/** Notes of the team and notices of the platform are no messages of the chat. */
const isOfChat = ({ message_type }: JsonObject): boolean => message_type === 'INCOMING' || message_type === 'OUTGOING';

/** Returns the test of the conditions that lists of messages do not have. */
function readConditions(where: JsonObject): ((shown: JsonObject) => boolean) | null {
  const [type, source] = [readText(where, 'messageType'), readText(where, 'source')];
  const fromMe = readFlag(readObject(where, 'key'), 'fromMe');
  const times = readObject(where, 'messageTimestamp');
  const [since, until] = [readSeconds(times, 'gte'), readSeconds(times, 'lte')];
  if ([type, source, fromMe, since, until].every((each) => each === null)) return null;
  return ({ messageType, key, messageTimestamp: at, source: from }) =>
    (type === null || messageType === type) &&
    (source === null || from === source) &&
    (fromMe === null || key.fromMe === fromMe) &&
    (since === null || (at as number) >= since) &&
    (until === null || (at as number) <= until);
}

function readSeconds(times: JsonObject, name: string): number | null {
  const written = readText(times, name);
  if (written === null) return null;
  const seconds = readNumber(times, name) ?? Date.parse(written) / 1000;
  return Number.isNaN(seconds) ? null : seconds;
}

interface MessagePage {
  total: number;
  page: number;
  size: number;
  records: JsonObject[];
}

const USUAL_PAGE = 50;
/** As many as a page of the API has at most. */
const PAGE_SIZE = 100;

/** The messages that a client asks for, newest first. */
async function findMessages(caller: EvolutionCaller, body: JsonObject, inbox: JsonObject): Promise<MessagePage> {
  const where = readObject(body, 'where');
  const key = readObject(where, 'key');
  const { first, size } = readWindow(body, USUAL_PAGE, PAGE_SIZE);
  const page = Math.floor(first / size) + 1;
  const id = readText(key, 'id') ?? readText(where, 'id');
  if (id !== null) {
    const found = await findMessage(caller, inbox, id);
    const records = found ? await showRecords(caller, [found]) : [];
    return { total: records.length, page: 1, size, records };
  }
  const jid = readText(key, 'remoteJid');
  const contact = jid === null ? null : await findContact(caller, jid);
  if (jid !== null && !contact) return { total: 0, page, size, records: [] };
  const query = { inbox: inbox._id as string, sort: '-createdAt', ...(contact && { contact: contact._id as string }) };
  const fits = readConditions(where);
  if (!fits && first % size === 0) {
    const { result, meta } = await caller.call('GET', '/v1/messages', { query: { ...query, limit: size, page } });
    return { total: meta.totalCount as number, page, size, records: await showRecords(caller, result as JsonObject[]) };
  }
  const found = (await readRecords(caller, '/v1/messages', query)).filter(isOfChat);
  const shown = await Promise.all(found.map((message) => showMessage(NO_LOOK_UPS, message)));
  const fitting = found.filter((_message, index) => fits?.(shown[index] as JsonObject) ?? true);
  const records = await showRecords(caller, fitting.slice(first, first + size));
  return { total: fitting.length, page, size, records };
}

/** The conditions need no other messages. */
const NO_LOOK_UPS = { message: async () => null };

/** Shows messages one after the other, because each may take calls for the message that it answers. */
async function showRecords(caller: EvolutionCaller, messages: JsonObject[]): Promise<JsonObject[]> {
  const lookUps = lookUpBy(caller, messages);
  const records: JsonObject[] = [];
  for (const message of messages.filter(isOfChat)) {
    const status = message.message_type === 'OUTGOING' ? [{ status: readStatus(message) }] : [];
    records.push({ id: message._id, ...(await showMessage(lookUps, message)), MessageUpdate: status });
  }
  return records;
}

/** What has become of a message, in the order in which it happened. */
function listStatuses(message: JsonObject, inbox: JsonObject): JsonObject[] {
  const happened = { SERVER_ACK: 'sent_at', DELIVERY_ACK: 'delivered_at', READ: 'read_at', ERROR: 'failed_at' };
  const remoteJid = findContactJid(message.contact as string, message.contact_summary as JsonObject);
  const keyId = message.external_id ?? message._id;
  return Object.entries(happened)
    .filter(([, time]) => readText(message, time) !== null)
    .map(([status]) => ({
      id: `${message._id}-${status}`,
      keyId,
      remoteJid,
      fromMe: message.message_type === 'OUTGOING',
      status,
      messageId: message._id,
      instanceId: inbox._id,
    }));
}

function showChat(conversation: JsonObject, inbox: JsonObject): JsonObject {
  const { contact, contact_summary: summary, last_message: last, window_expires_at: until } = conversation;
  const remoteJid = findContactJid(contact as string, summary as JsonObject);
  return {
    id: conversation._id,
    remoteJid,
    pushName: summary.name,
    profilePicUrl: null,
    updatedAt: conversation.last_message_at ?? conversation.updatedAt,
    windowStart: conversation.last_inbound_at,
    windowExpires: until,
    windowActive: until !== null && until > new Date().toISOString(),
    lastMessage: last && {
      id: last._id,
      key: { id: last._id, fromMe: last.message_type === 'OUTGOING', remoteJid },
      pushName: last.message_type === 'OUTGOING' ? '' : (summary.name ?? ''),
      messageType: 'conversation',
      message: { conversation: last.content ?? '' },
      messageTimestamp: toSeconds(last.createdAt as string),
      instanceId: inbox._id,
      source: 'unknown',
    },
    unreadCount: conversation.unread_count,
    isSaved: true,
  };
}

/** A chat is what a contact and the inbox have written: its newest conversation stands for it. */
async function findChats(caller: EvolutionCaller, body: JsonObject, inbox: JsonObject): Promise<JsonObject[]> {
  const jid = readText(readObject(body, 'where'), 'remoteJid');
  if (jid !== null) {
    const found = await findConversation(caller, inbox, await findContact(caller, jid));
    return found ? [showChat(found, inbox)] : [];
  }
  const { first, size } = readWindow(body, MOST_RECORDS);
  const query = { inbox: inbox._id as string, sort: '-last_message_at' };
  const newest = (found: JsonObject[]): JsonObject[] =>
    [...new Map(found.toReversed().map((each) => [each.contact, each])).values()].toReversed();
  const isEnough = (found: JsonObject[]): boolean => newest(found).length >= first + size;
  const found = newest(await readRecords(caller, '/v1/conversations', query, isEnough));
  return found.slice(first, first + size).map((each) => showChat(each, inbox));
}

async function markRead(caller: EvolutionCaller, keys: JsonObject[], inbox: JsonObject): Promise<void> {
  const conversations = new Set<string>();
  for (const key of keys) {
    const id = readText(key, 'id');
    const message = id === null ? null : await findMessage(caller, inbox, id);
    const found = message ? { _id: message.conversation as string } : await findOfKey(caller, key, inbox);
    if (found) conversations.add(found._id as string);
  }
  for (const id of conversations) await caller.call('PUT', `/v1/conversations/${id}/read`);
}

async function findOfKey(caller: EvolutionCaller, key: JsonObject, inbox: JsonObject): Promise<JsonObject | null> {
  const jid = readText(key, 'remoteJid');
  return jid === null ? null : findConversation(caller, inbox, await findContact(caller, jid));
}

const MOST_KEYS = declareLimit(100, {
  topic: 'Evolution',
  what: 'Messages marked as read by one request',
  beyond: 'the others are left out',
});

export const CHAT_ROUTES: EvolutionRoutes = {
  'POST chat/findMessages': {
    status: 200,
    async run(caller, { body }, inbox) {
      const { total, page, size, records } = await findMessages(caller, body, inbox);
      return { messages: { total, pages: Math.ceil(total / size), currentPage: page, records } };
    },
  },
  'POST chat/findStatusMessage': {
    status: 200,
    async run(caller, { body }, inbox) {
      const where = readObject(body, 'where');
      const id = readText(where, 'id') ?? readText(where, 'keyId') ?? readText(where, 'messageId');
      const found = id === null ? null : await findMessage(caller, inbox, id);
      if (found) return listStatuses(found, inbox);
      const contact = id === null ? await findContact(caller, readText(where, 'remoteJid') ?? '') : null;
      if (!contact) return [];
      const query = {
        inbox: inbox._id as string,
        contact: contact._id as string,
        limit: PAGE_SIZE,
        skipCount: true,
      };
      const { result } = await caller.call('GET', '/v1/messages', { query });
      return (result as JsonObject[]).filter(isOfChat).flatMap((message) => listStatuses(message, inbox));
    },
  },
  'POST chat/findChats': { status: 200, run: (caller, { body }, inbox) => findChats(caller, body, inbox) },
  'GET chat/findChatByRemoteJid': {
    async run(caller, { query }, inbox) {
      const jid = readText(query, 'remoteJid');
      if (jid === null) throw badRequest('remoteJid is a required query parameter');
      return (await findChats(caller, { where: { remoteJid: jid } }, inbox))[0] ?? null;
    },
  },
  'POST chat/markMessageAsRead': {
    async run(caller, { body }, inbox) {
      const keys = [...readList(body, 'readMessages'), ...readList(body, 'read_messages')] as JsonObject[];
      if (keys.length === 0) throw required('readMessages');
      await markRead(caller, keys.slice(0, MOST_KEYS), inbox);
      return { message: 'Read messages', read: 'success' };
    },
  },
  'POST chat/sendPresence': {
    async run(caller, { body }, inbox) {
      const given = { ...readObject(body, 'options'), ...body };
      const [presence = ''] = expectTexts(given, 'presence');
      if (!PRESENCES.includes(presence))
        throw invalidBody(`instance.presence is not one of enum values: ${PRESENCES.join()}`);
      if (TYPING.includes(presence)) await showTyping(caller, inbox, await findNumber(caller, given));
      await sleep(readDelayMs(given));
      return { presence };
    },
  },
  'POST instance/setPresence': { run: async (_caller, { body }) => ({ presence: readText(body, 'presence') }) },
  'POST chat/getBase64FromMediaMessage': { run: readFileMessage },
};

const PRESENCES = ['unavailable', 'available', 'composing', 'recording', 'paused'];
const TYPING = ['composing', 'recording'];
