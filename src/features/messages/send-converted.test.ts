/** Files in a format that the network does not take: their messages carry a converted copy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { uploadFile, type UploadedParts } from '../../../test/support/attachments.ts';
import { makePicture, makeRecordedMp4, makeRecordedWebm, makeWebp } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listNetworkMessages, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { conversation } = await writeAsContact(platform);

const upload = (data: Buffer, more: Partial<UploadedParts> = {}): Promise<Json> =>
  uploadFile(platform, { data, name: 'arquivo', ...more });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/resource/attachments/${id}`)).body;

const post = (status: number, type: string, message: Json) =>
  call(status, 'POST', `/v1/messages/send-${type}`, { body: { conversationId: conversation._id, message } });
const send = async (type: string, message: Json): Promise<Json> => (await post(201, type, message)).body;

/** What the network got for a message: the object with the name of its type, and the bytes of its file. */
async function readWire(messageId: string): Promise<{ wire: Json; data: Buffer }> {
  const [{ body } = { body: {} }, ...more] = await listNetworkMessages(platform, messageId);
  assert.deepEqual(more, []);
  const wire = body[body.type];
  const file = await fetch(`${platform.sandboxUrl}/sandbox/media/${wire.id}`);
  return { wire, data: Buffer.from(await file.arrayBuffer()) };
}

async function readFormat(data: Buffer): Promise<string> {
  const { format, space, depth, width, height } = await sharp(data).metadata();
  return `${format} ${space} ${depth} ${width}x${height}`;
}

test('a still WEBP or GIF and a picture in CMYK or with 16 bits reach the contact in a format of the network', async () => {
  const wanted: [Buffer, string][] = [
    [await makePicture('webp', { width: 61 }), 'jpeg srgb uchar 61x40'],
    [await makePicture('webp', { width: 61, alpha: 0.5 }), 'png srgb uchar 61x40'],
    [await makePicture('gif', { width: 61 }), 'png srgb uchar 61x40'],
    [await makePicture('jpeg', { width: 61, colours: 'cmyk' }), 'jpeg srgb uchar 61x40'],
    [await makePicture('png', { width: 61, colours: 'rgb16' }), 'png srgb uchar 61x40'],
  ];
  for (const [data, format] of wanted) {
    const attachment = await upload(data);
    const sent = await send('image', { attachment: attachment._id, content: 'A azul' });
    assert.equal(sent.status, 'SENT');
    const got = await readWire(sent._id);
    assert.equal(await readFormat(got.data), format);
    assert.equal(got.wire.caption, 'A azul');
  }
});

test('what a browser records reaches the contact as a voice note, and can be sent as a document', async () => {
  for (const [data, mimeType] of [
    [await makeRecordedWebm(), 'audio/webm'],
    [await makeRecordedMp4(), 'audio/mp4'],
  ] as const) {
    const attachment = await upload(data, { name: 'recado' });
    assert.deepEqual([attachment.file_type, attachment.meta.mimeType], ['AUDIO', mimeType]);
    const sent = await send('audio', { attachment: attachment._id });
    assert.equal(sent.status, 'SENT');
    const got = await readWire(sent._id);
    assert.equal(got.wire.voice, true);
    assert.equal(got.data.toString('latin1', 0, 4), 'OggS');
    const { converted } = (await read(attachment._id)).meta;
    assert.deepEqual([converted.mimeType, converted.size], ['audio/ogg', got.data.length]);
    const document = await send('document', { attachment: attachment._id });
    const { wire } = await readWire(document._id);
    assert.deepEqual([wire.filename, wire.voice], ['recado.ogg', undefined]);
  }
});

test('sound in a WEBM with a codec other than Opus is answered 400 with the accepted formats', async () => {
  const attachment = await upload(await makeRecordedWebm());
  await database.sql(`update attachments set facts = '{"codecs": ["vorbis"]}' where _id = $1`, [attachment._id]);
  const problem = await post(400, 'audio', { attachment: attachment._id });
  assert.match(problem.body.errors[0].message, /^is audio\/webm; the channel accepts audio\/aac, .+audio\/ogg$/);
});

test('a message with a converted file shows the file that was uploaded, whose record names the copy with a link of its own', async () => {
  const data = await makePicture('webp', { width: 62 });
  const attachment = await upload(data, { name: 'foto.webp' });
  assert.equal(attachment.meta.converted, undefined);
  const sent = await send('image', { attachment: attachment._id });
  const { storage_key, external_url: url } = attachment;
  assert.equal(sent.attachment, attachment._id);
  assert.deepEqual(sent.media, {
    storage_key,
    url,
    mimeType: 'image/webp',
    fileName: 'foto.webp',
    size: data.length,
  });
  const { meta, ...record } = await read(attachment._id);
  const { converted, ...rest } = meta;
  assert.deepEqual({ ...record, meta: rest }, attachment);
  const got = (await readWire(sent._id)).data;
  assert.deepEqual([converted.mimeType, converted.size], ['image/jpeg', got.length]);
  const [original, copy] = await Promise.all([fetch(url), fetch(converted.url)]);
  assert.deepEqual(Buffer.from(await copy.arrayBuffer()), got);
  assert.deepEqual(
    [copy.headers.get('content-type'), copy.headers.get('content-disposition')],
    ['image/jpeg', `inline; filename="foto.jpg"; filename*=UTF-8''foto.jpg`],
  );
  const alike = [
    'cache-control',
    'content-security-policy',
    'x-content-type-options',
    'referrer-policy',
    'accept-ranges',
  ];
  for (const name of alike) assert.equal(copy.headers.get(name), original.headers.get(name), name);
});

test('a picture is converted once for all its messages, also when they are sent at the same moment', async () => {
  const attachment = await upload(await makePicture('webp', { width: 63 }));
  const sendAll = () => Promise.all([1, 2, 3].map(() => send('image', { attachment: attachment._id })));
  const sent = [...(await sendAll()), ...(await sendAll())];
  const wires = await Promise.all(sent.map(({ _id }) => readWire(_id)));
  assert.equal(new Set(wires.map(({ wire }) => wire.id)).size, 1);
  const [{ count } = { count: 0 }] = await database.sql<{ count: number }>(
    'select count(*)::int as count from attachment_copies where attachment_id = $1',
    [attachment._id],
  );
  assert.equal(count, 1);
});

test('a picture that is sent as a document is converted as well, and its name gets the ending of its new format', async () => {
  const attachment = await upload(await makePicture('gif', { width: 64 }), { name: 'planta.gif' });
  const sent = await send('document', { attachment: attachment._id });
  const { wire, data } = await readWire(sent._id);
  assert.equal(wire.filename, 'planta.png');
  assert.match(await readFormat(data), /^png/);
});

test('a converted copy counts to what the company stores', async () => {
  const usage = async (): Promise<number> =>
    (await call(200, 'GET', `/v1/companies/${demo._id}`)).body.usage.stored_bytes;
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const picture = sharp({ create: { width: 300, height: 300, channels: 3, background: 'black', noise } });
  const attachment = await upload(await picture.webp({ quality: 50 }).toBuffer());
  const before = await usage();
  await send('image', { attachment: attachment._id });
  const { size } = (await read(attachment._id)).meta.converted;
  const grown = (await usage()) - before;
  assert.ok(size > 20_000 && grown >= size && grown < size + 10_000, `${size} ${grown}`);
});

test('a picture that cannot be converted is answered 400 with the accepted formats and the reason, and nothing is stored', async () => {
  const frames = [1, 2].map((shade) => ({
    create: { width: 9, height: 9, channels: 3 as const, background: { r: shade * 99, g: 0, b: 0 } },
  }));
  const shots = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()));
  const moving = await sharp(shots, { join: { animated: true } })
    .webp()
    .toBuffer();
  const refusals: [Buffer, string, RegExp][] = [
    [moving, 'UNSUPPORTED_FORMAT', /^is image\/webp; the channel accepts image\/jpeg, image\/png$/],
    [makeWebp(), 'MALFORMED', /accepts image\/jpeg, image\/png, and .+ broken WEBP/],
  ];
  const before = await database.sql('select link from attachment_copies');
  for (const [data, code, words] of refusals) {
    const attachment = await upload(data);
    const problem = await post(400, 'image', { attachment: attachment._id });
    expectProblem(problem, 'VALIDATION_FAILED', 'message.attachment');
    const [error] = problem.body.errors;
    assert.equal(error.code, code);
    assert.match(error.message, words);
  }
  assert.deepEqual(await database.sql('select link from attachment_copies'), before);
});

test('a sticker is never converted', async () => {
  const sticker = await upload(await makePicture('webp', { width: 512, height: 512 }), { fileType: 'STICKER' });
  expectProblem(await post(400, 'image', { attachment: sticker._id }), 'VALIDATION_FAILED', 'message.attachment');
  const sent = await send('sticker', { attachment: sticker._id });
  assert.match(await readFormat((await readWire(sent._id)).data), /^webp .+ 512x512/);
});
