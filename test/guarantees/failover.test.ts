/** A database of two servers: the processes follow the one that accepts changes, and a COMMIT that waits for its standby is no success. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test, type TestContext } from 'node:test';
import { exec, isUnavailable } from '../../src/platform/store/db.ts';
import { openDatabase } from '../../src/platform/store/open-database.ts';
import { openDatabasePair } from '../full/harness/database-pair.ts';
import { buildNotification, buildTextElement, createNetwork } from '../full/harness/network.ts';
import { call, createInbox, openStage, sendRequest } from '../full/harness/stage.ts';
import { waitUntil } from '../support/wait.ts';

const pair = await openDatabasePair();
after(pair.close);
const { primary, standby } = pair;
const { stage, close } = await openStage({ store: pair.store(standby, primary) });
after(close);
const tenant = await stage.createTenant('Shop');
const api = await stage.start('all', { DATABASE_WAIT: '2s' });

const path = `${api.url}/v1/contacts`;
const create = (external_id: string, repeat: string = randomUUID()) =>
  sendRequest('POST', path, { key: tenant.key, body: { name: 'Ana', external_id }, repeat });
const listContacts = async (): Promise<string[]> => {
  const { result } = await call(200, 'GET', `${path}?sort=createdAt`, { key: tenant.key });
  return result.map((contact: { external_id: string }) => contact.external_id);
};
/** Opens a live stream, and returns what the pattern finds first. */
async function readLive(query: string, pattern: RegExp): Promise<string> {
  const { body } = await fetch(`${api.url}/v1/live${query}`, { headers: { authorization: `Bearer ${tenant.key}` } });
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const [, found] = pattern.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`the stream ended: ${text}`);
}
const isReady = async (): Promise<boolean> => (await fetch(`${api.url}/health/ready`)).status === 200;
/** Returns the process ids of the transactions that store callbacks. */
const listStoring = async (): Promise<number[]> =>
  (
    await primary.sql<{ pid: number }>(
      `select distinct pid from pg_locks where relation = 'messages'::regclass and mode = 'RowExclusiveLock'`,
    )
  ).map(({ pid }) => pid);
/** The transactions whose COMMIT waits for a standby. */
const countWaiting = async (): Promise<number> =>
  (await primary.sql(`select from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`)).length;
/** Makes every COMMIT of the test wait for a standby that does not exist. The server does so some time after it has read the setting. */
async function stopCommits(t: TestContext): Promise<void> {
  t.after(() => primary.set({ synchronous_standby_names: '' }));
  await primary.set({ synchronous_standby_names: 'dead' });
  await waitUntil('a COMMIT to wait', async () => {
    // Failure policy: where it waits, the server ends it.
    void primary.sql(`begin; create table waits (); drop table waits; commit`).catch(() => undefined);
    return (await primary.sql(`select from pg_stat_activity where wait_event = 'SyncRep'`)).length > 0;
  });
}

test('a COMMIT that waits for a dead standby keeps its connection, so that there are never more than the pool has', async (t) => {
  const database = openDatabase({ url: pair.store(standby, primary).url, poolSize: 2, waitMs: 100, statementMs: 100 });
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) {
    const repeat = randomUUID();
    await waitUntil(`the contact ${name}`, async () => (await create(name, repeat)).status === 201);
  }
  await api.terminate();
  const change = (name: string): Promise<number> =>
    database.tenantTx(tenant._id, (tx) =>
      exec(tx, {
        name: 'test.rename',
        text: `update contacts set name = 'Bia' where company_id = $1 and external_id = $2`,
        values: [tenant._id, name],
      }),
    );
  await stopCommits(t);
  let tried = 0;
  const refuse = (): Promise<void> => assert.rejects(change(names[tried++ % names.length] ?? ''), isUnavailable);
  // On a busy machine a change may find no connection in time and never reach its COMMIT.
  await waitUntil('both connections to wait', async () => {
    await refuse();
    return (await countWaiting()) === 2;
  });
  for (const _ of names) await refuse();
  assert.equal(await countWaiting(), 2);
  await primary.set({ synchronous_standby_names: '' });
  await waitUntil('the connections to be free', async () => (await change('a').catch(() => 0)) === 1);
  assert.equal(await countWaiting(), 0);
  await database.close();
  await api.restart();
});

test('a COMMIT that waits for a dead standby is answered 503, and the process is not ready until it ends', async (t) => {
  await stopCommits(t);
  const repeat = randomUUID();
  assert.equal((await create('waits', repeat)).status, 503);
  await waitUntil('the process not to be ready', async () => !(await isReady()));
  await primary.set({ synchronous_standby_names: '' });
  await waitUntil('the process to be ready', isReady);
  // Until the first request has certainly ended, its repeat is answered 409.
  await waitUntil('the repeat', async () => (await create('waits', repeat)).status === 201);
  assert.equal((await listContacts()).filter((each) => each === 'waits').length, 1);
});

test('a callback that waits for the transactions of others is answered 503 together with them', async (t) => {
  const phone = '100000000000800';
  const network = createNetwork(stage.appSecret);
  t.after(network.close);
  await createInbox(api, tenant, phone);
  await primary.set({ synchronous_standby_names: 'dead' });
  const post = (id: string): Promise<number | null> =>
    network.post(api.url, buildNotification([buildTextElement(phone, `551198000000${id}`, `wamid.${id}`, 'Hello')]));
  const posts: Promise<number | null>[] = [];
  for (const id of ['1', '2', '3']) {
    posts.push(post(id));
    await waitUntil('its transaction', async () => (await listStoring()).length === posts.length);
  }
  // No more than three transactions run at the same time.
  posts.push(post('4'));
  assert.deepEqual(await Promise.all(posts), [503, 503, 503, 503]);
  assert.equal((await listStoring()).length, 3);
  await primary.set({ synchronous_standby_names: '' });
  await waitUntil('the process to be ready', isReady);
});

test('a callback that waits for the rows of a COMMIT without an answer is tried once', async (t) => {
  const phone = '100000000000801';
  const network = createNetwork(stage.appSecret);
  t.after(network.close);
  await createInbox(api, tenant, phone);
  const post = (id: string): Promise<number | null> =>
    network.post(api.url, buildNotification([buildTextElement(phone, '5511980000009', `wamid.tried.${id}`, 'Hello')]));
  await stopCommits(t);
  const first = post('1');
  const holder = await waitUntil('its transaction', async () => (await listStoring())[0]);
  const answer = post('2');
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  const tries = new Set<string>();
  await waitUntil('an answer', async () => {
    const text = 'select xact_start::text as began from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
    for (const { began } of await primary.sql<{ began: string }>(text, [holder])) tries.add(began);
    return isAnswered;
  });
  assert.deepEqual([await answer, tries.size, await first], [503, 1, 503]);
  await primary.set({ synchronous_standby_names: '' });
  await waitUntil('the process to be ready', isReady);
});

test('a send whose outcome has no COMMIT is answered QUEUED after one try, and becomes SENT', async (t) => {
  const phone = '100000000000802';
  const network = createNetwork(stage.appSecret);
  t.after(network.close);
  await createInbox(api, tenant, phone);
  await network.postUntilHeard(
    api.url,
    buildNotification([buildTextElement(phone, '5511980000008', 'wamid.sent', 'Hi')]),
  );
  const [conversation] = await primary.sql<{ _id: string }>(
    `select conversation_id as _id from messages where external_id = 'wamid.sent'`,
  );
  const status_delays_ms = { sent: null, delivered: null, read: null };
  const faults = { send: [{ kind: 'slow_after_accept', ms: 8_000 }] };
  await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: { faults, status_delays_ms } });
  const body = { conversationId: conversation?._id, message: { content: 'Hello' } };
  const sending = call(201, 'POST', `${api.url}/v1/messages/send-text`, { key: tenant.key, body });
  await waitUntil('the network to take the message', async () => {
    const { messages } = await call(200, 'GET', `${stage.sandboxUrl}/sandbox/messages?phone=${phone}`);
    return messages.length === 1;
  });
  await stopCommits(t);
  let isAnswered = false;
  void sending.then(() => (isAnswered = true));
  const blocked = new Set<number>();
  await waitUntil('the answer', async () => {
    const text = `select w.pid from pg_stat_activity w, pg_stat_activity h
      where h.pid = any(pg_blocking_pids(w.pid)) and h.wait_event = 'SyncRep' and w.query ~ 'messages'`;
    for (const { pid } of await primary.sql<{ pid: number }>(text)) blocked.add(pid);
    return isAnswered;
  });
  const { _id, status } = await sending;
  assert.deepEqual([status, blocked.size], ['QUEUED', 0]);
  await primary.set({ synchronous_standby_names: '' });
  await waitUntil('the outcome', async () => {
    const now = await call(200, 'GET', `${api.url}/v1/messages/${_id}`, { key: tenant.key });
    return now.status === 'SENT';
  });
});

test('a process leaves a dead primary for the promoted standby, one that waited for it starts, and what was acknowledged is there', async () => {
  await primary.set({ synchronous_standby_names: '*' });
  const isSynchronous = `select from pg_stat_replication where sync_state = 'sync'`;
  await waitUntil('the standby to be synchronous', async () => (await primary.sql(isSynchronous)).length === 1);
  assert.equal((await create('before')).status, 201);
  const cursor = await readLive('', /^id: (.+)$/m);
  await primary.kill();
  const waiting = stage.start('all', { DATABASE_URL: pair.store(standby).url });
  assert.equal((await create('during')).status, 503);
  await standby.sql('select pg_promote()');
  await waitUntil('a contact to be created', async () => (await create('afterwards')).status === 201);
  assert.ok((await listContacts()).includes('before'));
  // Transactions of the new primary may have numbers that the cursor counts as seen.
  assert.equal(await readLive(`?after=${cursor}`, /^event: (.+)$/m), 'reset');
  assert.equal((await fetch(`${(await waiting).url}/health/ready`)).status, 200);
});
