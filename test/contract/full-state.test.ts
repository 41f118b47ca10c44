/** Tests that the table with the results of the long proofs contains only results of one commit. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readState, writeState } from '../full/state.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-state-'));
after(() => rm(folder, { recursive: true, force: true }));

const done = { commit: 'a1', seed: 7, results: { sends: { seed: 7, seconds: 1, figures: { cut: 3 } } } };

test('an interrupted run of the long proofs continues with the results of its own commit', async () => {
  const path = join(folder, 'ci.json');
  await writeState(path, done);
  assert.deepEqual(await readState(path, 'a1'), done);
});

test('results of another commit and an incomplete file are not used', async () => {
  const path = join(folder, 'full.json');
  await writeState(path, done);
  assert.deepEqual(await readState(path, 'b2'), { commit: 'b2', seed: 0, results: {} });
  await writeFile(path, '{"commit":"b2","res');
  assert.deepEqual(await readState(path, 'b2'), { commit: 'b2', seed: 0, results: {} });
});
