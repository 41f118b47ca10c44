import { test } from 'node:test';
import { readSeed } from '../full/harness/chance.ts';
import { proveCampaigns } from '../full/proofs/campaigns.ts';

test('a campaign sends no step to a contact twice, every contact ends in one right state and the counters equal a recount, however often its workers are killed', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  t.diagnostic(
    JSON.stringify(await proveCampaigns({ contacts: 150, failures: 10, kills: 3, restarts: 0, neighbours: 0, seed })),
  );
});
