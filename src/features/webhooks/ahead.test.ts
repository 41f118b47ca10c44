/** What is claimed ahead of the slots: what of it begins, what goes back into the queue, and who decides it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createGate,
  createListener,
  finishedDeliveries,
  queueEvents,
  startReceiver,
  type Gate,
  type Listening,
} from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { until } from '../../../test/support/wait.ts';
import { newId } from '../../platform/ids.ts';
import { beginHeld, insertWorker } from './ahead-queries.ts';
import { createAhead, type Ahead } from './ahead.ts';
import type { Claimed } from './delivery-queries.ts';
import { createFlight } from './flight.ts';
import { redactDeliveries } from './redact.ts';

// One slot per company: while its first delivery is held at a gate, the tests do with its next ones what another worker would.
const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', DELIVERY_SLOTS_PER_COMPANY: '1' } });
const { call, database } = platform;
const { kit } = platform.running;
const system = kit.database.system('deliveries');

const gates = new Map<string, Gate>();
const receiver = await startReceiver(async (response, { body }) => {
  await gates.get(body.data.company)?.opened;
  response.writeHead(204).end();
});

const receivedOf = (company: Listening): string[] =>
  receiver.received.map(({ body }) => body.data).flatMap((data) => (data.company === company._id ? [data._id] : []));

type Held = Listening & { gate: Gate; events: string[] };

/** A company whose own slot is taken until its gate is opened, and so many events that wait behind it. */
async function createHeld(count: number): Promise<Held> {
  const company = await createListener(platform, `${receiver.url}/`);
  const gate = createGate();
  gates.set(company._id, gate);
  await queueEvents(platform, company._id);
  await until('the first delivery to be held', () => receivedOf(company).length === 1);
  return { ...company, gate, events: await queueEvents(platform, company._id, count) };
}

/** As a worker of this name claims all that waits, so many seconds ago. */
function claim(company: Held, worker: string, seconds = 0): Promise<Claimed[]> {
  return database.sql<Claimed>(
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

/** The outcome of each event, in its order, once all have ended. */
async function outcomesOf(company: Held): Promise<string[]> {
  const log = await finishedDeliveries(platform, company, company.events.length + 1);
  const of = (event: string): Json => log.find((delivery) => delivery.resource_id === event);
  return company.events.map((event) => of(event).error ?? of(event).status);
}

// As long ago as no attempt lasts, and not so long that a sweep was there before.
const LONG_AGO = 15;

describe('what is claimed ahead', { concurrency: 3 }, () => {
  test('by a worker that died is sent by another one, but for what had begun: it is UNKNOWN', async () => {
    const company = await createHeld(3);
    const worker = await named();
    const [, second] = await claim(company, worker, LONG_AGO);
    await beginHeld(system, { worker, turn: 1, begun: [second?.seq ?? ''], held: [] });
    company.gate.open();
    assert.deepEqual(await outcomesOf(company), ['DELIVERED', 'INTERRUPTED', 'DELIVERED']);
    assert.deepEqual(receivedOf(company).slice(1), [company.events[0], company.events[2]]);
    // It lives, and was only taken for dead.
    assert.equal(await beginHeld(system, { worker, turn: 2, begun: [], held: [] }), null);
  });

  test('is UNKNOWN when a crash of the database has made it forget what the worker had begun', async () => {
    const company = await createHeld(2);
    await claim(company, newId(), LONG_AGO);
    company.gate.open();
    assert.deepEqual(await outcomesOf(company), ['INTERRUPTED', 'INTERRUPTED']);
    assert.equal(receivedOf(company).length, 1);
  });

  test('begins only under a name that is known, and a word that was late on its way changes nothing', async () => {
    const worker = await named();
    const begin = (id: string, turn: number, begun: string[]) =>
      beginHeld(system, { worker: id, turn, begun, held: [] });
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
    ['the words were erased', (company) => redactDeliveries(kit, company._id, company.events)],
  ];
  for (const [what, happen] of CHANGES) {
    test(`does not begin once ${what}`, async () => {
      const company = await createHeld(2);
      const worker = await named();
      const held = await claim(company, worker);
      const begin = async (turn: number) => (await beginHeld(system, { worker, turn, begun: [], held })) ?? [];
      assert.deepEqual((await begin(1)).toSorted(), held.map(({ seq }) => seq).toSorted());
      await happen(company);
      assert.deepEqual(await begin(2), []);
      company.gate.open();
    });
  }

  test('and was erased since is not sent', async () => {
    const company = await createHeld(2);
    const { ahead, started, open } = await createStaged(company);
    await redactDeliveries(kit, company._id, company.events);
    open();
    await ahead.begin();
    company.gate.open();
    assert.deepEqual(await outcomesOf(company), ['ERASED', 'ERASED']);
    assert.deepEqual([receivedOf(company).length, started.length], [1, 0]);
  });

  test('and is refused goes back into the queue, where it ends as what waits there', async () => {
    const company = await createHeld(2);
    const { ahead, started, open } = await createStaged(company);
    await change(company, { status: 'INACTIVE' });
    open();
    await ahead.begin();
    company.gate.open();
    assert.deepEqual(await outcomesOf(company), ['WEBHOOK_INACTIVE', 'WEBHOOK_INACTIVE']);
    assert.deepEqual(started, []);
    assert.equal(receivedOf(company).length, 1);
  });

  test('begins when slots come free, each once', async () => {
    const company = await createHeld(3);
    const { ahead, started, open } = await createStaged(company);
    await ahead.begin();
    assert.deepEqual([started.length, ahead.size()], [0, 3]);
    open();
    await Promise.all([ahead.begin(), ahead.begin()]);
    await until('all to have begun', () => started.length === 3);
    assert.equal(new Set(started).size, 3);
    company.gate.open();
  });

  test('is given back by a worker that stops, and by one whose slots did not come free in a second', async () => {
    for (const giveBack of [(ahead: Ahead) => ahead.giveBackAll(), (ahead: Ahead) => ahead.giveBackStale()]) {
      const company = await createHeld(3);
      const { ahead, started } = await createStaged(company);
      await until('it to be given back', () => {
        giveBack(ahead);
        return ahead.isAtRest();
      });
      company.gate.open();
      assert.deepEqual(await outcomesOf(company), ['DELIVERED', 'DELIVERED', 'DELIVERED']);
      assert.deepEqual([receivedOf(company).length, started.length], [4, 0]);
    }
  });

  test('of a worker that was taken for dead is given up, and the next is claimed under another name', async () => {
    const company = await createHeld(1);
    const { ahead, started, open } = await createStaged(company);
    const before = await ahead.worker();
    await database.sql('update delivery_workers set closed_at = now() where _id = $1', [before]);
    open();
    await ahead.begin();
    assert.notEqual(await ahead.worker(), before);
    company.gate.open();
    assert.deepEqual(await outcomesOf(company), ['DELIVERED']);
    assert.deepEqual([receivedOf(company).length, started.length], [2, 0]);
  });
});

const change = (company: Listening, body: unknown) =>
  call(200, 'PUT', `/v1/webhooks/${company.webhook}`, { key: company.key, body });

/** What waits for this company, held by a part of a worker that has no free slot until it is opened, and sends nothing. */
async function createStaged(company: Held): Promise<{ ahead: Ahead; started: string[]; open(): void }> {
  const started: string[] = [];
  const flight = createFlight(company.events.length);
  // As after a quick answer: all of its share.
  flight.claim(company._id);
  flight.begin(company._id)();
  let slots = 0;
  const ahead = createAhead({
    kit,
    flight,
    slots: () => slots,
    start: ({ company: id, seq }) => {
      started.push(seq);
      flight.begin(id)();
      slots -= 1;
    },
    rest: () => undefined,
  });
  const held = await claim(company, await ahead.worker());
  for (const { company: id } of held) flight.claim(id);
  ahead.hold(held);
  return { ahead, started, open: () => void (slots = company.events.length) };
}
