/** The delivery engine: what is sent, when its content is fixed, how companies share slots, and what is never sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createAnswerGate,
  createListeningCompany,
  waitForFinishedDeliveries,
  queueEvents,
  startReceiver,
  type AnswerGate,
  type ListeningCompany,
} from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { emit } from '../../platform/store/events.ts';

// With one slot per company, the following deliveries stay in the queue while a gate at the receiver holds the first one.
const platform = await startPlatform({
  env: { DELIVERY_SLOTS_PER_COMPANY: '1', WEBHOOK_MAX_AGE: '1h' },
});
const { call, database } = platform;

const gates = new Map<string, AnswerGate>();
const receiver = await startReceiver(async (response, { path, body }) => {
  // When the test has created a gate for a company, the first delivery of that company is answered after the gate was opened.
  if (path === '/held') await gates.get(body.data.company)?.opened;
  response.writeHead(204).end();
});

const at = (company: ListeningCompany): Json[] =>
  receiver.received.filter((item) => item.body.data.company === company._id);
const change = (company: ListeningCompany, body: unknown) =>
  call(200, 'PUT', `/v1/webhooks/${company.webhook}`, { key: company.key, body });

/** Creates a company whose only slot is occupied until its gate is opened. */
async function createHeld(
  webhook: Record<string, unknown> = {},
  events = 1,
): Promise<ListeningCompany & { gate: AnswerGate }> {
  const company = await createListeningCompany(platform, `${receiver.url}/held`, webhook);
  const gate = createAnswerGate();
  gates.set(company._id, gate);
  await queueEvents(platform, company._id, events);
  await waitUntil('the first delivery to be held', () => at(company).length === 1);
  return { ...company, gate };
}

describe('the delivery engine', { concurrency: true }, () => {
  test("an event is one POST with event, timestamp and data, and with the event's name and the custom headers as headers", async () => {
    const custom_headers = { 'X-Origin-Key': 'secret-value-1234', 'x-words': 'Basic a b~' };
    const company = await createListeningCompany(platform, `${receiver.url}/plain?tenant=1`, { custom_headers });
    const [resource] = await queueEvents(platform, company._id);
    const [delivery] = await waitForFinishedDeliveries(platform, company);
    const [{ body, headers, path }, ...others] = at(company);
    assert.equal(others.length, 0);
    assert.equal(path, '/plain?tenant=1');
    assert.deepEqual(Object.keys(body), ['event', 'timestamp', 'data']);
    assert.deepEqual(body.data, { _id: resource, company: company._id });
    assert.equal(body.event, 'CONTACT_CREATED');
    assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(body.timestamp, delivery.queued_at);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-webhook-event'], 'CONTACT_CREATED');
    assert.equal(headers['x-webhook-delivery'], delivery._id);
    assert.equal(headers['x-webhook-replay-of'], undefined);
    assert.equal(headers['user-agent'], 'Parley-Webhooks/1.0');
    assert.equal(headers['x-origin-key'], 'secret-value-1234');
    assert.equal(headers['x-words'], 'Basic a b~');
    assert.equal(headers['content-length'], String(Buffer.byteLength(JSON.stringify(body))));
  });

  test('only events that the webhook lists are queued, and none while it is INACTIVE', async () => {
    const company = await createListeningCompany(platform, `${receiver.url}/plain`, { events: ['CONTACT_CREATED'] });
    await queueEvents(platform, company._id, 1, 'CONTACT_UPDATED');
    await change(company, { status: 'INACTIVE' });
    await queueEvents(platform, company._id);
    await change(company, { status: 'ACTIVE', events: ['CONTACT_UPDATED'] });
    await queueEvents(platform, company._id);
    const [resource] = await queueEvents(platform, company._id, 1, 'CONTACT_UPDATED');
    const log = await waitForFinishedDeliveries(platform, company);
    assert.deepEqual(
      log.map((delivery) => delivery.resource_id),
      [resource],
    );
  });

  test('a delivery has the timestamp and data of the moment of queueing, and the url and headers of the moment of sending', async () => {
    const company = await createHeld({ custom_headers: { 'x-version': 'old' } });
    const before = new Date().toISOString();
    const [resource] = await queueEvents(platform, company._id);
    const queued = new Date().toISOString();
    await change(company, { url: `${receiver.url}/new`, custom_headers: { 'x-version': 'new' } });
    company.gate.open();
    await waitForFinishedDeliveries(platform, company, 2);
    const [first, second] = at(company);
    assert.deepEqual([first.path, first.headers['x-version']], ['/held', 'old']);
    assert.deepEqual([second.path, second.headers['x-version']], ['/new', 'new']);
    assert.equal(second.body.data._id, resource);
    assert.ok(second.body.timestamp >= before && second.body.timestamp <= queued);
  });

  test('a company whose receiver hangs delays no other company', async () => {
    const hanging = await createHeld({}, 200);
    const others = await Promise.all([1, 2, 3].map(() => createListeningCompany(platform, `${receiver.url}/plain`)));
    await Promise.all(others.map((other) => queueEvents(platform, other._id, 20)));
    for (const other of others) await waitForFinishedDeliveries(platform, other, 20);
    assert.equal(at(hanging).length, 1);
    await call(200, 'DELETE', `/v1/webhooks/${hanging.webhook}`, { key: hanging.key });
    hanging.gate.open();
  });

  test('a delivery that waits when its webhook becomes INACTIVE ends FAILED WEBHOOK_INACTIVE, even if the webhook is ACTIVE again before a worker looks', async () => {
    const company = await createHeld();
    const dropped = await queueEvents(platform, company._id, 3);
    await change(company, { status: 'INACTIVE' });
    await change(company, { status: 'ACTIVE' });
    const [later] = await queueEvents(platform, company._id);
    company.gate.open();
    const log = await waitForFinishedDeliveries(platform, company, 5);
    for (const delivery of log.filter((item) => dropped.includes(item.resource_id))) {
      const { status, error, attempted_at, response_status } = delivery;
      assert.deepEqual(
        { status, error, attempted_at, response_status },
        { status: 'FAILED', error: 'WEBHOOK_INACTIVE', attempted_at: null, response_status: null },
      );
    }
    assert.equal(log.filter((delivery) => delivery.status === 'DELIVERED').length, 2);
    assert.deepEqual(
      at(company)
        .slice(1)
        .map((item) => item.body.data._id),
      [later],
    );
  });

  test('a delivery that waits when its webhook is deleted ends FAILED WEBHOOK_INACTIVE, even if a new webhook exists by then', async () => {
    const company = await createHeld();
    await queueEvents(platform, company._id, 3);
    await call(200, 'DELETE', `/v1/webhooks/${company.webhook}`, { key: company.key });
    const body = { url: `${receiver.url}/plain`, events: ['CONTACT_CREATED'] };
    await call(201, 'POST', '/v1/webhooks', { key: company.key, body });
    company.gate.open();
    const log = await waitForFinishedDeliveries(platform, company, 4);
    const errors = log.map((delivery) => delivery.error);
    assert.deepEqual(errors, ['WEBHOOK_INACTIVE', 'WEBHOOK_INACTIVE', 'WEBHOOK_INACTIVE', null]);
    assert.equal(at(company).length, 1);
  });

  test('a delivery that waited longer than WEBHOOK_MAX_AGE ends FAILED EXPIRED and is not sent', async () => {
    const company = await createHeld();
    const [expired] = await queueEvents(platform, company._id);
    const [recent] = await queueEvents(platform, company._id);
    const age = 'update deliveries set queued_at = now() - $2::interval where resource_id = $1';
    await database.sql(age, [expired, '61 minutes']);
    await database.sql(age, [recent, '59 minutes']);
    company.gate.open();
    const log = await waitForFinishedDeliveries(platform, company, 3);
    const of = (resource: string | undefined): Json => log.find((delivery) => delivery.resource_id === resource);
    assert.deepEqual([of(expired).status, of(expired).error, of(expired).attempted_at], ['FAILED', 'EXPIRED', null]);
    assert.equal(of(recent).status, 'DELIVERED');
    assert.deepEqual(
      at(company)
        .slice(1)
        .map((item) => item.body.data._id),
      [recent],
    );
  });

  test('a delivery that a dead worker left SENDING becomes UNKNOWN after its lease and is never sent again', async () => {
    const company = await createHeld();
    const [interrupted] = await queueEvents(platform, company._id);
    // The delivery gets the state that `kill -9` leaves: claimed and attempted, longer ago than any attempt lasts.
    await database.sql(
      `with taken as (
          delete from delivery_queue where delivery_id in (select _id from deliveries where resource_id = $1) returning *
        )
        insert into delivery_attempts select company_id, delivery_id, now() - interval '15 seconds' from taken`,
      [interrupted],
    );
    company.gate.open();
    const log = await waitForFinishedDeliveries(platform, company, 2);
    const [unknown] = log.filter((delivery) => delivery.resource_id === interrupted);
    assert.deepEqual([unknown.status, unknown.error, unknown.response_status], ['UNKNOWN', 'INTERRUPTED', null]);
    // With one slot, the deliveries of a company are sent one after the other. So an earlier delivery that has not arrived before a later
    // one never arrives.
    const [later] = await queueEvents(platform, company._id);
    await waitForFinishedDeliveries(platform, company, 3);
    assert.deepEqual(
      at(company)
        .slice(1)
        .map((item) => item.body.data._id),
      [later],
    );
  });

  test('an attempt that ends after its worker was judged dead is recorded with its real outcome', async () => {
    const company = await createHeld();
    const [sending] = await database.sql<{ _id: string }>(
      `update delivery_attempts set attempted_at = now() - interval '15 seconds' where company_id = $1 returning delivery_id as _id`,
      [company._id],
    );
    await waitUntil('it to be taken for dead', async () => {
      const [row] = await database.sql('select status from deliveries where _id = $1', [sending?._id]);
      return row?.['status'] === 'UNKNOWN';
    });
    company.gate.open();
    const delivered = await waitUntil('its outcome to be corrected', async () => {
      const { body } = await call(200, 'GET', '/v1/webhooks/deliveries?status=DELIVERED', { key: company.key });
      return body.result[0];
    });
    assert.deepEqual([delivered._id, delivered.response_status, delivered.error], [sending?._id, 204, null]);
  });

  test('an event is queued exactly when its change is committed', async () => {
    const company = await createListeningCompany(platform, `${receiver.url}/plain`);
    const data = { _id: 'a'.repeat(24), company: company._id };
    const failing = platform.running.kit.database.tenantTx(company._id, async (tx) => {
      await emit(tx, [{ event: 'CONTACT_CREATED', data }]);
      throw new Error('the change failed');
    });
    await assert.rejects(failing, /the change failed/);
    const rows = await database.sql('select 1 from deliveries where company_id = $1', [company._id]);
    assert.equal(rows.length, 0);
  });

  test('of many events of one transaction exactly those are queued to which a webhook of their company listens', async () => {
    const all = await createListeningCompany(platform, `${receiver.url}/plain`);
    const some = await createListeningCompany(platform, `${receiver.url}/plain`, { events: ['CONTACT_UPDATED'] });
    const none = await platform.createCompany();
    const items = [all, some, none].flatMap(({ _id: company }) =>
      Array.from({ length: 10 }, (_, n) => [
        { event: 'CONTACT_CREATED' as const, data: { _id: `c${n}`.padEnd(24, '0'), company } },
        { event: 'CONTACT_UPDATED' as const, data: { _id: `u${n}`.padEnd(24, '0'), company } },
      ]).flat(),
    );
    await platform.running.kit.database.systemTx('upkeep', (tx) => emit(tx, items));
    const rows = await database.sql<{ company_id: string; event: string; count: number }>(
      `select company_id, event, count(*)::int from deliveries where company_id = any($1) group by 1, 2 order by count(*), 1, 2`,
      [[all._id, some._id, none._id]],
    );
    const found = rows.map(({ company_id, event, count }) => `${company_id} ${event} ${count}`);
    assert.deepEqual(
      found.toSorted(),
      [`${all._id} CONTACT_CREATED 10`, `${all._id} CONTACT_UPDATED 10`, `${some._id} CONTACT_UPDATED 10`].toSorted(),
    );
  });
});
