/** Workers that are killed in the middle of an import: the real program, kill -9, and the state of the database afterwards. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../../test/support/database.ts';
import { UNLIMITED } from '../../../test/support/platform.ts';
import { killProgram, prepareInstallation } from '../../../test/support/process.ts';
import { buildForm, makeWorkbook } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const database = await openTestDatabase();
after(() => database.close());

const ROWS = 5_000;
// Every tenth row repeats the contact of an earlier row, and every hundredth is invalid.
const rows = Array.from({ length: ROWS }, (_, n) => [
  `Ana ${n}`,
  n % 100 === 99 ? 'nobody' : `ana-${n % 10 === 9 ? n - 9 : n}@example.com`,
]);
const FAILED = ROWS / 100;
const UPDATED = ROWS / 10 - FAILED;
const CREATED = ROWS - FAILED - UPDATED;

interface Progress {
  status: string;
  processed: number;
}

/** Stops all imports in the transaction that follows this many rows, until the returned function is called. */
async function holdAfter(processed: number): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('select pg_advisory_lock(1)');
  await client.query(`create function wait() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return new; end $$`);
  await client.query(
    `create trigger held before update on runs for each row when (old.processed >= ${processed}) execute function wait()`,
  );
  return async () => {
    // Releasing the lock wakes the connection of the killed process, which then ends.
    await client.query('select pg_advisory_unlock(1)');
    await client.query('drop function wait cascade');
    await client.end();
  };
}

const isHeld = async (): Promise<boolean> => {
  const waiting = await database.sql(`select 1 from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and l.objid = 1 and not l.granted`);
  return waiting.length > 0;
};

test('a worker that is killed in an import repeats nothing and loses nothing: totals, contacts and events are exact', async (t) => {
  const { boot, readKey } = await prepareInstallation(t, { DATABASE_URL: database.url, ...UNLIMITED });
  let { program, url } = await boot();
  let letGo = await holdAfter(1);
  const response = await fetch(`${url}/v1/contacts/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await readKey()}` },
    body: buildForm({ file: { name: 'many.xlsx', data: makeWorkbook([['name', 'email'], ...rows]) } }),
  });
  assert.equal(response.status, 201);
  const { _id } = (await response.json()) as { _id: string };
  const look = async (): Promise<Progress> => {
    const [row] = await database.sql<Progress>('select status, processed from runs where _id = $1', [_id]);
    assert.ok(row);
    return row;
  };
  for (const next of [2_000, ROWS + 1]) {
    await waitUntil('the import to come so far', isHeld);
    await killProgram(program);
    const { processed } = await look();
    assert.ok(processed > 0 && processed < ROWS, `killed after ${processed}`);
    await letGo();
    letGo = await holdAfter(next);
    // This ends the claim of the dead worker at once, so that the test need not wait for its lease.
    await database.sql('update runs set held_until = now()');
    ({ program, url } = await boot());
  }
  const end = await waitUntil('the import to end', async () => ((await look()).status === 'RUNNING' ? null : look()));
  assert.deepEqual(end, { status: 'COMPLETED', processed: ROWS });
  await letGo();
  const [counts] = await database.sql(
    'select created_count, changed_count, failed_count, total, jsonb_array_length(failures) as errors from runs where _id = $1',
    [_id],
  );
  assert.deepEqual(counts, {
    created_count: CREATED,
    changed_count: UPDATED,
    failed_count: FAILED,
    total: ROWS,
    errors: FAILED,
  });
  const [contacts] = await database.sql(
    `select count(*)::int as all, count(distinct lower(email))::int as people from contacts where source = 'IMPORT'`,
  );
  assert.deepEqual(contacts, { all: CREATED, people: CREATED });
  const [emitted] = await database.sql(
    `select count(*)::int as all, count(distinct resource_id)::int as people from deliveries where event = 'CONTACT_CREATED'`,
  );
  assert.deepEqual(emitted, { all: CREATED, people: CREATED });
});
