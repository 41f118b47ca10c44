/** Fetches files from the sandbox's Graph API, through the real HTTP client of the platform. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { PHONE, SECRET, TOKEN, useSandbox } from '../../../sandbox/test-process.ts';
import { createOutbound } from '../../platform/outside/outbound.ts';
import type { FetchResult } from '../content.ts';
import { createFileFetcher, findOwner } from './fetch-file.ts';

const { url, set } = useSandbox();
const outbound = createOutbound({ allow: [], trusted: [] });
after(() => outbound.close());

const bytes = randomBytes(200_000);
const sha256 = createHash('sha256').update(bytes).digest();
const config = { phone_number_id: PHONE, business_id: '3', waba_id: '2', business_token: TOKEN };
const media = { mimeType: null, fileName: null, size: null, networkId: null, sha256: null };

/** Gives the network a file, as a contact's phone does, and returns its id. */
async function putFile(mimeType = 'audio/ogg; codecs=opus', content = bytes): Promise<string> {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', mimeType);
  form.set('file', new Blob([new Uint8Array(content)], { type: mimeType }), 'file');
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`${url()}/${PHONE}/media`, { method: 'POST', headers, body: form });
  return ((await answer.json()) as { id: string }).id;
}

interface Options {
  maxBytes?: number;
  ms?: number;
  known?: { sha256?: string; size?: number };
}

function fetchFile(
  networkId: string | null,
  { maxBytes = 1e6, ms = 600_000, known }: Options = {},
): Promise<FetchResult> {
  const fetcher = createFileFetcher({ graphUrl: url(), appSecret: SECRET, outbound });
  const wanted = { company: 'a-company', media: { ...media, ...known, networkId }, maxBytes };
  return fetcher(wanted, config, AbortSignal.timeout(ms));
}

async function expectFound(result: FetchResult): Promise<Extract<FetchResult, { outcome: 'found' }>> {
  assert.ok(result.outcome === 'found', JSON.stringify(result));
  assert.ok((await buffer(result.body)).equals(bytes));
  return result;
}

function expectNone(result: FetchResult, outcome: 'gone' | 'failed', reason: RegExp): void {
  assert.ok(result.outcome !== 'found', 'the file was found');
  assert.equal(result.outcome, outcome, result.reason);
  assert.match(result.reason, reason);
}

test('a file is fetched in two calls, with its size, its hash in hex and its type without parameters', async () => {
  const { body: _, ...facts } = await expectFound(await fetchFile(await putFile()));
  assert.deepEqual(facts, {
    outcome: 'found',
    bytes: bytes.length,
    sha256: sha256.toString('hex'),
    mimeType: 'audio/ogg',
  });
});

test('an expired download address is requested again once, and a second expired address is a failure', async () => {
  const id = await putFile();
  await set({ faults: { download: [{ kind: 'expired' }] } });
  await expectFound(await fetchFile(id));
  await set({ faults: { download: [{ kind: 'expired', times: 2 }] } });
  expectNone(await fetchFile(id), 'failed', /404/);
  await expectFound(await fetchFile(id));
});

test('the token is never sent to an address outside of the network, neither directly nor after a redirect', async () => {
  let called = 0;
  const foreign = createServer((_request, response) => {
    called += 1;
    response.end();
  });
  await new Promise<void>((resolve) => void foreign.listen(0, '127.0.0.1', resolve));
  after(() => foreign.close());
  const { port } = foreign.address() as AddressInfo;
  const id = await putFile();
  const places = [
    `http://127.0.0.1:${port}/x`,
    `//127.0.0.1:${port}/x`,
    'http://169.254.169.254/',
    'file:///etc/passwd',
  ];
  for (const location of [...places, 'https://lookaside.fbsbx.com.example/', 'http://lookaside.fbsbx.com/']) {
    await set({ faults: { download: [{ kind: 'redirect', location }] } });
    expectNone(await fetchFile(id), 'gone', /that is not its own/);
  }
  assert.equal(called, 0);
});

test('a redirect to an address of the network is followed, but not without end', async () => {
  const id = await putFile();
  const described = await fetch(`${url()}/${id}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { url: address } = (await described.json()) as { url: string };
  const { pathname, search } = new URL(address);
  await set({ faults: { download: [{ kind: 'redirect', location: pathname + search }] } });
  await expectFound(await fetchFile(id));
  await set({ faults: { download: [{ kind: 'redirect', location: pathname + search, times: null }] } });
  expectNone(await fetchFile(id), 'failed', /too many times/);
});

test('a file that the network does not know is reported as gone, and one that it cannot return now as failed', async () => {
  expectNone(await fetchFile('77'), 'gone', /rejected/);
  expectNone(await fetchFile(null), 'gone', /no id/);
  const id = await putFile();
  await set({ faults: { media_address: [{ code: 131052 }] } });
  expectNone(await fetchFile(id), 'gone', /131052/);
  for (const fault of [{ code: 131000, http_status: 500 }, { kind: 'not_json' }, { kind: 'reset' }]) {
    await set({ faults: { media_address: [fault] } });
    expectNone(await fetchFile(id), 'failed', /./);
  }
  for (const fault of [{ kind: 'http_500' }, { kind: 'reset' }, { code: 190, http_status: 401 }]) {
    await set({ faults: { download: [fault] } });
    expectNone(await fetchFile(id), 'failed', /./);
  }
  await expectFound(await fetchFile(id));
});

test('a fetch from a network that never answers ends at the deadline of its caller', async () => {
  const id = await putFile();
  for (const place of ['media_address', 'download']) {
    await set({ faults: { [place]: [{ kind: 'hang' }] } });
    expectNone(await fetchFile(id, { ms: 300 }), 'failed', /./);
  }
  await set({ faults: { download: [{ kind: 'drip', ms: 200 }] } });
  const slow = await fetchFile(id, { ms: 500 });
  assert.ok(slow.outcome === 'found');
  await assert.rejects(buffer(slow.body), { kind: 'TIMEOUT' });
});

test('a file that is announced as too large is not fetched, and one that turns out too large is cut off', async () => {
  const id = await putFile();
  expectNone(await fetchFile(id, { maxBytes: bytes.length - 1 }), 'gone', /200000 bytes; at most 199999/);
  await set({ faults: { download: [{ kind: 'endless' }] } });
  const endless = await fetchFile(id, { maxBytes: bytes.length });
  assert.ok(endless.outcome === 'found');
  await assert.rejects(buffer(endless.body), { kind: 'TOO_LARGE' });
});

test('the stream of a file fails when its connection breaks in the middle', async () => {
  const id = await putFile();
  await set({ faults: { download: [{ kind: 'cut' }] } });
  const cut = await fetchFile(id);
  assert.ok(cut.outcome === 'found');
  await assert.rejects(buffer(cut.body), { kind: 'SOCKET' });
});

test('only the Graph API and the network’s file servers, by https, get the token', () => {
  const owner = (text: string) => findOwner(new URL(text), 'http://127.0.0.1:4000/v26.0');
  assert.equal(owner('http://127.0.0.1:4000/x'), 'operator');
  for (const own of [
    'https://lookaside.fbsbx.com/a?b',
    'https://scontent-gru1.xx.fbcdn.net/',
    'https://mmg.whatsapp.net/',
  ]) {
    assert.equal(owner(own), 'network', own);
  }
  const foreign = [
    'http://127.0.0.1:4001/',
    'https://127.0.0.1:4000/',
    'http://mmg.whatsapp.net/',
    'https://fbsbx.com/',
  ];
  const tricks = ['https://a:b@mmg.whatsapp.net/', 'https://mmg.whatsapp.net:8443/', 'https://evilfbcdn.net/'];
  for (const other of [...foreign, ...tricks, 'https://mmg.whatsapp.net.evil.example/', 'https://10.0.0.1/']) {
    assert.equal(owner(other), null, other);
  }
});
