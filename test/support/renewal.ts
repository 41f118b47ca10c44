/** Brings a platform that runs back to the state of a first start. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeDemoChat, prepareFirstStart } from '../../src/boot/first-start.ts';
import type { Running } from '../../src/boot/start.ts';
import type { TestDatabase } from './database.ts';

export interface PlatformParts {
  running: Running;
  database: TestDatabase;
  dataDir: string;
}

/** What describes the installation, its queues and the process that runs, but no company. */
const KEPT_TABLES = [
  'public.schema_migrations',
  'public.schema_objects',
  'public.platform_state',
  'pgboss.version',
  'pgboss.queue',
  'pgboss.schedule',
  'pgboss.subscription',
];
/** What a start writes into the data folder, but no file or mail of a company. */
const KEPT_FILES = new Set(['secrets.json', 'credentials.json']);
/** PostgreSQL's code for a deadlock, here with work that the file before has left. */
const DEADLOCK = '40P01';
/** Of a table that had more rows, PostgreSQL would keep the dead rows for a while, and read them. */
const FEW_ROWS = 1_000;

export async function renew({ running, database, dataDir }: PlatformParts): Promise<void> {
  const { kit } = running;
  const sandboxUrl = kit.sandboxUrl ?? '';
  await callSandbox(sandboxUrl, 'POST', 'reset');
  await emptyTables(database);
  await emptyFolder(dataDir);
  const first = { jwtSecret: kit.tokenSecret, baseUrl: running.url ?? '', sandboxUrl, wholeDemo: null };
  await prepareFirstStart(kit, first);
  await callSandbox(sandboxUrl, 'PUT', 'settings', await describeDemoChat(kit, sandboxUrl, running.url ?? ''));
}

async function callSandbox(origin: string, method: string, path: string, body?: object): Promise<void> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${origin}/sandbox/${path}`, { method, ...sent });
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}: ${await answer.text()}`);
  await answer.body?.cancel();
}

/**
 * Deletes all rows, which for the few rows of a test costs less than to truncate. Drops the functions that tests have made, with their
 * triggers: they were numbered after the database itself. Forgets the statistics of the rows that are gone, because the planner would go by
 * them until the tables are looked at again.
 */
async function emptyTables(database: TestDatabase): Promise<void> {
  const kept = KEPT_TABLES.map((table) => `'${table}'::regclass`).join();
  const empty = `do $$ declare item record; deleted bigint; begin
    for item in select oid::regprocedure as name from pg_proc
      where pronamespace = 'public'::regnamespace and oid > (select oid from pg_database where datname = current_database())
    loop execute format('drop function %s cascade', item.name); end loop;
    perform set_config('session_replication_role', 'replica', true);
    for item in select oid::regclass as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
        and oid not in (${kept})
    loop
      execute format('delete from %s', item.name);
      get diagnostics deleted = row_count;
      if deleted > ${FEW_ROWS} then execute format('truncate %s cascade', item.name); end if;
    end loop;
    delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace);
    update pg_class set reltuples = -1, relpages = 0
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and reltuples >= 0;
  end $$`;
  for (;;) {
    try {
      await database.sql(empty);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}

async function emptyFolder(dataDir: string): Promise<void> {
  const left = (await readdir(dataDir)).filter((name) => !KEPT_FILES.has(name));
  for (const name of left) await rm(join(dataDir, name), { recursive: true, force: true });
}
