/** Messages between the platform and its network: contacts write, the company answers, the network reports statuses. */
import assert from 'node:assert/strict';
import { makePhoneNumber } from './network.ts';
import type { Json, Platform } from './platform.ts';

/** The network account of the demo inbox, which the sandbox has from its start. */
const DEMO_METADATA = { display_phone_number: '5511900000000', phone_number_id: '100000000000001' };
const DEMO_WABA = '200000000000001';

/** The fields of a text message to which nothing has happened since it was sent or received. */
export const PLAIN_FIELDS = {
  attachment: null,
  media: null,
  template: null,
  interactive: null,
  location: null,
  contacts: null,
  referral: null,
  email: null,
  forwarded: null,
  unsupported: null,
  reaction: null,
  reply_to: null,
  errors: [],
  campaign: null,
  enrollment: null,
  agent: null,
  mentions: [],
  is_echo: false,
  is_test: false,
  edited_at: null,
  revoked_at: null,
  delivered_at: null,
  read_at: null,
  failed_at: null,
};

export interface StoredExchange {
  /** The message, its conversation and its contact, as GET answers them. */
  message: Json;
  conversation: Json;
  contact: Json;
}

/** Makes a contact write to the demo inbox (a new contact, unless `from` is given), and returns the stored records. */
export async function writeAsContact(
  platform: Platform,
  message: Record<string, unknown> = {},
): Promise<StoredExchange> {
  const sent = await platform.sandbox('POST', '/sandbox/inbound', { from: makePhoneNumber(), text: 'Oi', ...message });
  assert.equal(sent.status, 200, `the platform answered the network with ${sent.status}`);
  const [row] = await platform.database.sql<{ _id: string }>('select _id from messages where external_id = $1', [
    sent.id,
  ]);
  const read = async (path: string): Promise<Json> => (await platform.call(200, 'GET', path)).body;
  const stored = await read(`/v1/messages/${row?._id}`);
  return {
    message: stored,
    conversation: await read(`/v1/conversations/${stored.conversation}`),
    contact: await read(`/v1/contacts/${stored.contact}`),
  };
}

/** Puts conversations at the top of the list, in this order. Messages of one second have no certain order. */
export async function orderAtTop({ database, demo }: Platform, ids: string[]): Promise<void> {
  await database.sql(
    `update conversations v
      set last_message_at = (select max(last_message_at) from conversations where company_id = $1)
        + interval '1 hour' + (cardinality($2::text[]) - n + 1) * interval '1 second'
      from unnest($2::text[]) with ordinality as o (id, n) where v.company_id = $1 and v._id = o.id`,
    [demo._id, ids],
  );
}

/** Sends a text and returns the message of the answer. `key` is the demo company's unless another one is given. */
export async function sendText(
  platform: Platform,
  conversationId: string,
  { content = 'Olá', replyTo, key = platform.demo.key }: { content?: string; replyTo?: string; key?: string } = {},
): Promise<Json> {
  const body = { conversationId, message: { content }, ...(replyTo ? { replyTo } : {}) };
  return (await platform.call(201, 'POST', '/v1/messages/send-text', { body, key })).body;
}

export async function readMessage(platform: Platform, id: string): Promise<Json> {
  return (await platform.call(200, 'GET', `/v1/messages/${id}`)).body;
}

/** Returns the messages that the sandbox network got for one message of the platform, in order. */
export async function listNetworkMessages(platform: Platform, messageId: string): Promise<Json[]> {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  return messages.filter((message: Json) => message.biz_opaque_callback_data === messageId);
}

/**
 * Returns the enqueued events of a record, in order. An event is enqueued in the transaction of its change, so the caller need not wait for
 * it.
 */
export async function readEvents(platform: Platform, resourceId: string): Promise<{ event: string; data: Json }[]> {
  const rows = await platform.database.sql<{ event: string; body: string }>(
    'select event, body from deliveries where resource_id = $1 order by seq',
    [resourceId],
  );
  return rows.map(({ event, body }) => ({ event, data: JSON.parse(body).data }));
}

export async function listEventNames(platform: Platform, resourceId: string): Promise<string[]> {
  return (await readEvents(platform, resourceId)).map(({ event }) => event);
}

export interface StatusReport {
  /** The network's id of the message. */
  id: string;
  status: string;
  /** The time in seconds since 1970; now by default. */
  timestamp?: number;
  biz_opaque_callback_data?: string;
  errors?: unknown[];
}

/** Reports statuses to the demo inbox in one notification; resolves once they are stored. */
export async function reportStatuses(platform: Platform, ...reports: StatusReport[]): Promise<void> {
  const statuses = reports.map(({ timestamp = Math.floor(Date.now() / 1000), ...rest }) => ({
    ...rest,
    timestamp: String(timestamp),
    recipient_id: '5511970000001',
  }));
  const value = { messaging_product: 'whatsapp', metadata: DEMO_METADATA, statuses };
  const entry = [{ id: DEMO_WABA, changes: [{ field: 'messages', value }] }];
  const body = { object: 'whatsapp_business_account', entry };
  const answer = await platform.sandbox('POST', '/sandbox/notify', { body });
  assert.equal(answer.status, 200, `the platform answered the network with ${answer.status}`);
}

/** Stops the sandbox from sending statuses by itself. */
export async function silenceNetwork(platform: Platform): Promise<void> {
  await platform.sandbox('PUT', '/sandbox/settings', { status_delays_ms: { sent: null, delivered: null, read: null } });
}

/** Returns the text of the answer, for comparisons byte by byte. The request id is always the same, so that answers do not differ by it. */
export async function readRawAnswer(
  platform: Platform,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const response = await fetch(platform.url + path, {
    method,
    headers: {
      authorization: `Bearer ${platform.demo.key}`,
      'x-request-id': 'compared',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}
