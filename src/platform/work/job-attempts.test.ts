/** A job that kills every process that works on it, tested with the real program and kill -9. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { UNLIMITED, type Json } from '../../../test/support/platform.ts';
import { killProgram, prepareInstallation } from '../../../test/support/process.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const QUEUE = 'tables.erase-rows';

test('a job during which its process died twice is given up, and a job that only ran at the same time is completed', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const { boot, readKey } = await prepareInstallation(t, { DATABASE_URL: database.url, ...UNLIMITED });
  let { program, url } = await boot();
  const key = await readKey();
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.status === 204 ? null : answer.json();
  };
  const makeTable = async (title: string): Promise<string> => {
    const { _id } = await call('POST', '/v1/tables', { name: title, columns: [{ key: 'name', title, type: 'TEXT' }] });
    await call('POST', `/v1/tables/${_id}/rows`, { data: { name: 'Ana' } });
    return _id;
  };
  const poison = await makeTable('Poison');
  const innocent = await makeTable('Innocent');
  // A worker that deletes such a row waits in this trigger, and the test kills its process. A statement may not wait for ever, so the job
  // fails at the end of the wait, when the test has not looked yet.
  const hold = (which: string): Promise<unknown> =>
    database.sql(`create or replace function hold() returns trigger language plpgsql as $$ begin
        if ${which} then perform pg_sleep(3); raise 'the test has not looked in time'; end if; return old; end $$;
      create or replace trigger held before delete on table_rows for each row execute function hold()`);
  await hold('true');
  // Both jobs become due at the same moment, so that one worker takes both at once. The trigger is on the partition and stays: a change of
  // several tables could meet the locks of the workers in another order.
  await database.sql(`create function wait() returns trigger language plpgsql as $$ begin
      new.start_after = 'infinity'; return new; end $$;
    create trigger waiting before insert on pgboss.job_common for each row when (new.name = '${QUEUE}') execute function wait()`);
  for (const id of [poison, innocent]) await call('DELETE', `/v1/tables/${id}`);
  await database.sql('update pgboss.job set start_after = now() where name = $1', [QUEUE]);
  const countBegun = async (table: string): Promise<number> => {
    const [row] = await database.sql<{ begun: number }>(
      `select a.begun::int from job_attempts a join pgboss.job j on j.id = a.job where j.name = $1 and j.data->>'table' = $2`,
      [QUEUE, table],
    );
    return row?.begun ?? 0;
  };
  /** Lets jobs that have failed begin again, as after this many deaths. */
  const beginAgain = (deaths: number): Promise<unknown> =>
    database.sql(
      `with failed as (update pgboss.job set state = 'retry', retry_count = 0, start_after = now()
          where name = $1 and state in ('retry', 'failed') and id not in (select job from job_attempts) returning id)
        insert into job_attempts (job, begun) select id, $2::bigint from failed where $2::bigint > 0`,
      [QUEUE, deaths],
    );
  await waitUntil('both to be begun', async () => {
    await beginAgain(0);
    return (await countBegun(poison)) === 1 && (await countBegun(innocent)) === 1;
  });
  for (const death of [1, 2]) {
    await waitUntil('it to be begun', async () => {
      await beginAgain(death - 1);
      return (await countBegun(poison)) === death;
    });
    await killProgram(program);
    await hold(`old.table_id = '${poison}'`);
    // Other workers would notice the missing heartbeat only after a while, so the test marks the job for a retry itself.
    await database.sql(
      `update pgboss.job set state = 'retry', start_after = now() where name = $1 and state = 'active'`,
      [QUEUE],
    );
    ({ program, url } = await boot());
  }
  const states = await waitUntil('both to end', async () => {
    const rows = await database.sql<{ table: string; state: string }>(
      `select data->>'table' as table, state::text from pgboss.job where name = $1`,
      [QUEUE],
    );
    const byTable = new Map(rows.map(({ table, state }) => [table, state]));
    return ['completed', 'cancelled'].includes(byTable.get(poison) ?? '') && byTable.get(innocent) === 'completed'
      ? byTable
      : null;
  });
  assert.equal(states.get(poison), 'cancelled');
  assert.deepEqual(await database.sql('select table_id from table_rows'), [{ table_id: poison }]);
  // They are removed when the jobs have ended. The process works on other jobs meanwhile.
  await waitUntil('their records to be removed', async () => {
    const left = 'select from job_attempts a join pgboss.job j on j.id = a.job where j.name = $1';
    return (await database.sql(left, [QUEUE])).length === 0;
  });
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
});
