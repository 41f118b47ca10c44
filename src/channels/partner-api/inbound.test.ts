/** What the gateway reports: messages of contacts, of the company's phone, and changes of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  awaitConnection,
  connectInstance,
  findByExternalId,
  reportEvent,
  setGateway,
  silenceGateway,
  writeThrough,
} from '../../../test/support/gateway.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceGateway(platform);
const instance = await connectInstance(platform);
const { call } = platform;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;

test('a person whose number is hidden at first keeps the conversation once the number is known', async () => {
  const lid = '247163829104756@lid';
  const hidden = await writeThrough(platform, instance, { key: { remoteJid: lid } });
  const key = { remoteJid: lid, remoteJidAlt: '5511970000009@s.whatsapp.net', addressingMode: 'lid' };
  const known = await writeThrough(platform, instance, { key });
  assert.equal(known.conversation, hidden.conversation);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${known.contact}`);
  assert.equal(contact.phone_number, '+5511970000009');
});

test('messages of groups, status updates and lists are answered and never stored', async () => {
  for (const remoteJid of ['120363023456789012@g.us', 'status@broadcast', '5511@broadcast', '1203630@newsletter'])
    assert.equal(
      await writeThrough(platform, instance, { key: { remoteJid, participant: '5511970000001@s.whatsapp.net' } }),
      null,
    );
});

test('what another program sends through the instance is not stored', async () => {
  await reportEvent(platform, instance, 'send.message', {
    key: { id: 'OTHER-PROGRAM', remoteJid: '5511970000011@s.whatsapp.net', fromMe: true },
    message: { conversation: 'from another program' },
    messageType: 'conversation',
  });
  assert.equal(await findByExternalId(platform, instance, 'OTHER-PROGRAM'), null);
});

test('edits and removals change the stored message, in both forms in which the gateway reports them', async () => {
  const first = await writeThrough(platform, instance, { text: 'Oi' });
  const key = (id: string) => ({ id, remoteJid: '5511970000001@s.whatsapp.net', fromMe: false });
  const edited = { key: key(first.external_id), type: 14, editedMessage: { conversation: 'Olá' } };
  await reportEvent(platform, instance, 'messages.edited', edited);
  assert.equal((await read(first._id)).content, 'Olá');
  await reportEvent(platform, instance, 'messages.delete', key(first.external_id));
  assert.notEqual((await read(first._id)).revoked_at, null);
  const second = await writeThrough(platform, instance, { text: 'Oi' });
  await reportEvent(platform, instance, 'messages.edited', { key: key(second.external_id), type: 0 });
  assert.notEqual((await read(second._id)).revoked_at, null);
});

test('a file is given up only when the gateway says that it has none', async () => {
  const { fetchFile } = platform.running.kit.channels.get('PARTNER_API');
  const config = { base_url: `${platform.sandboxUrl}/gateway`, api_key: instance.apiKey, instance_name: instance.name };
  const media = {
    networkId: 'NOBODY-HAS-IT',
    mimeType: 'image/jpeg',
    fileName: null,
    size: null,
    sha256: null,
    url: null,
    voice: false,
    animated: false,
  };
  const outcomes: unknown[] = [];
  for (const fault of [{ code: 1, http_status: 400, message: 'Error: Connection Closed' }, null]) {
    await setGateway(platform, { faults: { getBase64FromMediaMessage: fault ? [fault] : [] } });
    outcomes.push(
      (await fetchFile?.({ company: 'a-company', media, maxBytes: 1_000 }, config, AbortSignal.timeout(600_000)))
        ?.outcome,
    );
  }
  assert.deepEqual(outcomes, ['failed', 'gone']);
});

test('many reports about a connection lead to one check, which is not repeated', async () => {
  const phone = await connectInstance(platform);
  const data = { instance: phone.name, state: 'open', statusReason: 200 };
  await reportEvent(platform, phone, 'connection.update', [data, data, data]);
  const jobs = await platform.database.sql<{ retry_limit: number }>(
    "select retry_limit from pgboss.job where name = 'inboxes.check-reported' and data->>'inbox' = $1",
    [phone.inbox],
  );
  assert.deepEqual(jobs, [{ retry_limit: 0 }]);
});

test('a call without the secret of the inbox is refused, and the secret of an inbox writes to no other inbox', async () => {
  const company = await platform.createCompany();
  const other = await connectInstance(platform, { company });
  const { instances } = await platform.sandbox('GET', '/sandbox/gateway/instances');
  const { webhook } = instances.find(({ name }: Json) => name === other.name);
  assert.equal(webhook.url, `${platform.url}/hooks/partner/${other.inbox}`);
  const body = JSON.stringify({
    event: 'messages.upsert',
    data: {
      key: { id: 'FORGED', remoteJid: '5511970000001@s.whatsapp.net', fromMe: false },
      message: { conversation: 'x' },
    },
  });
  const post = async (url: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body })).status;
  const victim = `${platform.url}/hooks/partner/${instance.inbox}`;
  for (const headers of [{}, { 'x-hook-secret': 'guessed' }, webhook.headers])
    assert.equal(await post(victim, headers), 401);
  assert.equal(await post(webhook.url, webhook.headers), 200);
  assert.equal(await findByExternalId(platform, instance, 'FORGED'), null);
  assert.ok(await findByExternalId(platform, other, 'FORGED'));
});

test('the inbox follows the state of the instance: signed out is ERROR, paired again is CONNECTED', async () => {
  const phone = await connectInstance(platform);
  await awaitConnection(platform, phone, 'CONNECTED');
  const setState = (state: string): Promise<Json> =>
    platform.sandbox('PATCH', '/sandbox/gateway/instances', { name: phone.name, state });
  await setState('close');
  assert.match((await awaitConnection(platform, phone, 'ERROR')).error, /No phone is connected/);
  await setState('open');
  await awaitConnection(platform, phone, 'CONNECTED');
});

test('what is written before the inbox is connected is stored once it is', async () => {
  const phone = await connectInstance(platform, { state: 'connecting' });
  const { id, status } = await platform.sandbox('POST', '/sandbox/gateway/inbound', {
    instance: phone.name,
    text: 'Oi',
  });
  assert.equal(status, 503);
  await platform.sandbox('POST', '/sandbox/gateway/instances', { name: phone.name, api_key: phone.apiKey });
  await awaitConnection(platform, phone, 'CONNECTED');
  await waitUntil('the message', () => findByExternalId(platform, phone, id));
});

test('an inbox that does not own the instance leaves its webhook as it is', async () => {
  const company = await platform.createCompany();
  const owner = await connectInstance(platform);
  await awaitConnection(platform, owner, 'CONNECTED');
  const body = {
    channel: 'PARTNER_API',
    name: 'Other',
    number: '+5585991239999',
    partner_api_config: {
      base_url: `${platform.sandboxUrl}/gateway`,
      api_key: owner.apiKey,
      instance_name: owner.name,
    },
  };
  await platform.database.sql("update inboxes set connection_status = 'ERROR' where _id = $1", [owner.inbox]);
  const { body: loser } = await call(201, 'POST', '/v1/inboxes', { key: company.key, body });
  assert.equal(loser.connection.status, 'CONNECTED');
  const readWebhook = async (): Promise<string> => {
    const { instances } = await platform.sandbox('GET', '/sandbox/gateway/instances');
    return instances.find(({ name }: Json) => name === owner.name).webhook.url;
  };
  assert.equal(await readWebhook(), `${platform.url}/hooks/partner/${loser._id}`);
  // The first inbox has lost the instance, and its check sets no webhook.
  await call(200, 'PUT', `/v1/inboxes/${owner.inbox}`, { body: { name: 'Shop again' } });
  assert.equal(await readWebhook(), `${platform.url}/hooks/partner/${loser._id}`);
});

test('an instance that the gateway does not have, or another key, makes the inbox ERROR with the reason', async () => {
  const wrong = await connectInstance(platform, { givenKey: 'another-key' });
  assert.match((await awaitConnection(platform, wrong, 'ERROR')).error, /Unauthorized/);
});
