/** Migrations, tested on a server of their own, because roles belong to the whole server and these tests remove rights. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openTestServer, TEMPLATE, type TestServer } from '../../test/support/database.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { queues } from '../worker.ts';
import { connectionUrl } from './embedded-postgres.ts';
import { migrateJobs } from './jobs.ts';
import { createLogin, findMissing, migrate } from './migrations.ts';

let server: TestServer;
const names = queues().map((queue) => queue.name);
const prepareQueue = (url: string): Promise<void> => migrateJobs(url, queues());

before(async () => {
  server = await openTestServer({ durable: false });
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

/** A migrated database whose owner is bound by row security. Tests of single migrations share it, because to migrate one takes seconds. */
let owned: Promise<{ name: string; url: string }> | undefined;
const openOwned = (): Promise<{ name: string; url: string }> => (owned ??= createOwned());

async function createOwned(): Promise<{ name: string; url: string }> {
  await run(
    makeUrl('postgres'),
    `create role keeper login password 'keeper'`,
    'grant parley_app, parley_read, parley_system to keeper with inherit false',
  );
  const name = await createDatabase('keeper');
  await run(makeUrl(name), 'grant all on schema public to keeper');
  const url = makeUrl(name, 'keeper', 'keeper');
  await migrate(url, prepareQueue);
  return { name, url };
}

test('when several processes start at once, one of them migrates, and each finds the database complete', async () => {
  const url = makeUrl(await createDatabase());
  assert.ok((await findMissing(url, names)).length > 0);
  const ran = await Promise.all([1, 2, 3].map(() => migrate(url, prepareQueue)));
  const [first = [], ...others] = ran.toSorted((a, b) => b.length - a.length);
  assert.ok(first.includes('0001_companies.sql'));
  assert.deepEqual(first, first.toSorted());
  assert.deepEqual(others, [[], []]);
  assert.deepEqual(await findMissing(url, names), []);
});

test('migration 0032 keeps the passwords of existing users, leaves invited users invited, and adds to keys who created them, also when row security applies to the owner', async () => {
  const { name, url } = await openOwned();
  const company = 'a'.repeat(24);
  await run(
    makeUrl(name),
    'drop table people, mailed_links',
    'alter table users drop column accepted_at',
    'drop index users_company_email_key, users_email, api_keys_maker',
    'create unique index users_email_key on users (lower(email))',
    `delete from schema_migrations where name >= '0032' and name < '0034'`,
    `insert into companies (_id, name) values ('${company}', 'Before')`,
    `insert into users (company_id, _id, name, email, role, status, password_hash) values
      ('${company}', 'came', 'Ana', 'Ana@example.test', 'OWNER', 'ACTIVE', 'hash of Ana'),
      ('${company}', 'gone', 'Bia', 'bia@example.test', 'ADMIN', 'INACTIVE', 'hash of Bia'),
      ('${company}', 'next', 'Eva', 'eva@example.test', 'VIEWER', 'INVITED', null)`,
    `insert into api_keys (_id, company_id, type, name, prefix, token_hash, scopes)
      values ('key', '${company}', 'company', 'CRM', '…abcd', 'hash', '{*}')`,
    `insert into audit_log (_id, company_id, actor_type, actor_id, actor_name, action, resource, resource_id)
      values ('line', '${company}', 'USER', 'came', 'Ana', 'api-keys.create', 'api-keys', 'key')`,
  );
  const ran = await migrate(url, prepareQueue);
  assert.deepEqual(ran, ['0032_people.sql', '0033_identity.concurrent.sql']);
  assert.deepEqual(await run(makeUrl(name), 'select email, password_hash from people order by email'), [
    { email: 'ana@example.test', password_hash: 'hash of Ana' },
    { email: 'bia@example.test', password_hash: 'hash of Bia' },
  ]);
  assert.deepEqual(await run(makeUrl(name), 'select created_by from api_keys'), [{ created_by: 'came' }]);
  const users = await run(
    makeUrl(name),
    'select _id, accepted_at is not null as accepted, password_hash from users order by _id',
  );
  assert.deepEqual(
    users,
    Object.entries({ came: true, gone: true, next: false }).map(([_id, accepted]) => {
      return { _id, accepted, password_hash: null };
    }),
  );
});

test('migration 0042 counts the bytes of existing records and subtracts those that are deleted with their table, also when row security applies to the owner', async () => {
  const { name, url } = await openOwned();
  const company = 'b'.repeat(24);
  await run(
    makeUrl(name),
    'set session_replication_role = replica',
    `insert into companies (_id, name) values ('${company}', 'Before')`,
    `insert into tables (company_id, _id, name, slug) values ('${company}', 'goes', 'T', 't'), ('${company}', 'stays', 'U', 'u')`,
    `insert into imports (company_id, _id, kind, table_id, file_name, format, principal)
      values ('${company}', 'i', 'TABLE', 'goes', 'a.csv', 'CSV', '{}')`,
    `insert into import_errors (company_id, import_id, position, lines) values ('${company}', 'i', 0, 'broken')`,
    `delete from schema_migrations where name = '0042_quota.concurrent.sql'`,
  );
  const counted = (tables: string[]): Promise<object[]> =>
    run(
      makeUrl(name),
      `select stored_bytes('${company}') = sum(record_bytes) as exact, count(*)::int as records
        from (${tables.map((table) => `select record_bytes from ${table}`).join(' union all ')}) records`,
    );
  assert.deepEqual(await migrate(url, prepareQueue), ['0042_quota.concurrent.sql']);
  const tables = ['tables', 'imports', 'import_errors'];
  assert.deepEqual(await counted(tables), [{ exact: true, records: 4 }]);
  await run(url, 'set role parley_app', `set app.company_id = '${company}'`, `delete from tables where _id = 'goes'`);
  assert.deepEqual(await counted(tables), [{ exact: true, records: 1 }]);
});

test('migration 0050 moves the settings of existing inboxes into one column, also when row security applies to the owner', async () => {
  const { name, url } = await openOwned();
  const company = 'c'.repeat(24);
  await run(
    makeUrl(name),
    'set session_replication_role = replica',
    `insert into companies (_id, name) values ('${company}', 'Before')`,
    `insert into inboxes (company_id, _id, name, channel, api_wap_config, partner_api_config) values
      ('${company}', 'both', 'Both', 'WAP_AUTO_CLOSER', '{"waba_id": "1", "business_token": null}', '{"api_key": "sealed"}'),
      ('${company}', 'none', 'None', 'WEB_V2', null, null)`,
    'alter table inboxes drop column settings',
    `delete from schema_migrations where name = '0050_inbox_settings.sql'`,
  );
  assert.deepEqual(await migrate(url, prepareQueue), ['0050_inbox_settings.sql']);
  assert.deepEqual(await run(makeUrl(name), 'select _id, settings from inboxes order by _id'), [
    {
      _id: 'both',
      settings: { api_wap_config: { waba_id: '1', business_token: null }, partner_api_config: { api_key: 'sealed' } },
    },
    { _id: 'none', settings: {} },
  ]);
});

test('findMissing names migrations that did not run and queues that do not exist', async () => {
  const url = makeUrl(await cloneTemplate());
  await run(url, `delete from schema_migrations where name = '0002_inboxes.sql'`);
  assert.deepEqual(await findMissing(url, [...names, 'of.a-later-version']), [
    '0002_inboxes.sql',
    'of.a-later-version',
  ]);
  // The migration fails when it runs again, because its tables exist. The error names the file, and nothing is changed.
  await assert.rejects(
    migrate(url, prepareQueue),
    /^Error: migration 0002_inboxes\.sql: relation "\w+" already exists$/,
  );
  assert.deepEqual(await findMissing(url, names), ['0002_inboxes.sql']);
});

test("the platform's user on the embedded server has no rights of its own and can only switch to the runtime roles", async () => {
  const url = makeUrl(await cloneTemplate());
  await createLogin(url, 'first');
  await createLogin(url, server.address.password);
  const login = makeUrl(new URL(url).pathname.slice(1), 'parley', server.address.password);
  await assert.rejects(run(login, 'select * from contacts'), { code: '42501' });
  await assert.rejects(run(login, 'set role postgres'), { code: '42501' });
  for (const role of ['parley_app', 'parley_read', 'parley_system'])
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
    await run(owner('postgres'), ...['app', 'read', 'system'].map((role) => `drop role parley_${role}`));
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
    assert.equal(statements.length, 4);
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

/** Prepares a migration that needs an exclusive lock on `messages`, and opens a long transaction that reads this table. */
async function startLongReader(url: string): Promise<{ again: string; reader: pg.Client }> {
  const again = '0017_erasure.sql';
  await run(
    url,
    `delete from schema_migrations where name = '${again}'`,
    `alter table messages add constraint messages_company_id_contact_id_fkey foreign key (company_id, contact_id) references contacts`,
  );
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query('begin; select from messages');
  return { again, reader };
}

test('a migration that waits for a long reader is retried until it succeeds', async () => {
  const url = makeUrl(await cloneTemplate());
  const { again, reader } = await startLongReader(url);
  const ran = migrate(url, prepareQueue);
  // The reader ends only after the first attempt has failed at its lock time-out, which the server counts as a rollback.
  await waitUntil('the first try to give up', async () => {
    const [row] = await run<{ count: number }>(
      url,
      `select xact_rollback::int as count from pg_stat_database where datname = current_database()`,
    );
    return (row?.count ?? 0) > 0;
  });
  await reader.query('commit');
  await reader.end();
  assert.deepEqual(await ran, [again]);
});

test('the error of a migration whose connection breaks names the file and the cause', async () => {
  const url = makeUrl(await cloneTemplate());
  const { reader } = await startLongReader(url);
  const ran = assert.rejects(
    migrate(url, prepareQueue),
    /^Error: migration 0017_erasure\.sql: terminating connection due to administrator command$/,
  );
  await waitUntil('it to wait for the reader', async () => {
    const cut = await run(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'parley migrate' and wait_event_type = 'Lock'`,
    );
    return cut.length > 0;
  });
  await ran;
  await reader.end();
});
