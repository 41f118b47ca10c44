/** Processes that are killed in the middle of a bulk run, and the request that is repeated with its Idempotency-Key. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makeJpg } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, startSecondProcess, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, UNLIMITED, type Json } from '../../../test/support/platform.ts';
import { killProgram, readyUrl, spawnProgram, type Program } from '../../../test/support/process.ts';
import { buildForm } from '../../../test/support/sheets.ts';
import { silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const PATH = '/v1/messages/send-bulk-template';
await waitUntilCopied(platform, demo.inbox);
// A status would tell the outcome of a message whose process was killed.
await silenceNetwork(platform);

// Slow enough to be killed on the way.
const env = { NUMBER_THROUGHPUT: '50' };

const HELLO = { templateName: 'hello_world', languageCode: 'pt_BR' };

function post(url: string, key: string, list: string[], template = HELLO): Promise<Response> {
  const contacts = JSON.stringify(list.map((phone) => ({ phone })));
  const parts = { inboxId: demo.inbox, ...template, contacts };
  const headers = { authorization: `Bearer ${demo.key}`, 'idempotency-key': key };
  return fetch(url + PATH, { method: 'POST', headers, body: buildForm(parts) });
}

/** How many messages the network has got for each of these numbers. */
async function countArrived(list: string[]): Promise<Map<string, number>> {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  const counts = new Map<string, number>();
  for (const { to } of messages as Json[]) if (list.includes(to)) counts.set(to, (counts.get(to) ?? 0) + 1);
  return counts;
}

/** Ends what the killed process holds at once, so that the test need not wait for the end of its leases. */
async function endLeases(): Promise<void> {
  await database.sql('update bulk_runs set held_until = now()');
  await database.sql('update idempotency_keys set running_until = now()');
}

const spawnApi = (t: TestContext): Program =>
  spawnProgram(t, {
    purpose: 'api',
    env: {
      DATABASE_URL: database.url,
      DATA_DIR: platform.dataDir,
      SANDBOX: 'off',
      WAP_GRAPH_URL: platform.sandboxUrl,
      ...UNLIMITED,
      ...env,
    },
  });

test('a bulk run whose process is killed while it uploads the file of the header, and again while it sends, sends to no one twice, its totals are exact, and each message shows the file', async (t) => {
  const list = Array.from({ length: 60 }, makePhoneNumber);
  const bad = ['1', '2', '3'];
  const picture = await uploadFile(platform, { data: makeJpg(90, 40) });
  const components = [
    { type: 'header', parameters: [{ imageId: picture._id }] },
    { parameters: [{ text: 'Ana' }, { text: '25%' }] },
    { index: 1, parameters: [{ text: 'verao' }] },
    { index: 2, parameters: [{ text: 'VERAO25' }] },
  ];
  const offer = { templateName: 'summer_offer', languageCode: 'pt_BR', components: JSON.stringify(components) };
  const countUploads = async (): Promise<number> => (await platform.sandbox('GET', '/sandbox/stats')).uploads;
  const isCalling = async (): Promise<boolean> => {
    const { faults } = await platform.sandbox('GET', '/sandbox/settings');
    return faults.media.length === 0;
  };
  const isSending = async (): Promise<boolean> => (await countArrived(list)).size >= 5;
  const before = await countUploads();
  // The network has the file, and then messages, and the process dies before it has the answers.
  const faults = {
    media: [{ kind: 'slow', ms: 5_000, times: 1 }],
    send: [{ kind: 'slow_after_accept', ms: 100, times: null }],
  };
  await platform.sandbox('PUT', '/sandbox/settings', { faults });
  for (const isReached of [isCalling, isSending]) {
    const program = spawnApi(t);
    let isOver = false;
    const broken = post(await readyUrl(program), 'header', [...list, ...bad], offer)
      .catch(() => null)
      .finally(() => (isOver = true));
    // On a busy machine the request may be refused, or its run may end, before the moment comes.
    await waitUntil('the moment of the kill', async () => isOver || (await isReached()));
    await killProgram(program);
    await broken;
    if (isReached === isCalling) assert.equal((await countArrived(list)).size, 0);
    await endLeases();
  }
  const answer = await post(await readyUrl(spawnApi(t)), 'header', [...list, ...bad], offer);
  const result = (await answer.json()) as Json;
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [] } });
  const { OUTCOME_UNKNOWN: unknown = [], INVALID_NUMBER: invalid = [] } = Object.groupBy(
    result.errors as Json[],
    ({ code }) => code as string,
  );
  assert.deepEqual(
    [result.status, result.totalProcessed, result.sentCount, invalid.length, result.errors.length],
    ['COMPLETED', list.length + bad.length, list.length - unknown.length, bad.length, bad.length + unknown.length],
  );
  // What a process had begun is at most what it reserved ahead.
  assert.ok(unknown.length < list.length / 2, `${unknown.length} outcomes are unknown`);
  const arrived = await countArrived(list);
  assert.ok([...arrived.values()].every((count) => count === 1));
  for (const { phoneNumber } of result.sentContacts) assert.equal(arrived.get(phoneNumber.slice(1)), 1, phoneNumber);
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  const shown = new Set<string>();
  for (const { to, body } of messages as Json[])
    if (list.includes(to)) shown.add(body.template.components[0].parameters[0].image.id);
  assert.equal(shown.size, 1);
  // The upload that was cut, and the one that all messages share.
  assert.ok((await countUploads()) - before <= 2);
});

test('a process that stops during a bulk run finishes the messages that it has begun, and the repeated request sends the rest', async () => {
  const list = Array.from({ length: 60 }, makePhoneNumber);
  const peer = await startSecondProcess(platform, env);
  const broken = post(peer.url ?? '', 'stopped', list);
  await waitUntil('messages to arrive', async () => (await countArrived(list)).size >= 5);
  const [stopped] = await Promise.all([broken, peer.stop()]);
  assert.equal(stopped.status, 503);
  const answer = await post(platform.url, 'stopped', list);
  const result = (await answer.json()) as Json;
  assert.deepEqual([answer.status, result.sentCount, result.errorCount], [201, list.length, 0]);
  assert.deepEqual(
    [...(await countArrived(list)).values()],
    list.map(() => 1),
  );
});

test('a bulk run of a company that is suspended stops within seconds, and goes on after the suspension when its request is repeated', async () => {
  const list = Array.from({ length: 150 }, makePhoneNumber);
  const setStatus = (status: string): Promise<unknown> =>
    call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body: { status } });
  // Ten messages a second take a quarter of a minute, and the run looks every five seconds whether it may go on.
  const peer = await startSecondProcess(platform, { NUMBER_THROUGHPUT: '12' });
  const broken = post(peer.url ?? '', 'suspended', list);
  await waitUntil('messages to arrive', async () => (await countArrived(list)).size >= 5);
  await setStatus('SUSPENDED');
  assert.equal((await broken).status, 503);
  const { size } = await countArrived(list);
  assert.ok(size < list.length, String(size));
  await setStatus('ACTIVE');
  await endLeases();
  const result = (await (await post(platform.url, 'suspended', list)).json()) as Json;
  assert.deepEqual([result.sentCount, result.errorCount], [list.length, 0]);
  assert.deepEqual(
    [...(await countArrived(list)).values()],
    list.map(() => 1),
  );
});

test('a bulk run continues to its end when its caller closes the connection', async () => {
  const list = Array.from({ length: 30 }, makePhoneNumber);
  const peer = await startSecondProcess(platform, env);
  const contacts = JSON.stringify(list.map((phone) => ({ phone })));
  const body = buildForm({ inboxId: demo.inbox, templateName: 'hello_world', languageCode: 'pt_BR', contacts });
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${demo.key}` };
  const hung = fetch(`${peer.url}${PATH}`, { method: 'POST', headers, body, signal: controller.signal }).catch(
    () => null,
  );
  await waitUntil('messages to arrive', async () => (await countArrived(list)).size >= 3);
  controller.abort();
  await hung;
  await waitUntil('the rest to arrive', async () => (await countArrived(list)).size === list.length);
});

test('a process that loses its bulk run while it stores messages stores none of them, and the repeated request sends each once', async () => {
  const list = Array.from({ length: 20 }, makePhoneNumber);
  const numbers = list.map((phone) => `+${phone}`);
  const blocker = new pg.Client({ connectionString: database.ownerUrl });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('lock table message_places in exclusive mode');
  const broken = post(platform.url, 'lost', list);
  await waitUntil('the process to store messages', async () => {
    const waiting = `select 1 from pg_locks where not granted and relation = 'message_places'::regclass`;
    return (await database.sql(waiting)).length > 0;
  });
  await database.sql(`update bulk_runs set held_by = 'another', held_until = now() where completed_at is null`);
  await blocker.query('commit');
  await blocker.end();
  assert.equal((await broken).status, 503);
  const stored = await database.sql('select 1 from contacts where phone_number = any($1)', [numbers]);
  assert.deepEqual([stored.length, (await countArrived(list)).size], [0, 0]);
  await endLeases();
  const answer = await post(platform.url, 'lost', list);
  assert.equal(((await answer.json()) as Json).sentCount, list.length);
  assert.deepEqual([...(await countArrived(list)).values()], Array(list.length).fill(1));
});
