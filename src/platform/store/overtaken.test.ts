import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { AppError } from '../values/errors.ts';
import { exec } from './db.ts';
import { ChangedMeanwhile, isChangedMeanwhile, repeatOvertaken } from './overtaken.ts';
import type { SystemTx } from './tenant.ts';
import { openDatabase } from './open-database.ts';

const database = await openTestDatabase();
const platform = openDatabase({ url: database.url, poolSize: 2 });
after(async () => {
  await platform.close();
  await database.close();
});

const run = (tx: SystemTx, text: string): Promise<number> => exec(tx, { name: '', text, values: [] });

/** Runs a transaction that PostgreSQL refuses with this code. */
const refuse = (code: string): Promise<number> =>
  platform.systemTx('upkeep', (tx) => run(tx, `do $$ begin raise exception using errcode = '${code}'; end $$`));

test('of two transactions that wait for each other, the one that PostgreSQL ends is repeated once', async () => {
  const bothHoldOne = Promise.withResolvers<void>();
  let tries = 0;
  const lockInOrder = (first: number, second: number): Promise<string> =>
    repeatOvertaken(() =>
      platform.systemTx('upkeep', async (tx) => {
        await run(tx, `select pg_advisory_xact_lock(${first})`);
        tries += 1;
        if (tries === 2) bothHoldOne.resolve();
        await bothHoldOne.promise;
        await run(tx, `select pg_advisory_xact_lock(${second})`);
        return 'committed';
      }),
    );
  assert.deepEqual(await Promise.all([lockInOrder(1, 2), lockInOrder(2, 1)]), ['committed', 'committed']);
  assert.equal(tries, 3);
});

for (const [name, fail] of [
  ['PostgreSQL refuses because of a deadlock', () => refuse('40P01')],
  ['PostgreSQL refuses because another one has changed the same rows', () => refuse('40001')],
  ['waits too long for rows that another one has locked', () => refuse('55P03')],
  ['is UNAVAILABLE', () => Promise.reject(new AppError('UNAVAILABLE'))],
] as const)
  test(`a transaction that ${name} is tried five times, and then its last error is thrown`, async () => {
    const errors: unknown[] = [];
    const work = (): Promise<number> =>
      fail().catch((error: unknown) => {
        errors.push(error);
        throw error;
      });
    await assert.rejects(repeatOvertaken(work), (error) => error === errors[4]);
    assert.equal(errors.length, 5);
  });

test('a transaction that succeeds at its fifth try returns its result', async () => {
  let tries = 0;
  const work = async (): Promise<number> => {
    tries += 1;
    if (tries < 5) await refuse('40001');
    return tries;
  };
  assert.equal(await repeatOvertaken(work), 5);
});

for (const [name, fail] of [
  ['PostgreSQL refuses because a value is taken', () => refuse('23505')],
  ['PostgreSQL refuses because of a defect of the statement', () => refuse('42703')],
  ['PostgreSQL ends because it takes too long', () => refuse('57014')],
  ['the platform refuses', () => Promise.reject(new AppError('VALIDATION_FAILED'))],
] as const)
  test(`a transaction that ${name} is tried once`, async () => {
    let tries = 0;
    const work = (): Promise<number> => {
      tries += 1;
      return fail();
    };
    await assert.rejects(repeatOvertaken(work));
    assert.equal(tries, 1);
  });

test('a caller may have a transaction repeated only when what it was prepared from has changed', async () => {
  const errors = [new ChangedMeanwhile('The campaign'), new AppError('UNAVAILABLE')];
  let tries = 0;
  const work = (): Promise<never> => Promise.reject(errors[tries++]!);
  await assert.rejects(repeatOvertaken(work, isChangedMeanwhile), (error) => error === errors[1]);
  assert.equal(tries, 2);
});
