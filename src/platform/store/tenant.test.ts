/** Row-level security: no statement in a transaction of one company can see or change rows of another company. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import { exec, isUnavailable, many, type Statement } from './db.ts';
import { ROLES } from './roles.ts';
import { newId } from '../values/ids.ts';
import { UNGUARDED, type Storage } from './storage.ts';
import { openDatabase } from './open-database.ts';

const ids = { mine: newId(), theirs: newId() };
const database = await openTestDatabase();
const platform = openDatabase({ url: database.url, poolSize: 2 });
after(async () => {
  await platform.close();
  await database.close();
});

interface Column {
  table: string;
  column: string;
  type: string;
}

const columns = await database.sql<Column>(`
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and exists (
    select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')
  order by 1, a.attnum`);
const tables = [...new Set(columns.map((column) => column.table))];
const companyColumn = (table: string): string => (table === 'companies' ? '_id' : 'company_id');

const raw = (text: string, values: unknown[] = []): Statement => ({ name: '', text, values });

before(async () => {
  // Companies have no right to change these tables. The test grants it, so that only row-level security can prevent the changes.
  await database.sql(
    'grant insert, update, delete on audit_log, company_usage, stored_changes, report_facts, report_counters to parley_app',
  );
  for (const company of Object.values(ids)) await fill(company);
});

/** Inserts one row per table for a company, with values made from the column types. Checks and foreign keys are switched off. */
async function fill(company: string): Promise<void> {
  const inserts = tables.map((table) => {
    const own = columns.filter((column) => column.table === table);
    const list = own.map((column) => `"${column.column}"`).join(', ');
    return `insert into "${table}" (${list}) values (${own.map((column) => makeValue(column, company)).join(', ')});`;
  });
  const checks = await database.sql<{ drop: string }>(
    `select format('alter table %s drop constraint if exists %I', conrelid::regclass, conname) as drop from pg_constraint
      where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace and conrelid <> 0`,
  );
  const drops = checks.map((check) => check.drop).join(';\n');
  await database.sql(`begin; ${drops}; set local session_replication_role = replica; ${inserts.join('\n')} commit`);
}

function makeValue({ table, column, type }: Column, company: string): string {
  if (column === companyColumn(table)) return `'${company}'`;
  if (type.endsWith('[]')) return `'{}'`;
  if (type === 'jsonb') return `'{}'`;
  if (type === 'boolean') return 'false';
  if (type.startsWith('timestamp') || type === 'date') return 'now()';
  if (['integer', 'bigint', 'xid8'].includes(type)) return `'1'`;
  if (type === 'bytea') return `'\\x${company}'`;
  if (type === 'uuid') return `'${company.padStart(32, '0')}'`;
  // Ids and other unique values have to differ between the companies.
  return `'${company}'`;
}

const seen = (rows: Record<string, unknown>[], table: string): unknown[] =>
  rows.map((row) => row[companyColumn(table)]);

describe('in a transaction of one company', () => {
  for (const table of tables) {
    test(`no row of another company can be seen, changed, taken or given away in ${table}`, async () => {
      const { mine, theirs } = ids;
      const key = companyColumn(table);
      await platform.tenantTx(mine, async (tx) => {
        const rows = await many<Record<string, unknown>>(tx, raw(`select * from ${table}`));
        assert.deepEqual(seen(rows, table), [mine]);
        assert.equal(await exec(tx, raw(`select * from ${table} where ${key} = $1 for update`, [theirs])), 0);
        assert.equal(await exec(tx, raw(`update ${table} set ${key} = ${key} where ${key} = $1`, [theirs])), 0);
        assert.equal(await exec(tx, raw(`delete from ${table} where ${key} = $1`, [theirs])), 0);
        assert.equal(await exec(tx, raw(`update ${table} set ${key} = ${key}`)), 1);
      });
      const policy = { code: '42501', message: new RegExp(`row-level security policy for table "${table}"`) };
      const inMine = (text: string): Promise<number> => platform.tenantTx(mine, (tx) => exec(tx, raw(text, [theirs])));
      await assert.rejects(inMine(`update ${table} set ${key} = $1`), policy);
      const list = columns
        .filter((column) => column.table === table && column.column !== key)
        .map((column) => `"${column.column}"`);
      const copy = `insert into ${table} (${[`"${key}"`, ...list].join(', ')}) select $1, ${list.join(', ')} from ${table}`;
      await assert.rejects(inMine(copy), policy);
      const [left] = await database.sql<{ count: number }>(`select count(*)::int from ${table}`);
      assert.equal(left?.count, 2);
    });
  }

  test('a company id that contains SQL or is no id is refused', async () => {
    for (const id of [`${ids.mine}'; reset role; --`, '', 'nonsense', ids.mine.toUpperCase()]) {
      await assert.rejects(
        async () => platform.tenantTx(id, (tx) => exec(tx, raw('select 1'))),
        /the id of the company/,
      );
    }
  });

  test('a transaction of a company has the role that row security binds and all limits of the session', async () => {
    const settings = ['role', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'timezone'];
    const list = settings.map((name) => `current_setting('${name}') as ${name}`).join(', ');
    const rows = await platform.tenantTx(ids.mine, (tx) => many(tx, raw(`select ${list}`)));
    assert.deepEqual(rows, [
      {
        role: 'parley_app',
        statement_timeout: '5s',
        lock_timeout: '2s',
        idle_in_transaction_session_timeout: '10s',
        timezone: 'UTC',
      },
    ]);
  });
});

test('the database role of companies sees no rows while no company is set, even on a connection that had one before', async () => {
  const client = await connectAs(ROLES.app, database);
  try {
    for (const company of [null, ids.mine]) {
      if (company)
        await client.query(`begin; set local app.company_id = '${company}'; select 1 from companies; commit`);
      for (const table of tables) {
        assert.deepEqual((await client.query(`select * from ${table}`)).rows, [], table);
        assert.equal((await client.query(`delete from ${table}`)).rowCount, 0, table);
      }
    }
  } finally {
    await client.end();
  }
});

test('reads under row security see one company only, even if their statement names none', async () => {
  const strict = openDatabase({ url: database.url, poolSize: 1, readsUnderRls: true });
  try {
    for (const table of tables) {
      const rows = await many<Record<string, unknown>>(strict.read(ids.theirs), raw(`select * from ${table}`));
      assert.deepEqual(seen(rows, table), [ids.theirs]);
    }
  } finally {
    await strict.close();
  }
});

test('the database role for reading cannot change anything', async () => {
  for (const table of tables) {
    await assert.rejects(exec(platform.read(ids.mine), raw(`delete from ${table}`)), { code: '42501' });
  }
});

describe('the end of a transaction', () => {
  const name = (company: string): Promise<{ name: string }[]> =>
    database.sql('select name from companies where _id = $1', [company]);

  test('a transaction that throws stores nothing, throws its own error and calls no afterCommit action', async () => {
    let called = 0;
    const failing = platform.tenantTx(ids.mine, async (tx) => {
      tx.afterCommit(() => (called += 1));
      await exec(tx, raw(`update companies set name = 'changed'`));
      throw new Error('its own');
    });
    await assert.rejects(failing, /^Error: its own$/);
    assert.deepEqual([await name(ids.mine), called], [[{ name: ids.mine }], 0]);
  });

  test('a transaction calls its afterCommit action once, after the commit', async () => {
    const seenNames: unknown[] = [];
    await platform.tenantTx(ids.theirs, async (tx) => {
      tx.afterCommit(() => seenNames.push('called'));
      await exec(tx, raw(`update companies set name = 'changed'`));
      assert.deepEqual(seenNames, []);
    });
    assert.deepEqual([await name(ids.theirs), seenNames], [[{ name: 'changed' }], ['called']]);
  });

  test('a transaction whose connection breaks throws, and the pool remains usable', async () => {
    for (let round = 0; round < 3; round += 1) {
      const broken = platform.systemTx('upkeep', async (tx) => {
        const [row] = await many<{ pid: number }>(tx, raw('select pg_backend_pid() as pid'));
        await database.sql('select pg_terminate_backend($1)', [row?.pid]);
        await exec(tx, raw('select pg_sleep(5)'));
      });
      await assert.rejects(broken, (error) => isUnavailable(error));
    }
    assert.equal(await platform.systemTx('upkeep', (tx) => exec(tx, raw('select 1'))), 1);
  });
});

test('an export reads one company only, and also works while a full disk refuses transactions', async () => {
  const refusing: Storage = {
    ...UNGUARDED,
    write: () => Promise.reject(new Error('no room')),
  };
  const full = openDatabase({ url: database.url, poolSize: 2, storage: refusing });
  try {
    await assert.rejects(
      full.tenantTx(ids.mine, (tx) => exec(tx, raw('select 1'))),
      /no room/,
    );
    const rows = await many<Record<string, unknown>>(full.walk(ids.mine), raw('select * from contacts'));
    assert.deepEqual(seen(rows, 'contacts'), [ids.mine]);
  } finally {
    await full.close();
  }
});
