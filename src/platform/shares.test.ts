import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/wait.ts';
import { exec, many, type Statement } from './db.ts';
import { newId } from './ids.ts';
import { createShares } from './shares.ts';
import { openDatabase } from './tenant.ts';

const database = await openTestDatabase();
const platform = openDatabase({ url: database.url, poolSize: 4 });
after(async () => {
  await platform.close();
  await database.close();
});

const raw = (text: string): Statement => ({ name: '', text, values: [] });
// Waits until the test lets go of it.
const QUEUE = raw('select pg_advisory_xact_lock_shared(7)');

for (const [kind, ask] of [
  ['transactions', (company: string) => platform.tenantTx(company, (tx) => exec(tx, QUEUE))],
  ['reads', (company: string) => many(platform.read(company), QUEUE)],
] as const) {
  test(`a company whose ${kind} wait for its own locks leaves connections to the others`, async () => {
    const [busy, other] = [newId(), newId()];
    const asked = await platform.systemTx(async (tx) => {
      await exec(tx, raw('select pg_advisory_xact_lock(7)'));
      const answers = Array.from({ length: 6 }, () => ask(busy));
      await until('two of them to wait', async () => (await waiting()) === 2);
      assert.equal((await platform.tenantTx(other, (mine) => many(mine, raw('select 1')))).length, 1);
      assert.equal((await many(platform.read(other), raw('select 1'))).length, 1);
      assert.equal(await waiting(), 2);
      return { answers: Promise.allSettled(answers) };
    });
    // On a machine that stops for a second those behind the two give up.
    assert.ok((await asked.answers).filter(({ status }) => status === 'fulfilled').length >= 2);
  });
}

async function waiting(): Promise<number> {
  const rows = await database.sql(`select from pg_locks where locktype = 'advisory' and objid = 7 and not granted`);
  return rows.length;
}

test('who waits too long for a share is told to come again, and takes nothing from those behind', async () => {
  const shares = createShares(1, 20);
  let end = (): void => undefined;
  const first = shares.within('a', () => new Promise<void>((resolve) => (end = resolve)));
  await assert.rejects(
    shares.within('a', async () => undefined),
    { code: 'UNAVAILABLE' },
  );
  assert.equal(await shares.within('b', async () => 'at once'), 'at once');
  const next = shares.within('a', async () => 'in turn');
  end();
  await first;
  assert.equal(await next, 'in turn');
});

test('work that fails gives its share back', async () => {
  const shares = createShares(1, 1_000);
  await assert.rejects(
    shares.within('a', async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  assert.equal(await shares.within('a', async () => 'free'), 'free');
});
