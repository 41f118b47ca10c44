/** Runs whose process is killed, with bulk changes of conversations: the real program, kill -9, and the state of the database afterwards. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { insertConversations, RUNS } from '../../../../test/support/conversation-runs.ts';
import { openTestDatabase } from '../../../../test/support/database.ts';
import { UNLIMITED } from '../../../../test/support/platform.ts';
import { killProgram, prepareInstallation } from '../../../../test/support/process.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const database = await openTestDatabase();
after(() => database.close());

interface RunState {
  status: string;
  processed: number;
  changed_count: number;
  error: { code: string } | null;
}

const readRun = async (id: string): Promise<RunState> => {
  const [run] = await database.sql<RunState>(
    'select status, processed, changed_count, error from runs where _id = $1',
    [id],
  );
  assert.ok(run);
  return run;
};

/** Makes the statement that counts a conversation last for an hour while the condition holds; the test kills the worker in it. */
const holdWhile = (condition: string): Promise<unknown> =>
  database.sql(`create or replace function hold() returns trigger language plpgsql as $$ begin
      if ${condition} then set local statement_timeout = 0; perform pg_sleep(3600); end if; return new; end $$`);

/** Ends the statements of killed processes and their claims at once, so that the test need not wait for them. */
async function forgetDead(): Promise<void> {
  await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`);
  await database.sql('update runs set held_until = now() where finished_at is null');
}

const isHeld = async (): Promise<boolean> =>
  (await database.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`))
    .length > 0;

test('a run goes on after its process was killed twice, changes nothing twice and leaves nothing out; one that makes no progress ends FAILED', async (t) => {
  const { boot, readKey } = await prepareInstallation(t, { DATABASE_URL: database.url, ...UNLIMITED });
  let { program, url } = await boot();
  const [inbox] = await database.sql<{ _id: string; company: string }>(
    `select _id, company_id as company from inboxes where channel = 'WAP_AUTO_CLOSER'`,
  );
  assert.ok(inbox);
  const ids = await insertConversations({ database }, { company: inbox.company, inbox: inbox._id }, 60);
  await holdWhile('old.processed = 20');
  await database.sql('create trigger held before update of processed on runs for each row execute function hold()');
  const start = async (): Promise<string> => {
    const response = await fetch(url + RUNS, {
      method: 'POST',
      headers: { authorization: `Bearer ${await readKey()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ids, change: { add_tags: ['changed'] } }),
    });
    assert.equal(response.status, 201);
    return ((await response.json()) as { _id: string })._id;
  };
  const killHeld = async (): Promise<void> => {
    await waitUntil('the run to come so far', isHeld);
    await killProgram(program);
  };
  const _id = await start();
  for (const next of ['old.processed = 40', 'false']) {
    await killHeld();
    await holdWhile(next);
    await forgetDead();
    ({ program, url } = await boot());
  }
  const end = await waitUntil('the run to end', async () => {
    const run = await readRun(_id);
    return run.status === 'RUNNING' ? null : run;
  });
  assert.deepEqual(end, { status: 'COMPLETED', processed: 60, changed_count: 60, error: null });
  const [events] = await database.sql(
    `select count(*)::int as all, count(distinct resource_id)::int as conversations from deliveries where event = 'CONVERSATION_UPDATED'`,
  );
  assert.deepEqual(events, { all: 60, conversations: 60 });
  const [audited] = await database.sql(
    `select count(*)::int as all, count(distinct resource_id)::int as conversations from audit_log where action = 'conversations.update'`,
  );
  assert.deepEqual(audited, { all: 60, conversations: 60 });

  await holdWhile('old.processed = 5');
  const poison = await database.sql<{
    _id: string;
  }>(`update runs set status = 'QUEUED', processed = 0, changed_count = 0,
    is_waiting = true, finished_at = null where _id = '${_id}' returning _id`);
  assert.equal(poison.length, 1);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await killHeld();
    await forgetDead();
    ({ program, url } = await boot());
  }
  const failed = await waitUntil('the run to be given up', async () => {
    const run = await readRun(_id);
    return run.status === 'RUNNING' ? null : run;
  });
  assert.deepEqual([failed.status, failed.error?.code, failed.processed], ['FAILED', 'RUN_CRASHED', 5]);
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
});
