import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile, type UploadedParts } from '../../../test/support/attachments.ts';
import { makeGif, makeJpg, makeMp3, makePng, makeWebp } from '../../../test/support/media-samples.ts';
import { connectPhone, makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import {
  listEventNames,
  writeAsContact,
  listNetworkMessages,
  readEvents,
  readMessage,
  silenceNetwork,
} from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, sandbox } = platform;

const setFaults = (faults: Json): Promise<Json> => sandbox('PUT', '/sandbox/settings', { faults });
const countUploads = async (): Promise<number> => (await sandbox('GET', '/sandbox/stats')).uploads;

/** Uploads an attachment that no other test uses: the file's name is in the test's messages. */
const upload = (data: Buffer | string, more: Partial<UploadedParts> = {}): Promise<Json> =>
  uploadFile(platform, { data, name: 'arquivo', ...more });

async function send(status: number, type: string, conversationId: string, message: Json): Promise<Json> {
  return (await call(status, 'POST', `/v1/messages/send-${type}`, { body: { conversationId, message } })).body;
}

/** What the network got for a message: the object with the name of its type. */
async function readWire(messageId: string): Promise<Json> {
  const [wire, ...more] = await listNetworkMessages(platform, messageId);
  assert.ok(wire);
  assert.deepEqual(more, []);
  return wire.body[wire.body.type];
}

/** The bytes that the network has of a file. */
async function readUploaded(networkId: string): Promise<Buffer> {
  const response = await fetch(`${platform.sandboxUrl}/sandbox/media/${networkId}`);
  return Buffer.from(await response.arrayBuffer());
}

test('a picture reaches the network with its caption, its message shows the file, and MESSAGE_SENT is emitted', async () => {
  const { conversation } = await writeAsContact(platform);
  const data = makeJpg();
  const attachment = await upload(data, { name: 'azul.jpg' });
  const sent = await send(201, 'image', conversation._id, { attachment: attachment._id, content: 'A azul' });
  const { status, contentType, content, media } = sent;
  assert.deepEqual({ status, contentType, content }, { status: 'SENT', contentType: 'IMAGE', content: 'A azul' });
  assert.equal(sent.attachment, attachment._id);
  const { url, ...rest } = media;
  const { storage_key } = attachment;
  assert.deepEqual(rest, { storage_key, mimeType: 'image/jpeg', fileName: 'azul.jpg', size: data.length });
  assert.match(url, /^http.+\/files\/.+\.jpg$/);
  const wire = await readWire(sent._id);
  assert.equal(wire.caption, 'A azul');
  assert.deepEqual(await readUploaded(wire.id), data);
  assert.deepEqual(await readMessage(platform, sent._id), sent);
  assert.deepEqual(await readEvents(platform, sent._id), [{ event: 'MESSAGE_SENT', data: sent }]);
});

test('sound, a document and a sticker are sent by their operations, and a document keeps its name', async () => {
  const { conversation } = await writeAsContact(platform);
  const [sound, text, sticker] = await Promise.all([
    upload(makeMp3()),
    upload('Orçamento', { name: 'orçamento' }),
    upload(makeWebp(), { fileType: 'STICKER' }),
  ]);
  const audio = await send(201, 'audio', conversation._id, { attachment: sound._id });
  const document = await send(201, 'document', conversation._id, { attachment: text._id, content: 'Segue' });
  const image = await send(201, 'sticker', conversation._id, { attachment: sticker._id, content: '  ' });
  for (const { status } of [audio, document, image]) assert.equal(status, 'SENT');
  assert.deepEqual(Object.keys(await readWire(audio._id)), ['id']);
  const { filename, caption } = await readWire(document._id);
  assert.deepEqual({ filename, caption }, { filename: 'orçamento.txt', caption: 'Segue' });
  assert.deepEqual([image.content, Object.keys(await readWire(image._id))], [null, ['id']]);
});

test('a file is uploaded once for many messages, also when they are sent at the same moment', async () => {
  const heard = await Promise.all([writeAsContact(platform), writeAsContact(platform), writeAsContact(platform)]);
  const attachment = await upload(makePng(31, 7));
  const before = await countUploads();
  const sendAll = () =>
    Promise.all(heard.map(({ conversation }) => send(201, 'image', conversation._id, { attachment: attachment._id })));
  const sent = [...(await sendAll()), ...(await sendAll())];
  assert.equal((await countUploads()) - before, 1);
  const ids = await Promise.all(sent.map(async ({ _id }) => (await readWire(_id)).id));
  assert.equal(new Set(ids).size, 1);
});

test('a file is uploaded for each number that sends it, because an id is valid for one number', async () => {
  const phone = await connectPhone(platform);
  await sandbox('POST', '/sandbox/inbound', { from: makePhoneNumber(), text: 'Oi', phone_number_id: phone.id });
  const { body } = await call(200, 'GET', `/v1/conversations?inbox=${phone.inbox}`);
  const attachment = await upload(makePng(32, 7));
  const before = await countUploads();
  const { conversation } = await writeAsContact(platform);
  await send(201, 'image', conversation._id, { attachment: attachment._id });
  const other = await send(201, 'image', body.result[0]._id, { attachment: attachment._id });
  assert.equal(other.status, 'SENT');
  assert.equal((await countUploads()) - before, 2);
});

test('a file that the network has forgotten is uploaded again, and the message is sent once', async () => {
  const { conversation } = await writeAsContact(platform);
  const attachment = await upload(makePng(33, 7));
  const first = await send(201, 'image', conversation._id, { attachment: attachment._id });
  const { id } = await readWire(first._id);
  await sandbox('DELETE', `/sandbox/media?id=${id}`);
  const before = await countUploads();
  const second = await send(201, 'image', conversation._id, { attachment: attachment._id });
  assert.equal(second.status, 'SENT');
  const wire = await readWire(second._id);
  assert.notEqual(wire.id, id);
  const third = await send(201, 'image', conversation._id, { attachment: attachment._id });
  assert.deepEqual([(await readWire(third._id)).id, (await countUploads()) - before], [wire.id, 1]);
});

test('a message that the network goes on refusing is FAILED after one more upload', async () => {
  const { conversation } = await writeAsContact(platform);
  const attachment = await upload(makePng(34, 7));
  await send(201, 'image', conversation._id, { attachment: attachment._id });
  const before = await countUploads();
  await setFaults({ send: [{ code: 100, times: 2 }] });
  const sent = await send(201, 'image', conversation._id, { attachment: attachment._id });
  assert.deepEqual([sent.status, sent.errors[0].code], ['FAILED', 100]);
  assert.equal((await countUploads()) - before, 1);
  assert.deepEqual(await listNetworkMessages(platform, sent._id), []);
});

test('a file whose id at the network has expired is uploaded again', async () => {
  const { conversation } = await writeAsContact(platform);
  const attachment = await upload(makePng(35, 7));
  await send(201, 'image', conversation._id, { attachment: attachment._id });
  await platform.database.sql('update network_files set expires_at = now() where attachment_id = $1', [attachment._id]);
  const before = await countUploads();
  await send(201, 'image', conversation._id, { attachment: attachment._id });
  assert.equal((await countUploads()) - before, 1);
});

for (const [name, fault, code] of [
  ['is refused', { code: 131053 }, 131053],
  ['gets no answer', { kind: 'reset' }, 'PROVIDER_UNREACHABLE'],
] as const) {
  test(`a message whose upload ${name} is FAILED with the cause, because nothing was sent`, async () => {
    const { conversation } = await writeAsContact(platform);
    const attachment = await upload(makePng(36, name.length));
    await setFaults({ media: [fault] });
    const sent = await send(201, 'image', conversation._id, { attachment: attachment._id });
    assert.deepEqual([sent.status, sent.errors[0].code], ['FAILED', code]);
    assert.equal(sent.failure_reason?.code, typeof code === 'number' ? code : undefined);
    assert.deepEqual(await listNetworkMessages(platform, sent._id), []);
    assert.deepEqual(await listEventNames(platform, sent._id), []);
    assert.equal((await send(201, 'image', conversation._id, { attachment: attachment._id })).status, 'SENT');
  });
}

test('a file that the operation or the network does not accept is answered 400 with the accepted formats, and nothing is stored', async () => {
  const { conversation } = await writeAsContact(platform);
  const [gif, sound, sticker, large] = await Promise.all([
    upload(makeGif(2)),
    upload(makeMp3()),
    upload(makeWebp(), { fileType: 'STICKER' }),
    upload(Buffer.concat([makeWebp(), Buffer.alloc(120_000)]), { fileType: 'STICKER' }),
  ]);
  const refusals: [string, Json, string, RegExp][] = [
    ['image', { attachment: gif._id }, 'message.attachment', /image\/gif.+image\/jpeg, image\/png/],
    ['document', { attachment: gif._id }, 'message.attachment', /image\/gif.+image\/jpeg, image\/png/],
    ['video', { attachment: sound._id }, 'message.attachment', /AUDIO.+VIDEO/],
    ['sticker', { attachment: large._id }, 'message.attachment', /102400/],
    ['audio', { attachment: sound._id, content: 'Ouça' }, 'message.content', /AUDIO/],
    ['sticker', { attachment: sticker._id, content: 'Oi' }, 'message.content', /STICKER/],
    ['document', { attachment: sound._id, content: 'x'.repeat(1_025) }, 'message.content', /1024/],
  ];
  for (const [type, message, path, words] of refusals) {
    const problem = await call(400, 'POST', `/v1/messages/send-${type}`, {
      body: { conversationId: conversation._id, message },
    });
    expectProblem(problem, 'VALIDATION_FAILED', path);
    assert.match(problem.body.errors[0].message, words);
  }
  const { body } = await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`);
  assert.deepEqual(
    body.result.map((message: Json) => message.message_type),
    ['INCOMING'],
  );
});

test('sound with a codec that the network does not accept is answered 400 with the accepted codecs', async () => {
  const { conversation } = await writeAsContact(platform);
  const sound = await upload(makeMp3());
  await platform.database.sql(
    `update attachments set mime_type = 'audio/ogg', facts = '{"codecs": ["vorbis"]}' where _id = $1`,
    [sound._id],
  );
  const problem = await send(400, 'audio', conversation._id, { attachment: sound._id });
  assert.match(problem.errors[0].message, /vorbis.+opus/);
  await platform.database.sql(`update attachments set facts = '{"codecs": ["opus"]}' where _id = $1`, [sound._id]);
  const voice = await send(201, 'audio', conversation._id, { attachment: sound._id });
  assert.equal((await readWire(voice._id)).voice, true);
});

test("an unknown attachment and another company's are unknown references", async () => {
  const { conversation } = await writeAsContact(platform);
  const other = await platform.createCompany();
  const foreign = await uploadFile(platform, { data: makePng(), name: 'a.png' }, other.key);
  for (const attachment of [foreign._id, '0123456789abcdef01234567']) {
    const body = { conversationId: conversation._id, message: { attachment } };
    const problem = await call(400, 'POST', '/v1/messages/send-image', { body });
    expectProblem(problem, 'UNKNOWN_REFERENCE', 'message.attachment');
  }
});

test('the send of a file without a token or the scope, or with a malformed request, is refused', async () => {
  const { conversation } = await writeAsContact(platform);
  const attachment = await upload(makePng(40, 7));
  const body = { conversationId: conversation._id, message: { attachment: attachment._id } };
  await checkRefusals(platform, { method: 'POST', path: '/v1/messages/send-image', scope: 'messages:create', body });
});
