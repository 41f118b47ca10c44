/**
 * One company has a long queue for a receiver that never answers. Deliveries of other companies
 * take as long as before and after that queue, and the company never uses more than its own slots.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { emit } from '../../../src/platform/store/events.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { waitUntil } from '../../support/wait.ts';
import { percentile99 } from '../harness/percentile.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { call, createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface NeighboursSize {
  companies: number;
  /** The number of deliveries of each company. */
  each: number;
  /** The number of deliveries that wait for the receiver that never answers. */
  hanging: number;
  /** Whether the pace is judged; a run of a second or two is too short for that, because its last deliveries are a tenth of the run. */
  judgesPace: boolean;
}

export interface NeighboursResult {
  companies: number;
  deliveries: number;
  /** The 99th percentiles before the noisy company begins and after it ended; the two differ only because of the machine. */
  before99Ms: number;
  after99Ms: number;
  beside99Ms: number;
  /**
   * The time for enqueueing, divided by the time until all deliveries were received, as a share of the same quotient without the noisy
   * company.
   */
  paceShare: number;
  mostHanging: number;
}

const EVENT = 'MESSAGE_RECEIVED';
const BATCH = 500;
const NOISY = '/noisy';
const PROVING = 50;
// The slots that one company may have in a process, by default.
const SLOTS = 8;
// A delivery of each company is enqueued at this interval, because in a burst the deliveries would only wait for each other.
const RHYTHM_MS = 20;
// The longest 99th percentile of other companies beside the noisy one.
const BESIDE_MS = 1_000;
const LEAST_PACE = 0.95;

export async function proveNeighbours(size: NeighboursSize): Promise<NeighboursResult> {
  return withStage({}, async (stage) => {
    let hangs = false;
    const receiver = await startReceiver(({ path }) => (hangs && path === NOISY ? null : { status: 204, afterMs: 0 }));
    try {
      const process = await stage.start('all');
      const noisy = await stage.createTenant('Noisy');
      const webhook = await createWebhook(process, noisy, `${receiver.url}${NOISY}`, [EVENT]);
      const others = await Promise.all(
        Array.from({ length: size.companies }, (_, n) => stage.createTenant(`Company ${n}`)),
      );
      for (const [n, tenant] of others.entries()) await createWebhook(process, tenant, `${receiver.url}/${n}`, [EVENT]);
      const before = await measureDeliveries(stage, receiver, others, size.each);
      const queuedBefore = receiver.counts.size;
      // The receiver still answers quickly here, so the noisy company reaches the most slots that a company can have.
      await enqueueEvents(stage, noisy, PROVING);
      await waitUntil('the noisy company to be served', () => receiver.counts.size >= queuedBefore + PROVING);
      hangs = true;
      for (let left = size.hanging; left > 0; left -= BATCH) await enqueueEvents(stage, noisy, Math.min(left, BATCH));
      await waitUntil('the noisy company to hold slots', () => (receiver.open.get(NOISY) ?? 0) > 1);
      const beside = await measureDeliveries(stage, receiver, others, size.each);
      const mostHanging = receiver.mostOpen.get(NOISY) ?? 0;
      assert.ok(mostHanging <= SLOTS, `a company held ${mostHanging} slots`);
      await call(200, 'DELETE', `${process.url}/v1/webhooks/${webhook._id}`, { key: noisy.key });
      await awaitNoisyQueueEnd(stage, receiver);
      const after = await measureDeliveries(stage, receiver, others, size.each);
      return { ...assertUndisturbed(size, { before, beside, after }), mostHanging };
    } finally {
      await receiver.close();
    }
  });
}

/** Waits until the deliveries of the noisy company have ended and use no slot. */
async function awaitNoisyQueueEnd({ store }: Stage, receiver: Receiver): Promise<void> {
  const unsettled = `select 1 from deliveries where finished_at is null limit 1`;
  await waitUntil(
    'the queue of the noisy company to end',
    async () => {
      receiver.hangUp(NOISY);
      return (await store.sql(unsettled)).length === 0;
    },
    120_000,
  );
}

interface MeasuredPhases {
  before: MeasuredDeliveries;
  beside: MeasuredDeliveries;
  after: MeasuredDeliveries;
}

function assertUndisturbed(size: NeighboursSize, phases: MeasuredPhases): Omit<NeighboursResult, 'mostHanging'> {
  const { before, beside, after } = phases;
  const alone99Ms = Math.max(before.p99Ms, after.p99Ms);
  if (size.judgesPace)
    assert.ok(beside.p99Ms <= BESIDE_MS, `99 % took ${beside.p99Ms} ms beside the noisy one, ${alone99Ms} ms alone`);
  const paceShare = Math.round((100 * beside.keptUp) / Math.min(before.keptUp, after.keptUp)) / 100;
  if (size.judgesPace)
    assert.ok(
      paceShare >= LEAST_PACE,
      `beside the noisy one deliveries kept up by ${paceShare} of what they did alone`,
    );
  return {
    companies: size.companies,
    deliveries: 3 * size.companies * size.each,
    before99Ms: before.p99Ms,
    after99Ms: after.p99Ms,
    beside99Ms: beside.p99Ms,
    paceShare,
  };
}

async function enqueueEvents(stage: Stage, { _id: company }: Tenant, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({
    event: EVENT as 'MESSAGE_RECEIVED',
    data: { _id: newId(), company },
  }));
  await stage.database.tenantTx(company, (tx) => emit(tx, items));
  return items.map((item) => item.data._id);
}

interface MeasuredDeliveries {
  /** The 99th percentile of the time from enqueueing to receipt. */
  p99Ms: number;
  /**
   * The time for enqueueing as a share of the time until the last receipt: 1 when the last delivery is received
   * at once. Only a share is compared, because the speed of enqueueing depends on the proof, not on the platform.
   */
  keptUp: number;
}

async function measureDeliveries(
  stage: Stage,
  receiver: Receiver,
  tenants: Tenant[],
  each: number,
): Promise<MeasuredDeliveries> {
  const begun = Date.now();
  const queuedAt = new Map<string, number>();
  const first = receiver.receipts.length;
  for (let round = 0; round < each; round += 1) {
    const started = performance.now();
    for (const tenant of tenants) {
      const at = Date.now();
      for (const id of await enqueueEvents(stage, tenant, 1)) queuedAt.set(id, at);
    }
    await sleep(Math.max(0, RHYTHM_MS - (performance.now() - started)));
  }
  const queuedMs = Date.now() - begun;
  const received = () => receiver.receipts.slice(first).filter(({ resource }) => queuedAt.has(resource));
  await waitUntil('every other delivery', () => received().length >= queuedAt.size);
  const times = received().map(({ resource, atMs }) => atMs - (queuedAt.get(resource) ?? 0));
  assert.equal(times.length, queuedAt.size, 'a delivery was received twice');
  const ended = Math.max(...received().map(({ atMs }) => atMs));
  return { p99Ms: percentile99(times), keptUp: queuedMs / Math.max(queuedMs, ended - begun) };
}
