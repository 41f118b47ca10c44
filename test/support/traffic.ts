/** What passes between the platform and its network: contacts write, the company answers, the network reports. */
import assert from 'node:assert/strict';
import { freshPhone } from './network.ts';
import type { Json, Platform } from './platform.ts';

/** The account of the demo inbox, as the sandbox knows it from its start. */
const DEMO_METADATA = { display_phone_number: '5511900000000', phone_number_id: '100000000000001' };
const DEMO_WABA = '200000000000001';

export interface Heard {
  /** The GET's records. */
  message: Json;
  conversation: Json;
  contact: Json;
}

/** Somebody writes to the demo inbox (a new person, unless `from` says who); answers what the store made of it. */
export async function hear(platform: Platform, message: Record<string, unknown> = {}): Promise<Heard> {
  const sent = await platform.sandbox('POST', '/sandbox/inbound', { from: freshPhone(), text: 'Oi', ...message });
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

/** The record that POST /v1/messages/send-text answered with. `key`: another caller than the demo company's key. */
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

/** What reached the network for a message of ours, in order. */
export async function leftFor(platform: Platform, messageId: string): Promise<Json[]> {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  return messages.filter((message: Json) => message.biz_opaque_callback_data === messageId);
}

/** Events queued for a record, in their order: an event is queued with the change, so there is nothing to wait for. */
export async function eventsOf(platform: Platform, resourceId: string): Promise<{ event: string; data: Json }[]> {
  const rows = await platform.database.sql<{ event: string; body: string }>(
    'select event, body from deliveries where resource_id = $1 order by seq',
    [resourceId],
  );
  return rows.map(({ event, body }) => ({ event, data: JSON.parse(body).data }));
}

export async function eventNames(platform: Platform, resourceId: string): Promise<string[]> {
  return (await eventsOf(platform, resourceId)).map(({ event }) => event);
}

export interface Report {
  /** The network's id of the message. */
  id: string;
  status: string;
  /** Seconds of the epoch; now when absent. */
  timestamp?: number;
  biz_opaque_callback_data?: string;
  errors?: unknown[];
}

/** The network reports statuses to the demo inbox in one notification; answers once they are stored. */
export async function report(platform: Platform, ...reports: Report[]): Promise<void> {
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

/** The network says nothing more than it is told to: no status comes by itself. */
export async function silenceNetwork(platform: Platform): Promise<void> {
  await platform.sandbox('PUT', '/sandbox/settings', { status_delays_ms: { sent: null, delivered: null, read: null } });
}

/** The answer's text, for comparisons byte by byte; the request id is the caller's, so that it does not differ. */
export async function rawAnswer(
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
