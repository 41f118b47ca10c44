import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveWebChat } from '../full/proofs/web-chat.ts';

test('each message of a visitor is stored once and each receipt counts, however often the API is killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const size = { processes: 2, visitors: 12, each: 8, kills: 2, receipts: 10, seed };
  t.diagnostic(JSON.stringify(await proveWebChat(size)));
});
