/** Deliveries that are claimed ahead of free slots: which of them begin, and which return to the queue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
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
import { newId } from '../../platform/ids.ts';
import { createClaimsAhead, type ClaimsAhead } from '../../platform/claims/ahead.ts';
import { createCompanySlots } from '../../platform/claims/slots.ts';
import { createAheadStatements } from './deliver.ts';
import { allowBitmaps, sweepInterrupted, type ClaimedDelivery } from './delivery-queries.ts';
import { redactDeliveries } from './redact.ts';
import { beginHeldDeliveries, insertWorker } from './worker-queries.ts';

// With one slot per company, a gate at the receiver holds the first delivery while the tests act as another worker on the following ones.
const platform = await startPlatform({ env: { DELIVERY_SLOTS_PER_COMPANY: '1' } });
const { call, database } = platform;
const { kit } = platform.running;
const system = kit.database.system('deliveries');

const gates = new Map<string, AnswerGate>();
const receiver = await startReceiver(async (response, { body }) => {
  await gates.get(body.data.company)?.opened;
  response.writeHead(204).end();
});

const receivedEvents = (company: ListeningCompany): string[] =>
  receiver.received.map(({ body }) => body.data).flatMap((data) => (data.company === company._id ? [data._id] : []));

type Held = ListeningCompany & { gate: AnswerGate; events: string[] };

/** Creates a company whose only slot is occupied until its gate is opened, with `count` events that wait behind it. */
async function createHeld(count: number): Promise<Held> {
  const company = await createListeningCompany(platform, `${receiver.url}/`);
  const gate = createAnswerGate();
  gates.set(company._id, gate);
  await queueEvents(platform, company._id);
  await waitUntil('the first delivery to be held', () => receivedEvents(company).length === 1);
  return { ...company, gate, events: await queueEvents(platform, company._id, count) };
}

/** Claims all waiting deliveries of a company in the way in which another worker would have done it `seconds` ago. */
function claim(company: Held, worker: string, seconds = 0): Promise<ClaimedDelivery[]> {
  return database.sql<ClaimedDelivery>(
    `update deliveries d set status = 'SENDING', claimed_at = now(), claimed_by = $2, attempted_at = now() - make_interval(secs => $3)
      from webhooks w where d.company_id = $1 and d.claimed_at is null and w.company_id = d.company_id
      returning d.company_id as company, d._id, d.seq, d.claimed_by, w.xmin::text as edition, d.replay_of, d.event, d.body, 0 as age,
        w.url, w.custom_headers`,
    [company._id, worker, seconds],
  );
}

async function named(): Promise<string> {
  const worker = newId();
  await insertWorker(system, worker);
  return worker;
}

/** Waits until all deliveries have ended and returns the outcome of each event, in the order of the events. */
async function waitForOutcomes(company: Held): Promise<string[]> {
  const log = await waitForFinishedDeliveries(platform, company, company.events.length + 1);
  const of = (event: string): Json => log.find((delivery) => delivery.resource_id === event);
  return company.events.map((event) => of(event).error ?? of(event).status);
}

// An age in seconds that is longer than any attempt lasts, and short enough that no sweep has settled the delivery yet.
const LONG_AGO = 15;

describe('deliveries claimed ahead of free slots', { concurrency: 3 }, () => {
  test('a delivery that a dead worker had claimed ahead is sent by another worker, and one that it had begun becomes UNKNOWN', async () => {
    const company = await createHeld(3);
    const worker = await named();
    const [, second] = await claim(company, worker, LONG_AGO);
    await beginHeldDeliveries(system, { worker, turn: 1, begun: [second?.seq ?? ''], held: [] });
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['DELIVERED', 'INTERRUPTED', 'DELIVERED']);
    assert.deepEqual(receivedEvents(company).slice(1), [company.events[0], company.events[2]]);
    // The worker is alive, but the platform has judged it dead: it may not begin any delivery.
    assert.equal(await beginHeldDeliveries(system, { worker, turn: 2, begun: [], held: [] }), null);
  });

  test('a delivery claimed ahead is UNKNOWN when a crash of the database has lost what its worker had begun', async () => {
    const company = await createHeld(2);
    await claim(company, newId(), LONG_AGO);
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['INTERRUPTED', 'INTERRUPTED']);
    assert.equal(receivedEvents(company).length, 1);
  });

  test('a worker that is not registered begins no delivery, and a late statement of a worker changes nothing', async () => {
    const worker = await named();
    const begin = (id: string, turn: number, begun: string[]) =>
      beginHeldDeliveries(system, { worker: id, turn, begun, held: [] });
    assert.deepEqual(await begin(worker, 2, ['7', '8']), []);
    assert.equal(await begin(worker, 1, ['6']), null);
    assert.equal(await begin(newId(), 1, ['6']), null);
    const rows = await database.sql('select begun::text from delivery_workers where _id = $1', [worker]);
    assert.deepEqual(rows, [{ begun: '{7,8}' }]);
  });

  const CHANGES: [string, (company: Held) => Promise<unknown>][] = [
    ['the webhook became INACTIVE', (company) => change(company, { status: 'INACTIVE' })],
    ['the address of the webhook has changed', (company) => change(company, { url: `${receiver.url}/new` })],
    [
      'the webhook was deleted',
      (company) => call(200, 'DELETE', `/v1/webhooks/${company.webhook}`, { key: company.key }),
    ],
    [
      'the company was suspended',
      (company) =>
        call(200, 'PATCH', `/v1/companies/${company._id}`, { key: platform.globalKey, body: { status: 'SUSPENDED' } }),
    ],
    ['its contents were erased', (company) => redactDeliveries(kit, company._id, company.events)],
  ];
  for (const [what, happen] of CHANGES) {
    test(`a delivery claimed ahead does not begin once ${what}`, async () => {
      const company = await createHeld(2);
      const worker = await named();
      const held = await claim(company, worker);
      const begin = async (turn: number) =>
        (await beginHeldDeliveries(system, { worker, turn, begun: [], held })) ?? [];
      assert.deepEqual((await begin(1)).toSorted(), held.map(({ seq }) => seq).toSorted());
      await happen(company);
      assert.deepEqual(await begin(2), []);
      company.gate.open();
    });
  }

  test('a delivery claimed ahead whose contact was erased since is not sent', async () => {
    const company = await createHeld(2);
    const { ahead, started, open } = await createStaged(company);
    await redactDeliveries(kit, company._id, company.events);
    open();
    await ahead.begin();
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['ERASED', 'ERASED']);
    assert.deepEqual([receivedEvents(company).length, started.length], [1, 0]);
  });

  test('an erasure fails as long as a worker holds deliveries of the contact and can not be closed, and succeeds when repeated', async () => {
    const company = await createHeld(2);
    const worker = await named();
    const held = await claim(company, worker);
    await database.sql(
      `create function refuse_close() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`,
    );
    await database.sql(
      `create trigger refuse_close before update of closed_at on delivery_workers for each row when (new._id = '${worker}')
        execute function refuse_close()`,
    );
    const redact = () => redactDeliveries(kit, company._id, company.events);
    await assert.rejects(redact(), /not now/);
    await database.sql('drop trigger refuse_close on delivery_workers');
    await redact();
    assert.equal(await beginHeldDeliveries(system, { worker, turn: 1, begun: [], held }), null);
    company.gate.open();
  });

  test('a sweep and an erasure that change the same delivery and worker at the same moment both succeed', async (t) => {
    const company = await createHeld(1);
    const worker = await named();
    await claim(company, worker, LONG_AGO);
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    t.after(() => holder.end());
    await holder.query('select pg_advisory_lock(77)');
    // The sweep waits in this trigger, after it has locked the worker.
    await database.sql(`create function hold_close() returns trigger language plpgsql as $$ begin
        perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(77); return new; end $$;
      create trigger hold_close before update of closed_at on delivery_workers for each row when (new._id = '${worker}')
        execute function hold_close()`);
    const swept = kit.database.systemTx('deliveries', async (tx) => {
      await allowBitmaps(tx);
      return sweepInterrupted(tx, LONG_AGO);
    });
    const sweeping = `select pid from pg_locks where locktype = 'advisory' and objid = 77 and not granted`;
    await waitUntil('the sweep to hold the worker', async () => (await database.sql(sweeping)).length > 0);
    const redacted = redactDeliveries(kit, company._id, company.events);
    const blocked = `select 1 from pg_stat_activity where pg_blocking_pids(pid) && array(${sweeping})`;
    await waitUntil('the erasure to wait for the sweep', async () => (await database.sql(blocked)).length > 0);
    await holder.query('select pg_advisory_unlock(77)');
    await Promise.all([swept, redacted]);
    await database.sql('drop function hold_close cascade');
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['ERASED']);
  });

  test('a delivery claimed ahead that may not begin returns to the queue and ends there like any other', async () => {
    const company = await createHeld(2);
    const { ahead, started, open } = await createStaged(company);
    await change(company, { status: 'INACTIVE' });
    open();
    await ahead.begin();
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['WEBHOOK_INACTIVE', 'WEBHOOK_INACTIVE']);
    assert.deepEqual(started, []);
    assert.equal(receivedEvents(company).length, 1);
  });

  test('deliveries claimed ahead begin when slots become free, each once', async () => {
    const company = await createHeld(3);
    const { ahead, started, open } = await createStaged(company);
    await ahead.begin();
    assert.deepEqual([started.length, ahead.size()], [0, 3]);
    open();
    await Promise.all([ahead.begin(), ahead.begin()]);
    await waitUntil('all to have begun', () => started.length === 3);
    assert.equal(new Set(started).size, 3);
    company.gate.open();
  });

  test('a worker that stops, or has no free slot for a second, returns the deliveries that it claimed ahead to the queue', async () => {
    for (const giveBack of [
      (ahead: ClaimsAhead) => ahead.giveBackAll(),
      (ahead: ClaimsAhead) => ahead.giveBackStale(),
    ]) {
      const company = await createHeld(3);
      const { ahead, started } = await createStaged(company);
      await waitUntil('it to be given back', () => {
        giveBack(ahead);
        return ahead.isAtRest();
      });
      company.gate.open();
      assert.deepEqual(await waitForOutcomes(company), ['DELIVERED', 'DELIVERED', 'DELIVERED']);
      assert.deepEqual([receivedEvents(company).length, started.length], [4, 0]);
    }
  });

  test('a worker that was treated as dead gives up the deliveries that it claimed ahead, and claims further ones under a new id', async () => {
    const company = await createHeld(1);
    const { ahead, started, open } = await createStaged(company);
    const before = await ahead.worker();
    await database.sql('update delivery_workers set closed_at = now() where _id = $1', [before]);
    open();
    await ahead.begin();
    assert.notEqual(await ahead.worker(), before);
    company.gate.open();
    assert.deepEqual(await waitForOutcomes(company), ['DELIVERED']);
    assert.deepEqual([receivedEvents(company).length, started.length], [2, 0]);
  });
});

const change = (company: ListeningCompany, body: unknown) =>
  call(200, 'PUT', `/v1/webhooks/${company.webhook}`, { key: company.key, body });

/** The part of a worker that holds this company's waiting deliveries. It has no free slot until `open` is called, and sends nothing. */
async function createStaged(company: Held): Promise<{ ahead: ClaimsAhead; started: string[]; open(): void }> {
  const started: string[] = [];
  const companies = createCompanySlots(company.events.length);
  // One quick answer gives the company its whole share of slots.
  companies.claim(company._id);
  companies.begin(company._id)();
  let slots = 0;
  const ahead = createClaimsAhead({
    queue: { name: 'deliveries', slots: kit.config.DELIVERY_SLOTS, ahead: createAheadStatements(system) },
    log: kit.log,
    companies,
    slots: () => slots,
    start: ({ company: id, seq }) => {
      started.push(seq);
      companies.begin(id)();
      slots -= 1;
    },
    rest: () => undefined,
  });
  const held = await claim(company, await ahead.worker());
  for (const { company: id } of held) companies.claim(id);
  ahead.hold(held);
  return { ahead, started, open: () => void (slots = company.events.length) };
}
