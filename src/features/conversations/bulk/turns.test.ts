/** The order of bulk changes, and changes that other transactions prevent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { awaitRun, insertConversations, insertInbox, RUNS } from '../../../../test/support/conversation-runs.ts';
import { startPlatform, type Company, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { purgeConversationRuns } from './upkeep.ts';

const platform = await startPlatform();
const { call, database } = platform;

interface Prepared {
  company: Company;
  ids: string[];
  start(ids?: string[]): Promise<Json>;
}

/** Creates a company with conversations. */
async function prepare(count: number): Promise<Prepared> {
  const company = await platform.createCompany();
  const inbox = await insertInbox(platform, company._id);
  const ids = await insertConversations(platform, { company: company._id, inbox }, count);
  const start = async (chosen?: string[]): Promise<Json> => {
    const body = { ...(chosen ? { ids: chosen } : { filter: {} }), change: { handled_by: 'HUMAN' } };
    return (await call(201, 'POST', RUNS, { key: company.key, body })).body;
  };
  return { company, ids: ids.toSorted(), start };
}

test('a run of one conversation ends while another company has five long runs, of which one is worked on at a time', async (t) => {
  const greedy = await prepare(2_000);
  const neighbour = await prepare(1);
  const runs: Json[] = [];
  for (let n = 0; n < 5; n += 1) runs.push(await greedy.start());
  const countWorked = async (): Promise<number> =>
    (
      await database.sql(
        'select 1 from conversation_runs where company_id = $1 and held_until is not null and finished_at is null',
        [greedy.company._id],
      )
    ).length;
  await waitUntil('one of them to be worked on', async () => (await countWorked()) > 0);
  let most = 0;
  const look = setInterval(() => void countWorked().then((worked) => (most = Math.max(most, worked))), 20);
  t.after(() => clearInterval(look));
  const run = await awaitRun(platform, (await neighbour.start())._id, neighbour.company);
  clearInterval(look);
  assert.deepEqual([run.status, run.changed_count], ['COMPLETED', 1]);
  assert.equal(most, 1);
  for (const { _id } of runs) {
    const { body } = await call(201, 'POST', `${RUNS}/${_id}/cancel`, { key: greedy.company.key });
    assert.equal(body.status, 'CANCELLED');
  }
});

test('a conversation that another transaction keeps locked is reported after some tries, and the others are changed', async () => {
  const { company, ids, start } = await prepare(3);
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from conversations where _id = $1 for update', [ids[1]]);
  const { _id } = await start();
  const run = await waitUntil('the run to end', async () => {
    const { body } = await call(200, 'GET', `${RUNS}/${_id}`, { key: company.key });
    return body.finished_at === null ? null : body;
  });
  await client.query('rollback');
  await client.end();
  assert.deepEqual([run.status, run.changed_count, run.failed_count], ['COMPLETED', 2, 1]);
  assert.deepEqual([run.failures[0].conversation, run.failures[0].code], [ids[1], 'UNAVAILABLE']);
});

test('an unexpected error of one conversation is reported without its details, and the others are changed', async () => {
  const { company, ids, start } = await prepare(3);
  await database.sql(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'a secret'; end $$`,
  );
  await database.sql(
    `create trigger failing before update on conversations for each row when (old._id = '${ids[0]}') execute function fail()`,
  );
  const run = await awaitRun(platform, (await start())._id, company);
  await database.sql('drop function fail cascade');
  assert.deepEqual(run.failures, [
    { conversation: ids[0], code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' },
  ]);
  assert.equal(run.changed_count, 2);
});

test('a run whose end is 30 days ago is deleted, and a younger one stays', async () => {
  const { company, start } = await prepare(1);
  const runs = [await start(), await start()];
  for (const { _id } of runs) await awaitRun(platform, _id, company);
  await database.sql(`update conversation_runs set finished_at = now() - interval '31 days' where _id = $1`, [
    runs[0]._id,
  ]);
  await purgeConversationRuns(platform.running.kit);
  await call(404, 'GET', `${RUNS}/${runs[0]._id}`, { key: company.key });
  await call(200, 'GET', `${RUNS}/${runs[1]._id}`, { key: company.key });
});
