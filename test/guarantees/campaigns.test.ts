import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveCampaigns } from '../full/proofs/campaigns.ts';

test('a campaign sends no step to a contact twice, every contact ends in one right state and the counters equal a recount, however often its workers are killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(
    JSON.stringify(await proveCampaigns({ contacts: 40, failures: 4, kills: 1, restarts: 0, neighbours: 0, seed })),
  );
});
