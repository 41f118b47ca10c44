/** Migrations, tested on a server of their own, because roles belong to the whole server and these tests remove rights. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openTestServer, TEMPLATE, type TestServer } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { queues } from '../../worker.ts';
import { connectionUrl } from './embedded-postgres.ts';
import { parseWebAddress } from '../values/web-address.ts';
import { migrateJobs } from '../work/jobs.ts';
import { createLogin, findMissing, migrate } from './migrations.ts';
import { readObjects } from './schema-objects.ts';

let server: TestServer;
const names = queues().map((queue) => queue.name);
const prepareQueue = (url: string): Promise<void> => migrateJobs(url, queues());

before(async () => {
  server = await openTestServer({ durable: false });
  await run(
    makeUrl('postgres'),
    `create role keeper login password 'keeper'`,
    'grant parley_app, parley_read, parley_system, parley_member, parley_member_read to keeper with inherit false',
  );
});
after(() => server.close());

function makeUrl(
  database: string,
  user = 'postgres',
  password?: string,
  { address }: Pick<TestServer, 'address'> = server,
): string {
  return connectionUrl({ ...address, user, password: password ?? address.ownerPassword, database });
}

async function run<R extends pg.QueryResultRow>(url: string, ...texts: string[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: R[] = [];
    for (const text of texts) ({ rows } = await client.query<R>(text));
    return rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database owned by `user`. */
async function createDatabase(user = 'postgres'): Promise<string> {
  const name = `m_${randomBytes(6).toString('hex')}`;
  await run(makeUrl('postgres'), `create database ${name} owner ${user}`);
  return name;
}

/** Creates a database on which all migrations have run. */
async function cloneTemplate(): Promise<string> {
  const name = `m_${randomBytes(6).toString('hex')}`;
  await run(makeUrl('postgres'), `create database ${name} template ${TEMPLATE}`);
  return name;
}

/** Creates a migrated database whose owner is bound by row security. */
async function createOwned(): Promise<{ name: string; url: string }> {
  const name = await createDatabase('keeper');
  await run(makeUrl(name), 'grant all on schema public to keeper');
  const url = makeUrl(name, 'keeper', 'keeper');
  await migrate(url, prepareQueue);
  return { name, url };
}

/** Makes one table of the partitions of a table, without its references and triggers, as it was in an earlier version. */
const makeOneTable = (table: string): string[] => [
  `create table one (like ${table} including all)`,
  `drop table ${table} cascade`,
  `alter table one rename to ${table}`,
  `call tenant_table('${table}')`,
  `alter table ${table} owner to keeper`,
];

test('when several processes start at once, one of them migrates, and each finds the database complete', async () => {
  const url = makeUrl(await createDatabase());
  assert.ok((await findMissing(url, names)).length > 0);
  const ran = await Promise.all([1, 2, 3].map(() => migrate(url, prepareQueue)));
  const [first = [], ...others] = ran.toSorted((a, b) => b.length - a.length);
  assert.ok(first.includes('0001_companies.sql'));
  assert.deepEqual(first, first.toSorted());
  assert.deepEqual(others, [[], []]);
  assert.deepEqual(await findMissing(url, names, true), []);
  // Functions and triggers that have changed are replaced by one of them as well.
  await run(url, `update schema_objects set digest = 'of an earlier version'`);
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => migrate(url, prepareQueue))), [[], [], []]);
  assert.deepEqual(await findMissing(url, names, true), []);
});

test('the bytes of records that go with their table are subtracted, also when row security applies to the owner', async () => {
  const { name, url } = await createOwned();
  const company = 'b'.repeat(24);
  await run(
    makeUrl(name),
    `insert into companies (_id, name) values ('${company}', 'Acme')`,
    `insert into tables (company_id, _id, name, slug) values ('${company}', 'goes', 'T', 't'), ('${company}', 'stays', 'U', 'u')`,
    `insert into runs (company_id, _id, kind, input, status, is_waiting) values ('${company}', 'i', 'IMPORT', '{"table": "goes"}', 'QUEUED', true)`,
    `insert into import_errors (company_id, import_id, position, lines) values ('${company}', 'i', 0, 'broken')`,
  );
  const counted = (tables: string[]): Promise<object[]> =>
    run(
      makeUrl(name),
      `select stored_bytes('${company}') = sum(record_bytes) as exact, count(*)::int as records
        from (${tables.map((table) => `select record_bytes from ${table}`).join(' union all ')}) records`,
    );
  const tables = ['tables', 'runs', 'import_errors'];
  assert.deepEqual(await counted(tables), [{ exact: true, records: 4 }]);
  await run(url, 'set role parley_app', `set app.company_id = '${company}'`, `delete from tables where _id = 'goes'`);
  assert.deepEqual(await counted(tables), [{ exact: true, records: 1 }]);
});

test('a database of an earlier version keeps the files that wait for their download, and what its agents cost', async () => {
  const { name, url } = await createOwned();
  const repaired = ['0028_messages_network_files.sql', '0030_agents_prices.sql'];
  const media = { url: null, fileName: 'a.jpg' };
  const prices = { currency: 'BRL', input: 1, output: 2 };
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${repaired.join(`', '`)}')`,
    'alter table media_downloads drop column network_id, drop column sha256',
    `insert into companies (_id, name) values ('c', 'Acme')`,
    // Beside the company they refer to records that do not matter here.
    'set session_replication_role = replica',
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type,
        status, media) values ('c', 'm', 'v', 'p', 'i', 'PARTNER_API', 'CONTACT', 'INCOMING', 'CHANNEL', 'IMAGE', 'RECEIVED',
        '${JSON.stringify({ ...media, network: { networkId: 'n1', sha256: 'h1' } })}')`,
    `insert into media_downloads (company_id, attachment_id, message_id, inbox_id) values ('c', 'a', 'm', 'i')`,
    `insert into agents (company_id, _id, name, prices) values ('c', 'g', 'Ana', '${JSON.stringify(prices)}')`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), repaired);
  assert.deepEqual(
    await run(makeUrl(name), 'select network_id, sha256, media, prices from media_downloads, messages, agents'),
    [{ network_id: 'n1', sha256: 'h1', media, prices: { ...prices, transcription: null } }],
  );
});

test('the rows of an earlier version get the keys that were missing, also when row security applies to the owner', async () => {
  const { name, url } = await createOwned();
  const files = ['0043_platform_keys.sql', '0044_platform_keys.concurrent.sql', '0045_platform_keys.sql'];
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${files.join(`', '`)}')`,
    'alter table mailed_links drop column _id',
    'alter table agent_file_texts drop column _id',
    'alter table idempotency_keys drop constraint idempotency_keys_pkey',
    `insert into companies (_id, name) values ('c', 'Acme'), ('d', 'Other')`,
    `insert into mailed_links values (null, 'ana@acme.com', now()), ('c', 'ana@acme.com', now())`,
    'set session_replication_role = replica',
    `insert into agent_file_texts (company_id, attachment_id, model, content, is_cut)
      values ('c', 'a', null, 'x', false), ('c', 'a', 'm', 'y', false), ('d', 'a', null, 'z', false)`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), files);
  const counts = `select (select count(distinct _id)::int from agent_file_texts) as texts, (select count(distinct _id)::int from mailed_links) as mails`;
  assert.deepEqual(await run(makeUrl(name), counts), [{ texts: 3, mails: 2 }]);
});

test('deliveries that wait or are under way at the upgrade are queued for this release, as are those that an earlier one stores later, and it claims none', async () => {
  const { name, url } = await createOwned();
  const moved = ['0046_webhooks_queue.sql', '0047_webhooks_queue.sql'];
  const insert = (id: string, columns = '', values = ''): string =>
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body${columns}) values ('c', '${id}', 'w', 1, 'e', 'r', '{}'${values})`;
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${moved.join("', '")}')`,
    'drop table delivery_queue, delivery_attempts',
    'drop function queue_delivery cascade',
    `delete from schema_objects where name in ('function queue_delivery()', 'trigger queued on deliveries')`,
    'alter table deliveries alter column claimed_at drop default',
    `insert into companies (_id, name) values ('c', 'Acme')`,
    insert('ended', ', status, claimed_at, attempted_at', `, 'DELIVERED', '2026-01-01', '2026-01-01'`),
    insert('sending', ', status, claimed_at, attempted_at', `, 'SENDING', '2026-01-01', '2026-01-01'`),
    insert('waits'),
  );
  assert.deepEqual(await migrate(url, prepareQueue), moved);
  await run(url, 'set role parley_app', `set app.company_id = 'c'`, insert('later'));
  const owner = makeUrl(name);
  const queued =
    'select q.delivery_id from delivery_queue q join deliveries d on d.seq = q.seq and d._id = q.delivery_id order by q.seq';
  assert.deepEqual(await run(owner, queued), [{ delivery_id: 'waits' }, { delivery_id: 'later' }]);
  const attempts = 'select delivery_id, attempted_at::date::text as day from delivery_attempts';
  assert.deepEqual(await run(owner, attempts), [{ delivery_id: 'sending', day: '2026-01-01' }]);
  assert.deepEqual(await run(owner, 'select _id from deliveries where claimed_at is null'), []);
});

test('deliveries and audit entries from before the upgrade stay readable, in the first partition of their table', async () => {
  const { name, url } = await createOwned();
  const owner = makeUrl(name);
  const files = [
    '0057_platform_partitions.sql',
    '0058_platform_partitions.concurrent.sql',
    '0059_webhooks_days.sql',
    '0065_audit_months.sql',
  ];
  const delivery = (id: string): string =>
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body) values ('c', '${id}', 'w', 1, 'e', 'r', '{}')`;
  const line = (id: string): string =>
    `insert into audit_log (company_id, _id, actor_type, actor_name, action, resource) values ('c', '${id}', 'USER', 'Ana', 'x.create', 'x')`;
  await run(
    owner,
    `delete from schema_migrations where name in ('${files.join(`', '`)}')`,
    // With an identity column and references to the company.
    'alter table deliveries alter seq drop default',
    ...['deliveries', 'audit_log'].flatMap(makeOneTable),
    ...['deliveries', 'audit_log'].map(
      (table) => `alter table ${table} add foreign key (company_id) references companies`,
    ),
    'alter table deliveries alter seq add generated always as identity',
    'create index deliveries_queue on deliveries (company_id, seq)',
    `create trigger queued after insert on deliveries for each row when (new.status = 'QUEUED') execute function queue_delivery()`,
    'drop procedure partition_table',
    'drop function first_id, partitions_of, make_partitions, drop_partition',
    `insert into companies (_id, name) values ('c', 'Acme')`,
    delivery('000000000000000000000001'),
    line('000000000000000000000001'),
  );
  assert.deepEqual(await migrate(url, prepareQueue), files);
  const later = 'f'.repeat(24);
  await run(url, 'set role parley_app', `set app.company_id = 'c'`, delivery(later), line(later));
  const places = (table: string): Promise<unknown> =>
    run(owner, `select tableoid::regclass::text as place from ${table} order by _id`);
  assert.deepEqual(await places('deliveries'), [{ place: 'deliveries_earlier' }, { place: 'deliveries_rest' }]);
  assert.deepEqual(await places('audit_log'), [{ place: 'audit_log_earlier' }, { place: 'audit_log_rest' }]);
  assert.deepEqual(await run(owner, 'select seq::int from delivery_queue order by seq'), [{ seq: 1 }, { seq: 2 }]);
  assert.deepEqual(
    await run(owner, `select count(*)::int as indexes from pg_indexes where tablename = 'deliveries_earlier'`),
    [{ indexes: 6 }],
  );
});

test('messages of an earlier version keep their place and the ids of their networks, and processes of that version store no incoming messages any more', async () => {
  const { name, url } = await createOwned();
  const owner = makeUrl(name);
  const files = [
    '0150_messages_keys.sql',
    '0151_messages_keys.concurrent.sql',
    '0152_messages_keys.sql',
    '0153_messages_keys.concurrent.sql',
    '0154_messages_partitions.sql',
    '0155_messages_partitions.concurrent.sql',
    '0156_messages_partitions.sql',
    '0157_messages_partitions.concurrent.sql',
  ];
  const insert = (values: string): string =>
    `insert into messages (company_id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, status,
        attachment_id, _id, external_id)
      select 'c', 'v', 'p', 'i', 'WEB_V2', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'RECEIVED', 'f', ${values}`;
  const parts = ['media_downloads', 'message_aliases', 'message_bodies', 'message_cards', 'message_places'];
  await run(
    owner,
    `delete from schema_migrations where name in ('${files.join(`', '`)}')`,
    `insert into companies (_id, name) values ('c', 'Acme')`,
    `insert into inboxes (company_id, _id, name, channel) values ('c', 'i', 'x', 'WEB_V2')`,
    `insert into contacts (company_id, _id, name, source) values ('c', 'p', 'x', 'API')`,
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by) values ('c', 'v', 'p', 'i', 'WEB_V2', 'NONE')`,
    `insert into attachments (company_id, _id, file_type, extension, mime_type, file_name, storage_key, link, state)
      values ('c', 'f', 'IMAGE', 'png', 'image/png', 'a.png', 'k', 'l', 'PENDING')`,
    ...makeOneTable('messages'),
    'create unique index messages_external_key on messages (company_id, inbox_id, external_id)',
    'alter table messages add constraint messages_attachment_ref foreign key (company_id, attachment_id) references attachments',
    'alter table messages add foreign key (company_id, conversation_id) references conversations on delete cascade',
    ...parts.map(
      (table) =>
        `alter table ${table} add foreign key (company_id, ${table === 'message_bodies' ? '_id' : 'message_id'}) references messages on delete cascade`,
    ),
    'create policy members on attachments to parley_member_read using (exists (select from messages m where m.attachment_id = attachments._id))',
    'drop table message_keys',
    'drop function message_key, move_message_key, end_message',
    // More than two portions; every second one has an id of the network.
    insert(`lpad(to_hex(n), 24, '0'), case when n % 2 = 1 then 'x' || n end from generate_series(1, 2101) n`),
  );
  assert.deepEqual(await migrate(url, prepareQueue), files);
  const keyed = `select count(*)::int as all, count(*) filter (where m.external_id is not null)::int as named
    from messages m left join message_keys k on k.company_id = m.company_id and k.message_id = m._id
    where (k.key = message_key(m.inbox_id, m.external_id)) is not distinct from case when m.external_id is not null then true end`;
  assert.deepEqual(await run(owner, keyed), [{ all: 2101, named: 1051 }]);
  const asSystem = (text: string): Promise<object[]> => run(url, 'set role parley_system', text);
  await assert.rejects(asSystem(insert(`'e', 'x1' on conflict (company_id, inbox_id, external_id) do nothing`)), {
    code: '0A000',
  });
  await asSystem(insert(`'${'f'.repeat(24)}', null`));
  assert.deepEqual(await run(owner, 'select distinct tableoid::regclass::text as place from messages order by 1'), [
    { place: 'messages_earlier' },
    { place: 'messages_rest' },
  ]);
  const member = [`set app.company_id = 'c'`, `set app.inboxes = 'i'`, 'set role parley_member_read'];
  assert.deepEqual(await run(owner, `delete from messages where _id < 'f'`, ...member, 'select _id from attachments'), [
    { _id: 'f' },
  ]);
  assert.deepEqual(await run(owner, 'select count(*)::int as keys from message_keys'), [{ keys: 0 }]);
  await run(owner, 'delete from conversations');
  assert.deepEqual(await run(owner, 'select from messages'), []);
});

test('the lists by change and the health of inboxes know the messages of an earlier version, also when row security applies to the owner', async () => {
  const { name, url } = await createOwned();
  const files = ['0050_messages_activity.sql', '0051_messages_activity.concurrent.sql'];
  const dropped = ['updated', 'changed', 'queued', 'accepted'].map((index) => `messages_${index}`);
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${files.join(`', '`)}')`,
    ...makeOneTable('messages'),
    'drop table message_activity, inbox_acceptances',
    'drop function begin_message, move_message_activity, note_acceptance cascade',
    ...dropped.map((index) => `create index ${index} on messages (company_id)`),
    `insert into companies (_id, name) values ('c', 'Acme'), ('d', 'Other')`,
    `insert into inboxes (company_id, _id, name, channel) values ('c', 'i', 'x', 'WEB_V2')`,
    'set session_replication_role = replica',
    // More than two portions, and a company with a single message.
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type,
        status, sent_at, created_at, updated_at)
      select case when n = 0 then 'd' else 'c' end, 'm' || n, 'v', 'p', 'i', 'WEB_V2', 'USER', 'OUTGOING', 'API', 'TEXT',
        case when n % 2 = 0 then 'QUEUED' else 'SENT' end, case when n % 2 = 1 then timestamptz '2026-01-01' + n * interval '1 second' end,
        timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-02' + n * interval '1 second'
      from generate_series(0, 2101) n`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), files);
  const [found] = await run(
    makeUrl(name),
    `select (select count(*)::int from messages m join message_activity a on a.company_id = m.company_id and a._id = m._id
        and a.updated_at = m.updated_at and a.queued_at is not distinct from case when m.status = 'QUEUED' then m.created_at end) as equal,
      (select count(*)::int from message_activity) as noted, (select max(at)::text from inbox_acceptances) as accepted,
      (select count(*)::int from pg_class where relname in ('${dropped.join(`', '`)}')) as indexes`,
  );
  assert.deepEqual(found, { equal: 2_102, noted: 2_102, accepted: '2026-01-01 00:35:01+00', indexes: 0 });
});

test('runs of an earlier version go on where they were, also those that its processes store after the migration', async () => {
  const { name, url } = await createOwned();
  const moved = ['0040_platform_runs.sql', '0041_platform_runs.concurrent.sql'];
  const change = { status: 'CLOSED' };
  const insertRun = (id: string, processed: number): string =>
    `insert into conversation_runs (company_id, _id, change, conversation_ids, actor, origin, status, total, processed, is_waiting, attempts,
        claimed_at, held_until)
      values ('c', '${id}', '${JSON.stringify(change)}', '{a,b,c}', '{"type": "user"}', '{}', 'RUNNING', 3, ${processed}, false, 2, now(), now())`;
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${moved.join(`', '`)}')`,
    'drop table runs cascade',
    ...['chunks', 'errors'].map(
      (parts) => `alter table import_${parts} add constraint import_${parts}_company_id_import_id_fkey
        foreign key (company_id, import_id) references imports on delete cascade`,
    ),
    'drop function move_runs, move_stored_run cascade',
    `insert into companies (_id, name) values ('c', 'Acme')`,
    insertRun('half', 1),
    `insert into delivery_replays (company_id, _id, webhook_id, webhook_epoch, delivery_status, since, until, total, processed, replayed,
        after_at, after_id)
      values ('c', 'replay', 'w', 7, 'FAILED', '2026-01-01', '2026-01-02', 9, 5, 4, '2026-01-01 12:00:00.123', 'd')`,
    `insert into imports (company_id, _id, kind, file_name, format, status, options, principal, bytes, total, processed, created_count,
        updated_count, attempts, is_waiting)
      values ('c', 'import', 'CONTACTS', 'a.csv', 'CSV', 'RUNNING', '{"tag": "x"}', '{"type": "user", "_id": "u", "name": "Ana"}', 8, 6, 3, 2, 1, 1,
        false)`,
    `insert into import_chunks (company_id, import_id, position, bytes) values ('c', 'import', 0, 'x')`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), moved);
  await run(url, 'set role parley_app', `set app.company_id = 'c'`, insertRun('late', 0));
  const rows = await run(
    makeUrl(name),
    `select _id, kind, input, subjects[processed + 1:] as left, place, total, created_count, is_waiting, attempts from runs order by _id`,
  );
  const waiting = { is_waiting: true, attempts: 0 };
  const changing = { kind: 'CONVERSATIONS', input: change, place: null, total: 3, created_count: 0, ...waiting };
  const at = '2026-01-01T12:00:00.123+00:00';
  const [half, imported, late, replay] = rows;
  const input = { tag: 'x', kind: 'CONTACTS', table: null, file_name: 'a.csv', format: 'CSV', bytes: 8 };
  assert.deepEqual(half, { _id: 'half', ...changing, left: ['b', 'c'] });
  assert.deepEqual(imported, {
    _id: 'import',
    kind: 'IMPORT',
    input,
    left: null,
    place: null,
    total: 6,
    created_count: 2,
    ...waiting,
  });
  assert.deepEqual(late, { _id: 'late', ...changing, left: ['a', 'b', 'c'] });
  assert.deepEqual(replay, {
    _id: 'replay',
    kind: 'REPLAY',
    input: {
      webhook: 'w',
      epoch: 7,
      status: 'FAILED',
      event: null,
      from: '2026-01-01T00:00:00+00:00',
      to: '2026-01-02T00:00:00+00:00',
    },
    left: null,
    place: { at, id: 'd' },
    total: 9,
    created_count: 4,
    ...waiting,
  });
  assert.deepEqual(await run(makeUrl(name), `select stored_bytes('c') = sum(record_bytes) + 1 as exact from runs`), [
    { exact: true },
  ]);
  assert.deepEqual(
    await run(
      makeUrl(name),
      'select _id from conversation_runs union all select _id from delivery_replays union all select _id from imports',
    ),
    [],
  );
});

test('addresses of pictures that lead nowhere are removed from a database of an earlier version, and all others stay', async () => {
  const { name, url } = await createOwned();
  const written = [
    'https://pictures.example/a;b.png?size="1"#c',
    'HTTPS://a_b.example.:8443',
    'http://me:pass@10.0.0.255/a.png',
    'http://[2001:db8::1]:80/',
    'https://4.example?a=@b;c',
    'https://localhost:65535/files/a.png',
    'https://a.example;sandbox/a.png',
    "https://a.example'/a.png",
    'https://a.example "b"/a.png',
    'https://a.example\u0007/a.png',
    'https://256.256.256.256/a.png',
    'https://1.2.3.4.5/a.png',
    'https://a.example.7/',
    'https://a.example:65536/',
    'https://[/',
    'https:///',
    'data:image/png;base64,AAAA',
  ];
  const values = (row: (address: string, n: number) => string): string =>
    written.map((address, n) => row(`'${address.replaceAll("'", "''")}'`, n)).join(', ');
  const settings = (address: string): string =>
    `jsonb_build_object('web_config', jsonb_build_object('title', 'Shop', 'avatar_url', ${address}))`;
  await run(
    makeUrl(name),
    `delete from schema_migrations where name = '0038_users_pictures.sql'`,
    `insert into companies (_id, name) values ('c', 'Acme')`,
    `insert into users (company_id, _id, name, email, role, avatar_url)
      values ${values((address, n) => `('c', 'u${n}', 'Ana', 'a${n}@a.example', 'VIEWER', ${address})`)}`,
    `insert into contacts (company_id, _id, source, avatar_url) values ${values((address, n) => `('c', 'p${n}', 'API', ${address})`)}`,
    `insert into inboxes (company_id, _id, name, channel, settings)
      values ${values((address, n) => `('c', 'i${n}', 'Shop', 'WEB_V2', ${settings(address)})`)}, ('c', 'mail', 'Shop', 'EMAIL', '{}')`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), ['0038_users_pictures.sql']);
  const rows = await run(
    makeUrl(name),
    `select u.avatar_url as user, p.avatar_url as contact, i.settings->'web_config' as chat
      from users u join contacts p on p._id = 'p' || substr(u._id, 2) join inboxes i on i._id = 'i' || substr(u._id, 2)
      order by substr(u._id, 2)::int`,
  );
  const kept = written.map((address) => (parseWebAddress(address) === null ? null : address));
  assert.equal(kept.indexOf(null), 6);
  assert.deepEqual(
    rows,
    kept.map((avatar_url) => ({ user: avatar_url, contact: avatar_url, chat: { title: 'Shop', avatar_url } })),
  );
});

test('inboxes of an earlier version get the name of their instance, or a slug of their name, different within the company', async () => {
  const { name, url } = await createOwned();
  const files = ['0070_inboxes_door_name.sql', '0071_inboxes_door_name.concurrent.sql'];
  await run(
    makeUrl(name),
    `delete from schema_migrations where name in ('${files.join(`', '`)}')`,
    'alter table inboxes drop column door_name',
    `insert into companies (_id, name) values ('c', 'Acme'), ('d', 'Other')`,
    `insert into inboxes (company_id, _id, name, channel, status, settings) values
      ('c', 'a', 'Recepção 2', 'WEB_V2', 'DELETED', '{}'), ('c', 'b', 'Recepção 2', 'WEB_V2', 'ACTIVE', '{}'),
      ('c', 'e', '年齢', 'WEB_V2', 'ACTIVE', '{}'), ('d', 'f', 'recepcao 2', 'WEB_V2', 'ACTIVE', '{}'),
      ('c', 'g', 'x', 'PARTNER_API', 'ACTIVE', '{"partner_api_config": {"instance_name": "Shop 1"}}')`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), files);
  const rows = await run(makeUrl(name), 'select _id, door_name from inboxes order by _id');
  assert.deepEqual(rows, [
    { _id: 'a', door_name: 'recepcao_2_a' },
    { _id: 'b', door_name: 'recepcao_2' },
    { _id: 'e', door_name: 'inbox' },
    { _id: 'f', door_name: 'recepcao_2' },
    { _id: 'g', door_name: 'Shop 1' },
  ]);
});

test('findMissing names migrations that did not run and queues that do not exist', async () => {
  const url = makeUrl(await cloneTemplate());
  await run(url, `delete from schema_migrations where name = '0009_inboxes.sql'`);
  assert.deepEqual(await findMissing(url, [...names, 'of.a-later-version']), [
    '0009_inboxes.sql',
    'of.a-later-version',
  ]);
  // The migration fails when it runs again, because its tables exist. The error names the file, and nothing is changed.
  await assert.rejects(
    migrate(url, prepareQueue),
    /^Error: migration 0009_inboxes\.sql: relation "\w+" already exists$/,
  );
  assert.deepEqual(await findMissing(url, names), ['0009_inboxes.sql']);
});

test("the platform's user on the embedded server has no rights of its own and can only switch to the runtime roles", async () => {
  const url = makeUrl(await cloneTemplate());
  await createLogin(url, 'first');
  await createLogin(url, server.address.password);
  const login = makeUrl(new URL(url).pathname.slice(1), 'parley', server.address.password);
  await assert.rejects(run(login, 'select * from contacts'), { code: '42501' });
  await assert.rejects(run(login, 'set role postgres'), { code: '42501' });
  for (const role of ['parley_app', 'parley_read', 'parley_system', 'parley_member', 'parley_member_read'])
    await run(login, `set role ${role}`, 'select 1 from contacts');
  const [row] = await run<{ free: boolean }>(
    login,
    `select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as free from pg_roles where rolname = 'parley'`,
  );
  assert.equal(row?.free, false);
  assert.deepEqual(await findMissing(login, names), []);
});

test('the error for a user who may not create roles lists the exact statements, and the migration works after they were run', async () => {
  const bare = await openTestServer({ durable: false });
  const owner = (database: string): string => makeUrl(database, 'postgres', undefined, bare);
  try {
    await run(owner('postgres'), `drop database ${TEMPLATE}`, 'drop role parley');
    await run(
      owner('postgres'),
      ...['member', 'member_read', 'app', 'read', 'system'].map((role) => `drop role parley_${role}`),
    );
    await run(
      owner('postgres'),
      `create role operator login password 'operator'`,
      'create database bare owner operator',
    );
    const url = makeUrl('bare', 'operator', 'operator', bare);
    const error: Error = await migrate(url, prepareQueue).then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason as Error,
    );
    const [sentence, ...statements] = error.message.split('\n');
    assert.match(sentence ?? '', /may not create the runtime roles; run this as an administrator/);
    assert.equal(statements.length, 8);
    assert.ok(
      statements.every((statement) => /^(create role|grant) .*;$/.test(statement)),
      error.message,
    );
    await run(owner('bare'), ...statements.map((statement) => statement.replace('current_user', 'operator')));
    await migrate(url, prepareQueue);
    assert.deepEqual(await findMissing(url, names), []);
  } finally {
    await bare.close();
  }
});

test('a runtime role that bypasses row security or is a superuser is refused', async () => {
  const url = makeUrl(await cloneTemplate());
  for (const right of ['bypassrls', 'superuser']) {
    await run(makeUrl('postgres'), `alter role parley_app ${right}`);
    await assert.rejects(findMissing(url, names), /parley_app must be neither superuser nor BYPASSRLS/);
    await run(makeUrl('postgres'), `alter role parley_app no${right}`);
  }
  assert.deepEqual(await findMissing(url, names), []);
});

const LIVE = '0025_live.sql';

/** Undoes the migration LIVE, which adds triggers to `contacts`, and opens a long transaction that writes to this table. */
async function startLongWriter(url: string): Promise<pg.Client> {
  await run(
    url,
    `delete from schema_migrations where name = '${LIVE}'`,
    'drop table live_companies, record_changes',
    'drop function note_changes, note_last_message, note_campaign, note_campaign_counters, note_change cascade',
    'drop procedure noted_table',
  );
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  await writer.query('begin; lock table contacts in row exclusive mode');
  return writer;
}

test('a migration that waits for a long writer is retried until it succeeds', async () => {
  const url = makeUrl(await cloneTemplate());
  const writer = await startLongWriter(url);
  const ran = migrate(url, prepareQueue);
  // The writer ends only after the first attempt has failed at its lock time-out, which the server counts as a rollback.
  await waitUntil('the first try to give up', async () => {
    const [row] = await run<{ count: number }>(
      url,
      `select xact_rollback::int as count from pg_stat_database where datname = current_database()`,
    );
    return (row?.count ?? 0) > 0;
  });
  await writer.query('commit');
  await writer.end();
  assert.deepEqual(await ran, [LIVE]);
});

test('the error of a migration whose connection breaks names the file and the cause', async () => {
  const url = makeUrl(await cloneTemplate());
  const writer = await startLongWriter(url);
  const ran = assert.rejects(
    migrate(url, prepareQueue),
    /^Error: migration 0025_live\.sql: terminating connection due to administrator command$/,
  );
  await waitUntil('it to wait for the writer', async () => {
    const cut = await run(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'parley migrate' and wait_event_type = 'Lock'`,
    );
    return cut.length > 0;
  });
  await ran;
  await writer.end();
});

test('a database on which another version has run a migration that is missing here, or is another one, is refused and stays as it is', async () => {
  const url = makeUrl(await cloneTemplate());
  const assertRefused = (name: string): Promise<void> =>
    assert.rejects(migrate(url, prepareQueue), {
      message: new RegExp(`^the database was made by another version .+ \\(${name}\\)`),
    });
  await run(url, `insert into schema_migrations (name) values ('0999_later.sql')`);
  await assertRefused('0999_later.sql');
  await run(
    url,
    `delete from schema_migrations where name = '0999_later.sql'`,
    `update schema_migrations set digest = 'of other statements' where name = '0009_inboxes.sql'`,
  );
  await assertRefused('0009_inboxes.sql');
  assert.deepEqual(await findMissing(url, names), []);
  // An earlier version noted only the names.
  await run(url, `update schema_migrations set digest = null where name = '0009_inboxes.sql'`);
  assert.deepEqual(await migrate(url, prepareQueue), []);
});

interface CatalogueObject {
  name: string;
  definition: string;
  /** Another one for each time that the object was created or replaced. */
  version: string;
}

/** Lists the functions, procedures and triggers of a database, except those of extensions. */
function listObjects(url: string): Promise<CatalogueObject[]> {
  return run(
    url,
    `select case prokind when 'p' then 'procedure ' else 'function ' end || oid::regprocedure as name,
        pg_get_functiondef(oid) || coalesce(proacl::text, '') as definition, concat(oid, ' ', xmin) as version
      from pg_proc p where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      union all select format('trigger %I on %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid), concat(t.oid, ' ', t.xmin)
      from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and tgparentid = 0 and relnamespace = 'public'::regnamespace
      order by name`,
  );
}

const withoutVersion = (objects: CatalogueObject[]): object[] =>
  objects.map(({ name, definition }) => ({ name, definition }));

test('a migrated database has exactly the functions, procedures and triggers of sql/, and creating them again changes none', async () => {
  const url = makeUrl(await cloneTemplate());
  const migrated = await listObjects(url);
  const written = (await readObjects()).map(({ name }) => name);
  assert.deepEqual(migrated.map(({ name }) => name).toSorted(), written.toSorted());
  await run(url, `update schema_objects set digest = 'of an earlier version'`);
  const { length } = await findMissing(url, names, true);
  assert.equal(length, written.length);
  await migrate(url, prepareQueue);
  assert.deepEqual(withoutVersion(await listObjects(url)), withoutVersion(migrated));
});

test('a start replaces functions and triggers that differ from sql/, drops those that sql/ no longer has, and touches no other', async () => {
  const url = makeUrl(await cloneTemplate());
  const migrated = await listObjects(url);
  await run(
    url,
    // Of an earlier version.
    `create or replace function new_id() returns text language sql as $$ select 'old' $$`,
    `update schema_objects set digest = 'of an earlier version',
        definition = current_setting('server_version_num')::int / 10000 || ' ' || md5(pg_get_functiondef('new_id()'::regprocedure))
      where name = 'function new_id()'`,
    'create function old_rule() returns trigger language plpgsql as $$ begin return new; end $$',
    'create trigger old_rule before insert on contacts for each row execute function old_rule()',
    `insert into schema_objects values ('function old_rule()', 'a', 'b'), ('trigger old_rule on contacts', 'a', 'b')`,
    // Changed by hand: one that can be replaced, two that must be dropped first, and one that is missing.
    'alter function stored_bytes volatile',
    'drop function remove_replaced_picture cascade',
    'create function remove_replaced_picture() returns integer language sql return 1',
    'drop trigger quota on stored_changes',
    'create constraint trigger quota after insert on stored_changes for each row execute function enforce_quota()',
    // Of the operator.
    'create function theirs() returns trigger language plpgsql as $$ begin return new; end $$',
    'create trigger theirs before insert on contacts for each row execute function theirs()',
  );
  const outdated = [
    'function new_id()',
    'function old_rule()',
    'function remove_replaced_picture()',
    'function stored_bytes(text)',
    'trigger old_rule on contacts',
    'trigger picture_replaced on users',
    'trigger quota on stored_changes',
  ];
  assert.deepEqual((await findMissing(url, names, true)).toSorted(), outdated);
  assert.deepEqual(await migrate(url, prepareQueue), []);
  assert.deepEqual(await findMissing(url, names, true), []);
  const replaced = (await listObjects(url)).filter(({ name }) => !/\btheirs\b/.test(name));
  assert.equal((await listObjects(url)).length, replaced.length + 2);
  assert.deepEqual(withoutVersion(replaced), withoutVersion(migrated));
  const untouched = (objects: CatalogueObject[]): CatalogueObject[] =>
    objects.filter(({ name }) => !outdated.includes(name));
  assert.deepEqual(untouched(replaced), untouched(migrated));
});

test('a database of the version before sql/ keeps its triggers as they are, and loses what sql/ no longer has', async () => {
  const url = makeUrl(await cloneTemplate());
  const migrated = await listObjects(url);
  await run(
    url,
    `delete from schema_migrations where name = '0042_platform_objects.sql'`,
    'drop table schema_objects',
    `do $$ begin execute (select 'drop table ' || string_agg(name, ', ') from partitions_of('messages')) || ' cascade'; end $$`,
    `create or replace function new_id() returns text language sql as $$ select 'old' $$`,
    'drop trigger lost_owner on table_rows',
    // A trigger of an earlier version, and a new_id() with other parameters than the one in sql/.
    'create trigger noted_text after update on messages for each row execute function note_last_message()',
    'create function new_id(bytes integer) returns text language sql return repeat($$a$$, bytes)',
  );
  assert.deepEqual(await migrate(url, prepareQueue), ['0042_platform_objects.sql']);
  const replaced = await listObjects(url);
  assert.deepEqual(withoutVersion(replaced), withoutVersion(migrated));
  // One was dropped above, and the others are of later migrations, or have another function since.
  const isOther = (name: string): boolean =>
    /^trigger (?:lost_owner on|queued on|begins on|ends on messages|key_moves on|messages_activity_|acceptance_|notified_|followed on|gives_out on|reported_\w+ on|times_sla on|noted_sla on|frees_owner\w* on|asks_csat on|left_for_rules\w* on|\w+ on (?:macros|rules|rule_runs)|noted on views|noted_\w+ on (?:notifications|scheduled_messages|csat_surveys)|push_ends on|pushed_\w+ on notifications|noted_update on follow_ups|\w+ on contact_notes)/.test(
      name,
    );
  const kept = (objects: CatalogueObject[]): CatalogueObject[] =>
    objects.filter(({ name }) => name.startsWith('trigger ') && !isOther(name));
  assert.deepEqual(kept(replaced), kept(migrated));
  assert.deepEqual(await findMissing(url, names, true), []);
});

test('a process that may not migrate starts with the functions of a later version, but not with those of an earlier one', async () => {
  const url = makeUrl(await cloneTemplate());
  await run(
    url,
    `insert into schema_objects select name, 'of a later version', definition from schema_objects where name = 'function new_id()'`,
    `update schema_objects set definition = null where name = 'function new_id()' and digest <> 'of a later version'`,
  );
  assert.deepEqual(await findMissing(url, names), []);
  assert.deepEqual(await findMissing(url, names, true), ['function new_id()']);
  // One that may migrate leaves them alone as well when a later version has migrated the database.
  await run(url, `insert into schema_migrations (name) values ('0999_later.sql')`);
  assert.deepEqual(await findMissing(url, names, true), []);
  await run(
    url,
    `delete from schema_migrations where name = '0999_later.sql'`,
    `update schema_objects set digest = 'of an earlier version' where name = 'function new_id()' and definition is null`,
  );
  assert.deepEqual(await findMissing(url, names), ['function new_id()']);
});
