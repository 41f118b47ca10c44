import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStage } from '../full/harness/stage.ts';
import { HURRIED } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const MEGABYTE = 1_000_000;
const FILE = Buffer.alloc(12 * MEGABYTE, 'x');
const AGE_MS = 25 * 3_600_000;

/** Where the process keeps files, and where it writes what arrives. */
const folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
const [files, temporary] = [join(folder, 'files'), join(folder, 'temporary')];
await Promise.all([mkdir(join(files, '.unfinished'), { recursive: true }), mkdir(temporary)]);
const { stage, close } = await openStage({});
after(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});
const all = await stage.start('all', { DATA_DIR: folder, TMPDIR: temporary, ...HURRIED });
const tenant = await stage.createTenant('Uploader');

/** Uploads a text. Returns the status, or null when the process died before it answered. `onPiece` may hold back the pieces after it. */
async function upload(onPiece: (sent: number) => Promise<unknown> = async () => undefined): Promise<number | null> {
  const head = '--edge\r\ncontent-disposition: form-data; name="file"; filename="long.txt"\r\n\r\n';
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    for (let sent = 0; sent < FILE.length; sent += MEGABYTE) {
      await onPiece(sent);
      yield FILE.subarray(sent, sent + MEGABYTE);
    }
    yield Buffer.from('\r\n--edge--\r\n');
  }
  try {
    const { status } = await fetch(`${all.url}/v1/resource/upload-attachment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'multipart/form-data; boundary=edge' },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    });
    return status;
  } catch {
    return null;
  }
}

const listFiles = async (place: string): Promise<string[]> =>
  (await readdir(place, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Checks that each record has its whole file, and returns how many records there are. */
async function checkRecords(): Promise<number> {
  const rows = await stage.store.sql<{ storage_key: string; sha256: string }>(
    'select storage_key, sha256 from attachments',
  );
  for (const { storage_key, sha256 } of rows) {
    const content = await readFile(join(files, storage_key));
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
  }
  return rows.length;
}

test('a process that is killed during an upload leaves neither a file nor a record, and the next upload succeeds', async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const cut = upload(async (sent) => {
    if (sent < 8 * MEGABYTE) return;
    // The connection holds much less than this, so the process has taken megabytes of the file.
    await all.kill();
    resolve();
  });
  await end;
  assert.equal(await cut, null);
  assert.deepEqual([await listFiles(temporary), await listFiles(files)], [[], []]);
  assert.equal(await checkRecords(), 0);
  await all.restart();
  assert.equal(await upload(), 201);
  assert.equal(await checkRecords(), 1);
  assert.deepEqual([(await listFiles(temporary)).length, (await listFiles(files)).length], [0, 1]);
});

test('a process that is killed while it stores a file leaves no record without a file, and the sweep removes what is left of the file', async () => {
  const watcher = watch(join(files, '.unfinished'));
  const begun = once(watcher, 'change');
  const cut = upload();
  await begun;
  await all.kill();
  watcher.close();
  await cut;
  assert.deepEqual(await listFiles(temporary), []);
  const records = await checkRecords();
  await all.restart();
  assert.equal(await upload(), 201);
  assert.equal(await checkRecords(), records + 1);
  const old = new Date(Date.now() - AGE_MS);
  for (const path of await listFiles(files)) await utimes(path, old, old);
  await stage.store.sql(`insert into pgboss.job (name, data) values ('attachments.sweep-files', '{}')`);
  await waitUntil('the sweep', async () => (await listFiles(files)).length === records + 1);
  assert.equal(await checkRecords(), records + 1);
});
