/** Tests whether the old messages of a phone that shares its number with an inbox are asked for, and what the inbox says about them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildNotification,
  fillMessage,
  makeNetworkId,
  makePhoneNumber,
  openNetwork,
} from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { ConfirmConnection } from '../jobs.ts';
import { HistoryOverdue, RequestHistory } from './jobs.ts';
import { answerRequest } from './queries.ts';

// The sandbox refuses some of the calls that these tests cause.
const platform = await startPlatform({ isOwn: true });
const network = await openNetwork(platform);
const { call, database, running, sandbox } = platform;

interface Shared {
  id: string;
  waba: string;
  inbox: string;
}

const BOTH = ['smb_app_state_sync', 'history'];

async function connect(is_on_biz_app = true): Promise<Shared> {
  const [id, waba] = [makeNetworkId(), makeNetworkId()];
  const token = `token-${id}`;
  await sandbox('POST', '/sandbox/accounts', { phone_number_id: id, waba_id: waba, token, is_on_biz_app });
  const api_wap_config = { phone_number_id: id, waba_id: waba, business_id: '1', business_token: token };
  const body = { channel: 'WAP_AUTO_CLOSER', name: 'Shared', number: '+551133334444', api_wap_config };
  return { id, waba, inbox: (await call(201, 'POST', '/v1/inboxes', { body })).body._id };
}

const read = async ({ inbox }: Shared): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${inbox}`)).body;
const readHistory = async (shared: Shared): Promise<Json> => (await read(shared)).history;
const listAsked = async ({ id }: Shared): Promise<string[]> => (await sandbox('GET', '/sandbox/accounts')).synced[id];
const setFaults = (smb_app_data: Json[]) => sandbox('PUT', '/sandbox/settings', { faults: { smb_app_data } });

/** Lets the waiting job of the inbox begin now; false when none waits. */
async function hurry(job: { name: string }, { inbox }: Shared): Promise<boolean> {
  const rows = await database.sql(
    `update pgboss.job set start_after = now() where name = $1 and data->>'inbox' = $2 and state in ('created', 'retry')
      returning 1`,
    [job.name, inbox],
  );
  return rows.length > 0;
}

async function waitForRequest(shared: Shared): Promise<Json> {
  await waitUntil('the request to be accepted', async () => (await readHistory(shared)).requested_at !== null);
  return readHistory(shared);
}

const post = ({ id, waba }: Shared, field: string, value: object) =>
  network.post(200, buildNotification({ phone: { id, waba }, field, value }));
const postChunk = (shared: Shared, progress: number) => {
  const person = makePhoneNumber();
  const threads = [{ id: person, messages: [fillMessage({ from: person })] }];
  return post(shared, 'history', { history: [{ metadata: { phase: 0, chunk_order: 1, progress }, threads }] });
};
const postErrors = (shared: Shared, code: number) =>
  post(shared, 'history', { history: [{ errors: [{ code, title: 'History sync', message: 'History sync' }] }] });

test('the contacts and the old messages of a phone are asked for once when its number becomes an inbox', async () => {
  const shared = await connect();
  const { status, progress, error, requested_at, updated_at } = await waitForRequest(shared);
  assert.deepEqual([status, progress, error], ['REQUESTED', 0, null]);
  assert.equal(requested_at, updated_at);
  assert.deepEqual(await listAsked(shared), BOTH);
  assert.equal(await hurry(RequestHistory, shared), false);
  // The network would refuse a second request.
  for (const event of ['ACCOUNT_OFFBOARDED', 'ACCOUNT_RECONNECTED'])
    await post(shared, 'account_update', { event, metadata: undefined });
  assert.equal((await read(shared)).coexistence_enabled, true);
  assert.equal(await hurry(RequestHistory, shared), false);
  assert.equal((await readHistory(shared)).requested_at, requested_at);
});

test('the old messages are asked for when the network reports that a phone shares the number of an inbox', async () => {
  const shared = await connect(false);
  assert.equal(await readHistory(shared), null);
  await post(shared, 'account_update', { event: 'ACCOUNT_RECONNECTED', metadata: undefined });
  await waitForRequest(shared);
  assert.deepEqual(await listAsked(shared), BOTH);
});

test('after a fault of the network the request is repeated, without what the network has accepted before', async () => {
  for (const faults of [[{ code: 2, times: 1 }], [{ kind: 'reset', times: 1 }], [{ code: 190, times: 1 }]]) {
    await setFaults(faults);
    const shared = await connect();
    await waitUntil('the request to wait for its next try', () => hurry(RequestHistory, shared));
    assert.equal((await waitForRequest(shared)).status, 'REQUESTED');
    assert.deepEqual(await listAsked(shared), BOTH);
  }
  // The fault of the second request comes when the first one was accepted.
  await setFaults([
    { kind: 'slow', ms: 1, times: 1 },
    { code: 4, times: 1 },
  ]);
  const shared = await connect();
  await waitUntil('the request to wait for its next try', () => hurry(RequestHistory, shared));
  assert.equal((await waitForRequest(shared)).error, null);
  assert.deepEqual(await listAsked(shared), BOTH);
});

test('a refusal of the old messages is shown with its cause and not repeated, and that of the contacts is not shown', async () => {
  await setFaults([{ code: 131_005, message: 'Access denied', times: 2 }]);
  const shared = await connect();
  await waitUntil('the refusal', async () => (await readHistory(shared)).status === 'FAILED');
  const { error, requested_at } = await readHistory(shared);
  assert.match(error, /Access denied.*code 131005/);
  assert.equal(requested_at, null);
  assert.equal(await hurry(RequestHistory, shared), false);
  await setFaults([{ code: 131_005, times: 1 }]);
  assert.equal((await waitForRequest(await connect())).status, 'REQUESTED');
});

test('the acceptance of one of two requests at the same time counts, whichever answer comes first', async () => {
  const accepted = await connect();
  await waitForRequest(accepted);
  await setFaults([{ code: 131_005, times: 2 }]);
  const refused = await connect();
  await waitUntil('the refusal', async () => (await readHistory(refused)).status === 'FAILED');
  const at = new Date().toISOString();
  for (const [{ inbox }, error] of [
    [accepted, 'refused'],
    [refused, null],
  ] as const) {
    const [row] = await database.sql<{ version: number }>(
      'select connection_version as version from inboxes where _id = $1',
      [inbox],
    );
    const answer = { version: row?.version ?? 0, error, at };
    await running.kit.database.tenantTx(platform.demo._id, (tx) => answerRequest(tx, inbox, answer));
  }
  for (const { history } of [await read(accepted), await read(refused)])
    assert.deepEqual([history.status, history.error], ['REQUESTED', null]);
});

test('chunks move the progress forward in whatever order they come, and the last one completes the history', async () => {
  const shared = await connect();
  const { requested_at } = await waitForRequest(shared);
  for (const [given, status, progress] of [
    [0, 'RECEIVING', 0],
    [40, 'RECEIVING', 40],
    [20, 'RECEIVING', 40],
    [100, 'COMPLETE', 100],
    [60, 'COMPLETE', 100],
  ] as const) {
    await postChunk(shared, given);
    const history = await readHistory(shared);
    assert.deepEqual([history.status, history.progress], [status, progress]);
    assert.equal(history.requested_at, requested_at);
  }
  const { updatedAt } = await read(shared);
  for (const code of [2593109, 2593107]) await postErrors(shared, code);
  assert.equal((await read(shared)).updatedAt, updatedAt);
});

test('a business that does not share its history, and a history that the network cannot send, are shown until messages come', async () => {
  for (const [code, status, cause] of [
    [2593109, 'DECLINED', /^null$/],
    [2593107, 'FAILED', /History sync.*code 2593107/],
  ] as const) {
    const shared = await connect();
    await waitForRequest(shared);
    await postErrors(shared, code);
    const { error, ...history } = await readHistory(shared);
    assert.equal(history.status, status);
    assert.match(String(error), cause);
    await postChunk(shared, 10);
    assert.deepEqual(await readHistory(shared).then((after) => [after.status, after.progress, after.error]), [
      'RECEIVING',
      10,
      null,
    ]);
  }
});

test('a history of which nothing has come for 24 hours is NONE, and FAILED if the network has not accepted the request', async () => {
  const age = (shared: Shared, hours: number, field: string) =>
    database.sql('update inboxes set history = jsonb_set(history, $2, to_jsonb($3::text)) where _id = $1', [
      shared.inbox,
      [field],
      new Date(Date.now() - hours * 3_600_000).toISOString(),
    ]);
  const shared = await connect();
  await waitForRequest(shared);
  await age(shared, 23, 'requested_at');
  const countLooks = async (): Promise<number> =>
    (
      await database.sql(`select 1 from pgboss.job where name = $1 and data->>'inbox' = $2`, [
        HistoryOverdue.name,
        shared.inbox,
      ])
    ).length;
  const looks = await countLooks();
  assert.equal(await hurry(HistoryOverdue, shared), true);
  await waitUntil('the next look to be planned', async () => (await countLooks()) > looks);
  assert.equal((await readHistory(shared)).status, 'REQUESTED');
  await age(shared, 25, 'requested_at');
  await waitUntil('the next look', () => hurry(HistoryOverdue, shared));
  await waitUntil('the wait to end', async () => (await readHistory(shared)).status === 'NONE');
  await postChunk(shared, 100);
  assert.equal((await readHistory(shared)).status, 'COMPLETE');

  await setFaults([{ code: 2, times: null }]);
  const refused = await connect();
  await waitUntil('the request to fail', async () => {
    const rows = await database.sql(
      `select 1 from pgboss.job where name = $1 and data->>'inbox' = $2 and state = 'retry'`,
      [RequestHistory.name, refused.inbox],
    );
    return rows.length > 0;
  });
  await age(refused, 25, 'updated_at');
  assert.equal(await hurry(HistoryOverdue, refused), true);
  await waitUntil('the wait to end', async () => (await readHistory(refused)).status === 'FAILED');
  assert.equal((await readHistory(refused)).error, 'The network did not accept the request within 24 hours.');
  await setFaults([]);
});

test('an inbox whose number was shared before is not asked for its history', async () => {
  const shared = await connect();
  await waitForRequest(shared);
  await database.sql(
    `update inboxes set history = null, connection_checked_at = now() - interval '1 day' where _id = $1`,
    [shared.inbox],
  );
  await database.sql(`delete from pgboss.job where data->>'inbox' = $1`, [shared.inbox]);
  const { checked_at } = (await read(shared)).connection;
  await platform.running.kit.database.tenantTx(platform.demo._id, (tx) =>
    platform.running.kit.enqueue(tx, ConfirmConnection, { company: platform.demo._id, inbox: shared.inbox }),
  );
  await waitUntil('the daily check', async () => (await read(shared)).connection.checked_at > checked_at);
  const { coexistence_enabled, history } = await read(shared);
  assert.deepEqual([coexistence_enabled, history], [true, null]);
  await postChunk(shared, 30);
  assert.deepEqual(
    await readHistory(shared).then(({ status, progress, requested_at }) => [status, progress, requested_at]),
    ['RECEIVING', 30, null],
  );
});
