/** Who sees an inbox: the policies of the role of members, tried in every operation. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readOperations } from '../full/matrix/document.ts';
import { checkMembers } from '../full/matrix/members.ts';
import { openPlatform } from '../support/platform.ts';
import { silenceNetwork } from '../support/traffic.ts';

const { platform, close } = await openPlatform({ readsUnderRls: false });
after(close);
await silenceNetwork(platform);
const { call, database } = platform;

const { body: document } = await call(200, 'GET', '/openapi.json', { key: null });
const operations = readOperations(document);

test('to a user who sees no inbox, an id of what belongs to one is an unknown id in every operation, and no answer shows it', async () => {
  const { asked, faults } = await checkMembers(platform, operations);
  assert.ok(asked > 200, `${asked} requests`);
  assert.deepEqual(faults, []);
});

test('without the policies, the same requests find what belongs to a hidden inbox', async () => {
  const policies = await database.sql<{ table: string }>(
    `select tablename as table from pg_policies where policyname = 'members'`,
  );
  for (const { table } of policies) await database.sql(`drop policy members on ${table}`);
  const { faults } = await checkMembers(platform, operations);
  assert.ok(faults.length > 100, `${faults.length} faults`);
});
