/** Webhooks of clients of Evolution API: how they are set, and what they get. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { startReceiver } from '../../../test/support/deliveries.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { buildMessageNotification, connectPhone, makePhoneNumber, openNetwork } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { EVENT_NAMES } from './webhook-format.ts';

const platform = await startPlatform();
const { demo, call } = platform;
const inbox: Json = (await call(200, 'GET', `/v1/inboxes/${demo.inbox}`)).body;
const name: string = inbox.door_name;
const receiver = await startReceiver();

async function ask(status: number, action: 'set' | 'find', body?: unknown, key = demo.key): Promise<Json> {
  const answer = await call(status, action === 'set' ? 'POST' : 'GET', `/evolution/webhook/${action}/${name}`, {
    body,
    key: null,
    headers: { apikey: key },
  });
  return answer.body;
}

/** Sets the webhook to a path of its own, and returns what arrives there with an event. */
async function listen(path: string, more: Json = {}): Promise<(event: string, count?: number) => Promise<Json[]>> {
  await ask(201, 'set', { webhook: { enabled: true, url: receiver.url + path, ...more } });
  return (event, count = 1) =>
    waitUntil(`${count} deliveries of ${event}`, () => {
      const got = receiver.received.filter((item) => item.path.startsWith(path) && item.body.event === event);
      return got.length >= count ? got : null;
    });
}

const write = (message: Json): Promise<{ id: string }> =>
  platform.receive({ from: makePhoneNumber(), name: 'Maria', ...message });

test("a webhook is set in the three spellings of Evolution's clients, found as it was set, and replaced by the next one", async () => {
  assert.equal(await ask(200, 'find'), null);
  const url = `${receiver.url}/spelled`;
  const events = ['MESSAGES_UPSERT', 'CALL'];
  const headers = { 'x-secret': 'of the receiver', 'Content-Type': 'application/json' };
  const server = await ask(201, 'set', {
    webhook: { enabled: true, url, headers, byEvents: true, base64: 'true', events },
  });
  const { id, createdAt, updatedAt, ...rest } = server;
  assert.deepEqual(rest, {
    url,
    headers: { 'x-secret': 'of the receiver' },
    enabled: true,
    events,
    webhookByEvents: true,
    webhookBase64: true,
    instanceId: demo.inbox,
  });
  assert.deepEqual(await ask(200, 'find'), server);
  assert.ok(createdAt <= updatedAt);
  const node = await ask(201, 'set', {
    webhook: { enabled: true, url, webhookByEvents: false, webhookBase64: true, events: [] },
  });
  assert.deepEqual(
    [node.id, node.webhookByEvents, node.webhookBase64, node.events, node.headers],
    [id, false, true, EVENT_NAMES, {}],
  );
  const docs = await ask(201, 'set', { url, webhook_by_events: true, webhook_base64: false, events });
  assert.deepEqual([docs.webhookByEvents, docs.webhookBase64, docs.enabled], [true, false, true]);
  const off = await ask(201, 'set', { webhook: { enabled: false, url } });
  assert.deepEqual([off.id, off.enabled, off.events], [id, false, []]);
  assert.equal(EVENT_NAMES.length, 31);
});

test("a webhook without an address or with an unknown event is refused in Evolution's words, and a key needs the scope", async () => {
  const url = receiver.url;
  assert.deepEqual((await ask(400, 'set', { webhook: { enabled: true } })).response.message, [
    ['instance requires property "url"'],
  ]);
  const { response } = await ask(400, 'set', { webhook: { enabled: true, url, events: ['NOTHING'] } });
  assert.match(response.message[0][0], /events\[0\] is not one of enum values: APPLICATION_STARTUP,/);
  const inside = await ask(400, 'set', { webhook: { enabled: true, url: 'http://169.254.169.254/' } });
  assert.equal(inside.response.parley.code, 'TARGET_NOT_ALLOWED');
  const reader = await platform.createKey(demo._id, ['inboxes:read', 'webhooks:read']);
  assert.equal((await ask(403, 'set', { webhook: { enabled: true, url } }, reader.token)).status, 403);
});

test("a contact's message is posted in Evolution's envelope, with the key that has set the webhook and WhatsApp's own id of the contact", async () => {
  const got = await listen('/received');
  // The network's own id of a number that people write with another digit.
  const from = '551187654321';
  const { id } = await write({ from, text: 'Oi' });
  const [first] = await got('messages.upsert');
  const { data, date_time, ...envelope } = first.body;
  assert.deepEqual(envelope, {
    event: 'messages.upsert',
    instance: name,
    destination: `${receiver.url}/received`,
    sender: `${inbox.number.replace('+', '')}@s.whatsapp.net`,
    server_url: `${platform.running.kit.config.PUBLIC_URL}/evolution`,
    apikey: demo.key,
  });
  assert.match(date_time, /^\d{4}-.*Z$/);
  const { messageTimestamp, ...message } = data;
  assert.deepEqual(message, {
    key: { remoteJid: `${from}@s.whatsapp.net`, fromMe: false, id },
    pushName: 'Maria',
    status: 'DELIVERY_ACK',
    messageType: 'conversation',
    message: { conversation: 'Oi' },
    instanceId: demo.inbox,
    source: 'unknown',
  });
  assert.ok(Math.abs(messageTimestamp - Date.now() / 1000) < 600);
  const [contact] = await got('contacts.upsert');
  assert.deepEqual(contact.body.data, {
    remoteJid: `${from}@s.whatsapp.net`,
    pushName: 'Maria',
    profilePicUrl: null,
    instanceId: demo.inbox,
  });
});

test('the key is left out if the client wants none, each event has its own path, and jwt_key becomes a token', async () => {
  const secret = 'a secret of the receiver';
  const more = { byEvents: true, include_apikey: false, headers: { jwt_key: secret, 'x-more': 'kept' } };
  const got = await listen('/apart', more);
  await write({ text: 'Oi' });
  const [{ path, headers, body }] = (await got('messages.upsert')) as [Json];
  assert.deepEqual([path, body.apikey, body.destination], ['/apart/messages-upsert', null, `${receiver.url}/apart`]);
  assert.deepEqual([headers.jwt_key, headers['x-more']], [undefined, 'kept']);
  const [head = '', claims = '', signature] = String(headers.authorization).replace('Bearer ', '').split('.');
  const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Json;
  assert.deepEqual([rest, exp - iat], [{ app: 'evolution', action: 'webhook' }, 600]);
  assert.equal(signature, createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url'));
});

test('a file travels in the delivery up to 8 MB of base64, is never stored with it, and a larger one is left out', async () => {
  const got = await listen('/files', { base64: true });
  const png = makePng(30, 20);
  const large = Buffer.concat([makePng(), Buffer.alloc(6 * 1024 * 1024)]);
  const media = (data: Buffer): Json => ({
    type: 'document',
    media: { base64: data.toString('base64'), mime_type: 'application/octet-stream', file_name: 'a.bin' },
  });
  const image = { type: 'image', text: 'Look', media: { base64: png.toString('base64'), mime_type: 'image/png' } };
  const ids = [];
  for (const message of [image, media(large)]) ids.push((await write(message)).id);
  const received = await got('messages.upsert', 2);
  const [first, second] = ids.map((id) => received.find(({ body }) => body.data.key.id === id)?.body.data) as [
    Json,
    Json,
  ];
  assert.equal(first.message.base64, png.toString('base64'));
  const { url, ...shown } = first.message.imageMessage;
  const fileLength = String(png.length);
  assert.deepEqual(
    [first.messageType, shown],
    ['imageMessage', { mimetype: 'image/png', caption: 'Look', fileLength }],
  );
  assert.equal(first.message.mediaUrl, url);
  assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png);
  assert.equal(second.messageType, 'documentMessage');
  assert.deepEqual([second.message.documentMessage.fileName, second.message.base64], ['a.bin', undefined]);
  const stored = await platform.database.sql('select body from deliveries where form is not null');
  assert.ok(!JSON.stringify(stored).includes(png.toString('base64')));
});

test('a sent message is reported once as sent and once for each of its statuses', async () => {
  const got = await listen('/sent');
  const from = makePhoneNumber();
  const { id } = await write({ from, text: 'Oi' });
  await got('messages.upsert');
  const { body } = await call(201, 'POST', '/v1/messages/send-text', {
    body: { inboxId: demo.inbox, phone: `+${from}`, message: { content: 'Yes' } },
  });
  const [sent] = await got('send.message');
  const { key, status, pushName, message } = sent.body.data;
  const remoteJid = `${from}@s.whatsapp.net`;
  const read = await waitUntil('the network to accept it', async () => {
    const answer = await call(200, 'GET', `/v1/messages/${body._id}`);
    return answer.body.external_id ? answer.body : null;
  });
  assert.deepEqual(key, { remoteJid, fromMe: true, id: read.external_id });
  assert.deepEqual([status, pushName, message], ['PENDING', '', { conversation: 'Yes' }]);
  const updates = await got('messages.update', 3);
  const about = { messageId: body._id, keyId: read.external_id, remoteJid, fromMe: true, instanceId: demo.inbox };
  const statuses = updates.map(({ body: { data } }) => data.status as string);
  assert.deepEqual(new Set(statuses), new Set(['SERVER_ACK', 'DELIVERY_ACK', 'READ']));
  for (const update of updates) assert.deepEqual({ ...update.body.data, status: '' }, { ...about, status: '' });
  assert.notEqual(id, read.external_id);
});

test("replies, reactions, places, contact cards and choices have Evolution's shapes", async () => {
  const got = await listen('/shapes');
  const from = makePhoneNumber();
  const { id: first } = await write({ from, text: 'First' });
  const card = {
    name: { formatted_name: 'Ana; Sá', first_name: 'Ana' },
    phones: [{ phone: '+55 11 1', wa_id: '5511' }],
  };
  const messages: Json[] = [
    { text: 'Second', raw: { context: { id: first } } },
    { type: 'reaction', raw: { reaction: { message_id: first, emoji: '👍' } } },
    { type: 'location', raw: { location: { latitude: -23.5, longitude: -46.6, name: 'Shop' } } },
    { type: 'contacts', raw: { contacts: [card] } },
    { type: 'interactive', raw: { interactive: { type: 'list_reply', list_reply: { id: 'row', title: 'Row' } } } },
    { type: 'interactive', raw: { interactive: { type: 'button_reply', button_reply: { id: 'b', title: 'Yes' } } } },
  ];
  const ids: string[] = [];
  for (const message of messages) ids.push((await write({ from, ...message })).id);
  const received = await got('messages.upsert', messages.length + 1);
  const described = ids.map((id) => {
    const { messageType, message, contextInfo } = received.find(({ body }) => body.data.key.id === id)?.body.data ?? {};
    return [messageType, message, contextInfo];
  });
  const vcard = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    String.raw`N:;Ana\; Sá;;;`,
    String.raw`FN:Ana\; Sá`,
    'TEL;type=CELL;waid=5511:+55 11 1',
    'END:VCARD',
  ].join('\n');
  const key = { remoteJid: `${from}@s.whatsapp.net`, fromMe: false, id: first };
  assert.deepEqual(described, [
    ['conversation', { conversation: 'Second' }, { stanzaId: first, quotedMessage: { conversation: 'First' } }],
    ['reactionMessage', { reactionMessage: { key, text: '👍' } }, undefined],
    [
      'locationMessage',
      { locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name: 'Shop', address: '' } },
      undefined,
    ],
    ['contactMessage', { contactMessage: { displayName: 'Ana; Sá', vcard } }, undefined],
    [
      'listResponseMessage',
      { listResponseMessage: { title: 'Row', singleSelectReply: { selectedRowId: 'row' } }, conversation: 'Row' },
      undefined,
    ],
    [
      'buttonsResponseMessage',
      { buttonsResponseMessage: { selectedButtonId: 'b', selectedDisplayText: 'Yes' }, conversation: 'Yes' },
      undefined,
    ],
  ]);
});

test('a change of a contact is reported to the instance that has a conversation with it, and to no other', async () => {
  const got = await listen('/contacts', { events: ['CONTACTS_UPDATE', 'CONTACTS_UPSERT'] });
  const { body: stranger } = await call(201, 'POST', '/v1/contacts', {
    body: { phone_number: `+${makePhoneNumber()}` },
  });
  await call(200, 'PATCH', `/v1/contacts/${stranger._id}`, { body: { name: 'Nobody' } });
  const from = makePhoneNumber();
  await write({ from, text: 'Oi' });
  const [made] = await got('contacts.upsert');
  const { body } = await call(200, 'GET', `/v1/contacts?search=${from}`);
  const avatar_url = 'https://example.test/a.png';
  await call(200, 'PATCH', `/v1/contacts/${body.result[0]._id}`, { body: { name: 'Ana', avatar_url } });
  const changed = await got('contacts.update');
  assert.deepEqual(changed.at(-1)?.body.data, { ...made.body.data, pushName: 'Ana', profilePicUrl: avatar_url });
  const all = receiver.received.filter(({ path }) => path === '/contacts');
  assert.ok(all.every((item) => item.body.data.remoteJid === `${from}@s.whatsapp.net`));
});

test('an edit and a deletion of a message are reported to its instance', async () => {
  const got = await listen('/corrected', { events: ['MESSAGES_EDITED', 'MESSAGES_DELETE'] });
  const network = await openNetwork(platform);
  const { phone_number_id, waba_id } = inbox.api_wap_config;
  const correct = (about: Json): Promise<unknown> =>
    network.post(200, buildMessageNotification({ id: phone_number_id, waba: waba_id }, { from, ...about }));
  const from = makePhoneNumber();
  const { id } = await write({ from, text: 'Oi' });
  const [at, of] = [Math.floor(Date.now() / 1000), { original_message_id: id }];
  await correct({
    type: 'edit',
    timestamp: `${at}`,
    edit: { ...of, message: { type: 'text', text: { body: 'Olá' } } },
  });
  await correct({ type: 'revoke', revoke: of });
  const key = { remoteJid: `${from}@s.whatsapp.net`, fromMe: false, id };
  const [edited] = await got('messages.edited');
  assert.deepEqual(edited.body.data, { key, editedMessage: { conversation: 'Olá' }, timestampMs: at * 1000 });
  const [gone] = await got('messages.delete');
  assert.deepEqual(gone.body.data, { ...key, status: 'DELETED' });
});

test('a change of the connection is reported to its instance', async () => {
  const got = await listen('/connection', { events: ['CONNECTION_UPDATE'] });
  await connectPhone(platform, { company: demo });
  await platform.database.sql(`update inboxes set connection_status = 'ERROR' where _id = $1`, [demo.inbox]);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { name: 'Shop' } });
  const [told] = await got('connection.update');
  assert.deepEqual(told.body.data, {
    instance: inbox.door_name,
    state: 'open',
    statusReason: 200,
    wuid: `${inbox.number.slice(1)}@s.whatsapp.net`,
    profileName: 'Shop',
    profilePictureUrl: null,
  });
  assert.equal(receiver.received.filter(({ path }) => path === '/connection').length, 1);
});

test('an erased contact is erased from the log of the deliveries of doors, and such a delivery is not sent again', async () => {
  const got = await listen('/erased', { events: ['MESSAGES_UPSERT'] });
  const from = makePhoneNumber();
  const { id } = await write({ from, text: 'A secret word' });
  await got('messages.upsert');
  const { body } = await call(200, 'GET', `/v1/contacts?search=${from}`);
  await call(200, 'DELETE', `/v1/contacts/${body.result[0]._id}`);
  const find = async (): Promise<Json> => {
    const { body: log } = await call(200, 'GET', '/v1/webhooks/deliveries?event=MESSAGE_RECEIVED&limit=100');
    return log.result.filter(({ form, body: { redacted } }: Json) => form !== null && redacted);
  };
  const [erased] = await waitUntil('the log to be erased', async () => {
    const found = await find();
    return found.length > 0 ? found : null;
  });
  assert.ok(!JSON.stringify(erased).includes(id));
  await call(409, 'POST', `/v1/webhooks/deliveries/${erased._id}/replay`);
});
