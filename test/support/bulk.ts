/**
 * Fills a database with thousands of rows of which the planner has no statistics: SQL writes them into
 * tables that nothing analyses. A third of all records refers to the same contact, user, business or step.
 */
import { after } from 'node:test';
import { openTestDatabase, type TestDatabase } from './database.ts';

export const COMPANY = 'a'.repeat(24);
const OTHER = 'b'.repeat(24);
export const COUNT = 8_000;
/** The id of the n-th record of its kind. */
export const makeId = (n: number): string => n.toString(16).padStart(24, '0');
/** The id to which a third of all records refers. */
export const NAMED = makeId(1);

const HOLDS = `jsonb_build_object('${NAMED}', 1)`;

/** How many rows of each queue wait, and how many others are due. */
export const WAITING = 16;
const IS_WAITING = `n % ${(2 * COUNT) / WAITING} = 1`;
const IS_DUE = `n % ${(2 * COUNT) / WAITING} = 2`;

/** The SQL of the values of the n-th row; a column that is not listed gets a value by its type if it needs one. */
const TABLES: Record<string, Record<string, string>> = {
  contacts: {
    custom_fields: HOLDS,
    owner_id: `case when n % 3 = 0 then '${NAMED}' end`,
    business_id: `case when n % 3 = 0 then '${NAMED}' end`,
  },
  conversations: {
    custom_fields: HOLDS,
    contact_id: `id(n % 3)`,
    inbox_id: 'id(n % 7)',
    step_id: `case when n % 3 = 0 then '${NAMED}' end`,
    owner_id: `case when n % 3 = 0 then '${NAMED}' end`,
    attendant_id: `case when n % 3 = 1 then '${NAMED}' end`,
    status: `'CLOSED'`,
  },
  businesses: { custom_fields: HOLDS, owner_id: `case when n % 3 = 0 then '${NAMED}' end` },
  inboxes: {
    default_owner: `case when n % 3 = 0 then '${NAMED}' end`,
    status: `case when ${IS_DUE} then 'ACTIVE' else 'DELETED' end`,
    accepted_at: 'now()',
  },
  messages: {
    conversation_id: 'id(n)',
    contact_id: 'id(n % 3)',
    external_id: `'m' || n`,
    inbox_id: 'id(n % 7)',
    status: `'QUEUED'`,
  },
  message_activity: {},
  table_rows: {
    table_id: 'id(n % 3)',
    row_index: 'n',
    contact_id: `case when n % 3 = 0 then '${NAMED}' end`,
    business_id: `case when n % 3 = 0 then '${NAMED}' end`,
  },
  audit_log: {},
  stored_changes: {},
  idempotency_keys: { key: `'k' || n`, attempt: `'a' || n`, running_until: 'null' },
  rate_buckets: { subject: `'s' || id(n)` },
  callbacks_aside: {},
  parked_updates: { external_id: `'p' || n`, fingerprint: `decode(md5(n::text), 'hex')` },
  deliveries: { finished_at: `case when n % 2 = 1 and n > ${WAITING} then now() end` },
  delivery_queue: {},
  delivery_attempts: { attempted_at: `case when ${IS_DUE} then now() - interval '1 hour' else 'infinity' end` },
  ...makeQueues(),
  imports: {},
  pipelines: {},
  pipeline_steps: { pipeline_id: 'id(3)' },
  tables: { removed_at: 'now()' },
  password_tokens: { token_hash: `decode(md5(n::text), 'hex')` },
};

/** Queues in which a few rows wait and a few are due, among thousands that do neither. */
function makeQueues(): Record<string, Record<string, string>> {
  const due = (column: string): Record<string, string> => ({
    [column]: `case when ${IS_DUE} then now() - interval '1 hour' end`,
  });
  const leased = { is_waiting: IS_WAITING, ...due('held_until') };
  const states = { state: `case when ${IS_WAITING} then 'WAITING' else 'RESTING' end`, ...due('due_at') };
  return {
    runs: { kind: `'IMPORT'`, input: `'{}'`, status: `'RUNNING'`, processed: '0', ...leased },
    follow_ups: {
      status: `case when ${IS_WAITING} or ${IS_DUE} then 'SCHEDULED' else 'SENT' end`,
      ...leased,
      ...due('settle_until'),
    },
    scheduled_messages: {
      status: `case when ${IS_WAITING} or ${IS_DUE} then 'SCHEDULED' else 'SENT' end`,
      ...leased,
      ...due('settle_until'),
    },
    away_texts: {
      closed_until: `now() + (n || ' seconds')::interval`,
      ended_at: `case when not (${IS_WAITING} or ${IS_DUE}) then now() end`,
      ...leased,
      ...due('settle_until'),
    },
    csat_surveys: {
      ended_at: `case when not (${IS_WAITING} or ${IS_DUE}) then now() end`,
      ...leased,
      ...due('settle_until'),
    },
    pending_turns: leased,
    agent_turns: due('settle_until'),
    agent_conversation_budgets: { day: `current_date - case when ${IS_DUE} then 100 else 0 end` },
    campaigns: { status: `'RUNNING'`, ...leased },
    campaign_changes: {},
    knowledge_items: leased,
    template_catalogues: { ...leased, due_at: `'infinity'` },
    inbox_fetches: states,
    media_downloads: states,
  };
}

interface Column {
  table: string;
  column: string;
  type: string;
  needed: boolean;
}

async function dropChecks(database: TestDatabase): Promise<void> {
  const checks = await database.sql<{ drop: string }>(
    `select format('alter table %s drop constraint if exists %I', conrelid::regclass, conname) as drop from pg_constraint
      where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace and conrelid <> 0`,
  );
  await database.sql(checks.map(({ drop }) => drop).join(';\n'));
}

async function insertRows(database: TestDatabase): Promise<void> {
  const names = Object.keys(TABLES);
  const columns = await database.sql<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull and not a.atthasdef as needed
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
      where c.relname = any($1) and c.relnamespace = 'public'::regnamespace order by a.attnum`,
    [names],
  );
  const inserts = names.flatMap((table) => {
    const own = columns.filter((column) => column.table === table);
    const given = { ...makeOldDates(own), ...TABLES[table] };
    const list = own.filter(({ column, needed }) => needed || column in given);
    // The other company's rows come before and after these in every order.
    return [COMPANY, OTHER].map((company, half) => {
      const values = list.map(({ column, type }) => chooseValue({ column, type, given, company }));
      const from = `generate_series(${half * COUNT + 1}, ${(half + 1) * COUNT}) n`;
      return `insert into ${table} (${list.map(({ column }) => `"${column}"`).join(', ')}) select ${values.join(', ')} from ${from};`;
    });
  });
  await database.sql(`begin;
    create function pg_temp.id(n bigint) returns text language sql immutable as $$ select lpad(to_hex(n), 24, '0') $$;
    set local session_replication_role = replica;
    insert into companies (_id, name) values ('${COMPANY}', 'One'), ('${OTHER}', 'Other');
    ${inserts.join('\n').replaceAll(/\bid\(/g, 'pg_temp.id(')}
    commit`);
}

/** Returns the SQL of old dates: each row is a second younger than the row before. */
function makeOldDates(columns: Column[]): Record<string, string> {
  const old = ['created_at', 'updated_at', 'queued_at', 'refilled_at', 'expires_at'];
  const known = columns.filter(({ column }) => old.includes(column));
  return Object.fromEntries(
    known.map(({ column }) => [column, `now() - interval '3000 days' + n * interval '1 second'`]),
  );
}

function chooseValue(asked: { column: string; type: string; given: Record<string, string>; company: string }): string {
  const { column, type, given, company } = asked;
  if (column in given) return given[column] ?? '';
  if (column === 'company_id') return `'${company}'`;
  if (type.endsWith('[]')) return `'{}'`;
  if (type === 'jsonb') return `'{}'`;
  if (type === 'boolean') return 'false';
  if (type.startsWith('timestamp')) return 'now()';
  if (type === 'integer' || type === 'bigint' || type.startsWith('double')) return 'n';
  if (type === 'bytea') return `decode(md5(n::text), 'hex')`;
  return 'id(n)';
}

/** Opens a database with thousands of rows in each table, of which the planner has no statistics. `prepare` is called before there are rows. */
export async function openBulk(
  analyzedEmpty: boolean,
  prepare?: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const database = await openTestDatabase();
  after(database.close);
  const names = Object.keys(TABLES);
  const tables = await database.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and coalesce(i.inhparent, c.oid) = any($1::regclass[])`,
    [names],
  );
  for (const { name } of tables) await database.sql(`alter table ${name} set (autovacuum_enabled = off)`);
  if (analyzedEmpty) await database.sql(`analyze ${names.join(', ')}`);
  await dropChecks(database);
  await prepare?.(database);
  await insertRows(database);
  return database;
}
