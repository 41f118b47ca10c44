import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../values/ids.ts';
import { defineJob, migrateJobs, openJobs } from './jobs.ts';
import { pollDueWork } from './due-work.ts';
import { createLog } from './telemetry.ts';
import { openDatabase } from '../store/open-database.ts';

const data = Type.Object({ value: Type.String() });
const define = (name: string, retries = 0) => defineJob({ name: `test.${name}`, data, retries, retryDelaySeconds: 1 });
const jobs = {
  plain: define('plain'),
  flaky: define('flaky', 3),
  hopeless: define('hopeless', 1),
  batch: define('batch'),
  keyed: define('keyed'),
  late: define('late'),
  slow: define('slow'),
  private: { ...define('private'), keptSeconds: 1 },
  calling: defineJob({
    name: 'test.calling',
    data: Type.Object({ company: Type.String(), value: Type.String() }),
    retries: 1,
    retryDelaySeconds: 1,
    isByCompany: true,
  }),
};

const database = await openTestDatabase();
await migrateJobs(database.ownerUrl, Object.values(jobs));
const platform = openDatabase({ url: database.url, poolSize: 4 });
const log = createLog('silent');
const running = openJobs({ url: database.url, worker: true, log, upkeepSeconds: 1 });
await running.start();
const due = running.dueWork(Object.values(jobs).map(({ name }) => name));
const stopLooking = pollDueWork(platform.system('upkeep'), [due], { everyMs: 100, log });
after(async () => {
  await stopLooking();
  await running.stop();
  await platform.close();
  await database.close();
});

const company = newId();

async function readStates(job: { name: string }): Promise<Record<string, { state: string; retries: number }>> {
  const rows = await database.sql<{ value: string; state: string; retries: number }>(
    `select data->>'value' as value, state::text, retry_count as retries from pgboss.job where name = $1`,
    [job.name],
  );
  return Object.fromEntries(rows.map(({ value, ...rest }) => [value, rest]));
}

test('a job is enqueued exactly when its transaction commits', async () => {
  const done: string[] = [];
  await running.work({ job: jobs.plain, handle: async ({ value }) => void done.push(value) });
  await assert.rejects(
    platform.tenantTx(company, async (tx) => {
      await running.enqueue(tx, jobs.plain, { value: 'rolled back' });
      throw new Error('rolled back');
    }),
  );
  await assert.rejects(
    platform.systemTx('upkeep', async (tx) => {
      await running.enqueue(tx, jobs.plain, { value: 'rolled back, too' });
      throw new Error('rolled back');
    }),
  );
  await platform.tenantTx(company, async (tx) => {
    await running.enqueue(tx, jobs.plain, { value: 'tenant' }, { key: 'a' });
    assert.deepEqual(await readStates(jobs.plain), {}, 'the job is not visible before the commit');
  });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.plain, { value: 'system' }, { key: 'b' }));
  await waitUntil('both jobs', () => done.length === 2);
  assert.deepEqual(done.toSorted(), ['system', 'tenant']);
});

test('a job that fails is retried until it succeeds', async () => {
  let tries = 0;
  await running.work({
    job: jobs.flaky,
    handle: async () => {
      tries += 1;
      if (tries < 2) throw new Error('not yet');
    },
  });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.flaky, { value: 'x' }));
  await waitUntil('the second try', async () => (await readStates(jobs.flaky))['x']?.state === 'completed');
  assert.equal(tries, 2);
});

test('a job that always fails is given up after its retries', async () => {
  let tries = 0;
  await running.work({
    job: jobs.hopeless,
    handle: () => {
      tries += 1;
      return Promise.reject(new Error('never'));
    },
  });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.hopeless, { value: 'x' }));
  await waitUntil('it to be given up', async () => (await readStates(jobs.hopeless))['x']?.state === 'failed');
  assert.equal(tries, 2);
});

test('a failing job does not affect the other jobs of its batch, and each job runs once', async () => {
  const values = Array.from({ length: 8 }, (_, index) => `job ${index}`);
  await platform.systemTx('upkeep', async (tx) => {
    for (const value of values) await running.enqueue(tx, jobs.batch, { value }, { key: value });
  });
  const done: string[] = [];
  await running.work({
    job: jobs.batch,
    handle: async ({ value }) => {
      done.push(value);
      if (value === 'job 3') throw new Error('this one only');
    },
  });
  await waitUntil('the batch', async () => {
    const states = Object.values(await readStates(jobs.batch));
    return states.every(({ state }) => state === 'completed' || state === 'failed');
  });
  const failed = Object.entries(await readStates(jobs.batch)).filter(([, { state }]) => state === 'failed');
  assert.deepEqual(failed, [['job 3', { state: 'failed', retries: 0 }]]);
  assert.deepEqual(done.toSorted(), values);
});

test('only one job with the same key waits in a queue, and any number of jobs without a key', async () => {
  await platform.systemTx('upkeep', async (tx) => {
    for (const value of ['first', 'second']) await running.enqueue(tx, jobs.keyed, { value }, { key: 'same' });
    for (const value of ['third', 'fourth']) await running.enqueue(tx, jobs.keyed, { value });
  });
  assert.deepEqual(Object.keys(await readStates(jobs.keyed)).toSorted(), ['first', 'fourth', 'third']);
});

test('a delayed job does not begin before its time', async () => {
  const started = Date.now();
  let ran = 0;
  await running.work({ job: jobs.late, handle: async () => void (ran = Date.now()) });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.late, { value: 'x' }, { delaySeconds: 2 }));
  await waitUntil('its time', () => ran > 0);
  assert.ok(ran - started >= 1_900, `it ran after ${ran - started} ms`);
});

test('the record of a job whose data names people is deleted soon after its end, and records of other jobs are kept', async () => {
  const ended: string[] = [];
  await running.work({
    job: jobs.private,
    handle: async ({ value }) => {
      ended.push(value);
      if (value === 'Eva') throw new Error('broken');
    },
  });
  await platform.systemTx('upkeep', async (tx) => {
    for (const value of ['Ana', 'Eva']) await running.enqueue(tx, jobs.private, { value }, { key: value });
  });
  await waitUntil('both to end', () => ended.length === 2);
  await waitUntil('both to be forgotten', async () => Object.keys(await readStates(jobs.private)).length === 0);
  assert.equal(Object.keys(await readStates(jobs.plain)).length, 2);
});

test("jobs of a company whose network never answers leave room for another company's", async () => {
  const [silent, other] = [newId(), newId()];
  const ran: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await platform.systemTx('upkeep', async (tx) => {
    for (let at = 0; at < 30; at += 1)
      await running.enqueue(tx, jobs.calling, { company: silent, value: `silent ${at}` });
    await running.enqueue(tx, jobs.calling, { company: other, value: 'other' });
  });
  await running.work({
    job: jobs.calling,
    handle: async ({ company: caller, value }) => {
      if (caller === silent) await answered;
      ran.push(value);
    },
  });
  await waitUntil("the other company's job", () => ran.length > 0);
  assert.deepEqual(ran, ['other']);
  answer();
  await waitUntil('all jobs', async () =>
    Object.values(await readStates(jobs.calling)).every(({ state }) => state === 'completed'),
  );
  assert.equal(ran.length, 31);
});

test('after rest() no job begins, and running jobs are finished', async () => {
  let begun = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  await running.work({
    job: jobs.slow,
    handle: async () => {
      begun += 1;
      await finished;
    },
  });
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.slow, { value: 'begun' }, { key: 'a' }));
  await waitUntil('it to begin', () => begun === 1);
  let resting = false;
  const rest = running.rest().then(() => (resting = true));
  await platform.systemTx('upkeep', (tx) => running.enqueue(tx, jobs.slow, { value: 'later' }, { key: 'b' }));
  assert.equal(resting, false, 'rest() waits for the running job');
  finish();
  await rest;
  const states = await readStates(jobs.slow);
  assert.deepEqual([states['begun']?.state, states['later']?.state, begun], ['completed', 'created', 1]);
});
