/** The statuses of a message write only the new version of its row, and no index. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyStatuses } from '../../src/features/messages/ingest.ts';
import { one } from '../../src/platform/store/db.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { readMessage, sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { database, demo } = platform;
const { conversation } = await writeAsContact(platform);

/** Reports these statuses of an accepted message in one transaction. Returns how often its row was updated, and how often no index was. */
async function report(id: string, statuses: readonly ('SENT' | 'DELIVERED' | 'READ')[]): Promise<Json> {
  const { inbox, external_id } = await readMessage(platform, id);
  const key = { company: demo._id, inbox, external_id, message: null };
  const known = { at: new Date(0).toISOString(), errors: [], failure_reason: null, reportsFailures: true };
  return platform.running.kit.database.systemTx('upkeep', async (tx) => {
    // The counts of a session may include transactions before this one.
    const count = (): Promise<{ updated: number; hot: number }> =>
      one(tx, {
        name: 'test.updates',
        text: `select sum(pg_stat_get_xact_tuples_updated(relid))::int as updated, sum(pg_stat_get_xact_tuples_hot_updated(relid))::int as hot
          from pg_partition_tree('messages')`,
        values: [],
      });
    const before = await count();
    for (const status of statuses) await applyStatuses(tx, [{ ...key, ...known, status }]);
    const { updated, hot } = await count();
    return { updated: updated - before.updated, hot: hot - before.hot };
  });
}

const readRow = async (id: string): Promise<Json> =>
  (await database.sql<{ row: Json }>('select to_jsonb(m) as row from messages m where _id = $1', [id]))[0]?.row;

test('no index of messages has a column, an expression or a condition that the statuses SENT, DELIVERED and READ change', async () => {
  const { _id } = await sendText(platform, conversation._id);
  const before = await readRow(_id);
  await report(_id, ['SENT', 'DELIVERED', 'READ']);
  const after = await readRow(_id);
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  for (const name of ['status', 'sent_at', 'delivered_at', 'read_at', 'updated_at'])
    assert.ok(changed.includes(name), name);
  const indexed = await database.sql(
    `select i.indexrelid::regclass::text as index, a.attname as column
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid
      where i.indrelid = 'messages'::regclass and a.attname = any($1) and (a.attnum = any(i.indkey) or exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
          and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))`,
    [changed],
  );
  assert.deepEqual(indexed, []);
});

test('the statuses of an accepted message write no index entry of messages (HOT)', async () => {
  const { _id } = await sendText(platform, conversation._id);
  assert.deepEqual(await report(_id, ['SENT', 'DELIVERED', 'READ']), { updated: 3, hot: 3 });
});
