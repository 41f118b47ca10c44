/**
 * The stores of files: a real folder, a stand-in for an S3-compatible service, and a real such service where S3_ENDPOINT and the settings
 * beside it name one (its tests are skipped elsewhere).
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import { createMemoryMeter } from '../../../../test/support/memory.ts';
import { startObjectStore } from '../../../../test/support/object-store.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { loadConfig } from '../../../config.ts';
import { storageFull, type AppError } from '../../values/errors.ts';
import { newId } from '../../values/ids.ts';
import { createOutbound } from '../../outside/outbound.ts';
import { createSecrets } from '../secrets.ts';
import { UNGUARDED } from '../storage.ts';
import { createLog } from '../../work/telemetry.ts';
import { TooManyBytes } from '../temporary-file.ts';
import { createFiles, type Files } from './files.ts';
import { createFolderStore } from './folder.ts';
import { createS3Store } from './s3.ts';
import type { FileContent, FileStore } from './store.ts';

const MEGABYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;
const secrets = createSecrets('an encryption key of the installation');
const options = { maxBytes: 8 * MEGABYTE, contentType: 'image/png' };

const outbound = createOutbound({ allow: [], trusted: [] });
after(() => outbound.close());

const makeKey = (company: string): string => `${company}/attachments/${randomBytes(16).toString('hex')}`;
const streamOf = (bytes: Buffer | string): Readable => Readable.from([Buffer.from(bytes)], { objectMode: false });
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function read(content: FileContent | null): Promise<Buffer> {
  assert.ok(content);
  return Buffer.concat((await content.body.toArray()) as Buffer[]);
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const objectStore = await startObjectStore();
const real = loadConfig(process.env).s3;
const quiet = createLog('silent');
const root = join(await makeFolder(), 'files');
const STORES: [name: string, store: FileStore | null][] = [
  ['a folder', createFolderStore(root, UNGUARDED)],
  ['a bucket', createS3Store(outbound, objectStore.settings, quiet)],
  ['a bucket of a real service', real && createS3Store(outbound, real, quiet)],
];

for (const [name, store] of STORES) {
  const skip = store === null && 'S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY name no service';
  // A test that is skipped uses no store.
  const files = createFiles(store as FileStore, secrets);

  describe(`files in ${name}`, { skip }, () => {
    test('a file is returned as it was stored, whole and in parts', async () => {
      const key = makeKey(newId());
      const bytes = randomBytes(3 * MEGABYTE + 17);
      assert.equal(await files.get(key), null);
      assert.deepEqual(await files.put(key, streamOf(bytes), options), { bytes: bytes.length, sha256: hashOf(bytes) });
      const whole = await files.get(key);
      assert.equal(whole?.bytes, bytes.length);
      assert.ok((await read(whole)).equals(bytes));
      for (const [start, end] of [
        [0, 1],
        [MEGABYTE, 2 * MEGABYTE + 5],
        [bytes.length - 1, bytes.length],
      ] as const) {
        const part = await files.get(key, { start, end });
        assert.equal(part?.bytes, bytes.length);
        assert.ok((await read(part)).equals(bytes.subarray(start, end)), `${start} to ${end}`);
      }
      assert.equal(await files.get(makeKey(newId()), { start: 0, end: 1 }), null);
    });

    test('a file whose length and hash are given is stored only when both are right', async () => {
      const key = makeKey(newId());
      const bytes = randomBytes(100_000);
      const known = { bytes: bytes.length, sha256: hashOf(bytes) };
      assert.deepEqual(await files.put(key, streamOf(bytes), { ...options, known }), known);
      assert.ok((await read(await files.get(key))).equals(bytes));
      const other = makeKey(newId());
      await assert.rejects(files.put(other, streamOf(bytes.subarray(1)), { ...options, known }));
      await assert.rejects(files.put(other, streamOf(randomBytes(100_000)), { ...options, known }));
      await assert.rejects(files.put(other, streamOf(bytes), { ...options, maxBytes: 99_999, known }), TooManyBytes);
      assert.equal(await files.get(other), null);
    });

    test('an empty file can be stored, and a later file with the same key replaces it', async () => {
      const key = makeKey(newId());
      assert.deepEqual(await files.put(key, Readable.from([]), options), { bytes: 0, sha256: hashOf(Buffer.alloc(0)) });
      assert.equal((await read(await files.get(key))).length, 0);
      await files.put(key, streamOf('second'), options);
      assert.equal(String(await read(await files.get(key))), 'second');
    });

    test('a range that is not inside the file is refused', async () => {
      const key = makeKey(newId());
      await files.put(key, streamOf('0123456789'), options);
      for (const [start, end] of [
        [0, 11],
        [10, 11],
        [5, 5],
        [-1, 3],
        [4, 3],
        [0, 1.5],
      ] as const) {
        await assert.rejects(files.get(key, { start, end }), RangeError, `${start} to ${end}`);
      }
    });

    test('a file is stored whole or not at all: when it is too large or breaks off, nothing changes', async () => {
      const [fresh, used] = [makeKey(newId()), makeKey(newId())];
      await files.put(used, streamOf('first'), options);
      const broken = (): Readable =>
        Readable.from(
          (async function* () {
            yield Buffer.alloc(MEGABYTE);
            throw new Error('the caller hung up');
          })(),
        );
      for (const key of [fresh, used]) {
        const large = streamOf(Buffer.alloc(1001));
        await assert.rejects(files.put(key, large, { ...options, maxBytes: 1000 }), TooManyBytes);
        assert.equal(large.destroyed, true);
        await assert.rejects(files.put(key, broken(), options), /the caller hung up/);
      }
      assert.equal(await files.get(fresh), null);
      assert.equal(String(await read(await files.get(used))), 'first');
      assert.equal((await files.put(fresh, streamOf('x'.repeat(1000)), { ...options, maxBytes: 1000 })).bytes, 1000);
    });

    test('a removed file is gone, and removing it again changes nothing', async () => {
      const key = makeKey(newId());
      await files.put(key, streamOf('gone'), options);
      await files.remove(key);
      await files.remove(key);
      assert.equal(await files.get(key), null);
    });

    test('a sweep removes the old files that no record of their company names, and no others', async () => {
      const [one, two] = [newId(), newId()];
      const keys = [one, one, one, two, two].map(makeKey);
      for (const key of keys) await files.put(key, streamOf(key), options);
      const named = new Set([keys[0], keys[3]]);
      const asked: string[] = [];
      const findKnown = async (company: string, some: readonly string[]): Promise<Set<string>> => {
        assert.ok(some.every((key) => key.startsWith(`${company}/`)));
        // The files of other companies belong to other tests, so they count as known.
        if (company !== one && company !== two) return new Set(some);
        asked.push(...some);
        return new Set(some.filter((key) => named.has(key)));
      };
      assert.equal(await files.sweep(new Date(Date.now() - HOUR_MS), findKnown), 0);
      assert.deepEqual(asked, []);
      assert.equal(await files.sweep(new Date(Date.now() + HOUR_MS), findKnown), 3);
      assert.deepEqual(new Set(asked), new Set(keys));
      assert.equal(asked.length, keys.length);
      const left: boolean[] = [];
      for (const key of keys) {
        const content = await files.get(key);
        left.push(content !== null);
        content?.body.destroy();
      }
      assert.deepEqual(left, [true, false, false, true, false]);
    });

    test('a file key that the platform did not make is refused by every operation', async () => {
      const company = newId();
      const wrong = [
        '',
        '/',
        company,
        `${company}/`,
        `${company}/a`,
        `${company}/a/`,
        `${company}/a/b/c`,
        `/${company}/a/b`,
      ];
      const escaping = [
        '..',
        '../x',
        '..%2fx',
        '..\\x',
        '.x',
        'x.',
        'x/../../y',
        'x\0',
        'X',
        'x y',
        'ç',
        'x'.repeat(101),
      ];
      const keys = [...wrong, ...escaping.map((each) => `${company}/a/${each}`), `../a/b`, `${company}/../b`, 'x/a/b'];
      for (const key of keys) {
        const content = streamOf('x');
        await assert.rejects(files.put(key, content, options), /^Error: the key of a file/, key);
        assert.equal(content.destroyed, true);
        await assert.rejects(files.get(key), /^Error: the key of a file/, key);
        await assert.rejects(files.remove(key), /^Error: the key of a file/, key);
        assert.throws(() => files.sign(key, 60), /^Error: the key of a file/, key);
      }
    });
  });
}

describe('a folder of files', () => {
  test('100 MB are stored and read while little memory is held', async (context) => {
    const files = createFiles(createFolderStore(await makeFolder(), UNGUARDED), secrets);
    const key = makeKey(newId());
    const make = async function* (): AsyncGenerator<Buffer> {
      for (let index = 0; index < 100; index += 1) yield Buffer.alloc(MEGABYTE, `megabyte ${index} `);
    };
    const [up, down] = [createMemoryMeter(), createMemoryMeter()];
    const content = Readable.from(up.pass(make()), { objectMode: false });
    const { bytes, sha256 } = await files.put(key, content, { ...options, maxBytes: 100 * MEGABYTE });
    assert.deepEqual([bytes, sha256], [100 * MEGABYTE, up.sha256()]);
    const stored = await files.get(key);
    assert.ok(stored);
    await pipeline(stored.body, down.pass, async (pieces: AsyncIterable<Buffer>) => {
      for await (const _ of pieces);
    });
    assert.equal(down.sha256(), sha256);
    context.diagnostic(`held at most: ${up.most()} bytes stored, ${down.most()} bytes read`);
    assert.ok(up.most() < 32 * MEGABYTE && down.most() < 32 * MEGABYTE);
  });

  test('a file cannot be read before it is complete, and the sweep removes what an interrupted write left behind', async () => {
    const folder = await makeFolder();
    const files = createFiles(createFolderStore(folder, UNGUARDED), secrets);
    const key = makeKey(newId());
    const content = new Readable({ read: () => undefined });
    const writing = files.put(key, content, options);
    content.push('the first half');
    const unfinished = join(folder, '.unfinished');
    await waitUntil('the first half is on the disk', async () => {
      const [name] = await readdir(unfinished).catch(() => []);
      return name !== undefined && (await stat(join(unfinished, name))).size > 0;
    });
    assert.equal(await files.get(key), null);
    const findKnown = async (): Promise<Set<string>> => assert.fail('no file has a key');
    assert.equal(await files.sweep(new Date(Date.now() - HOUR_MS), findKnown), 0);
    assert.equal((await readdir(unfinished)).length, 1);
    assert.equal(await files.sweep(new Date(Date.now() + HOUR_MS), findKnown), 0);
    assert.deepEqual(await readdir(unfinished), []);
    content.destroy(new Error('the process ended'));
    await assert.rejects(writing, /the process ended/);
  });

  test('only the user of the process may read the stored files, and a sweep keeps files that the platform did not write', async () => {
    const folder = join(await makeFolder(), 'not', 'there', 'yet');
    const files = createFiles(createFolderStore(folder, UNGUARDED), secrets);
    const key = makeKey(newId());
    assert.equal(await files.sweep(new Date(), async () => new Set()), 0);
    await files.put(key, streamOf('mine'), options);
    const file = join(folder, key);
    if (process.platform !== 'win32') {
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      for (const path of [folder, dirname(file), dirname(dirname(file))]) {
        assert.equal((await stat(path)).mode & 0o777, 0o700, path);
      }
    }
    const notes = [join(folder, 'notes.txt'), join(dirname(file), 'Notes.TXT')];
    for (const path of notes) await writeFile(path, 'of the operator');
    assert.equal(await files.sweep(new Date(Date.now() + HOUR_MS), async () => new Set()), 1);
    for (const path of notes) assert.ok(await stat(path));
  });

  test('while the disk is nearly full a file is refused with STORAGE_FULL, and can still be read', async () => {
    const folder = await makeFolder();
    const key = makeKey(newId());
    await createFiles(createFolderStore(folder, UNGUARDED), secrets).put(key, streamOf('old'), options);
    const refuse = (): never => {
      throw storageFull();
    };
    const files = createFiles(createFolderStore(folder, { ...UNGUARDED, admit: refuse }), secrets);
    const content = streamOf('new');
    await assert.rejects(files.put(key, content, options), { code: 'STORAGE_FULL' });
    assert.equal(content.destroyed, true);
    assert.equal(String(await read(await files.get(key))), 'old');
  });
});

test('a bucket that is named in the host of its service keeps, lists and removes files', async (context) => {
  const { settings, objects } = await startObjectStore({ host: 'store.test' });
  // The name server is not part of the platform.
  const find = (_host: string, _options: object, done: (error: null, found: object[]) => void): void =>
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  context.mock.method(dns, 'lookup', find as unknown as typeof dns.lookup);
  const files = createFiles(createS3Store(outbound, settings, quiet), secrets);
  const key = makeKey(newId());
  await files.put(key, streamOf('picture'), options);
  assert.deepEqual([...objects.keys()], [key]);
  assert.equal(String(await read(await files.get(key))), 'picture');
  await files.remove(key);
  assert.equal(await files.get(key), null);
});

describe('a bucket of files', () => {
  /** Opens a store and keeps the lines of its log. */
  function openBucket(settings = objectStore.settings): { files: Files; lines: string[] } {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    return { files: createFiles(createS3Store(outbound, settings, log), secrets), lines };
  }

  const isUnavailable = (error: AppError): boolean => error.code === 'UNAVAILABLE' && error.status === 503;

  test("a bucket stores the content type of a file, and a sweep keeps all files in the bucket that are not the platform's", async () => {
    const { files } = openBucket();
    const key = makeKey(newId());
    await files.put(key, streamOf('picture'), options);
    assert.equal(objectStore.objects.get(key)?.type, 'image/png');
    const others = ['readme & notes.txt', 'backup/2026/all.tar'];
    for (const other of others) objectStore.objects.set(other, { body: Buffer.from('other'), type: '' });
    await files.sweep(
      new Date(Date.now() + HOUR_MS),
      async (_company, keys) => new Set(keys.filter((each) => each !== key)),
    );
    assert.equal(objectStore.objects.has(key), false);
    for (const other of others) assert.ok(objectStore.objects.delete(other));
  });

  test('a request that the bucket refuses or does not answer fails with UNAVAILABLE, and the log has the reason but no secret', async () => {
    const key = makeKey(newId());
    const { settings } = objectStore;
    const gone = await startObjectStore();
    await gone.close();
    const cases: [settings: typeof settings, reason: RegExp][] = [
      [{ ...settings, secretAccessKey: 'another secret' }, /403 SignatureDoesNotMatch/],
      [{ ...settings, accessKeyId: 'NOBODY' }, /403 InvalidAccessKeyId/],
      [{ ...settings, bucket: 'no-such-bucket' }, /404 NoSuchBucket/],
      [gone.settings, /ECONNREFUSED/],
    ];
    for (const [wrong, reason] of cases) {
      const { files, lines } = openBucket(wrong);
      const known = async (): Promise<Set<string>> => assert.fail('nothing was listed');
      await assert.rejects(files.put(key, streamOf('x'), options), isUnavailable);
      await assert.rejects(files.get(key), isUnavailable);
      await assert.rejects(files.remove(key), isUnavailable);
      await assert.rejects(files.sweep(new Date(), known), isUnavailable);
      assert.equal(lines.length, 4);
      for (const line of lines) {
        assert.match(line, reason);
        assert.ok(!line.includes(wrong.secretAccessKey) && !line.includes(key));
      }
    }
  });

  test('the stream of a file that breaks off fails instead of ending early', async () => {
    const { files } = openBucket();
    objectStore.interfere((response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half', () => response.destroy());
    });
    await assert.rejects(read(await files.get(makeKey(newId()))), { kind: 'SOCKET' });
  });

  test('an answer of the bucket that is not valid fails with UNAVAILABLE', async () => {
    const { files, lines } = openBucket();
    const key = makeKey(newId());
    objectStore.interfere((response) => response.end('the whole file'));
    await assert.rejects(files.get(key, { start: 0, end: 3 }), isUnavailable);
    objectStore.interfere((response) => response.writeHead(206, { 'content-range': 'bytes 0-2/*' }).end('the'));
    await assert.rejects(files.get(key, { start: 0, end: 3 }), isUnavailable);
    const listings = [
      '',
      'no XML',
      '<ListBucketResult><Contents>',
      '<html></html>',
      `<!DOCTYPE x [<!ENTITY y "z">]><x>&y;</x>`,
    ];
    for (const listing of listings) {
      objectStore.interfere((response) => response.end(listing));
      await assert.rejects(
        files.sweep(new Date(), async () => new Set()),
        isUnavailable,
        listing,
      );
    }
    assert.equal(lines.length, 2 + listings.length);
  });
});

describe('a signed link', () => {
  const START_MS = Date.UTC(2026, 10, 22);
  const key = makeKey(newId());

  function open(secret = 'an encryption key of the installation') {
    let nowMs = START_MS;
    const store = createFolderStore(join(tmpdir(), 'parley-never-written'), UNGUARDED);
    const files = createFiles(store, createSecrets(secret), () => nowMs);
    return { files, passMs: (ms: number) => (nowMs += ms) };
  }

  function parse(path: string): { key: string; expires: string; signature: string } {
    const url = new URL(path, 'http://platform');
    assert.ok(url.pathname.startsWith('/files/'));
    const { expires = '', signature = '' } = Object.fromEntries(url.searchParams);
    return { key: url.pathname.slice('/files/'.length), expires, signature };
  }

  test('a signed link returns its file until it expires, and needs no escaping', () => {
    const { files, passMs } = open();
    const { path, expiresAt } = files.sign(key, 60);
    assert.equal(expiresAt.getTime(), START_MS + 60_000);
    assert.match(path, /^[\w\-./?=&]+$/);
    const { key: signed, ...query } = parse(path);
    assert.equal(signed, key);
    assert.equal(query.expires, String(START_MS / 1000 + 60));
    assert.equal(files.isSigned(key, query), true);
    passMs(59_999);
    assert.equal(files.isSigned(key, query), true);
    passMs(1);
    assert.equal(files.isSigned(key, query), false);
  });

  test('a signed link with another key, expiry, signature or secret is refused', () => {
    const { files } = open();
    const { expires, signature } = parse(files.sign(key, 60).path);
    const other = makeKey(newId());
    const later = String(Number(expires) + 1);
    const queries: [key: string, query: Parameters<Files['isSigned']>[1]][] = [
      [other, { expires, signature }],
      [`${key}x`, { expires, signature }],
      [`../${key}`, { expires, signature }],
      [key, { expires: later, signature }],
      [key, { expires: `0${expires}`, signature }],
      [key, { expires: `${expires}.0`, signature }],
      [key, { expires: '', signature }],
      [key, { expires, signature: '' }],
      [key, { expires }],
      [key, { signature }],
      [key, {}],
      [key, { expires, signature: signature.toLowerCase() }],
      [key, { expires, signature: signature.slice(0, -1) }],
      [key, { expires, signature: parse(files.sign(other, 60).path).signature }],
      [key, { expires, signature: parse(open('another encryption key').files.sign(key, 60).path).signature }],
    ];
    for (const [wrong, query] of queries)
      assert.equal(files.isSigned(wrong, query), false, JSON.stringify([wrong, query]));
    assert.equal(files.isSigned(key, { expires, signature }), true);
  });

  test('a signed link is valid for at least a second and at most an hour', () => {
    const { files } = open();
    for (const seconds of [1, 3600]) assert.ok(files.sign(key, seconds));
    for (const seconds of [0, -1, 3601, 1.5, Number.NaN, Infinity])
      assert.throws(() => files.sign(key, seconds), RangeError);
  });
});
