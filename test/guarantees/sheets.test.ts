import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveSheets } from '../full/proofs/sheets.ts';
import { skipWithoutProc as skip } from '../support/uploads.ts';

test('hostile and damaged sheets are read or refused, and the reader stays usable', { skip }, async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(JSON.stringify(await proveSheets({ variants: 50, judgesPace: false, seed })));
});
