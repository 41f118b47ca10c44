/** Tests the links of attachments: headers, ranges, ETags, expiry, and how companies share the bandwidth. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { beginReading, uploadFile } from '../../../test/support/attachments.ts';
import { makeMp3, makePdf, makePng, makeWebp } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform({ env: { RATE_LIMIT_FILES: '2' } });
const { call, database } = platform;
const PATH = '/v1/resource/attachments';

const upload = (data: Buffer | string, name = 'file'): Promise<Json> => uploadFile(platform, { data, name });
const sign = async (id: string): Promise<{ url: string; expires_at: string }> =>
  (await call(200, 'GET', `${PATH}/${id}/url`)).body;
const open = async (
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: Headers; body: Buffer }> => {
  const answer = await fetch(url, { headers, method });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
};

const text = 'Olá, tudo bem? 0123456789';
const bytes = Buffer.from(text);
const note = await upload(text, 'recado da manhã.txt');

describe('a link to a file', () => {
  test('both links of an attachment return its file without a token, with the media type that the platform detected', async () => {
    const { url, expires_at } = await sign(note._id);
    const inSeconds = (Date.parse(expires_at) - Date.now()) / 1000;
    assert.ok(inSeconds > 3_500 && inSeconds <= 3_600, expires_at);
    for (const link of [url, note.external_url]) {
      const { status, headers, body } = await open(link);
      assert.equal(status, 200);
      assert.equal(String(body), text);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(headers.get('content-length'), String(bytes.length));
      assert.equal(headers.get('etag'), `"${note.meta.sha256}"`);
      assert.equal(createHash('sha256').update(body).digest('hex'), note.meta.sha256);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none';.*; sandbox$/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('accept-ranges'), 'bytes');
      assert.match(headers.get('cache-control') ?? '', /^private/);
      assert.equal(
        headers.get('content-disposition'),
        `attachment; filename="recado da manh_.txt"; filename*=UTF-8''recado%20da%20manh%C3%A3.txt`,
      );
    }
  });

  test('browsers show pictures, sound and stickers, and save documents under a name whose ending fits the contents', async () => {
    const disposition = async (data: Buffer, name: string): Promise<string | null> =>
      (await open((await upload(data, name)).external_url)).headers.get('content-disposition');
    const plain = (kind: string, name: string): string => `${kind}; filename="${name}"; filename*=UTF-8''${name}`;
    assert.equal(await disposition(makePng(), 'a.png'), plain('inline', 'a.png'));
    assert.equal(await disposition(makeWebp(), 'a.webp'), plain('inline', 'a.webp'));
    assert.equal(await disposition(makeMp3(), 'a.MP3'), plain('inline', 'a.MP3'));
    assert.equal(await disposition(makePdf(), 'invoice'), plain('attachment', 'invoice.pdf'));
    assert.equal(await disposition(Buffer.from('@echo off'), 'run.bat'), plain('attachment', 'run.bat.txt'));
    assert.equal(
      await disposition(Buffer.from('x'), `a\`;'%.txt`),
      `attachment; filename="a\`;'_.txt"; filename*=UTF-8''a%60%3B%27%25.txt`,
    );
  });

  test('pages of other sites may load a file by its link', async () => {
    const { headers } = await open(note.external_url, { origin: 'https://shop.example' });
    assert.equal(headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
  });

  test('a link with another company, secret, key, expiry or signature is refused', async () => {
    const other = await platform.createCompany();
    const { url } = await sign(note._id);
    const [secret] = note.external_url.split('/').at(-1).split('.');
    const base = `${platform.url}/files/${platform.demo._id}`;
    const wrong = [
      `${base}/${secret}.txt.txt`,
      `${base}/${secret.slice(0, -1)}.txt`,
      `${base}/${secret.toUpperCase()}.txt`,
      `${base}/.txt`,
      `${base}/${note._id}.txt`,
      `${platform.url}/files/${other._id}/${secret}.txt`,
      `${platform.url}/files/${newId()}/${secret}.txt`,
      `${platform.url}/files/nobody/${secret}.txt`,
      `${platform.url}/files/${note.storage_key}`,
      `${platform.url}/files/${note.storage_key}?expires=9999999999&signature=x`,
      url.replace(/expires=\d+/, 'expires=9999999999'),
      `${url}x`,
      `${url}&expires=1`,
      url.replace('/attachments/', '/thumbnails/'),
      `${base}/..%2f..%2fsecrets.json`,
      `${base}/%00.txt`,
    ];
    for (const link of wrong) {
      const answer = await fetch(link);
      expectProblem(
        { status: answer.status, headers: answer.headers, body: await answer.json() },
        answer.status === 400 ? 'MALFORMED_BODY' : 'NOT_FOUND',
      );
    }
    assert.equal((await fetch(note.external_url, { method: 'POST' })).status, 405);
    assert.equal((await open(`${base}/${secret}`)).headers.get('content-type'), 'text/plain; charset=utf-8');
  });

  test('the links of a suspended company are refused until the company is active again', async () => {
    const { _id, key } = await platform.createCompany();
    const { external_url } = await uploadFile(platform, { data: 'x' }, key);
    const setStatus = (status: string) =>
      call(200, 'PATCH', `/v1/companies/${_id}`, { key: platform.globalKey, body: { status } });
    await setStatus('SUSPENDED');
    assert.equal((await open(external_url)).status, 404);
    await setStatus('ACTIVE');
    assert.equal((await open(external_url)).status, 200);
  });
});

describe('a part of a file', () => {
  test('a single range is answered with that part, and an impossible one with 416 and the size', async () => {
    const size = bytes.length;
    const ranges: [range: string, start: number, end: number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=2-5', 2, 6],
      ['bytes=5-', 5, size],
      ['bytes=-4', size - 4, size],
      ['bytes=-9999', 0, size],
      ['bytes=3-9999', 3, size],
    ];
    for (const [range, start, end] of ranges) {
      const { status, headers, body } = await open(note.external_url, { range });
      assert.equal(status, 206, range);
      assert.deepEqual(body, bytes.subarray(start, end), range);
      assert.equal(headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
      assert.equal(headers.get('content-length'), String(end - start));
    }
    for (const range of [`bytes=${size}-`, 'bytes=9999-10000', 'bytes=-0']) {
      const answer = await fetch(note.external_url, { headers: { range } });
      expectProblem(
        { status: answer.status, headers: answer.headers, body: await answer.json() },
        'RANGE_NOT_SATISFIABLE',
      );
      assert.equal(answer.headers.get('content-range'), `bytes */${size}`);
      assert.equal(answer.headers.get('etag'), null);
    }
    for (const range of ['bytes=0-1,3-4', 'items=0-1', 'bytes=5-2', 'bytes=a-b', 'bytes=', 'bytes=-']) {
      const { status, body } = await open(note.external_url, { range });
      assert.deepEqual([status, body.length], [200, size], range);
    }
  });

  test('a range of an older file is answered with the whole file', async () => {
    const etag = `"${note.meta.sha256}"`;
    assert.equal((await open(note.external_url, { range: 'bytes=0-1', 'if-range': etag })).status, 206);
    assert.equal((await open(note.external_url, { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200);
    assert.equal((await open(note.external_url, { range: 'bytes=0-1', 'if-range': `W/${etag}` })).status, 200);
  });

  test('a caller that has the file already is answered 304 without a body', async () => {
    const etag = `"${note.meta.sha256}"`;
    for (const known of [etag, `"other", ${etag}`]) {
      const { status, headers, body } = await open(note.external_url, { 'if-none-match': known });
      assert.deepEqual([status, headers.get('etag'), body.length], [304, etag, 0]);
    }
    assert.equal((await open(note.external_url, { 'if-none-match': '"other"' })).status, 200);
  });

  test('HEAD answers the headers of GET, without opening the file', async () => {
    const { _id, external_url, storage_key } = await upload('only its head');
    await rm(join(platform.dataDir, 'files', storage_key));
    for (const link of [external_url, (await sign(_id)).url]) {
      const { status, headers, body } = await open(link, { range: 'bytes=0-1' }, 'HEAD');
      assert.deepEqual([status, body.length, headers.get('content-length')], [200, 0, '13']);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    }
    const answer = await fetch(external_url);
    expectProblem({ status: answer.status, headers: answer.headers, body: await answer.json() }, 'NOT_FOUND');
    assert.equal(answer.headers.get('content-disposition'), null);
  });
});

describe('a file that is not there', () => {
  test('a file that has not arrived yet is answered 503, and a file that will never arrive 410 with the reason', async () => {
    const { _id, external_url } = await upload('later');
    const setState = (state: string, failure: string | null) =>
      database.sql('update attachments set state = $2, failure = $3, bytes = null, sha256 = null where _id = $1', [
        _id,
        state,
        failure,
      ]);
    await setState('PENDING', null);
    const pending = await fetch(external_url);
    expectProblem({ status: pending.status, headers: pending.headers, body: await pending.json() }, 'UNAVAILABLE');
    assert.equal(pending.headers.get('retry-after'), '5');
    await setState('FAILED', 'The network has deleted the file');
    const failed = await fetch(external_url);
    const body: Json = await failed.json();
    expectProblem({ status: failed.status, headers: failed.headers, body }, 'FILE_GONE');
    assert.equal(body.detail, 'The network has deleted the file');
    const { meta } = (await call(200, 'GET', `${PATH}/${_id}`)).body;
    assert.deepEqual(Object.keys(meta), ['mimeType', 'fileName', 'resourceUrl']);
  });
});

describe('limits of a company', () => {
  test('downloads of a company are slowed down to its rate, and those of another company are not', async () => {
    const { key } = await platform.createCompany();
    const large = Buffer.concat([makePdf(), randomBytes(4 * 1024 * 1024)]);
    const own = await uploadFile(platform, { data: large });
    const other = await uploadFile(platform, { data: 'quick' }, key);
    const startedMs = performance.now();
    let isLoaded = false;
    const loading = Promise.all([open(own.external_url), open(own.external_url)]).finally(() => (isLoaded = true));
    assert.equal(String((await open(other.external_url)).body), 'quick');
    assert.equal(isLoaded, false);
    const loaded = await loading;
    // 8 MB at 2 MB a second.
    assert.ok(performance.now() - startedMs > 3_500);
    for (const { body } of loaded) assert.ok(body.equals(large));
  });

  test('a company has a limited number of downloads at once, and they do not limit the downloads of other companies', async () => {
    const { key } = await platform.createCompany();
    const large = Buffer.concat([makePdf(), randomBytes(8 * 1024 * 1024)]);
    const own = await uploadFile(platform, { data: large });
    const other = await uploadFile(platform, { data: 'quick' }, key);
    const slow = await Promise.all(Array.from({ length: 64 }, () => beginReading(own.external_url)));
    assert.ok(slow.every(({ status }) => status === 200));
    const refused = await fetch(own.external_url);
    expectProblem({ status: refused.status, headers: refused.headers, body: await refused.json() }, 'UNAVAILABLE');
    assert.equal((await open(other.external_url)).status, 200);
    const waiting = fetch(own.external_url, { headers: { range: 'bytes=0-0' } });
    for (const { hangUp } of slow) hangUp();
    assert.equal((await waiting).status, 206);
  });
});
