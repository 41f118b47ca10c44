/** The claim loop on a queue table of its own: fair turns, one act for each row, and what a stop leaves behind. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../../../../test/support/database.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../values/ids.ts';
import { UNGUARDED } from '../../store/storage.ts';
import { createLog } from '../telemetry.ts';
import { createWakeUps } from '../../store/wake-ups.ts';
import { openDatabase } from '../../store/open-database.ts';
import { leaseColumns, openLeases, pickLeased, type LeasedRow } from './leases.ts';
import { startClaimLoop, type ClaimLoop } from './claim-loop.ts';
import { isPicked } from '../../store/picked-rows.ts';
import { pickInTurn, pickValues } from './fair-pick.ts';
import type { ClaimedRow, ClaimQueue, RowOutcome } from './queue.ts';

const SLOTS = 4;

type Parcel = ClaimedRow;

interface Result extends RowOutcome {
  result: string;
}

type Act = (parcel: Parcel) => Promise<string>;

const database = await openTestDatabase();
const platform = openDatabase({ url: database.url, poolSize: 4 });
const loops: ClaimLoop[] = [];
const wakeUps = createWakeUps();
after(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  await platform.close();
  await database.close();
});

/** A queue table of its own for each test, so that the loops of the tests do not meet. */
async function createQueue(): Promise<{ table: string; queue: (act: Act) => ClaimQueue<Parcel, Result> }> {
  const table = `parcels_${newId()}`;
  const waiting = 'claimed_at is null';
  await database.sql(`create table ${table} (
    company_id text, _id text, seq bigint generated always as identity, claimed_at timestamptz, result text, primary key (company_id, _id))`);
  await database.sql(`create index on ${table} (company_id, seq) where ${waiting}`);
  const queue = (act: Act): ClaimQueue<Parcel, Result> => ({
    name: table,
    waiting: `exists (select from ${table} where ${waiting})`,
    slots: SLOTS,
    slotsPerCompany: 2,
    claim: async (capacity) => {
      const claimed = await database.sql<Parcel>(
        `with recursive ${pickInTurn({ table, waiting, order: 'seq', columns: '_id' })}
        update ${table} q set claimed_at = now() from picked where ${isPicked('q')}
        returning q.company_id as company, q._id`,
        pickValues(capacity),
      );
      return { claimed, dismissed: 0 };
    },
    act: async (parcel) => ({ _id: parcel._id, result: await act(parcel) }),
    actMs: 1_000,
    record: (results) =>
      database.sql(
        `update ${table} q set result = r.result from unnest($1::text[], $2::text[]) as r (_id, result) where q._id = r._id`,
        [results.map(({ _id }) => _id), results.map(({ result }) => result)],
      ),
  });
  return { table, queue };
}

function start(queue: ClaimQueue<Parcel, Result>): ClaimLoop {
  const loop = startClaimLoop(queue, { storage: UNGUARDED, database: { wakeUps }, log: createLog('silent') });
  loops.push(loop);
  return loop;
}

function startLeased(queue: ClaimQueue<LeasedRow, RowOutcome>): ClaimLoop {
  const loop = startClaimLoop(queue, { storage: UNGUARDED, database: platform, log: createLog('silent') });
  loops.push(loop);
  return loop;
}

const add = (table: string, company: string, count: number): Promise<unknown> =>
  database.sql(`insert into ${table} (company_id, _id) select $1, $1 || n from generate_series(1, $2) n`, [
    company,
    count,
  ]);

async function countWhere(table: string, condition: string): Promise<number> {
  const [row] = await database.sql<{ count: number }>(`select count(*)::int as count from ${table} where ${condition}`);
  return row?.count ?? -1;
}

describe('a claim loop', { concurrency: true }, () => {
  test('a company whose work hangs takes no more than its share, and another company is served beside it', async () => {
    const { table, queue } = await createQueue();
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    await add(table, 'slow', 50);
    const loop = start(
      queue(async ({ company }) => {
        begun.push(company);
        if (company === 'slow') await gate.promise;
        return 'done';
      }),
    );
    await waitUntil('the slow company to have its share', () => begun.length === 2);
    await add(table, 'quick', 20);
    loop.wake();
    await waitUntil(
      'the quick company to be served',
      async () => (await countWhere(table, `result is not null`)) === 20,
    );
    assert.equal(begun.filter((company) => company === 'slow').length, 2);
    gate.resolve();
    await waitUntil('all to be done', async () => (await countWhere(table, 'result is null')) === 0);
  });

  test('where outcomes decide what may be claimed, a row keeps its slot until its outcome is stored', async () => {
    const { table, queue } = await createQueue();
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    let recording = 0;
    await add(table, 'first', 10);
    const parcels = queue(async ({ company }) => {
      begun.push(company);
      return 'done';
    });
    const record = async (results: Result[]): Promise<unknown> => {
      recording += 1;
      await gate.promise;
      return parcels.record(results);
    };
    const loop = start({ ...parcels, record, outcomesDecide: true });
    await waitUntil('the outcomes to be on their way', () => recording > 0);
    await add(table, 'second', 1);
    loop.wake();
    await waitUntil('another claim', () => begun.includes('second'));
    assert.equal(begun.filter((company) => company === 'first').length, 2);
    gate.resolve();
    await waitUntil('all to be done', async () => (await countWhere(table, 'result is null')) === 0);
  });

  test('where outcomes decide, a slow database delays only storing: the claim is renewed, and the company keeps its share', async () => {
    const { table, queue } = await createQueue();
    const [stored, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun: string[] = [];
    const renewed: string[][] = [];
    await add(table, 'quick', 10);
    const parcels = queue(async ({ _id }) => {
      begun.push(_id);
      if (begun.length > 2) await ended.promise;
      return 'done';
    });
    start({
      ...parcels,
      slotsPerCompany: SLOTS,
      slowMs: 300,
      leaseSeconds: 0.4,
      renew: (rows) => Promise.resolve(renewed.push(rows.map(({ _id }) => _id).toSorted())),
      record: async (results) => {
        await stored.promise;
        return parcels.record(results);
      },
      outcomesDecide: true,
    });
    // A renewal every 100 ms, so more time has passed than makes work slow.
    await waitUntil('renewals', () => renewed.length >= 5);
    assert.deepEqual(renewed.at(-1), begun.toSorted());
    assert.equal(begun.length, 2);
    const done = new Set(begun);
    stored.resolve();
    await waitUntil('the whole share of the company', () => begun.length === 2 + SLOTS);
    const count = renewed.length;
    await waitUntil('another renewal', () => renewed.length > count + 1);
    assert.ok(renewed.at(-1)?.every((id) => !done.has(id)));
    ended.resolve();
    await waitUntil('all to be done', async () => (await countWhere(table, 'result is null')) === 0);
  });

  test('a row counts as claimed in the database before its work begins', async () => {
    const { table, queue } = await createQueue();
    const seen: number[] = [];
    await add(table, 'a', 10);
    start(
      queue(async ({ _id }) => {
        seen.push(await countWhere(table, `_id = '${_id}' and claimed_at is not null`));
        return 'done';
      }),
    );
    await waitUntil('all to be done', async () => (await countWhere(table, 'result is null')) === 0);
    assert.deepEqual(seen, Array<number>(10).fill(1));
  });

  test('two loops on one table work on each row once', async () => {
    const { table, queue } = await createQueue();
    const acted: string[] = [];
    for (const company of ['a', 'b', 'c', 'd', 'e']) await add(table, company, 40);
    const act = ({ _id }: Parcel): Promise<string> => {
      acted.push(_id);
      return Promise.resolve('done');
    };
    start(queue(act));
    start(queue(act));
    await waitUntil('all to be done', async () => (await countWhere(table, 'result is null')) === 0);
    assert.equal(acted.length, 200);
    assert.equal(new Set(acted).size, 200);
  });

  test('an outcome that the database refuses does not hold up the others', async () => {
    const { table, queue } = await createQueue();
    await add(table, 'a', 6);
    start(queue(({ _id }) => Promise.resolve(_id === 'a3' ? '\0' : 'done')));
    await waitUntil('the others to be stored', async () => (await countWhere(table, 'result is null')) === 1);
    assert.equal(await countWhere(table, `_id = 'a3' and result is null`), 1);
  });

  test('work on a leased row that takes longer than its lease is not begun by another worker, and that of a dead one is', async () => {
    const table = `leased_${newId()}`;
    await database.sql(`create table ${table} (company_id text, _id text, is_waiting boolean not null default true,
      added_at timestamptz not null default now(), claimed_at timestamptz, held_until timestamptz, primary key (company_id, _id))`);
    await database.sql(`create index on ${table} (company_id, added_at) where is_waiting`);
    await database.sql(`grant all on ${table} to parley_system`);
    await database.sql(
      `insert into ${table} (company_id, _id, is_waiting, claimed_at, held_until) values ('a', 'of a dead worker', false, now(), now()), ('b', 'long', true, null, null)`,
    );
    const leased = { table, order: 'added_at', leaseSeconds: 1 };
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const { system } = platform;
    const makeQueue = (): ClaimQueue<LeasedRow, RowOutcome> => ({
      ...openLeases(system('upkeep'), leased),
      name: table,
      slots: SLOTS,
      slotsPerCompany: 2,
      claim: async (capacity) => {
        const claimed = await database.sql<LeasedRow>(
          `${pickLeased(leased)} update ${table} q set ${leaseColumns(leased)} from picked where ${isPicked('q')}
            returning q.company_id as company, q._id, claimed_at::text`,
          pickValues(capacity),
        );
        return { claimed, dismissed: 0 };
      },
      act: async ({ _id }) => {
        begun.push(_id);
        if (_id === 'long') await gate.promise;
        return { _id };
      },
      actMs: 1_000,
      record: (ended) => database.sql(`delete from ${table} where _id = any($1)`, [ended.map(({ _id }) => _id)]),
    });
    const [first, second] = [startLeased(makeQueue()), startLeased(makeQueue())];
    await waitUntil('both to be begun', () => begun.length === 2);
    const [until] = await database.sql<{ at: string }>(
      `select held_until::text as at from ${table} where _id = 'long'`,
    );
    await waitUntil('the lease to be renewed past its first end', async () => {
      second.wake();
      const [row] = await database.sql(`select 1 from ${table} where _id = 'long' and now() > $1::timestamptz`, [
        until?.at,
      ]);
      return row !== undefined;
    });
    first.wake();
    gate.resolve();
    await waitUntil('all to be done', async () => (await countWhere(table, 'true')) === 0);
    assert.deepEqual(begun.toSorted(), ['long', 'of a dead worker']);
  });

  test('a stop claims nothing more, waits for the work in progress and stores its outcome', async () => {
    const { table, queue } = await createQueue();
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    await add(table, 'a', 10);
    const loop = start(
      queue(async () => {
        begun += 1;
        await gate.promise;
        return 'done';
      }),
    );
    await waitUntil('the work to begin', () => begun === 2);
    const stopped = loop.stop();
    loop.wake();
    setImmediate(gate.resolve);
    await stopped;
    assert.deepEqual([begun, await countWhere(table, `result = 'done'`)], [2, 2]);
    assert.equal(await countWhere(table, 'claimed_at is null'), 8);
  });
});
