/** What the company sends through the gateway, and how its outcome becomes known. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import {
  awaitConnection,
  awaitStatus,
  connectInstance,
  findByExternalId,
  listCalls,
  reportEvent,
  setGateway,
  silenceGateway,
  writeThrough,
  type Instance,
} from '../../../test/support/gateway.ts';
import { openLive } from '../../../test/support/live.ts';
import { makeJpg, makePdf } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, sendText } from '../../../test/support/traffic.ts';
import { PHONE_NUMBER } from '../identity.ts';
import { partnerApiSettings } from './settings.ts';

const platform = await startPlatform();
await silenceGateway(platform);
const instance = await connectInstance(platform);
const { call } = platform;

const setFaults = (faults: Json): Promise<Json> => setGateway(platform, { faults });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;
const update = (of: Instance, id: string, status: string): Promise<void> =>
  reportEvent(platform, of, 'messages.update', { keyId: id, remoteJid: 'x', fromMe: true, status });
const countMessages = async (conversation: string): Promise<number> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result.length;

async function sendFile(conversationId: string, kind: string, attachment: string, content?: string): Promise<Json> {
  const message = { attachment, ...(content && { content }) };
  return (await call(201, 'POST', `/v1/messages/send-${kind}`, { body: { conversationId, message } })).body;
}

test('an answer names the message that it answers', async () => {
  const { conversation, _id: asked } = await writeThrough(platform, instance, { from: '5511988887777' });
  await sendText(platform, conversation, { content: 'Bom dia! 👋', replyTo: asked });
  const [body] = await listCalls(platform, instance, 'message/sendText');
  const { external_id: quoted } = await read(asked);
  assert.deepEqual(body, { number: '5511988887777', text: 'Bom dia! 👋', quoted: { key: { id: quoted } } });
});

test('a message is deleted for everyone by one call, and stays, without an entry in the audit, when the gateway refuses or does not answer', async () => {
  const { conversation, _id: received } = await writeThrough(platform, instance, { from: '5511988880001' });
  const { _id, external_id } = await sendText(platform, conversation, { content: 'Oops' });
  const path = `/v1/messages/${_id}/revoke`;
  await setFaults({ deleteMessageForEveryone: [{ code: 1, http_status: 400, message: 'Method not available' }] });
  expectProblem(await call(400, 'POST', path), 'NETWORK_REFUSED', 'network');
  await setFaults({ deleteMessageForEveryone: [{ kind: 'http_500' }] });
  expectProblem(await call(503, 'POST', path), 'UNAVAILABLE');
  assert.deepEqual([(await read(_id)).content, (await read(_id)).revoked_at], ['Oops', null]);
  const listAudit = async (): Promise<Json[]> =>
    (await call(200, 'GET', '/v1/audit?action=messages.revoke&limit=10')).body.result.filter(
      ({ resource_id }: Json) => resource_id === _id,
    );
  assert.deepEqual(await listAudit(), []);
  await setFaults({});
  const { body: revoked } = await call(201, 'POST', path);
  assert.deepEqual([revoked.content, typeof revoked.revoked_at], [null, 'string']);
  assert.equal((await listAudit()).length, 1);
  const calls = await listCalls(platform, instance, 'chat/deleteMessageForEveryone');
  assert.deepEqual(calls.at(-1), { id: external_id, fromMe: true, remoteJid: '5511988880001@s.whatsapp.net' });
  assert.deepEqual((await call(201, 'POST', path)).body, revoked);
  assert.equal((await listCalls(platform, instance, 'chat/deleteMessageForEveryone')).length, calls.length);
  assert.equal((await listEventNames(platform, _id)).at(-1), 'MESSAGE_REVOKED');
  expectProblem(await call(409, 'POST', `/v1/messages/${received}/revoke`), 'MESSAGE_NOT_REVOCABLE');
});

test('a file travels inside the call, with its name and caption', async () => {
  const { conversation } = await writeThrough(platform, instance);
  const picture = makeJpg();
  const { _id } = await uploadFile(platform, { data: picture, name: 'cor.jpg' });
  assert.equal((await sendFile(conversation, 'image', _id, 'A cor')).status, 'SENT');
  const [body] = await listCalls(platform, instance, 'message/sendMedia');
  assert.deepEqual([body.mediatype, body.mimetype, body.caption], ['image', 'image/jpeg', 'A cor']);
  assert.deepEqual(Buffer.from(body.media, 'base64'), picture);
  const pdf = await uploadFile(platform, { data: makePdf(), name: 'preço.pdf' });
  assert.equal((await sendFile(conversation, 'document', pdf._id)).status, 'SENT');
  const [, document] = await listCalls(platform, instance, 'message/sendMedia');
  assert.deepEqual([document.mediatype, document.fileName], ['document', 'preço.pdf']);
});

const { send } = platform.running.kit.channels.get('PARTNER_API');
const config = {
  ...partnerApiSettings.sample,
  base_url: `${platform.sandboxUrl}/gateway`,
  api_key: instance.apiKey,
  instance_name: instance.name,
};
const bytes = Buffer.from('seven b');
const file = {
  mimeType: 'audio/ogg',
  fileName: 'a.ogg',
  bytes: bytes.length,
  url: 'https://files.example.test/a',
  voice: true,
  networkId: null,
  open: () => Promise.resolve(Readable.from([bytes.subarray(0, 2), bytes.subarray(2)])),
};
const to = { names: [PHONE_NUMBER.identify('5585991230001')] };
const sendContent = (content: Json, more: Json = {}): Promise<Json> =>
  send?.(
    { messageId: '65f0a1b2c3d4e5f60718293a', to, content, file: null, replyTo: null, ...more },
    config,
    AbortSignal.timeout(600_000),
  ) as Promise<Json>;

test('voice notes, stickers, places, contact cards and reactions have calls of their own', async () => {
  const location = { latitude: -3.7, longitude: -38.5, name: 'Loja', address: null, url: null };
  const contacts = [{ name: { formatted_name: 'Ana' }, phones: [{ phone: '+55 85 99123-0001' }] }];
  const results = [
    await sendContent({ contentType: 'AUDIO' }, { file }),
    await sendContent({ contentType: 'STICKER' }, { file }),
    await sendContent({ contentType: 'LOCATION', location }),
    await sendContent({ contentType: 'CONTACTS', contacts }),
    await sendContent({ contentType: 'REACTION', reaction: { externalId: 'IN1', emoji: '👍' } }),
    await sendContent({ contentType: 'REACTION', reaction: { externalId: 'OWN1', emoji: null, isOurs: true } }),
  ];
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    Array(6).fill('accepted'),
  );
  const first = async (path: string): Promise<Json> => (await listCalls(platform, instance, `message/${path}`))[0];
  const number = '5585991230001';
  assert.deepEqual(await first('sendWhatsAppAudio'), { number, audio: bytes.toString('base64') });
  assert.deepEqual(await first('sendSticker'), { number, sticker: bytes.toString('base64') });
  const { name, address, latitude, longitude } = await first('sendLocation');
  assert.deepEqual([name, address, latitude, longitude], ['Loja', '-3.7, -38.5', -3.7, -38.5]);
  assert.deepEqual((await first('sendContact')).contact, [{ fullName: 'Ana', phoneNumber: '+55 85 99123-0001' }]);
  const key = { id: 'IN1', remoteJid: `${number}@s.whatsapp.net`, fromMe: false };
  assert.deepEqual(await listCalls(platform, instance, 'message/sendReaction'), [
    { key, reaction: '👍' },
    { key: { ...key, id: 'OWN1', fromMe: true }, reaction: '' },
  ]);
});

test('the answer names the contact without the ninth digit, and the conversation stays the same', async () => {
  const { conversation, contact } = await writeThrough(platform, instance, { from: '5585991230042' });
  const sent = await sendText(platform, conversation);
  await update(instance, sent.external_id, 'DELIVERY_ACK');
  const again = await writeThrough(platform, instance, { key: { remoteJid: '558591230042@s.whatsapp.net' } });
  assert.deepEqual([again.conversation, again.contact], [conversation, contact]);
});

test('a message is never doubled by the reports of the gateway, even if they arrive before its answer', async () => {
  const { conversation } = await writeThrough(platform, instance);
  await setGateway(platform, { echo_first: true });
  const sent = [await sendText(platform, conversation), await sendText(platform, conversation)];
  await setGateway(platform, { echo_first: false });
  assert.deepEqual(
    sent.map(({ status }) => status),
    ['SENT', 'SENT'],
  );
  assert.equal(await countMessages(conversation), 3);
  for (const { _id } of sent) assert.deepEqual(await listEventNames(platform, _id), ['MESSAGE_SENT']);
});

test('a message whose outcome is unknown stays QUEUED, is never sent again, and is settled by a report of the gateway', async () => {
  const { conversation } = await writeThrough(platform, instance);
  const before = (await listCalls(platform, instance, 'message/sendText')).length;
  for (const kind of ['http_500', 'not_json', 'reset']) {
    await setFaults({ sendText: [{ kind }] });
    assert.equal((await sendText(platform, conversation, { content: `lost by ${kind}` })).status, 'QUEUED', kind);
  }
  await setFaults({ sendText: [{ kind: 'reset_after_accept' }] });
  const { _id } = await sendText(platform, conversation, { content: 'It did arrive' });
  const settled = await awaitStatus(platform, instance, _id, 'SENT');
  assert.match(settled.external_id, /^3EB0/);
  assert.equal((await listCalls(platform, instance, 'message/sendText')).length, before + 1);
  assert.equal(await countMessages(conversation), 5);
});

test('a send that the gateway reports as a message of the phone is one message, also if its words differ or its answer is lost', async () => {
  const { conversation } = await writeThrough(platform, instance);
  await setGateway(platform, { echo_first: true, echo_event: 'messages.upsert' });
  await setFaults({ sendText: [{ kind: 'reset_after_accept' }] });
  const { _id: lost } = await sendText(platform, conversation, { content: 'Sem resposta' });
  await awaitStatus(platform, instance, lost, 'SENT');
  const live = await openLive(platform);
  await setGateway(platform, { echo_text: 'Mudado' });
  const sent = await sendText(platform, conversation, { content: 'Um texto' });
  await setGateway(platform, { echo_first: false, echo_event: 'send.message', echo_text: null });
  assert.equal(sent.status, 'SENT');
  await live.waitFor('removed', ({ event }) => event === 'message');
  await live.close();
  assert.deepEqual(await listEventNames(platform, sent._id), ['MESSAGE_SENT']);
  assert.equal(await countMessages(conversation), 3);
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation}`)).body.last_message._id, sent._id);
});

test("what is written on the company's phone is stored, also with the words of a message whose outcome is unknown", async () => {
  const from = '5511970000021';
  const { conversation } = await writeThrough(platform, instance, { from });
  await setFaults({ sendText: [{ kind: 'reset' }] });
  const { token } = await platform.createUser(platform.demo._id, 'OPERATOR', 'Ana Sá');
  const lost = await sendText(platform, conversation, { content: 'Já vou', key: token });
  const written = await writeThrough(platform, instance, { from, from_me: true, text: 'Já vou' });
  assert.deepEqual([written.is_echo, written.conversation], [true, conversation]);
  const report = (id: string, conversationText: string): Promise<void> =>
    reportEvent(platform, instance, 'send.message', {
      key: { id, remoteJid: `${from}@s.whatsapp.net`, fromMe: true },
      message: { conversation: conversationText },
      messageType: 'conversation',
    });
  await report('ONLY-ENDS-ALIKE', 'Espere! Já vou');
  assert.equal((await read(lost._id)).status, 'QUEUED');
  await report('WITH-A-NAME', '*Ana Sá*\nJá vou');
  assert.equal((await read(lost._id)).external_id, 'WITH-A-NAME');
});

test('a message is accepted although the answer repeats its whole file', async () => {
  const business = await connectInstance(platform, { integration: 'business' });
  const large = Buffer.alloc(600_000, 7);
  const picture = { ...file, bytes: large.length, open: () => Promise.resolve(Readable.from([large])) };
  const at = { ...config, api_key: business.apiKey, instance_name: business.name };
  const content = { contentType: 'DOCUMENT' as const };
  const message = { messageId: '65f0a1b2c3d4e5f60718293a', to, content, file: picture, replyTo: null };
  const result = await send?.(message, at, AbortSignal.timeout(600_000));
  assert.equal(result?.outcome, 'accepted');
});

test('an error that the gateway met while it sent leaves the outcome unknown, and a closed connection is a refusal', async () => {
  const words = ["TypeError: Cannot read properties of undefined (reading 'key')", 'Error: Timed Out'];
  for (const message of [...words, 'Error: Connection Closed', 'Owned media must be a url or base64']) {
    await setFaults({ sendText: [{ code: 1, http_status: 400, message }] });
    const { outcome } = await sendContent({ contentType: 'TEXT', content: 'Oi' });
    assert.equal(outcome, words.includes(message) ? 'unknown' : 'rejected', message);
  }
});

test('a refusal makes a message FAILED with the words of the gateway, without MESSAGE_FAILED', async () => {
  const { conversation } = await writeThrough(platform, instance, { from: '5511970000001' });
  await setGateway(platform, { unknown_numbers: ['5511970000001'] });
  const refused = await sendText(platform, conversation);
  await setGateway(platform, { unknown_numbers: [] });
  assert.equal(refused.status, 'FAILED');
  assert.deepEqual(
    refused.errors.map(({ code, message }: Json) => [code, message]),
    [[400, 'The number 5511970000001 is not on WhatsApp']],
  );
  assert.deepEqual(await listEventNames(platform, refused._id), []);
});

test("an error of the Cloud API inside the answer 201 is a refusal with the Cloud API's code", async () => {
  const business = await connectInstance(platform, { integration: 'business' });
  const { conversation } = await writeThrough(platform, business);
  await setFaults({ sendText: [{ code: 131_047, message: 'Re-engagement message' }] });
  const refused = await sendText(platform, conversation);
  assert.deepEqual([refused.status, refused.errors[0].code], ['FAILED', 131_047]);
  const sent = await sendText(platform, conversation, { content: 'now' });
  for (const status of ['SENT', 'DELIVERED'])
    await reportEvent(platform, business, 'messages.update', {
      keyId: sent.external_id,
      remoteJid: 'x',
      fromMe: false,
      status,
    });
  assert.equal((await read(sent._id)).status, 'DELIVERED');
});

test('an inbox whose key the gateway does not accept any more is in ERROR, and the key is in no answer', async () => {
  const other = await connectInstance(platform);
  const { conversation } = await writeThrough(platform, other);
  await platform.sandbox('POST', '/sandbox/gateway/instances', { name: other.name, api_key: 'another' });
  assert.equal((await sendText(platform, conversation)).status, 'FAILED');
  const { error } = await awaitConnection(platform, other, 'ERROR');
  assert.match(error, /Unauthorized/);
  assert.ok(!error.includes(other.apiKey));
});

test('an instance that has no read marks is not asked again', async () => {
  const business = await connectInstance(platform, { integration: 'business' });
  const { markRead, showTyping } = platform.running.kit.channels.get('PARTNER_API');
  const at = { ...config, api_key: business.apiKey, instance_name: business.name };
  for (const mark of [markRead, showTyping])
    await mark?.({ externalId: 'IN1', person: to }, at, AbortSignal.timeout(600_000));
  assert.equal((await listCalls(platform, business, 'chat/markMessageAsRead')).length, 1);
});

test('reading and answering a conversation are shown to the contact', async () => {
  const from = '5511988880001';
  const { conversation, external_id: id } = await writeThrough(platform, instance, { from });
  const { markRead, showTyping } = platform.running.kit.channels.get('PARTNER_API');
  const answered = { externalId: id, person: { names: [PHONE_NUMBER.identify(from)] } };
  await markRead?.(answered, config, AbortSignal.timeout(600_000));
  await showTyping?.(answered, config, AbortSignal.timeout(600_000));
  const [typing] = await listCalls(platform, instance, 'chat/sendPresence');
  assert.deepEqual([typing.number, typing.presence], [from, 'composing']);
  const [mark] = await listCalls(platform, instance, 'chat/markMessageAsRead');
  assert.deepEqual(mark.readMessages, [{ id, fromMe: false, remoteJid: `${from}@s.whatsapp.net` }]);
  assert.ok(await findByExternalId(platform, instance, id), conversation);
});
