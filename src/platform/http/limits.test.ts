/** Rate limits over several processes, simulated by several limiters with their own connections and local tokens. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createChance, readSeed } from '../../../test/full/harness/chance.ts';
import { runWithStoppedClock } from '../../../test/support/clock.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { isUnavailable, type Statement } from '../store/db.ts';
import { newId } from '../values/ids.ts';
import { addressGroup, createLimiter, purgeBuckets, type Allowance, type Limiter } from './limits.ts';
import type { Database, SystemTx } from '../store/tenant.ts';
import { openDatabase } from '../store/open-database.ts';

const PROCESSES = 3;
// With this rate, a bucket gets no new token during a test.
const NO_REFILL = 1e-9;

const database = await openTestDatabase();
const platforms = Array.from({ length: PROCESSES }, () => openDatabase({ url: database.url, poolSize: 3 }));
const [platform] = platforms as [Database];
const door = platform.system('admission');
after(async () => {
  for (const one of platforms) await one.close();
  await database.close();
});

const openLimiters = (): Limiter[] => platforms.map(({ system }) => createLimiter(system('admission')));
const allowance = (refillPerSecond: number, capacity: number, subject = `test:${newId()}`): Allowance => ({
  subject,
  refillPerSecond,
  capacity,
});

async function readTokens(subject: string): Promise<number> {
  const [row] = await database.sql<{ tokens: number }>('select tokens from rate_buckets where subject = $1', [subject]);
  return row?.tokens ?? Number.NaN;
}

async function countAdmitted(verdicts: Promise<{ admitted: boolean }>[]): Promise<number> {
  return (await Promise.all(verdicts)).filter(({ admitted }) => admitted).length;
}

/** Returns an executor that counts its round trips to the database. */
function countTrips(): { system: SystemTx; trips: () => number } {
  let trips = 0;
  const query: SystemTx['query'] = (statement) => {
    trips += 1;
    return door.query(statement);
  };
  return { system: { ...door, query }, trips: () => trips };
}

/** Returns an executor that can be shut: answers then wait until it is opened again. */
function gateAnswers(): { system: SystemTx; trips: () => number; shut: () => () => void } {
  const { system, trips } = countTrips();
  let opened = Promise.resolve();
  const query: SystemTx['query'] = async <R>(statement: Statement) => {
    const rows = await system.query<R>(statement);
    await opened;
    return rows;
  };
  const shut = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    opened = promise;
    return resolve;
  };
  return { system: { ...system, query }, trips, shut };
}

describe('rate limits over three processes', () => {
  test('a flood of requests over three processes is admitted no faster than the rate limit allows', async () => {
    const limiters = openLimiters();
    const limit = allowance(200, 400);
    const started = performance.now();
    let admitted = 0;
    const flood = async (limiter: Limiter): Promise<void> => {
      for (let sent = 0; sent < 500; sent += 1) {
        if ((await limiter.admit([limit])).admitted) admitted += 1;
        await turn();
      }
    };
    await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 8 }, () => flood(limiter))));
    const most = limit.capacity + (limit.refillPerSecond * (performance.now() - started)) / 1_000;
    assert.ok(admitted <= 1.01 * most, `${admitted} admitted, ${most} allowed`);
    for (const limiter of limiters) await limiter.close();
  });

  test('of a burst of requests over three processes exactly as many are admitted as the bucket holds', async () => {
    const limiters = openLimiters();
    const limit = allowance(NO_REFILL, 50);
    const calls = Array.from({ length: 120 }, (_, n) => (limiters[n % PROCESSES] as Limiter).admit([limit]));
    assert.equal(await countAdmitted(calls), 50);
  });

  test('after a pause a bucket holds no more tokens than a new one', async () => {
    const limiters = openLimiters();
    const limit = allowance(200, 10);
    for (const limiter of limiters) assert.ok((await limiter.admit([limit])).admitted);
    await sleep(300);
    const started = performance.now();
    const calls = Array.from({ length: 60 }, (_, n) => (limiters[n % PROCESSES] as Limiter).admit([limit]));
    const admitted = await countAdmitted(calls);
    const most = limit.capacity + (limit.refillPerSecond * (performance.now() - started)) / 1_000;
    assert.ok(admitted >= limit.capacity && admitted <= most, `${admitted} admitted, ${most} allowed`);
  });

  test('a caller that stays below the rate limit is never refused, whichever processes its requests reach', async (t) => {
    const seed = readSeed();
    t.diagnostic(`SEED=${seed}`);
    const chance = createChance(seed);
    const limiters = openLimiters();
    const limit = allowance(200, 400);
    // The caller sends at 95 % of the rate, with bursts of up to 90 % of the bucket. The time that a burst takes is not counted, because
    // on a slow machine its requests may reach the bucket late.
    const most = 0.9 * limit.capacity;
    let left = most;
    for (let sent = 0; sent < 800;) {
      const burst = chance.int(Math.max(1, Math.floor(left)));
      const calls = Array.from({ length: burst }, () => chance.pick(limiters).admit([limit]));
      assert.equal(await countAdmitted(calls), burst);
      sent += burst;
      const pausedMs = performance.now();
      await sleep(chance.int(30));
      const refilled = (0.95 * limit.refillPerSecond * (performance.now() - pausedMs)) / 1_000;
      left = Math.min(most, left - burst + refilled);
    }
  });

  test('no token is lost or created, whatever combinations of rate limits apply to requests', async (t) => {
    const seed = readSeed();
    t.diagnostic(`SEED=${seed}`);
    const chance = createChance(seed);
    const limiters = openLimiters();
    const limits = Array.from({ length: 12 }, () => allowance(NO_REFILL, 20 + chance.int(200)));
    const spent = new Map(limits.map(({ subject }) => [subject, 0]));
    const call = async (): Promise<void> => {
      const asked = chance.shuffle(limits).slice(0, 1 + chance.int(3));
      if (!(await chance.pick(limiters).admit(asked)).admitted) return;
      for (const { subject } of asked) spent.set(subject, (spent.get(subject) ?? 0) + 1);
    };
    // This many calls empty some buckets and leave many tokens in others.
    for (let round = 0; round < 60; round += 1) await Promise.all(Array.from({ length: chance.int(20) }, call));
    await Promise.all(limiters.map((limiter) => limiter.close()));
    for (const { subject, capacity } of limits) {
      assert.equal(Math.round((await readTokens(subject)) * 1e3) / 1e3, capacity - (spent.get(subject) ?? 0));
    }
  });
});

describe('tokens that a process has taken in advance', () => {
  test('a caller with many requests costs the database only some ten round trips a second', async () => {
    const { system, trips } = countTrips();
    const limiter = createLimiter(system);
    // The bucket is so large that even the fastest machine does not reach the limit of the stock.
    const limit = allowance(1e6, 1e9);
    const started = performance.now();
    let calls = 0;
    for (; calls <= 5_000 || performance.now() - started < 1_000; calls += 1) {
      assert.ok((await limiter.admit([limit])).admitted);
      if (calls % 50 === 0) await turn();
    }
    // The local tokens double with each request until they fit the load.
    const most = Math.log2(calls) + (performance.now() - started) / 50;
    assert.ok(trips() < most, `${trips()} round trips for ${calls} calls`);
    await limiter.close();
  });

  test('a process requests new tokens before its own are used up, so that no caller waits under a steady load', async (t) => {
    const { system, trips, shut } = gateAnswers();
    const limiter = createLimiter(system);
    const limit = allowance(1e6, 2e6);
    /** Starts this many calls and returns how many of them are admitted without an answer of the database. */
    const countServed = async (callers: number): Promise<number> => {
      let served = 0;
      for (let n = 0; n < callers; n += 1) void limiter.admit([limit]).then(() => (served += 1));
      await turn();
      return served;
    };
    await runWithStoppedClock(t, async () => {
      // The second request comes at the same moment as the first, so it brings as many local tokens as there are callers.
      for (const callers of [1, 100]) await Promise.all(Array.from({ length: callers }, () => limiter.admit([limit])));
      const before = trips();
      const open = shut();
      assert.equal(await countServed(80), 80);
      assert.equal(trips(), before + 1, 'more is asked for while some is left');
      assert.equal(await countServed(20), 20);
      open();
      // The next caller waits for the answer of the database; callers after that answer do not wait.
      await limiter.admit([limit]);
      assert.equal(await countServed(100), 100);
    });
    await limiter.close();
  });

  test('a process returns its unused tokens to the bucket after a second, and at once when it ends', async (t) => {
    const limits = openLimiters();
    const [first, second] = limits as [Limiter, Limiter];
    const limit = allowance(NO_REFILL, 100);
    /** Uses three tokens. The second request comes at the same moment as the first, so it also brings two local tokens. */
    const draw = async (limiter: Limiter): Promise<void> => {
      await limiter.admit([limit]);
      await Promise.all([limiter.admit([limit]), limiter.admit([limit])]);
    };
    await runWithStoppedClock(t, async () => {
      await draw(first);
      assert.equal(Math.round(await readTokens(limit.subject)), 95, 'three were used and two are local');
    });
    await waitUntil('the local tokens to be returned', async () => Math.round(await readTokens(limit.subject)) === 97);
    await runWithStoppedClock(t, async () => {
      await draw(second);
      assert.equal(Math.round(await readTokens(limit.subject)), 92);
      await second.close();
    });
    assert.equal(Math.round(await readTokens(limit.subject)), 94);
    await first.close();
  });

  test('a process takes no tokens in advance from a bucket that is less than half full', async () => {
    const [first, second] = openLimiters() as [Limiter, Limiter];
    const limit = allowance(NO_REFILL, 100);
    assert.equal(await countAdmitted(Array.from({ length: 60 }, () => first.admit([limit]))), 60);
    for (let n = 0; n < 21; n += 1) assert.ok((await first.admit([limit])).admitted);
    assert.equal(await countAdmitted(Array.from({ length: 30 }, () => second.admit([limit]))), 19);
  });
});

describe('a request over its rate limit', () => {
  /** The caller is told the rest of its wait in whole seconds. The wait began at `beganMs` or a little later. */
  const assertLeft = (seconds: number, wait: number, beganMs: number): void =>
    assert.ok(seconds <= wait && seconds >= wait - (Date.now() - beganMs) / 1_000, `${seconds} s`);

  test('a refusal says when the next token is available, and a request at that time is admitted', async () => {
    const [limiter, other, third] = openLimiters() as [Limiter, Limiter, Limiter];
    const limit = allowance(1 / 3_600, 2);
    const began = Date.now();
    const calls = await Promise.all([1, 2, 3].map(() => limiter.admit([limit])));
    assert.deepEqual(
      calls.map(({ admitted }) => admitted),
      [true, true, false],
    );
    const { retryAfterSeconds: pauseSeconds = 0, resetSeconds = 0, ...refusal } = calls[2] ?? {};
    assert.deepEqual(refusal, { admitted: false, limit: 2, remaining: 0 });
    assertLeft(pauseSeconds, 3_600, began);
    assertLeft(resetSeconds, 7_200, began);
    // The second process does not know the bucket yet and queries the database.
    const { admitted, retryAfterSeconds } = await other.admit([limit]);
    assert.equal(admitted, false);
    assertLeft(retryAfterSeconds, 3_600, began);
    await database.sql(
      'update rate_buckets set refilled_at = refilled_at - make_interval(secs => $2) where subject = $1',
      [limit.subject, retryAfterSeconds],
    );
    assert.ok((await third.admit([limit])).admitted);
  });

  test('a refusal is remembered until the next token, so that a flood of refused requests causes no round trips', async (t) => {
    const { system, trips } = countTrips();
    const limiter = createLimiter(system);
    const limit = allowance(0.01, 1);
    await runWithStoppedClock(t, async () => {
      assert.ok((await limiter.admit([limit])).admitted);
      const before = trips();
      assert.equal(await countAdmitted(Array.from({ length: 1_000 }, () => limiter.admit([limit]))), 0);
      assert.equal(trips(), before);
      assert.equal((await limiter.admit([limit])).retryAfterSeconds, 100);
    });
  });

  test('a request that one rate limit refuses uses no tokens of its other limits, and the answer names the limit with the longest wait', async (t) => {
    const [limiter] = openLimiters() as [Limiter];
    const [key, company, address] = [allowance(NO_REFILL, 100), allowance(1 / 3_600, 3), allowance(1, 1)] as const;
    const began = Date.now();
    await runWithStoppedClock(t, async () => {
      assert.equal(await countAdmitted(Array.from({ length: 40 }, () => limiter.admit([key, company]))), 3);
      assert.ok((await limiter.admit([address])).admitted);
      const verdict = await limiter.admit([key, address, company]);
      assert.equal(verdict.limit, 3);
      assertLeft(verdict.resetSeconds, 10_800, began);
      assertLeft(verdict.retryAfterSeconds, 3_600, began);
    });
    await limiter.close();
    assert.equal(Math.round(await readTokens(key.subject)), 97);
  });

  test('a refusal does not last longer when the clock of the database is set back', async () => {
    const [limiter] = openLimiters() as [Limiter];
    const limit = allowance(50, 1);
    assert.ok((await limiter.admit([limit])).admitted);
    await database.sql(
      `update rate_buckets set tokens = 0, refilled_at = now() + interval '1 hour' where subject = $1`,
      [limit.subject],
    );
    await waitUntil('a token', async () => (await limiter.admit([limit])).admitted);
  });
});

test('the answer to an admitted request reports the rate limit with the fewest tokens left', async (t) => {
  const [limiter] = openLimiters() as [Limiter];
  await runWithStoppedClock(t, async () => {
    const verdict = await limiter.admit([allowance(10, 20), allowance(5, 10), allowance(100, 200)]);
    assert.deepEqual(verdict, { admitted: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 });
  });
});

test('while the database is unreachable, the caller gets an error without waiting twice', async () => {
  const away = openDatabase({ url: 'postgres://parley@127.0.0.1:1/parley', poolSize: 1 });
  const limiter = createLimiter(away.system('admission'));
  const limit = allowance(1, 10);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => limiter.admit([limit])));
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason));
  await limiter.close();
  await away.close();
});

test('a bucket that was not used for an hour is deleted, and is full when it is used again', async () => {
  const limits = [allowance(NO_REFILL, 5), allowance(NO_REFILL, 5)] as const;
  const [limiter, other] = openLimiters() as [Limiter, Limiter];
  for (const limit of limits) await limiter.admit([limit]);
  await database.sql(`update rate_buckets set refilled_at = refilled_at - interval '61 minutes' where subject = $1`, [
    limits[0].subject,
  ]);
  assert.ok((await purgeBuckets(door)) >= 2);
  assert.ok(Number.isNaN(await readTokens(limits[0].subject)));
  assert.equal(Math.round(await readTokens(limits[1].subject)), 4);
  assert.equal(await countAdmitted(Array.from({ length: 9 }, () => other.admit([limits[0]]))), 5);
});

test('only the system role has access to the buckets', async () => {
  for (const role of ['parley_app', 'parley_read', 'public']) {
    const [row] = await database.sql<{ table: boolean; function: boolean }>(
      role === 'public'
        ? `select exists (select 1 from information_schema.role_table_grants where grantee = 'PUBLIC' and table_name = 'rate_buckets') as table,
             exists (select 1 from information_schema.role_routine_grants where grantee = 'PUBLIC' and routine_name = 'take_tokens') as function`
        : `select has_table_privilege('${role}', 'rate_buckets', 'select, insert, update, delete') as table,
             has_function_privilege('${role}', p.oid, 'execute') as function from pg_proc p where proname = 'take_tokens'`,
    );
    assert.deepEqual(row, { table: false, function: false }, role);
  }
});

test('an IPv4 address is counted by itself, an IPv6 address by its /64 network, and a mapped IPv4 address as IPv4', () => {
  for (const [address, group] of [
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:ffff:0.0.0.1', '0.0.0.1'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:ffff::', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::ffff:203.0.113.9', '1:0:0:0::/64'],
  ] as const) {
    assert.equal(addressGroup(address), group, address);
  }
});
