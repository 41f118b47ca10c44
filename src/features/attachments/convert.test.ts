/** The converted copies of attachments in the store: they stay and go with their attachment. */
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePicture } from '../../../test/support/media-samples.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { convertAttachment } from './convert.ts';
import { findAttachment, type AttachmentRow } from './queries.ts';
import { sweepFiles } from './sweep.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const { kit } = platform.running;
const root = join(platform.dataDir, 'files');
await mkdir(root);
const read = kit.database.read(demo._id);

async function upload(width: number): Promise<AttachmentRow> {
  const { _id } = await uploadFile(platform, { data: await makePicture('webp', { width }) });
  const row = await findAttachment(read, _id);
  assert.ok(row);
  return row;
}

const listStore = async (): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted();
const nameIn = (key = ''): string => key.split('/').at(-1) ?? '';

test('an attachment is removed together with its converted copy, and the link of the copy opens nothing more', async () => {
  const before = await listStore();
  const row = await upload(60);
  const converted = await convertAttachment(kit, row);
  const { meta } = (await call(200, 'GET', `/v1/resource/attachments/${row._id}`)).body;
  assert.equal((await fetch(meta.converted.url)).status, 200);
  assert.deepEqual(
    (await listStore()).filter((name) => !before.includes(name)),
    [row.storage_key, converted?.copies.CONVERTED?.storage_key].map(nameIn).toSorted(),
  );
  await call(200, 'DELETE', `/v1/resource/attachments/${row._id}`);
  assert.deepEqual(await listStore(), before);
  assert.equal((await fetch(meta.converted.url)).status, 404);
});

test('the copy of a process that converts a file after another process leaves nothing behind', async () => {
  const row = await upload(61);
  const first = await convertAttachment(kit, row);
  const before = await listStore();
  const second = await convertAttachment(kit, row);
  assert.deepEqual(second, first);
  assert.deepEqual(await listStore(), before);
});

test('a conversion that ends after its attachment was removed leaves nothing behind', async () => {
  const row = await upload(62);
  const before = await listStore();
  await database.sql('delete from attachments where _id = $1', [row._id]);
  assert.equal(await convertAttachment(kit, row), null);
  assert.deepEqual(await listStore(), before);
});

test('the sweep keeps converted copies', async () => {
  const row = await upload(63);
  const converted = await convertAttachment(kit, row);
  const old = new Date(Date.now() - 48 * 3_600_000);
  for (const name of await listStore()) await utimes(join(root, demo._id, 'attachments', name), old, old);
  await sweepFiles(kit);
  const kept = await listStore();
  for (const key of [row.storage_key, converted?.copies.CONVERTED?.storage_key]) assert.ok(kept.includes(nameIn(key)));
});
