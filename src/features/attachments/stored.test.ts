/** Files that a job stores for a record that was there first, files that rooms open, and the sweep. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeMp3, makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { newId } from '../../platform/values/ids.ts';
import { actAs, type Acting } from '../../platform/store/tenant.ts';
import { expectAttachment, openAttachment } from './attachments.ts';
import { newLink, newStorageKey } from './links.ts';
import { storeFile } from './store-file.ts';
import { sweepFiles } from './sweep.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const { kit } = platform.running;
const acting: Acting = actAs(kit.database, demo._id, { type: 'system', id: null, name: 'test' });
const PATH = '/v1/resource/attachments';

const streamOf = (data: Buffer | string): Readable => Readable.from([Buffer.from(data)], { objectMode: false });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `${PATH}/${id}`)).body;

/** Inserts a record whose file is still to come, as a network announces it. */
async function announce(file_type: string, mime_type = 'image/jpeg', extension = 'jpg'): Promise<string> {
  const _id = newId();
  await database.sql(
    `insert into attachments (company_id, _id, file_type, extension, mime_type, file_name, storage_key, link, state)
      values ($1, $2, $3, $4, $5, 'from a contact', $6, $7, 'PENDING')`,
    [demo._id, _id, file_type, extension, mime_type, newStorageKey(demo._id), newLink()],
  );
  return _id;
}

describe('a file that arrives after its record', () => {
  test('a file is stored for its record with the type that its contents show, and the link of the record returns it', async () => {
    const _id = await announce('IMAGE');
    const { external_url } = await read(_id);
    const data = makePng(3, 2);
    const stored = await storeFile(kit, acting, _id, streamOf(data));
    assert.equal(stored?.state, 'READY');
    const { extension, meta } = await read(_id);
    const sha256 = createHash('sha256').update(data).digest('hex');
    assert.deepEqual([extension, meta.mimeType, meta.size, meta.sha256], ['png', 'image/png', data.length, sha256]);
    assert.deepEqual([meta.width, meta.height], [3, 2]);
    const answer = await fetch(external_url);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(data));
  });

  test('a broken file or one of an unknown format is stored unchanged, and browsers save it instead of showing it', async () => {
    const broken = Buffer.concat([Buffer.from('\xff\xd8\xff\xe0', 'latin1'), Buffer.alloc(100)]);
    for (const data of [makeMp3(), broken, Buffer.from('<svg onload="alert(1)"/>')]) {
      const _id = await announce('IMAGE', 'image/svg+xml', 'svg');
      await storeFile(kit, acting, _id, streamOf(data));
      const { external_url, meta } = await read(_id);
      assert.deepEqual([meta.mimeType, meta.size, meta.width], ['image/svg+xml', data.length, undefined]);
      const { headers } = await fetch(external_url);
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="from a contact.svg"/);
      assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
    }
  });

  test('no file is stored for a record that has one already, that was removed, or whose download was given up', async () => {
    const _id = await announce('IMAGE');
    await storeFile(kit, acting, _id, streamOf(makePng()));
    const before = await read(_id);
    const repeated = streamOf(makeMp3());
    assert.equal(await storeFile(kit, acting, _id, repeated), null);
    assert.equal(repeated.destroyed, true);
    assert.deepEqual(await read(_id), before);
    assert.equal(await storeFile(kit, acting, newId(), streamOf('x')), null);
    const gone = await announce('IMAGE');
    await database.sql(`update attachments set state = 'FAILED', failure = 'deleted by the network' where _id = $1`, [
      gone,
    ]);
    assert.equal(await storeFile(kit, acting, gone, streamOf('x')), null);
    assert.equal((await fetch((await read(gone)).external_url)).status, 410);
  });

  test('a file that breaks off or is too large leaves its record unchanged', async () => {
    const _id = await announce('STICKER');
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(1000);
        throw new Error('the network hung up');
      })(),
    );
    await assert.rejects(storeFile(kit, acting, _id, broken), /the network hung up/);
    await assert.rejects(storeFile(kit, acting, _id, streamOf(Buffer.alloc(600_000))), { name: 'TooManyBytes' });
    const [row] = await database.sql('select state, bytes from attachments where _id = $1', [_id]);
    assert.deepEqual(row, { state: 'PENDING', bytes: null });
  });

  test('a file that a contact sends is stored and counted even when the quota of the company is used up', async () => {
    const _id = await announce('IMAGE');
    const setQuota = (stored_bytes: number | null) =>
      call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body: { limits: { stored_bytes } } });
    const usage = async (): Promise<number> =>
      (await call(200, 'GET', `/v1/companies/${demo._id}`)).body.usage.stored_bytes;
    const before = await usage();
    await setQuota(1);
    const data = Buffer.concat([makePng(), Buffer.alloc(100_000)]);
    assert.ok(await storeFile(kit, acting, _id, streamOf(data)));
    await setQuota(null);
    assert.ok((await usage()) >= before + 100_000);
  });
});

describe('an attachment that another feature uses', () => {
  test('an attachment can be read whole or in part, and an unknown id is refused with UNKNOWN_REFERENCE', async () => {
    const { _id } = await uploadFile(platform, { data: 'Olá, tudo bem?', name: 'note' });
    const row = await expectAttachment(acting.read, _id, 'message.attachment');
    const whole = await openAttachment(kit, row);
    assert.deepEqual([whole?.bytes, whole?.mimeType, whole?.fileName], [15, 'text/plain', 'note.txt']);
    assert.equal(Buffer.concat((await whole?.body.toArray()) ?? []).toString(), 'Olá, tudo bem?');
    const part = await openAttachment(kit, row, { start: 0, end: 1 });
    assert.equal(Buffer.concat((await part?.body.toArray()) ?? []).toString(), 'O');
    const other = await platform.createCompany();
    const foreign = await uploadFile(platform, { data: 'x' }, other.key);
    for (const id of [newId(), foreign._id])
      await assert.rejects(expectAttachment(acting.read, id, 'message.attachment'), {
        code: 'UNKNOWN_REFERENCE',
        errors: [
          { path: 'message.attachment', code: 'UNKNOWN_REFERENCE', message: 'refers to a record that does not exist' },
        ],
      });
    const pending = await expectAttachment(acting.read, await announce('IMAGE'), 'attachment');
    assert.equal(await openAttachment(kit, pending), null);
  });
});

describe('the sweep of files', () => {
  const root = join(platform.dataDir, 'files');
  const makeOld = async (key: string, ageHours: number): Promise<void> => {
    const at = new Date(Date.now() - ageHours * 3_600_000);
    await utimes(join(root, key), at, at);
  };
  const put = async (key: string, ageHours: number): Promise<void> => {
    await mkdir(dirname(join(root, key)), { recursive: true });
    await writeFile(join(root, key), key);
    await makeOld(key, ageHours);
  };
  const listStore = async (): Promise<string[]> =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  test('the sweep removes files that no record has named for a day, and no other files', async () => {
    const known = await uploadFile(platform, { data: 'known' });
    await makeOld(known.storage_key, 48);
    const pending = await expectAttachment(acting.read, await announce('IMAGE'), 'attachment');
    await put(pending.storage_key, 48);
    const [old, young, foreign] = [newStorageKey(demo._id), newStorageKey(demo._id), newStorageKey(newId())];
    const other = `${demo._id}/thumbnails/${'a'.repeat(32)}`;
    await put(old, 25);
    await put(young, 23);
    await put(foreign, 25);
    await put(other, 25);
    await put('.unfinished/half-of-a-file', 25);
    const before = await listStore();
    await sweepFiles(kit);
    const after = await listStore();
    const nameIn = (key: string): string => key.split('/').at(-1) ?? '';
    const gone = before.filter((name) => !after.includes(name));
    assert.deepEqual(gone.toSorted(), [nameIn(old), nameIn(foreign), 'half-of-a-file'].toSorted());
    assert.equal(await (await fetch(known.external_url)).text(), 'known');
  });
});
