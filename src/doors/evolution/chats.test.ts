/** The other routes of the door for clients of Evolution API: contacts, chats, messages, files and the life of instances. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { beginReading, uploadFile } from '../../../test/support/attachments.ts';
import { openEvolution } from '../../../test/support/evolution.ts';
import { connectInstance, listCalls, setGateway } from '../../../test/support/gateway.ts';
import { makeJpg, makePdf } from '../../../test/support/media-samples.ts';
import { makeNetworkId } from '../../../test/support/network.ts';
import type { Json } from '../../../test/support/platform.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { reportStatuses, sendText, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { callInTurn } from '../../features/inboxes/network-turns.ts';

const { platform, name, ask } = await openEvolution();
const { demo, call } = platform;
const { contact, conversation, message: written } = await writeAsContact(platform, { text: 'First' });
const number: string = contact.phone_number.slice(1);
const jid = `${number}@s.whatsapp.net`;
const post = (status: number, route: string, body: object): Promise<Json> =>
  ask(status, 'POST', `${route}/${name}`, { body });

test('contacts are found by jid, id and name, and those of other inboxes and companies are not', async () => {
  const [found, ...others] = await post(200, 'chat/findContacts', { where: { remoteJid: jid } });
  assert.deepEqual(others, []);
  assert.deepEqual(
    [found.id, found.remoteJid, found.pushName, found.isGroup, found.type, found.instanceId],
    [contact._id, jid, contact.name, false, 'contact', demo.inbox],
  );
  // Brazilian numbers are often written without their ninth digit.
  const short = `${number.slice(0, 4)}${number.slice(5)}@s.whatsapp.net`;
  for (const where of [{ id: jid }, { id: contact._id }, { remoteJid: short }])
    assert.deepEqual(
      (await post(200, 'chat/findContacts', { where })).map(({ id }: Json) => id),
      [contact._id],
    );
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Maria Unique' } });
  assert.equal((await post(200, 'chat/findContacts', { where: { pushName: 'Maria Unique' } })).length, 1);
  const { body: apart } = await call(201, 'POST', '/v1/contacts', { body: { name: 'No conversation' } });
  const all = await post(200, 'chat/findContacts', {});
  assert.equal(all[0].id, contact._id);
  assert.ok(all.every(({ id }: Json) => id !== apart._id));
  const { _id: foreign } = await platform.createCompany();
  assert.deepEqual(await post(200, 'chat/findContacts', { where: { id: foreign } }), []);
});

test('messages come newest first in pages, without notes of the team, and narrowed down', async () => {
  const sent = await post(201, 'message/sendText', { number, text: 'Second' });
  await call(201, 'POST', '/v1/messages/note', {
    body: { conversationId: conversation._id, message: { content: 'Secret' } },
  });
  const find = async (where: object, more = {}): Promise<Json> =>
    (await post(200, 'chat/findMessages', { where, ...more })).messages;
  const listed = await find({ key: { remoteJid: jid } });
  assert.deepEqual(
    listed.records.map(({ message }: Json) => message.conversation),
    ['Second', 'First'],
  );
  assert.deepEqual([listed.currentPage, listed.pages], [1, 1]);
  assert.deepEqual(listed.records[0].key, sent.key);
  assert.deepEqual(listed.records[0].MessageUpdate, [{ status: 'SERVER_ACK' }]);
  for (const where of [
    { key: { id: sent.key.id } },
    { id: listed.records[0].id },
    { key: { remoteJid: jid, fromMe: 'true' } },
    { key: { remoteJid: jid }, messageTimestamp: { gte: '2026-01-01T00:00:00Z' }, messageType: 'conversation' },
  ])
    assert.equal((await find(where)).records[0].key.id, sent.key.id, JSON.stringify(where));
  assert.deepEqual((await find({ key: { remoteJid: jid }, messageTimestamp: { lte: 1000 } })).records, []);
  const second = await find({ key: { remoteJid: jid } }, { page: '2', offset: 1 });
  assert.equal(second.currentPage, 2);
  assert.deepEqual((await find({ key: { remoteJid: '5500@s.whatsapp.net' } })).records, []);
});

test("a message's statuses are told in Baileys' words", async () => {
  const { key } = await post(201, 'message/sendText', { number, text: 'Third' });
  await reportStatuses(platform, { id: key.id, status: 'delivered' }, { id: key.id, status: 'read' });
  const statuses = await post(200, 'chat/findStatusMessage', { where: { id: key.id } });
  assert.deepEqual(
    statuses.map(({ status, keyId, remoteJid, fromMe }: Json) => [status, keyId, remoteJid, fromMe]),
    ['SERVER_ACK', 'DELIVERY_ACK', 'READ'].map((status) => [status, key.id, jid, true]),
  );
  assert.deepEqual(await post(200, 'chat/findStatusMessage', { where: { id: 'unknown' } }), []);
});

test('chats are the conversations of the inbox, one for each contact, and reading one marks it as read', async () => {
  await writeAsContact(platform, { text: 'Fourth', from: number });
  const chats = await post(200, 'chat/findChats', { take: 1 });
  assert.equal(chats.length, 1);
  const [chat] = await post(200, 'chat/findChats', { where: { remoteJid: jid } });
  assert.deepEqual(chats, [chat]);
  assert.deepEqual(
    [chat.remoteJid, chat.lastMessage.message.conversation, chat.unreadCount > 0, chat.windowActive],
    [jid, 'Fourth', true, true],
  );
  assert.deepEqual(await ask(200, 'GET', `chat/findChatByRemoteJid/${name}?remoteJid=${jid}`), chat);
  assert.equal(await ask(200, 'GET', `chat/findChatByRemoteJid/${name}?remoteJid=5500@s.whatsapp.net`), null);
  const read = { readMessages: [{ remoteJid: jid, fromMe: false, id: 'unknown' }] };
  assert.deepEqual(await post(201, 'chat/markMessageAsRead', read), { message: 'Read messages', read: 'success' });
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.unread_count, 0);
});

test('the file of a message comes as base64, for its key and for the message as it is', async () => {
  const picture = makeJpg().toString('base64');
  const sent = await post(201, 'message/sendMedia', { number, mediatype: 'image', media: picture, caption: 'A box' });
  for (const message of [{ key: { id: sent.key.id } }, sent]) {
    const file = await post(201, 'chat/getBase64FromMediaMessage', { message, convertToMp4: false });
    assert.deepEqual(
      [file.mediaType, file.caption, file.mimetype, file.base64, file.buffer],
      ['imageMessage', 'A box', 'image/jpeg', picture, null],
    );
  }
  const missing = await post(400, 'chat/getBase64FromMediaMessage', { message: { key: { id: 'unknown' } } });
  assert.deepEqual(missing.response.message, ['Message not found']);
  const text = await post(400, 'chat/getBase64FromMediaMessage', { message: { key: { id: written.external_id } } });
  assert.deepEqual(text.response.message, ['The message is not of the media type']);
});

test('the file of a message takes a place among the downloads of its company while it is sent, and is refused when none is free', async () => {
  const large = Buffer.concat([makePdf(), randomBytes(12 * 1024 * 1024)]);
  const { _id: attachment, external_url: link } = await uploadFile(platform, { data: large });
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-document', {
    body: { conversationId: conversation._id, message: { attachment } },
  });
  const body = JSON.stringify({ message: { key: { id: sent.external_id } } });
  const headers = { apikey: demo.key, 'content-type': 'application/json' };
  const route = `chat/getBase64FromMediaMessage/${name}`;
  const others = await Promise.all(Array.from({ length: 63 }, () => beginReading(link)));
  const last = await beginReading(`${platform.url}/evolution/${route}`, { method: 'POST', headers, body });
  assert.deepEqual(
    [...others, last].filter(({ status }) => status !== 200 && status !== 201),
    [],
  );
  const refusals = await Promise.all([
    fetch(link),
    fetch(`${platform.url}/evolution/${route}`, { method: 'POST', headers, body }),
  ]);
  assert.deepEqual(
    refusals.map((refused) => [refused.status, refused.headers.get('retry-after')]),
    [
      [503, '5'],
      [503, '5'],
    ],
  );
  last.hangUp();
  const next = await beginReading(link);
  assert.equal(next.status, 200);
  for (const { hangUp } of [...others, next]) hangUp();
});

test('a message that several messages of a page quote is looked up once, and not at all when it is in the page', async () => {
  const { contact: asking, conversation: of, message: quoted } = await writeAsContact(platform, { text: 'How much?' });
  for (const content of ['One', 'Two', 'Three']) await sendText(platform, of._id, { content, replyTo: quoted._id });
  const where = { key: { remoteJid: `${asking.phone_number.slice(1)}@s.whatsapp.net` } };
  const countLookUps = (offset: number): Promise<number> =>
    countStatements('messages.find', quoted._id, async () => {
      const { records } = (await post(200, 'chat/findMessages', { where, offset })).messages;
      assert.deepEqual(
        records.slice(0, 3).map(({ contextInfo }: Json) => contextInfo.quotedMessage.conversation),
        ['How much?', 'How much?', 'How much?'],
      );
    });
  assert.deepEqual([await countLookUps(3), await countLookUps(4)], [1, 0]);
});

test('numbers are checked by their form, pictures are those of contacts, and a contact is blocked and unblocked', async () => {
  assert.deepEqual(await post(200, 'chat/whatsappNumbers', { numbers: [number, '12', 'x'] }), [
    { jid, exists: true, number },
    { jid: '12@s.whatsapp.net', exists: false, number: '12' },
    { jid: 'x', exists: false, number: 'x' },
  ]);
  const avatar_url = 'https://pictures.example/maria.png';
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { avatar_url } });
  assert.deepEqual(await post(200, 'chat/fetchProfilePictureUrl', { number }), {
    wuid: jid,
    profilePictureUrl: avatar_url,
  });
  for (const status of ['block', 'unblock']) {
    assert.deepEqual(await post(201, 'chat/updateBlockStatus', { number, status }), { block: 'success' });
    assert.equal((await call(200, 'GET', `/v1/contacts/${contact._id}`)).body.blocked, status === 'block');
  }
});

test('composing shows the contact that someone is typing', async () => {
  const count = async (): Promise<number> => (await platform.sandbox('GET', '/sandbox/stats')).typings;
  const before = await count();
  assert.deepEqual(await post(201, 'chat/sendPresence', { number, presence: 'composing', delay: 1 }), {
    presence: 'composing',
  });
  await waitUntil('the typing indicator', async () => (await count()) > before);
});

test('an instance of the Cloud API is created with a key of its own, and a closed one is gone', async () => {
  const [id, waba] = [makeNetworkId(), makeNetworkId()];
  await platform.sandbox('POST', '/sandbox/accounts', { phone_number_id: id, waba_id: waba, token: 'token-1' });
  const instanceName = `loja ${id}`;
  const body = {
    instanceName,
    integration: 'WHATSAPP-BUSINESS',
    number: id,
    businessId: waba,
    token: 'token-1',
    ownerJid: '551133334444@s.whatsapp.net',
    qrcode: true,
  };
  const made = await ask(201, 'POST', 'instance/create', { body });
  assert.deepEqual([made.instance.instanceName, made.instance.status, made.hash.length], [instanceName, 'open', 46]);
  const path = encodeURIComponent(instanceName);
  const state = { instance: { instanceName, state: 'open' } };
  assert.deepEqual(await ask(200, 'GET', `instance/connectionState/${path}`, { key: made.hash }), state);
  assert.deepEqual(await ask(200, 'GET', `instance/connect/${path}`), state);
  assert.deepEqual(await ask(200, 'POST', `instance/restart/${path}`), { instance: { instanceName, status: 'open' } });
  const taken = await ask(403, 'POST', 'instance/create', { body: { ...body, number: makeNetworkId() } });
  assert.deepEqual(taken.response.message, [`This name "${instanceName}" is already in use.`]);
  const phone = await ask(400, 'POST', 'instance/create', {
    body: { instanceName: 'x', integration: 'WHATSAPP-BAILEYS' },
  });
  assert.deepEqual(phone.response.message, ['Invalid integration']);
  const gone = { status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } };
  assert.deepEqual(await ask(200, 'DELETE', `instance/delete/${path}`), gone);
  await ask(404, 'GET', `instance/connectionState/${path}`);
});

test('an instance is created with its settings and its webhook, or not at all', async () => {
  const create = async (status: number, webhook: Json): Promise<Json> => {
    const [id, waba] = [makeNetworkId(), makeNetworkId()];
    await platform.sandbox('POST', '/sandbox/accounts', { phone_number_id: id, waba_id: waba, token: 'token-1' });
    const body = {
      instanceName: 'with webhook',
      integration: 'WHATSAPP-BUSINESS',
      number: id,
      businessId: waba,
      token: 'token-1',
      ownerJid: '551133335555@s.whatsapp.net',
      groupsIgnore: true,
      webhook,
    };
    return ask(status, 'POST', 'instance/create', { body });
  };
  await create(400, { url: 'http://10.0.0.1/' });
  await create(400, { url: `${platform.url}/x`, events: ['UNKNOWN'] });
  const url = `${platform.sandboxUrl}/receiver/evolution`;
  const made = await create(201, { url, byEvents: 'true', events: ['CONNECTION_UPDATE'] });
  assert.deepEqual(made.webhook, { webhookUrl: url, webhookByEvents: true, webhookBase64: false });
  assert.equal(made.settings.groupsIgnore, true);
  const path = encodeURIComponent('with webhook');
  assert.deepEqual((await ask(200, 'GET', `webhook/find/${path}`)).events, ['CONNECTION_UPDATE']);
  assert.deepEqual(await ask(200, 'GET', `settings/find/${path}`), made.settings);
});

test('the gateway of an instance says which numbers have WhatsApp', async () => {
  const { name: instance, inbox } = await connectInstance(platform);
  const numbers = ['5585991230001', '5585991230000', '12'];
  const path = `chat/whatsappNumbers/${encodeURIComponent(instance)}`;
  assert.deepEqual(await ask(200, 'POST', path, { body: { numbers } }), [
    { jid: '5585991230001@s.whatsapp.net', exists: true, number: '5585991230001' },
    { jid: '5585991230000@s.whatsapp.net', exists: false, number: '5585991230000' },
    { jid: '12@s.whatsapp.net', exists: false, number: '12' },
  ]);
  const check = async (of: string): Promise<Json> =>
    (await call(200, 'POST', `/v1/inboxes/${of}/check-numbers`, { body: { numbers: ['+55 85 99123-0001', '+551'] } }))
      .body.result;
  const impossible = { number: '+551', exists: false, network_id: null };
  const [known] = await check(inbox);
  assert.deepEqual(known, { number: '+55 85 99123-0001', exists: true, network_id: '5585991230001@s.whatsapp.net' });
  assert.deepEqual(await check(demo.inbox), [
    { number: '+55 85 99123-0001', exists: null, network_id: null },
    impossible,
  ]);
  await setGateway(platform, { faults: { whatsappNumbers: [{ kind: 'reset' }] } });
  assert.deepEqual(await check(inbox), [{ number: '+55 85 99123-0001', exists: null, network_id: null }, impossible]);
});

test('a gateway that does not answer is asked for the first fifty numbers of a list only', async () => {
  const phone = await connectInstance(platform);
  const numbers = Array.from({ length: 120 }, (_, index) => String(5_585_991_240_000 + index));
  const check = async (): Promise<number[]> => {
    await ask(200, 'POST', `chat/whatsappNumbers/${encodeURIComponent(phone.name)}`, { body: { numbers } });
    const calls = await listCalls(platform, phone, 'chat/whatsappNumbers');
    return calls.map((asked) => asked.numbers.length);
  };
  await setGateway(platform, { faults: { whatsappNumbers: [{ kind: 'reset_after_accept' }] } });
  assert.deepEqual(await check(), [50]);
  assert.deepEqual(await check(), [50, 50, 50, 20]);
});

test('an instance of a gateway that waits for a phone shows the code to pair one', async () => {
  const { name: instance } = await connectInstance(platform, { state: 'close' });
  const shown = await ask(200, 'GET', `instance/connect/${encodeURIComponent(instance)}`);
  assert.match(shown.base64, /^data:image\/png;base64,/);
});

test('a call that an operation refuses for now says when to retry', async () => {
  const phone = await connectInstance(platform);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const held = Array.from({ length: 8 }, () => callInTurn(demo._id, () => end));
  const refused = await fetch(`${platform.url}/evolution/chat/whatsappNumbers/${encodeURIComponent(phone.name)}`, {
    method: 'POST',
    headers: { apikey: demo.key, 'content-type': 'application/json' },
    body: JSON.stringify({ numbers: ['5585991250000'] }),
  });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  resolve();
  await Promise.all(held);
});
