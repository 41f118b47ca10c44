/** The gateway's side of a test: instances of the sandbox's gateway, and what contacts write through them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { makePhoneNumber } from './network.ts';
import type { Company, Json, Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

/** An instance of the gateway, and the inbox that is connected to it. */
export interface Instance {
  name: string;
  apiKey: string;
  inbox: string;
  company: string;
  key: string;
}

export interface InstanceOptions {
  company?: Company;
  state?: 'open' | 'connecting' | 'close';
  integration?: 'baileys' | 'business';
  /** What the inbox has of the instance's key; the key itself, unless another one is given. */
  givenKey?: string;
}

/** Registers an instance with the gateway, and creates an inbox for it. */
export async function connectInstance(platform: Platform, options: InstanceOptions = {}): Promise<Instance> {
  const { company = platform.demo, state = 'open', integration = 'baileys' } = options;
  const name = `shop ${randomBytes(4).toString('hex')}`;
  const apiKey = `key-${randomBytes(8).toString('hex')}`;
  await platform.sandbox('POST', '/sandbox/gateway/instances', { name, api_key: apiKey, state, integration });
  const { body } = await platform.call(201, 'POST', '/v1/inboxes', {
    key: company.key,
    body: {
      channel: 'PARTNER_API',
      name: 'Shop',
      number: '+5585991239999',
      partner_api_config: {
        base_url: `${platform.sandboxUrl}/gateway`,
        api_key: options.givenKey ?? apiKey,
        instance_name: name,
      },
    },
  });
  return { name, apiKey, inbox: body._id, company: company._id, key: company.key };
}

export const setGateway = (platform: Platform, settings: Json): Promise<Json> =>
  platform.sandbox('PUT', '/sandbox/gateway/settings', settings);

/** Stops the gateway from reporting statuses by itself. */
export const silenceGateway = (platform: Platform): Promise<Json> =>
  setGateway(platform, { status_delays_ms: { SERVER_ACK: null, DELIVERY_ACK: null, READ: null } });

/** Makes a contact write through the instance, and returns the stored message; null when nothing was stored. */
export async function writeThrough(
  platform: Platform,
  { name, inbox, key }: Instance,
  message: Json = {},
): Promise<Json> {
  const isGiven = 'text' in message || 'message' in message;
  const given = { from: makePhoneNumber(), ...(isGiven ? {} : { text: 'Oi' }), ...message, instance: name };
  const sent = await platform.sandbox('POST', '/sandbox/gateway/inbound', given);
  assert.equal(sent.status, 200, `the platform answered the gateway with ${sent.status}`);
  return findByExternalId(platform, { inbox, key }, sent.id);
}

export async function findByExternalId(
  platform: Platform,
  { inbox, key }: Pick<Instance, 'inbox' | 'key'>,
  id: string,
): Promise<Json> {
  const [row] = await platform.database.sql<{ _id: string }>(
    'select _id from messages where inbox_id = $1 and external_id = $2',
    [inbox, id],
  );
  return row ? (await platform.call(200, 'GET', `/v1/messages/${row._id}`, { key })).body : null;
}

/** Posts an event of the gateway, and asserts that the platform took it. */
export async function reportEvent(platform: Platform, instance: Instance, event: string, data: unknown): Promise<void> {
  const answer = await platform.sandbox('POST', '/sandbox/gateway/notify', { instance: instance.name, event, data });
  assert.equal(answer.status, 200, `the platform answered the gateway with ${answer.status}`);
}

/** Returns the calls that the gateway has taken for the instance at one path, in order. */
export async function listCalls(platform: Platform, { name }: Instance, path: string): Promise<Json[]> {
  const { calls } = await platform.sandbox('GET', '/sandbox/gateway/calls');
  return calls.filter((call: Json) => call.instance === name && call.path === path).map((call: Json) => call.body);
}

/** Waits until a message has a status, and returns it. */
export const awaitStatus = (platform: Platform, { key }: Instance, id: string, status: string): Promise<Json> =>
  waitUntil(`the message to be ${status}`, async () => {
    const { body } = await platform.call(200, 'GET', `/v1/messages/${id}`, { key });
    return body.status === status && body;
  });

/** Waits until the inbox's connection has a status, and returns the connection. */
export const awaitConnection = (platform: Platform, { inbox, key }: Instance, status: string): Promise<Json> =>
  waitUntil(`the inbox to be ${status}`, async () => {
    const { connection } = (await platform.call(200, 'GET', `/v1/inboxes/${inbox}`, { key })).body;
    return connection.status === status && connection;
  });
