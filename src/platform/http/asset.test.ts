import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { startPlatform } from '../../../test/support/platform.ts';
import { createAssetSender } from './asset.ts';

const platform = await startPlatform();
const limited = await startPlatform({ env: { RATE_LIMIT_PAGES: '2' } });

/** Returns the bytes of an answer as they were sent; fetch would decompress them. */
async function get(path: string, headers: Record<string, string> = {}) {
  const asked = request(platform.url + path, { headers }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await answer.toArray()) as Buffer[]);
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes };
}

test('the OpenAPI document is served in the compression that the caller accepts, always with the same content', async () => {
  const plain = await get('/openapi.json');
  assert.equal(JSON.parse(plain.bytes.toString()).openapi, '3.1.0');
  for (const path of ['/openapi.json']) {
    const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.ok(brotliDecompressSync(brotli.bytes).equals(plain.bytes));
    const zipped = await get(path, { 'accept-encoding': 'br;q=0, gzip;q=0.5' });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.ok(gunzipSync(zipped.bytes).equals(plain.bytes));
    const none = await get(path, { 'accept-encoding': 'gzip;q=0, identity' });
    assert.equal(none.headers['content-encoding'], undefined);
    assert.ok(none.bytes.equals(plain.bytes));
    for (const { headers } of [brotli, zipped, none]) assert.equal(headers['vary'], 'accept-encoding');
  }
});

test('a caller that has the OpenAPI document already is answered 304 without a body', async () => {
  const { headers } = await get('/openapi.json');
  const again = await get('/openapi.json', { 'if-none-match': String(headers['etag']) });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
  assert.equal((await get('/openapi.json', { 'if-none-match': '"another"' })).status, 200);
});

test('a document that could not be read once is served as soon as it can be read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-asset-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'page.txt');
  const app = fastify();
  app.get(
    '/page',
    createAssetSender('text/plain', () => readFile(file, 'utf8')),
  );
  assert.equal((await app.inject('/page')).statusCode, 500);
  await writeFile(file, 'Here it is.');
  const found = await app.inject('/page');
  assert.deepEqual([found.statusCode, found.body], [200, 'Here it is.']);
});

test('requests for public pages and documents are rate-limited by address, but health checks and metrics are not', async () => {
  const statuses = async (path: string): Promise<number[]> => {
    const asked = Array.from(
      { length: 30 },
      async () => (await fetch(limited.url + path, { redirect: 'manual' })).status,
    );
    return (await Promise.all(asked)).toSorted((a, b) => a - b);
  };
  assert.equal((await statuses('/openapi.json')).at(-1), 429);
  for (const path of [
    '/',
    '/docs',
    '/docs/',
    '/docs/errors',
    '/docs/assets/page.css',
    '/docs/assets/search.json',
    '/docs/api',
    '/docs/api/contacts',
    '/docs/nothing',
    '/set-password',
    '/set-password/page.js',
  ])
    assert.equal((await statuses(path)).at(-1), 429, path);
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    assert.deepEqual(new Set(await statuses(path)), new Set([200]), path);
});
