import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withStage, type Stage, type Tenant } from '../full/harness/stage.ts';
import type { PlatformProcess } from '../full/harness/processes.ts';
import { HURRIED } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const MEGABYTE = 1_000_000;
const FILE = Buffer.alloc(12 * MEGABYTE, 'x');
const AGE_MS = 25 * 3_600_000;

interface Uploading {
  stage: Stage;
  all: PlatformProcess;
  tenant: Tenant;
  /** Where the process keeps files, and where it writes what arrives. */
  files: string;
  temporary: string;
}

/** Runs `play` with a platform that has folders of its own. */
const onPlatform = (play: (uploading: Uploading) => Promise<void>): Promise<void> =>
  withStage({}, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
    const files = join(folder, 'files');
    const temporary = join(folder, 'temporary');
    await Promise.all([mkdir(join(files, '.unfinished'), { recursive: true }), mkdir(temporary)]);
    const all = await stage.start('all', { DATA_DIR: folder, TMPDIR: temporary, ...HURRIED });
    await play({ stage, all, tenant: await stage.createTenant('Uploader'), files, temporary });
    await all.kill();
    await rm(folder, { recursive: true, force: true });
  });

/** Uploads a text. Returns the status, or null when the process died before it answered. `onPiece` may hold back the pieces after it. */
async function upload(
  { all, tenant }: Uploading,
  onPiece: (sent: number) => Promise<unknown> = async () => undefined,
): Promise<number | null> {
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

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Checks that each record has its whole file, and returns how many records there are. */
async function checkRecords({ stage, files }: Uploading): Promise<number> {
  const rows = await stage.store.sql<{ storage_key: string; sha256: string }>(
    'select storage_key, sha256 from attachments',
  );
  for (const { storage_key, sha256 } of rows) {
    const content = await readFile(join(files, storage_key));
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
  }
  return rows.length;
}

test('a process that is killed during an upload leaves neither a file nor a record, and the next upload succeeds', () =>
  onPlatform(async (uploading) => {
    const { all, files, temporary } = uploading;
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const cut = upload(uploading, async (sent) => {
      if (sent < 8 * MEGABYTE) return;
      // The connection holds much less than this, so the process has taken megabytes of the file.
      await all.kill();
      resolve();
    });
    await end;
    assert.equal(await cut, null);
    assert.deepEqual([await listFiles(temporary), await listFiles(files)], [[], []]);
    assert.equal(await checkRecords(uploading), 0);
    await all.restart();
    assert.equal(await upload(uploading), 201);
    assert.equal(await checkRecords(uploading), 1);
    assert.deepEqual([(await listFiles(temporary)).length, (await listFiles(files)).length], [0, 1]);
  }));

test('a process that is killed while it stores a file leaves no record without a file, and the sweep removes what is left of the file', () =>
  onPlatform(async (uploading) => {
    const { stage, all, files, temporary } = uploading;
    const watcher = watch(join(files, '.unfinished'));
    const begun = once(watcher, 'change');
    const cut = upload(uploading);
    await begun;
    await all.kill();
    watcher.close();
    await cut;
    assert.deepEqual(await listFiles(temporary), []);
    const records = await checkRecords(uploading);
    await all.restart();
    assert.equal(await upload(uploading), 201);
    assert.equal(await checkRecords(uploading), records + 1);
    const old = new Date(Date.now() - AGE_MS);
    for (const path of await listFiles(files)) await utimes(path, old, old);
    await stage.store.sql(`insert into pgboss.job (name, data) values ('attachments.sweep-files', '{}')`);
    await waitUntil('the sweep', async () => (await listFiles(files)).length === records + 1);
    assert.equal(await checkRecords(uploading), records + 1);
  }));
