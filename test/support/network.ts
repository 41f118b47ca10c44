/** The network's side of a test: it registers phone numbers, and posts notifications in the network's format with its signature. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { start, type Running } from '../../src/boot/start.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/platform/work/telemetry.ts';
import { ROOMY, UNLIMITED, type Answer, type Json, type Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

/** A phone number that is registered with the network, and the inbox that receives its messages. */
export interface Phone {
  /** The network's phone_number_id. */
  id: string;
  waba: string;
  inbox: string;
  company: string;
  key: string;
}

export interface Network {
  appSecret: string;
  verifyToken: string;
  sign(raw: string | Buffer): string;
  /**
   * Posts a notification, signed unless the headers contain a signature, and asserts the status. A body that is text or bytes is sent
   * unchanged.
   */
  post(status: number, body: unknown, options?: { url?: string; headers?: Record<string, string> }): Promise<Answer>;
}

export async function openNetwork(platform: Platform): Promise<Network> {
  const { appSecret, verifyToken } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
  const sign = (raw: string | Buffer): string =>
    `sha256=${createHmac('sha256', appSecret as string)
      .update(raw)
      .digest('hex')}`;
  const post: Network['post'] = async (status, body, { url = platform.url, headers } = {}) => {
    const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(`${url}/hooks/wap`, {
      method: 'POST',
      body: raw,
      headers: { 'content-type': 'application/json', ...(headers ?? { 'x-hub-signature-256': sign(raw) }) },
    });
    const answer = { status: response.status, headers: response.headers, body: (await response.json()) as Json };
    assert.equal(response.status, status, `the network was answered ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return { appSecret, verifyToken, sign, post };
}

/** Returns a unique id in the format of the network: decimal, and longer than a JavaScript number can hold. */
export const makeNetworkId = (): string => `9${BigInt(`0x${randomBytes(8).toString('hex')}`)}`;
export const makeMessageId = (): string => `wamid.${randomBytes(12).toString('base64url')}`;
/** Returns a unique Brazilian mobile number, which is also valid without its ninth digit. */
export const makePhoneNumber = (): string => `55119${60_000_000 + (randomBytes(4).readUInt32BE() % 39_999_999)}`;
/** Returns a time in the format of the network: whole seconds, as text. */
export const secondsAgo = (seconds: number): string => String(Math.floor(Date.now() / 1000) - seconds);

/** Registers a phone number with the network and connects an inbox to it. `id` can be a number that is registered already. */
export async function connectPhone(
  platform: Platform,
  options: { company?: { _id: string; key: string }; id?: string; waba?: string; inbox?: Record<string, unknown> } = {},
): Promise<Phone> {
  const { company = platform.demo, id = makeNetworkId(), waba = makeNetworkId() } = options;
  const token = `token-${id}`;
  await platform.sandbox('POST', '/sandbox/accounts', { phone_number_id: id, waba_id: waba, token });
  const { body } = await platform.call(201, 'POST', '/v1/inboxes', {
    key: company.key,
    body: {
      channel: 'WAP_AUTO_CLOSER',
      name: 'Test phone',
      number: '+551133334444',
      api_wap_config: { phone_number_id: id, waba_id: waba, business_id: '1', business_token: token },
      ...options.inbox,
    },
  });
  assert.equal(body.connection.status, 'CONNECTED');
  return { id, waba, inbox: body._id, company: company._id, key: company.key };
}

/** Returns the body of a notification, in which each part is one change. */
export function buildNotification(
  ...parts: { phone: Pick<Phone, 'id' | 'waba'>; field?: string; value: object }[]
): Json {
  return {
    object: 'whatsapp_business_account',
    entry: parts.map(({ phone, field = 'messages', value }) => ({
      id: phone.waba,
      changes: [
        {
          field,
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '551133334444', phone_number_id: phone.id },
            ...value,
          },
        },
      ],
    })),
  };
}

/** Returns a notification with messages of contacts; each message is a text sent now, unless it has other fields. */
export function buildMessageNotification(
  phone: Pick<Phone, 'id' | 'waba'>,
  ...messages: Record<string, unknown>[]
): Json {
  return buildNotification({ phone, value: { messages: messages.map(fillMessage) } });
}

/** Fills a message object of the network with defaults: a text that is sent now. */
export function fillMessage(message: Record<string, unknown>): Record<string, unknown> {
  return {
    id: makeMessageId(),
    timestamp: secondsAgo(0),
    ...(message['type'] ? {} : { type: 'text', text: { body: 'Oi' } }),
    ...message,
  };
}

/** Starts a second API process on the same database. It stops after the file's last test. */
export async function startSecondProcess(platform: Platform, env: Record<string, string> = {}): Promise<Running> {
  const config = loadConfig({
    DATABASE_URL: platform.database.url,
    DATA_DIR: platform.dataDir,
    PORT: '0',
    SANDBOX: 'off',
    WAP_GRAPH_URL: platform.sandboxUrl,
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
    ...ROOMY,
    ...env,
  });
  const peer = await start(config, 'api', { log: createLog(config.LOG_LEVEL) });
  after(() => peer.stop());
  return peer;
}

/** Returns the message that is stored with this id of the network, as the API shows it; null when there is none. */
export async function findStoredMessage(platform: Platform, phone: Phone, externalId: string): Promise<Json> {
  const [row] = await platform.database.sql<{ _id: string }>(
    'select _id from messages where inbox_id = $1 and external_id = $2',
    [phone.inbox, externalId],
  );
  return row ? (await platform.call(200, 'GET', `/v1/messages/${row._id}`, { key: phone.key })).body : null;
}

/** Returns a new business-scoped id of a person, in the format of the network. */
export const makeBsuid = (country = 'BR'): string =>
  `${country}.${makeMessageId()
    .slice(6)
    .replaceAll(/[^A-Za-z0-9]/g, '')}`;

/** Posts one message as the network and returns the stored message. */
export async function postAndReadMessage(
  { platform, network, phone }: { platform: Platform; network: Network; phone: Phone },
  message: Json,
): Promise<Json> {
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(phone, { ...message, id }));
  return findStoredMessage(platform, phone, id);
}

/**
 * Waits until the templates and the limit of the inbox's account have been read. These requests of a worker could otherwise meet the faults
 * and tokens that a test sets next.
 */
export async function waitUntilCopied({ database }: Platform, inbox: string): Promise<void> {
  await waitUntil('the templates of the account to be copied', async () => {
    const [copied] = await database.sql(
      `select from inboxes i
       join template_catalogues c on c.company_id = i.company_id and c.channel = i.channel and c.account = i.network_account
       where i._id = $1 and c.fetched_at is not null and c.held_until is null and not c.is_waiting and not exists (
         select from pgboss.job where name = 'inboxes.connected' and data->>'inbox' = $1 and state < 'completed')`,
      [inbox],
    );
    return copied;
  });
}
