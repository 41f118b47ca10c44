/** Network credentials are masked in answers, encrypted in the database, kept when a caller sends their mask, and never logged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { waitForFinishedDeliveries, queueEvents } from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';

// The log has the lowest level and no redaction, because secrets must not be logged in the first place.
const logged: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
const platform = await startPlatform({ log });
const { call, database } = platform;

const TOKEN = 'token-of-the-network-1234';
const API_KEY = 'key-of-the-gateway-5678';
const ids = { phone_number_id: '500000000000001', business_id: '2', waba_id: '500000000000002' };
const gateway = { base_url: 'http://127.0.0.1:9009', instance_name: 'main' };

await platform.sandbox('POST', '/sandbox/accounts', { ...ids, token: TOKEN });
const created = await call(201, 'POST', '/v1/inboxes', {
  body: {
    channel: 'WAP_AUTO_CLOSER',
    name: 'Phone',
    number: '+551133334444',
    api_wap_config: { ...ids, business_token: TOKEN },
    partner_api_config: { ...gateway, api_key: API_KEY },
  },
});
const path = `/v1/inboxes/${created.body._id}`;
const masked = { wap: { ...ids, business_token: '••••1234' }, partner: { ...gateway, api_key: '••••5678' } };

const pickSettings = ({ body }: { body: Json }) => ({ wap: body.api_wap_config, partner: body.partner_api_config });
const put = (body: unknown) => call(200, 'PUT', path, { body });

/** Reads the settings as they are in the database. */
async function storedSettings(): Promise<{ api_wap_config: Json; partner_api_config: Json }> {
  const [row] = await database.sql<{ api_wap_config: Json; partner_api_config: Json }>(
    'select s.* from inboxes, jsonb_to_record(settings) as s (api_wap_config jsonb, partner_api_config jsonb) where _id = $1',
    [created.body._id],
  );
  assert.ok(row);
  return row;
}

test('a token and an api_key are masked in the answers of POST, GET, PUT and the list', async () => {
  assert.deepEqual(pickSettings(created), masked);
  assert.deepEqual(pickSettings(await call(200, 'GET', path)), masked);
  assert.deepEqual(pickSettings(await put({ name: 'Renamed' })), masked);
  const { body } = await call(200, 'GET', '/v1/inboxes');
  assert.deepEqual(pickSettings({ body: body.result.find((inbox: Json) => inbox._id === created.body._id) }), masked);
});

test('the secrets of an inbox are encrypted in the database, and its other settings are not', async () => {
  const { api_wap_config, partner_api_config } = await storedSettings();
  assert.deepEqual({ ...api_wap_config, business_token: '' }, { ...ids, business_token: '' });
  assert.deepEqual({ ...partner_api_config, api_key: '' }, { ...gateway, api_key: '' });
  const [row] = await database.sql('select * from inboxes where _id = $1', [created.body._id]);
  for (const secret of [TOKEN, API_KEY]) {
    assert.ok(!JSON.stringify(row).includes(secret));
    assert.ok(!JSON.stringify(row).includes(Buffer.from(secret).toString('base64')));
  }
});

test('a secret that is sent as its mask, or left out, keeps its stored value', async () => {
  const before = await storedSettings();
  for (const api_wap_config of [masked.wap, { ...ids, business_token: '••••' }, ids]) {
    assert.deepEqual(pickSettings(await put({ api_wap_config, partner_api_config: masked.partner })), masked);
    assert.deepEqual(await storedSettings(), before);
  }
});

test('a new value replaces the stored one, null clears the token, and a mask without a stored value is 400', async () => {
  const changed = await put({ api_wap_config: { ...ids, business_token: 'another-token-abcd' } });
  assert.equal(changed.body.api_wap_config.business_token, '••••abcd');
  const cleared = await put({ api_wap_config: { ...ids, business_token: null } });
  assert.equal(cleared.body.api_wap_config.business_token, null);
  const refused = await call(400, 'PUT', path, { body: { api_wap_config: masked.wap } });
  assert.deepEqual(refused.body.errors[0].path, 'api_wap_config.business_token');
  const body = { channel: 'WEB_V2', name: 'Site', partner_api_config: masked.partner };
  const posted = await call(400, 'POST', '/v1/inboxes', { body });
  assert.deepEqual(posted.body.errors[0].path, 'partner_api_config.api_key');
  assert.equal((await put({ api_wap_config: { ...ids, business_token: TOKEN } })).body.connection.status, 'CONNECTED');
});

test('a masked api_key together with another gateway is 400, so no one can send a key that they may not see to an address of their own', async () => {
  const before = await storedSettings();
  const partner_api_config = { ...masked.partner, base_url: 'http://127.0.0.1:9010' };
  const { body } = await call(400, 'PUT', path, { body: { partner_api_config } });
  assert.deepEqual(body.errors[0].path, 'partner_api_config.api_key');
  assert.deepEqual(await storedSettings(), before);
});

test('the mask of a short secret shows none of its characters', async () => {
  const { body } = await put({ partner_api_config: { ...gateway, api_key: 'short-key' } });
  assert.equal(body.partner_api_config.api_key, '••••');
  await put({ partner_api_config: { ...gateway, api_key: API_KEY } });
});

test('no token, api_key or webhook header is ever in a log or an error', async () => {
  const answers: Json[] = [];
  const provoke = async (status: number, method: string, at: string, body: unknown) =>
    void answers.push((await call(status, method, at, { body })).body);
  const wap = { ...ids, business_token: TOKEN };
  await provoke(400, 'PUT', path, { api_wap_config: { ...wap, extra: TOKEN } });
  await provoke(400, 'PUT', path, { api_wap_config: { ...wap, waba_id: 1 } });
  await provoke(400, 'PUT', path, { default_owner: 'nobody', api_wap_config: wap });
  const rival = { channel: 'WAP_AUTO_CLOSER', name: 'b', number: '+551133334444', api_wap_config: wap };
  await provoke(409, 'POST', '/v1/inboxes', rival);
  // The network quotes this malformed token in its error.
  const quoted = {
    ...rival,
    api_wap_config: { ...wap, phone_number_id: '500000000000009', business_token: `x${TOKEN}` },
  };
  await provoke(201, 'POST', '/v1/inboxes', quoted);
  await provoke(400, 'PUT', `/v1/webhooks/${platform.demo.webhook}`, { custom_headers: { host: TOKEN } });
  await provoke(200, 'PUT', path, { api_wap_config: wap, partner_api_config: { ...gateway, api_key: API_KEY } });
  const webhook = { url: 'http://127.0.0.1:1024/', custom_headers: { 'x-key': TOKEN } };
  await call(200, 'PUT', `/v1/webhooks/${platform.demo.webhook}`, { body: webhook });
  await queueEvents(platform, platform.demo._id);
  assert.equal((await waitForFinishedDeliveries(platform, platform.demo))[0].error, 'CONNECT');
  assert.ok(logged.length > 10, 'the log was read');
  for (const secret of [TOKEN, API_KEY]) {
    assert.ok(!logged.some((line) => line.includes(secret)));
    assert.ok(!JSON.stringify(answers).includes(secret));
  }
  assert.ok(!logged.some((line) => line.includes(platform.demo.key)));
});
