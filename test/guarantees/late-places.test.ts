import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { buildNotification, buildStatusElement, createNetwork } from '../full/harness/network.ts';
import { createInbox, withStage, type Stage } from '../full/harness/stage.ts';
import { makePhoneNumber } from '../support/network.ts';
import { HURRIED } from '../support/platform.ts';
import { buildForm } from '../support/sheets.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000321';
const CONTACTS = 60;
const FAILED = 20;

async function count({ store }: Stage, rows: string): Promise<number> {
  const [row] = await store.sql<{ count: number }>(`select count(*)::int as count from ${rows}`);
  return row?.count ?? 0;
}

/** Kills two workers while each of them, or one for both, waits in the middle of the transaction that gives places back. */
async function killInside(stage: Stage): Promise<void> {
  const holder = new pg.Client(stage.store.ownerUrl);
  await holder.connect();
  await holder.query('begin; select 1 from portfolios for update');
  const workers = [await stage.start('worker', HURRIED), await stage.start('worker', HURRIED)];
  const waiting = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%release_people%'`;
  await waitUntil('a worker to wait for the business', async () => (await count(stage, waiting)) > 0);
  for (const worker of workers) await worker.kill();
  await holder.query('rollback');
  await holder.end();
  await waitUntil('the transactions of the killed workers to end', async () => (await count(stage, waiting)) === 0);
}

test('a place in the daily limit whose message failed later is given back exactly once, also when workers are killed while they give it back', () =>
  withStage({}, async (stage) => {
    const api = await stage.start('api', { NUMBER_THROUGHPUT: '1000' });
    const tenant = await stage.createTenant('Sender');
    const inboxId = await createInbox(api, tenant, PHONE);
    const copier = await stage.start('worker');
    await waitUntil(
      'the templates',
      async () => (await count(stage, 'template_catalogues where fetched_at is not null')) > 0,
    );
    await copier.kill();
    const contacts = JSON.stringify(Array.from({ length: CONTACTS }, () => ({ phone: makePhoneNumber() })));
    const body = buildForm({ inboxId, templateName: 'hello_world', languageCode: 'pt_BR', contacts });
    const headers = { authorization: `Bearer ${tenant.key}` };
    const path = '/v1/messages/send-bulk-template';
    const answer = await fetch(api.url + path, { method: 'POST', headers, body });
    assert.equal(answer.status, 201);
    assert.equal(await count(stage, 'portfolio_people'), CONTACTS);
    const sent = await stage.store.sql<{ external_id: string; person: string }>(
      'select external_id, person from messages m join message_places p on p.message_id = m._id order by external_id',
    );

    const network = createNetwork(stage.appSecret);
    const statuses = sent.slice(0, FAILED).map(({ external_id }) => buildStatusElement(PHONE, external_id, 'failed'));
    const report = () => network.postUntilHeard(api.url, buildNotification(statuses));
    await report();
    assert.ok((await count(stage, 'message_places where is_due')) > 0);
    await killInside(stage);
    await report();
    await stage.start('worker', HURRIED);
    await waitUntil('all places', async () => (await count(stage, 'message_places where is_due')) === 0);
    const kept = sent.slice(FAILED).map(({ person }) => person);
    const people = await stage.store.sql<{ person: string }>('select person from portfolio_people order by person');
    assert.deepEqual(
      people.map(({ person }) => person),
      kept.toSorted(),
    );
    const [sum] = await stage.store.sql<{ people: number }>('select sum(people)::int as people from portfolio_minutes');
    assert.equal(sum?.people, kept.length);
    assert.equal(await count(stage, 'message_places'), kept.length);
    await network.close();
  }));
