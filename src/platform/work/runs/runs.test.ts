/** The life of a run, with bulk changes of conversations: turns, failures, cancelling, and what callers see of it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import {
  awaitRun,
  holdRuns,
  insertConversations,
  insertInbox,
  RUNS,
} from '../../../../test/support/conversation-runs.ts';
import { openLive } from '../../../../test/support/live.ts';
import { startPlatform, type Company, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { CONVERSATION_RUNS } from '../../../features/conversations/bulk/runs.ts';
import { startConversationRuns } from '../../../features/macros/runs.ts';
import { REPLAYS } from '../../../features/webhooks/replays/replays.ts';
import { newId } from '../../values/ids.ts';
import { addRun, purgeRuns } from './runs.ts';
import { startRuns, type Portion } from './work.ts';

const platform = await startPlatform();
const { call, database } = platform;

interface Prepared {
  company: Company;
  ids: string[];
  /** Starts a run over all conversations of the company. */
  start(headers?: Record<string, string>): Promise<Json>;
}

/** Creates a company with conversations. */
async function prepare(count: number): Promise<Prepared> {
  const company = await platform.createCompany();
  const inbox = await insertInbox(platform, company._id);
  const ids = await insertConversations(platform, { company: company._id, inbox }, count);
  const body = { filter: {}, change: { handled_by: 'HUMAN' } };
  const start = async (headers: Record<string, string> = {}): Promise<Json> =>
    (await call(201, 'POST', RUNS, { key: company.key, body, headers })).body;
  return { company, ids: ids.toSorted(), start };
}

const read = async ({ key }: Company, id: string): Promise<Json> =>
  (await call(200, 'GET', `${RUNS}/${id}`, { key })).body;
const cancel = async ({ key }: Company, id: string): Promise<Json> =>
  (await call(201, 'POST', `${RUNS}/${id}/cancel`, { key })).body;

/** Lists the conversations of the company in their order, each as often as the audit has a change of it. */
async function listChanged({ _id }: Company): Promise<string[]> {
  const rows = await database.sql<{ id: string }>(
    `select resource_id as id from audit_log where company_id = $1 and action = 'conversations.update' order by 1`,
    [_id],
  );
  return rows.map(({ id }) => id);
}

/** Locks a conversation until the returned function is called, at the latest until the test ends. */
async function lock(t: TestContext, conversation: string | undefined): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from conversations where _id = $1 for update', [conversation]);
  const release = async (): Promise<void> => void (await client.query('rollback'));
  t.after(() => client.end());
  return release;
}

test('a run of one conversation ends while another company has five long runs, of which one is worked on at a time', async (t) => {
  const greedy = await prepare(2_000);
  const neighbour = await prepare(1);
  const runs: Json[] = [];
  for (let n = 0; n < 5; n += 1) runs.push(await greedy.start());
  const countWorked = async (): Promise<number> =>
    (
      await database.sql(
        'select 1 from runs where company_id = $1 and held_until is not null and finished_at is null',
        [greedy.company._id],
      )
    ).length;
  await waitUntil('one of them to be worked on', async () => (await countWorked()) > 0);
  let most = 0;
  const look = setInterval(() => void countWorked().then((worked) => (most = Math.max(most, worked))), 20);
  t.after(() => clearInterval(look));
  const run = await awaitRun(platform, (await neighbour.start())._id, neighbour.company);
  clearInterval(look);
  assert.deepEqual([run.status, run.changed_count], ['COMPLETED', 1]);
  assert.equal(most, 1);
  for (const { _id } of runs) assert.equal((await cancel(greedy.company, _id)).status, 'CANCELLED');
});

test('a conversation that another transaction keeps locked is reported after some tries, and the others are changed', async (t) => {
  const { company, ids, start } = await prepare(3);
  const release = await lock(t, ids[1]);
  const run = await awaitRun(platform, (await start())._id, company);
  await release();
  assert.deepEqual([run.status, run.changed_count, run.failed_count], ['COMPLETED', 2, 1]);
  assert.deepEqual([run.failures[0].conversation, run.failures[0].code], [ids[1], 'UNAVAILABLE']);
});

test('an unexpected error of one conversation is reported without its details, and the others are changed', async () => {
  const { company, ids, start } = await prepare(3);
  await database.sql(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'a secret'; end $$`,
  );
  await database.sql(
    `create trigger failing before update on conversations for each row when (old._id = '${ids[0]}') execute function fail()`,
  );
  const run = await awaitRun(platform, (await start())._id, company);
  await database.sql('drop function fail cascade');
  assert.deepEqual(run.failures, [
    { conversation: ids[0], code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' },
  ]);
  assert.equal(run.changed_count, 2);
});

test('a run that a second worker takes while the first one still works on it is done once', async (t) => {
  const { company, ids, start } = await prepare(40);
  const second = startConversationRuns(platform.running.kit);
  t.after(() => second.stop());
  const release = await lock(t, ids.toReversed()[20]);
  const { _id } = await start();
  await waitUntil('half of them', async () => (await read(company, _id)).processed === 20);
  await database.sql('update runs set is_waiting = true, held_until = null where _id = $1', [_id]);
  second.wake();
  await waitUntil('the second worker to wait for the first', async () => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await database.sql(waiting)).length > 1;
  });
  await release();
  const run = await awaitRun(platform, _id, company);
  assert.deepEqual([run.processed, run.changed_count, run.failed_count], [40, 40, 0]);
  assert.deepEqual(await listChanged(company), ids);
});

test('a worker that has lost a run to another one does not end it', async (t) => {
  const company = await platform.createCompany();
  const { kit } = platform.running;
  const kind = { ...REPLAYS, name: 'TEST' as 'REPLAY' };
  const [begun, isLost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const loseFirst = async (): Promise<Portion> => {
    begun.resolve();
    await isLost.promise;
    return { progress: null, end: { error: { code: 'INTERNAL_ERROR', message: 'of the first worker' } } };
  };
  const loop = startRuns(kit, {
    kind,
    perCompany: 1,
    begin: ({ processed }) => ({
      portion: () => (processed === 0 ? loseFirst() : Promise.resolve({ progress: null, end: { error: null } })),
    }),
  });
  t.after(() => loop.stop());
  const run = {
    input: {},
    subjects: null,
    total: 2,
    origin: null,
    actor: { type: 'system', id: null, name: 'x' },
  } as const;
  const { _id } = await kit.database.tenantTx(company._id, (tx) => addRun(tx, kind, run));
  await begun.promise;
  await database.sql('update runs set processed = 1 where _id = $1', [_id]);
  isLost.resolve();
  const [ended] = await waitUntil('the end of the run', async () => {
    const rows = await database.sql('select status from runs where _id = $1 and finished_at is not null', [_id]);
    return rows.length > 0 && rows;
  });
  assert.equal(ended?.['status'], 'COMPLETED');
});

test('a cancelled run does nothing more, and a run that has ended stays as it is', async (t) => {
  const { company, ids, start } = await prepare(40);
  const release = await lock(t, ids.toReversed()[20]);
  const { _id } = await start();
  await waitUntil('half of them', async () => (await read(company, _id)).processed === 20);
  const cancelled = await cancel(company, _id);
  await release();
  assert.deepEqual([cancelled.status, cancelled.processed, cancelled.changed_count], ['CANCELLED', 20, 20]);
  const body = { ids: ids.slice(0, 1), change: { add_tags: ['after'] } };
  const { _id: next } = (await call(201, 'POST', RUNS, { key: company.key, body })).body;
  await awaitRun(platform, next, company);
  const changed = await listChanged(company);
  assert.equal(changed.length, 21);
  assert.deepEqual(await cancel(company, _id), cancelled);
});

test('a run waits for its turn and can be cancelled before it', async () => {
  const { company, start } = await prepare(1);
  const release = await holdRuns(platform);
  const { _id } = await start();
  assert.deepEqual([(await cancel(company, _id)).status, (await read(company, _id)).processed], ['CANCELLED', 0]);
  await release();
  assert.deepEqual(await listChanged(company), []);
});

test('a request repeated with its Idempotency-Key answers the same run and does nothing twice', async () => {
  const { company, ids, start } = await prepare(2);
  const headers = { 'idempotency-key': newId() };
  const first = await start(headers);
  const ended = await awaitRun(platform, first._id, company);
  assert.deepEqual(await start(headers), ended);
  assert.deepEqual(await listChanged(company), ids);
});

test('the progress of a run arrives in the live stream as its GET answers it', async () => {
  const live = await openLive(platform);
  const { demo } = platform;
  await insertConversations(platform, { company: demo._id, inbox: demo.inbox }, 30);
  const body = { filter: {}, change: { add_tags: ['seen'] } };
  const { _id } = (await call(201, 'POST', RUNS, { body })).body;
  const last = await live.waitFor('conversation_run', (data) => data._id === _id && data.status === 'COMPLETED');
  assert.deepEqual(last, (await call(200, 'GET', `${RUNS}/${_id}`)).body);
  await live.close();
});

test('a run of another company or of another kind is not found, and is not in the list', async () => {
  const { company, start } = await prepare(1);
  const run = await awaitRun(platform, (await start())._id, company);
  const { key } = await platform.createCompany();
  const REPLAY = '/v1/webhooks/deliveries/replay';
  for (const [path, caller] of [
    [RUNS, key],
    [REPLAY, company.key],
  ] as const) {
    expectProblem(await call(404, 'GET', `${path}/${run._id}`, { key: caller }), 'NOT_FOUND');
    expectProblem(await call(404, 'POST', `${path}/${run._id}/cancel`, { key: caller }), 'NOT_FOUND');
    assert.deepEqual((await call(200, 'GET', path, { key: caller })).body.result, []);
  }
  const { body } = await call(200, 'GET', `${RUNS}?status=COMPLETED&limit=1`, { key: company.key });
  assert.deepEqual(body.result, [run]);
});

test('a run whose end is so many days ago is deleted, and a younger one and one of another kind stay', async () => {
  const { company, start } = await prepare(1);
  const runs = [await start(), await start()];
  for (const { _id } of runs) await awaitRun(platform, _id, company);
  const { kit } = platform.running;
  const run = {
    input: {},
    subjects: null,
    total: 0,
    actor: { type: 'system', id: null, name: 'x' },
    origin: null,
  } as const;
  const other = await kit.database.tenantTx(company._id, (tx) => addRun(tx, REPLAYS, run));
  await database.sql(`update runs set finished_at = now() - interval '31 days' where _id = any($1)`, [
    [runs[0]?._id, other._id],
  ]);
  await purgeRuns(kit.database, CONVERSATION_RUNS, 30);
  const left = await database.sql('select _id from runs where company_id = $1 order by created_at', [company._id]);
  assert.deepEqual(left, [{ _id: runs[1]?._id }, { _id: other._id }]);
});
