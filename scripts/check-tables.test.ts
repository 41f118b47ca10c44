import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTableViolations, type TableLaw } from './table-law.ts';
import { findMigratedObjects, readTableOwners } from './tables.ts';

const LAW: TableLaw = {
  tables: readTableOwners([
    { path: 'migrations/0001_platform.sql', text: 'create table settings (a int);' },
    { path: 'migrations/0002_contacts.sql', text: 'create unlogged table contacts (a int);' },
    { path: 'migrations/0003_messages.sql', text: 'create table if not exists messages (a int);' },
    { path: 'migrations/0004_webhooks_log.sql', text: '-- A log.\nCREATE TABLE webhooks (a int);' },
  ]),
  exceptions: [],
};

function breaches(path: string, text: string, { law = LAW } = {}): string[] {
  return findTableViolations([{ path, text }], law).map((found) => `${found.path}:${found.line}: ${found.sentence}`);
}

const MESSAGES = 'src/features/messages/ingest-queries.ts';

test('the SQL of a feature may name its own tables, those of features listed before it, and those of the platform', () => {
  const text = 'const sql = `select 1 from messages m join contacts c on true, settings`;';
  assert.deepEqual(breaches(MESSAGES, text), []);
});

test('the use of a table of a feature listed later is reported once, however the table name is written', () => {
  const found = (line: number) => [`${MESSAGES}:${line}: names webhooks of webhooks, which is listed after messages`];
  for (const sql of [
    'select 1 from webhooks',
    'select 1 from messages m\n  LEFT JOIN webhooks w on true',
    'select 1 from messages m, webhooks w',
    'update webhooks set a = 1',
    'update only webhooks set a = 1',
    'insert into webhooks values (1)',
    'delete from messages m using webhooks w',
    'lock table webhooks',
    'select ${COLUMNS} from ${TABLE} t join webhooks w on true',
  ]) {
    assert.deepEqual(breaches(MESSAGES, `\nconst sql = \`${sql}\`;\nconst again = 'from webhooks';`), found(2), sql);
  }
  assert.deepEqual(breaches(MESSAGES, "const JOINED = 'join webhooks w on true';"), found(1));
  assert.deepEqual(breaches(MESSAGES, "const TABLES = { hook: 'webhooks' };"), found(1));
});

test('a column, an alias or a parameter with the name of a table is not reported', () => {
  for (const sql of [
    'select m.webhooks, m.a from messages m',
    'select 1 as webhooks',
    'update messages set webhooks = 1',
  ])
    assert.deepEqual(breaches(MESSAGES, `const sql = \`${sql}\`;`), [], sql);
});

test('the platform may name its own tables, and only queries and the platform are checked', () => {
  const path = 'src/platform/store/events.ts';
  assert.deepEqual(breaches(path, "const sql = 'select 1 from settings'; const RESOURCES = ['contacts'];"), []);
  assert.deepEqual(breaches(path, "const sql = 'select 1 from contacts';"), [
    `${path}:1: names contacts of contacts, which is listed after platform`,
  ]);
  for (const other of ['src/features/contacts/routes.ts', 'src/platform/events.test.ts', 'src/main.ts'])
    assert.deepEqual(breaches(other, "const summary = 'What comes from messages';"), []);
});

test('an exception allows one feature to use one table, and an unused exception is reported', () => {
  const law = { ...LAW, exceptions: [{ room: 'contacts', table: 'messages', reason: 'erasing' }] } satisfies TableLaw;
  const path = 'src/features/contacts/queries.ts';
  assert.deepEqual(breaches(path, "const sql = 'delete from messages';", { law }), []);
  assert.deepEqual(breaches(path, "const sql = 'delete from messages m using webhooks w';", { law }), [
    `${path}:1: names webhooks of webhooks, which is listed after contacts`,
  ]);
  const idle = ['scripts/tables.ts:1: the exception of contacts for messages is not needed'];
  assert.deepEqual(breaches(path, "const sql = 'select 1 from contacts';", { law }), idle);
  assert.deepEqual(breaches(MESSAGES, "const sql = 'delete from messages';", { law }), idle);
});

test('a migration whose name begins with no feature is refused', () => {
  assert.throws(() => readTableOwners([{ path: 'migrations/0005_things.sql', text: 'create table things (a int);' }]), {
    message: 'migrations/0005_things.sql: the name begins with no room of scripts/rooms.ts',
  });
});

test('a new migration that creates a function, a procedure or a trigger is refused', () => {
  const path = 'migrations/0042_platform_things.sql';
  const find = (text: string, file = path): number[] =>
    findMigratedObjects([{ path: file, text }]).map(({ line }) => line);
  for (const sql of [
    'create function f() returns int language sql return 1;',
    'CREATE OR REPLACE\n  PROCEDURE f() language sql as $$$$;',
    'drop trigger t on a; create trigger t after insert on a execute function f();',
    'create constraint trigger t after insert on a execute function f();',
    "do $$ begin execute 'create or replace trigger t after insert on a execute function f()'; end $$;",
    `call counted_table('a');`,
    `call noted_table('a');`,
  ]) {
    assert.deepEqual(find(`create table a (a int);\n${sql}`), [2], sql);
    assert.deepEqual(find(sql, 'migrations/0041_platform_runs.sql'), []);
  }
  for (const sql of [
    '-- The create function of sql/.',
    'create function pg_temp.f() returns int language sql return 1;',
    'drop function f;',
    `call tenant_table('a');`,
  ])
    assert.deepEqual(find(sql), [], sql);
});
