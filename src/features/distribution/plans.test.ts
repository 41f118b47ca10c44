/** How many rows the database reads to find a team's conversations, among many that wait for nobody. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import type { Json } from '../../../test/support/platform.ts';
import { type Statement } from '../../platform/store/db.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { hasWaiting, lockWaiting } from './queries.ts';

const COMPANY = 'a'.repeat(24);
const ADDRESSED = 100_000;
const WAITING = 300;
const PORTION = 100;

const database = await openTestDatabase();
await database.sql(`begin;
  set local session_replication_role = replica;
  insert into companies (_id, name) values ('${COMPANY}', 'Large');
  insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, team_id, last_inbound_at, awaits_reply, waiting_since)
    select '${COMPANY}', lpad(n::text, 24, '0'), lpad(n::text, 24, '0'), '${COMPANY}', 'WEB_V2', 'NONE', '${COMPANY}', now(),
      n > ${WAITING}, case when n <= ${WAITING} then now() - n * interval '1 second' end
    from generate_series(1, ${ADDRESSED + WAITING}) n;
  commit`);
const client = await connectAs(ROLES.app, database);
after(async () => {
  await client.end();
  await database.close();
});

/** Counts the conversations that a plan reads. */
function countRead(node: Json): number {
  const own = /Scan/.test(node['Node Type']) ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  return (node.Plans ?? []).reduce(
    (sum: number, inner: Json) => sum + countRead(inner),
    own * (node['Actual Loops'] ?? 1),
  );
}

test('the conversations that a team gives out are found without reading those that a campaign has opened', async () => {
  for (const mode of ['custom', 'generic']) {
    const read: number[] = [];
    const query = async ({ name, text, values }: Statement): Promise<Json[]> => {
      await client.query(`deallocate all; prepare "${name}" as ${text}`);
      const given = values.map((value) => (value === null ? 'null' : `'${value as string}'`)).join();
      const { rows } = await client.query(`explain (analyze, format json) execute "${name}"(${given})`);
      read.push(countRead(rows[0]['QUERY PLAN'][0].Plan));
      return [{ waits: true }];
    };
    await client.query(
      `begin; set local app.company_id = '${COMPANY}'; set local plan_cache_mode = force_${mode}_plan`,
    );
    await hasWaiting({ companyId: COMPANY, query } as never, COMPANY, null);
    await lockWaiting({ companyId: COMPANY, query } as never, COMPANY, null, PORTION);
    await client.query('rollback');
    assert.deepEqual(read, [1, PORTION]);
  }
});
