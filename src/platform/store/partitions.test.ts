/** Tests the partitions of a table: what they take, how new ones are made, and how old ones go. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import { ROLES } from './roles.ts';
import { toDatabaseProblem } from './db.ts';
import { renewPartitions } from './partitions.ts';
import { openDatabase } from './open-database.ts';

const database = await openTestDatabase();
const system = await connectAs(ROLES.system, database);
const platform = openDatabase({ url: database.url, poolSize: 1 });
after(async () => {
  await platform.close();
  await system.end();
  await database.close();
});

const DAY = 86_400;
const TODAY = Math.floor(Date.now() / 1000 / DAY);
const first = (day: number): string =>
  Math.round(day * DAY)
    .toString(16)
    .padStart(8, '0');
const idOf = (day: number, n = 0): string => first(day) + String(n).padStart(16, '0');
const nameOf = (day: number, table = 'deliveries'): string =>
  `${table}_${new Date(day * DAY * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;

const insert = (id: string): Promise<unknown> =>
  database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body) values ('c', $1, 'w', 1, 'e', 'r', '{}')`,
    [id],
  );
const places = async (): Promise<string[]> => {
  const rows = await database.sql<{ place: string }>(
    'select tableoid::regclass::text as place from deliveries order by _id',
  );
  return rows.map(({ place }) => place);
};
const make = async (ahead: number): Promise<number> =>
  (await system.query<{ made: number }>(`select make_partitions('deliveries', 1, $1) as made`, [ahead])).rows[0]
    ?.made ?? -1;
const drop = async (before: string): Promise<string | null> =>
  (await system.query<{ name: string | null }>(`select drop_partition('deliveries', $1) as name`, [before])).rows[0]
    ?.name ?? null;

test('a row is stored in the partition of its day, and in that of the rest while there is none; new days leave out the one that began there', async () => {
  assert.equal(await make(3), 0);
  for (const day of [0, 3, 4, 5]) await insert(idOf(TODAY + day));
  assert.equal(await make(6), 1);
  await insert(idOf(TODAY + 6));
  assert.deepEqual(await places(), [
    nameOf(TODAY),
    nameOf(TODAY + 3),
    'deliveries_rest',
    'deliveries_rest',
    nameOf(TODAY + 6),
  ]);
});

test('a partition goes when all its ids are old; while a reader holds it, it stays and nobody else waits', async () => {
  assert.equal(await drop(idOf(TODAY, 1)), null);
  const reader = await connectAs(ROLES.system, database);
  await reader.query('begin');
  await reader.query('select count(*) from deliveries');
  await assert.rejects(drop(idOf(TODAY + 1)), { code: '55P03' });
  await insert(idOf(TODAY, 1));
  await reader.query('rollback');
  await reader.end();
  assert.equal(await drop(idOf(TODAY + 1)), nameOf(TODAY));
  assert.equal(await drop(idOf(TODAY + 1)), null);
  assert.equal((await places()).length, 4);
});

test('partitions begin at midnight in UTC, also after one that ends in another time zone and on a server that is in one', async () => {
  await database.sql(
    `create table audit_log_local partition of audit_log for values from ('${first(TODAY + 30)}') to ('${first(TODAY + 40.2)}')`,
  );
  await system.query(`set timezone = 'America/Sao_Paulo'`);
  const { rows } = await system.query(`select make_partitions('audit_log', 30, 41) as made`);
  assert.deepEqual(rows, [{ made: 1 }]);
  assert.deepEqual(
    await database.sql(`select lower, upper from partitions_of('audit_log') where name = $1`, [
      nameOf(TODAY + 41, 'audit_log'),
    ]),
    [{ lower: first(TODAY + 41), upper: first(TODAY + 71) }],
  );
});

test('a message in a later partition refuses an unknown file by its name, and goes with its conversation, and its key with it', async () => {
  const { rows } = await system.query(`select make_partitions('messages', 90, 100) as made`);
  assert.deepEqual(rows, [{ made: 1 }]);
  await database.sql(`insert into companies (_id, name) values ('c', 'Acme')`);
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ('c', 'i', 'x', 'WEB_V2')`);
  await database.sql(`insert into contacts (company_id, _id, name, source) values ('c', 'p', 'x', 'API')`);
  await database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by) values ('c', 'v', 'p', 'i', 'WEB_V2', 'NONE')`,
  );
  const store = (attachment: string | null): Promise<unknown> =>
    system.query(
      `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type,
          status, attachment_id)
        values ('c', $1, 'v', 'p', 'i', 'WEB_V2', 'USER', 'OUTGOING', 'API', 'TEXT', 'QUEUED', $2)`,
      [idOf(TODAY + 95), attachment],
    );
  const refused = await store('unknown').catch((error: unknown) => error);
  assert.equal(toDatabaseProblem(refused)?.errors[0]?.path, 'attachment');
  await store(null);
  assert.deepEqual(await database.sql('select tableoid::regclass::text as place from messages'), [
    { place: nameOf(TODAY + 90, 'messages') },
  ]);
  await system.query(`update messages set external_id = 'x'`);
  const keys = (): Promise<object[]> =>
    database.sql(`select message_id = $1 and key = message_key('i', 'x') as fits from message_keys`, [
      idOf(TODAY + 95),
    ]);
  assert.deepEqual(await keys(), [{ fits: true }]);
  await system.query('delete from conversations');
  assert.deepEqual(await database.sql('select from messages'), []);
  assert.deepEqual(await keys(), []);
});

test('old rows go also when no partition can be made', async () => {
  await database.sql('revoke execute on function make_partitions from parley_system');
  const purged: string[] = [];
  const renewed = renewPartitions(platform.system('upkeep'), { name: 'deliveries', days: 1 }, 1, {
    before: first(TODAY + 4),
    purge: async (suffix) => purged.push(suffix),
  });
  await assert.rejects(renewed, /permission denied for function make_partitions/);
  assert.deepEqual(purged, ['rest']);
  assert.ok(!(await places()).includes(nameOf(TODAY + 3)));
});
