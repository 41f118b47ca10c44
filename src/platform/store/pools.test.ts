/** Shares of the connection pools: companies that wait for locks leave connections to all others. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { startProxy } from '../../../test/full/harness/proxy.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { inBackground } from '../work/background.ts';
import { exec, isUnavailable, many, type Statement } from './db.ts';
import { newId } from '../values/ids.ts';
import { openDatabase } from './open-database.ts';

const POOL = 8;
const SLOW = 3;

const database = await openTestDatabase();
const platform = openDatabase({ url: database.url, poolSize: POOL });
after(async () => {
  await platform.close();
  await database.close();
});

const raw = (text: string): Statement => ({ name: '', text, values: [] });
const ONE = raw('select 1');
// A statement that waits until the test releases the lock.
const QUEUE = raw('select pg_advisory_xact_lock_shared(7)');

async function waiting(): Promise<number> {
  const rows = await database.sql(`select from pg_locks where locktype = 'advisory' and objid = 7 and not granted`);
  return rows.length;
}

for (const [kind, ask] of [
  ['transactions', (company: string, statement) => platform.tenantTx(company, (tx) => many(tx, statement))],
  ['reads', (company: string, statement) => many(platform.read(company), statement)],
  [
    'transactions across companies',
    (company: string, statement) => platform.systemTx(`company:${company}`, (tx) => many(tx, statement)),
  ],
] satisfies [string, (company: string, statement: Statement) => Promise<unknown[]>][]) {
  test(`companies whose ${kind} wait for locks leave connections to other companies`, async () => {
    const slow = Array.from({ length: SLOW }, newId);
    const asked = await platform.systemTx('upkeep', async (tx) => {
      await exec(tx, raw('select pg_advisory_xact_lock(7)'));
      // More statements than the pool has connections: the first company gets half of them, each other company one of the other half.
      const answers = slow.flatMap((company) => Array.from({ length: POOL }, () => ask(company, QUEUE)));
      const settled = Promise.allSettled(answers);
      const held = POOL / 2 + SLOW - 1;
      await waitUntil('them to wait', async () => (await waiting()) === held);
      for (let newcomer = 0; newcomer < 25; newcomer += 1) assert.equal((await ask(newId(), ONE)).length, 1);
      for (const lane of ['admission', 'callbacks', 'deliveries'] as const) {
        assert.equal((await many(platform.system(lane), ONE)).length, 1);
      }
      await platform.ping();
      assert.equal(await waiting(), held);
      return { settled };
    });
    // On a very slow machine statements at the end of the queue may time out.
    assert.ok((await asked.settled).filter(({ status }) => status === 'fulfilled').length >= SLOW);
  });
}

/** A statement whose cost depends on its values, as searches have it: it says when it ran. */
const SEARCH: Statement = {
  ...raw('select clock_timestamp() as begun, pg_sleep(0.1)::text as slept, clock_timestamp() as ended'),
  planEachTime: true,
};

interface Run {
  begun: string;
  ended: string;
}

const milliseconds = (runs: Run[]): { begunMs: number; endedMs: number }[] =>
  runs
    .map(({ begun, ended }) => ({ begunMs: Date.parse(begun), endedMs: Date.parse(ended) }))
    .toSorted((a, b) => a.begunMs - b.begunMs);

for (const [kind, read] of [
  ['searches', platform.read],
  ['exports', platform.walk],
] as const) {
  test(`the ${kind} of one company run one after another with pauses, and other companies do not wait for them`, async () => {
    const company = newId();
    const search = async (asker: string): Promise<Run> => {
      const [run] = await many<Run>(read(asker), SEARCH);
      assert.ok(run);
      return run;
    };
    const runs = milliseconds(await Promise.all([1, 2, 3].map(() => search(company))));
    for (const [index, { begunMs, endedMs }] of runs.entries()) {
      const next = runs[index + 1];
      // The pause is as long as the statement took, counted by another clock.
      if (next)
        assert.ok(next.begunMs - endedMs >= 0.8 * (endedMs - begunMs), `a pause of ${next.begunMs - endedMs} ms`);
    }
    const asked = await platform.systemTx('upkeep', async (tx) => {
      await exec(tx, raw('select pg_advisory_xact_lock(7)'));
      const own = Promise.allSettled([1, 2, 3].map(() => many(read(company), { ...QUEUE, planEachTime: true })));
      await waitUntil('one of them to wait', async () => (await waiting()) === 1);
      await search(newId());
      return { own };
    });
    await asked.own;
  });
}

test('callbacks that wait for locks leave connections to admitting requests, to deliveries and to companies', async () => {
  const asked = await platform.systemTx('upkeep', async (tx) => {
    await exec(tx, raw('select pg_advisory_xact_lock(7)'));
    const settled = Promise.allSettled(
      Array.from({ length: 2 * POOL }, () => platform.systemTx('callbacks', (mine) => exec(mine, QUEUE))),
    );
    await waitUntil('callbacks to wait', async () => (await waiting()) > 0);
    for (const behalf of ['admission', 'deliveries', `company:${newId()}`, 'address:127.0.0.1'] as const) {
      assert.equal((await many(platform.system(behalf), ONE)).length, 1);
    }
    return { settled };
  });
  await asked.settled;
});

test('the background work of a company leaves a connection to its callers', async () => {
  const company = newId();
  const transact = (statement: Statement) => platform.tenantTx(company, (tx) => many(tx, statement));
  const asked = await platform.systemTx('upkeep', async (tx) => {
    await exec(tx, raw('select pg_advisory_xact_lock(7)'));
    const backlog = Promise.allSettled(Array.from({ length: 2 * POOL }, () => inBackground(() => transact(QUEUE))));
    await waitUntil('the backlog to wait', async () => (await waiting()) === POOL / 2 - 1);
    for (let caller = 0; caller < 25; caller += 1) assert.equal((await transact(ONE)).length, 1);
    return { backlog };
  });
  await asked.backlog;
});

test('a company keeps its reserved connection when its work took long because the database was away', async (t) => {
  const proxy = await startProxy();
  t.after(proxy.close);
  proxy.aim(new pg.Client({ connectionString: database.url }).port);
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` }).href;
  const proxied = openDatabase({ url, poolSize: 2, waitMs: 1_000, statementMs: 1_000 });
  t.after(proxied.close);
  const [company, other] = [newId(), newId()];
  const work = (): Promise<unknown> => proxied.tenantTx(company, (tx) => many(tx, ONE));
  await work();
  proxy.freeze(true);
  await assert.rejects(work(), isUnavailable);
  proxy.freeze(false);
  await proxied.tenantTx(other, async (tx) => {
    await many(tx, ONE);
    await work();
  });
});

test('work that finds no free connection is done later, and not given up', async (t) => {
  const small = openDatabase({ url: database.url, poolSize: 2, waitMs: 100 });
  t.after(small.close);
  const company = newId();
  const read = (): Promise<unknown[]> => small.tenantTx(company, (tx) => many(tx, ONE));
  // On a busy machine the first connection is not open within the 100 ms.
  await waitUntil('a connection', () => read().catch(() => null));
  await small.tenantTx(company, async () => {
    await assert.rejects(read(), isUnavailable);
  });
});
