/** Thumbnails of the pictures that are uploaded and that contacts send. */
import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import sharp from 'sharp';
import { UPLOAD, uploadFile, uploadForm } from '../../../test/support/attachments.ts';
import { openLive } from '../../../test/support/live.ts';
import { makeJpg, makeMp3, makePicture, makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const root = join(platform.dataDir, 'files');
await mkdir(root);

const upload = (data: Buffer, fileType?: string): Promise<Json> =>
  uploadFile(platform, { data, name: 'praia.jpg', ...(fileType && { fileType }) });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/resource/attachments/${id}`)).body;
async function open(url: string): Promise<{ data: Buffer; headers: Headers }> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return { data: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}
const countFiles = async (): Promise<number> =>
  (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

test('an uploaded picture gets a small, upright thumbnail with a public link of its own and the headers of every file', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
    const turned = format === 'jpeg' ? { orientation: 6 } : {};
    const attachment = await upload(await makePicture(format, { width: 800, height: 600, ...turned }));
    const { url, ...thumbnail } = attachment.meta.thumbnail;
    const { data, headers } = await open(url);
    const [width, height] = format === 'jpeg' ? [240, 320] : [320, 240];
    assert.deepEqual(thumbnail, { mimeType: 'image/webp', size: data.length, width, height });
    const found = await sharp(data).metadata();
    assert.deepEqual([found.format, found.width, found.height, found.exif], ['webp', width, height, undefined]);
    // The colours are those of the picture, whose upper half is red when it stands upright.
    const { data: raw, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
    const at = format === 'jpeg' ? (40 * info.width + 120) * info.channels : (120 * info.width + 40) * info.channels;
    assert.ok(raw[at]! > 200 && raw[at + 2]! < 60, `${format}: ${raw[at]}, ${raw[at + 2]}`);
    assert.equal(headers.get('content-type'), 'image/webp');
    assert.match(headers.get('content-disposition') ?? '', /^inline; filename="praia(\.jpg)?\.webp"/);
    const original = (await open(attachment.external_url)).headers;
    for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options', 'referrer-policy'])
      assert.equal(headers.get(name), original.get(name), name);
    assert.deepEqual(await read(attachment._id), attachment);
  }
});

test('a sticker and an animated picture get the thumbnail of their first picture', async () => {
  const still = await makePicture('png', { width: 512, height: 512 });
  const frames = [still, await sharp(still).negate().png().toBuffer()];
  const moving = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
  const attachment = await upload(moving, 'STICKER');
  const { data } = await open(attachment.meta.thumbnail.url);
  const { pages, width } = await sharp(data, { animated: true }).metadata();
  assert.deepEqual([pages ?? 1, width], [1, 320]);
});

test('a small picture, one that cannot be decoded, and a file that is none have no thumbnail, and are stored as before', async () => {
  for (const data of [
    await makePicture('jpeg', { width: 320, height: 200 }),
    makeJpg(900, 700),
    makePng(6_000, 5_000),
    makeMp3(),
  ])
    assert.equal((await upload(data)).meta.thumbnail, undefined);
});

/** Makes a contact send a picture, and returns the id of its record. */
async function receivePicture(): Promise<string> {
  const data = await makePicture('jpeg', { width: 900, height: 300 });
  const media = { base64: data.toString('base64'), mime_type: 'image/jpeg' };
  const { id } = await platform.receive({ from: makePhoneNumber(), type: 'image', media });
  const [message] = await database.sql<{ attachment_id: string }>(
    'select attachment_id from messages where external_id = $1',
    [id],
  );
  return message!.attachment_id;
}

const waitForThumbnail = (id: string): Promise<Json> =>
  waitUntil('the thumbnail', async () => (await read(id)).meta.thumbnail);

test('a picture that a contact sends is shown and opened before its thumbnail is made, which follows', async () => {
  const live = await openLive(platform);
  // While the table is locked, no thumbnail can be stored.
  const holder = new pg.Client(database.ownerUrl);
  await holder.connect();
  await holder.query('begin; lock table attachment_copies in exclusive mode');
  const _id = await receivePicture();
  const { media } = await live.waitFor('message', (data) => data.attachment === _id && data.media.size !== null);
  assert.equal((await open(media.url)).data.length, media.size);
  assert.equal((await read(_id)).meta.thumbnail, undefined);
  await holder.query('commit');
  const thumbnail = await waitForThumbnail(_id);
  assert.deepEqual([thumbnail.width, thumbnail.height], [320, 107]);
  assert.equal((await open(thumbnail.url)).data.length, thumbnail.size);
  await holder.end();
  await live.close();
});

test('a thumbnail that two workers make, because one of them seemed to be dead, is stored once', async () => {
  const before = await countFiles();
  const holder = new pg.Client(database.ownerUrl);
  await holder.connect();
  await holder.query('begin; lock table attachment_copies in exclusive mode');
  const _id = await receivePicture();
  const requeue = (): Promise<Json[]> =>
    database.sql(
      `update media_downloads set state = 'WAITING' where attachment_id = $1 and state = 'RUNNING' and stage = 'THUMBNAIL' returning 1`,
      [_id],
    );
  await waitUntil('the first worker', async () => (await requeue()).length === 1);
  await waitUntil('both thumbnails', async () => (await countFiles()) === before + 3);
  await holder.query('commit');
  await holder.end();
  await waitForThumbnail(_id);
  const rows = 'select 1 from media_downloads where attachment_id = $1';
  await waitUntil('both workers to end', async () => (await database.sql(rows, [_id])).length === 0);
  await waitUntil('the second thumbnail to be removed', async () => (await countFiles()) === before + 2);
});

test('a thumbnail counts to what the company stores, and goes with its attachment', async () => {
  const usage = async (): Promise<number> =>
    (await call(200, 'GET', `/v1/companies/${demo._id}`)).body.usage.stored_bytes;
  const [before, files] = [await usage(), await countFiles()];
  const { _id, meta } = await upload(await makePicture('png', { width: 700, height: 500 }));
  assert.equal(await countFiles(), files + 2);
  assert.ok((await usage()) >= before + meta.size + meta.thumbnail.size);
  await call(200, 'DELETE', `/v1/resource/attachments/${_id}`);
  assert.deepEqual([await usage(), await countFiles()], [before, files]);
  assert.equal((await fetch(meta.thumbnail.url)).status, 404);
});

test('an upload that the quota refuses leaves neither the picture nor its thumbnail in the store', async () => {
  const setQuota = (stored_bytes: number | null) =>
    call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body: { limits: { stored_bytes } } });
  const before = await countFiles();
  await setQuota(1);
  const form = uploadForm({ data: await makePicture('png', { width: 701, height: 500 }) });
  await postForm(platform, [409, UPLOAD], form);
  await setQuota(null);
  assert.equal(await countFiles(), before);
});

test("a thumbnail's link opens nothing with another company", async () => {
  const other = await platform.createCompany();
  const { meta } = await upload(await makePicture('png', { width: 702, height: 500 }));
  assert.equal((await fetch(meta.thumbnail.url.replace(demo._id, other._id))).status, 404);
});
