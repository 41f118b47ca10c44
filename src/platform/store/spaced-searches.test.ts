/** Reads of an export that find no turn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../values/errors.ts';
import type { Executor, Statement } from './db.ts';
import { withPatience } from './spaced-searches.ts';

const STATEMENT: Statement = { name: 'test.read', text: 'select 1', values: [] };

/** Fails with these errors, one after another, and works then. */
function failWith(...errors: Error[]): { executor: Executor; left: Error[] } {
  const run = async <T>(result: T): Promise<T> => {
    const error = errors.shift();
    if (error) throw error;
    return result;
  };
  return { executor: { query: () => run([]), execute: () => run(0) }, left: errors };
}

test('a read of an export that finds no turn tries again, and any other error ends it', async () => {
  const busy = failWith(new AppError('UNAVAILABLE'), new AppError('UNAVAILABLE'));
  assert.deepEqual(await withPatience(busy.executor, 0).query(STATEMENT), []);
  const broken = failWith(new AppError('NOT_FOUND'), new Error('never reached'));
  await assert.rejects(withPatience(broken.executor).query(STATEMENT), { code: 'NOT_FOUND' });
  assert.equal(broken.left.length, 1);
});

test('a read of an export that never finds its turn ends with UNAVAILABLE after twelve tries', async () => {
  const busy = failWith(...Array.from({ length: 13 }, () => new AppError('UNAVAILABLE')));
  await assert.rejects(withPatience(busy.executor, 0).query(STATEMENT), { code: 'UNAVAILABLE', status: 503 });
  assert.equal(busy.left.length, 1);
});
