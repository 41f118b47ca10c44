/**
 * Starts hostile receivers of every kind and one honest receiver: a hostile receiver occupies one slot of its company at a
 * time, for ten seconds at most. A company has two slots until its receiver has answered well, so some thirty attempts are open
 * at any moment, however many deliveries each receiver gets: 100 deliveries at ci size, 1,000 in six minutes at full size.
 */
import assert from 'node:assert/strict';
import { emit } from '../../../src/platform/store/events.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { waitUntil } from '../../support/wait.ts';
import { openHostileReceivers, type HostileReceiver } from '../harness/hostile.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { startReceiver } from '../harness/receiver.ts';
import { createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface HostilesSize {
  /** The number of deliveries to each kind of receiver. */
  each: number;
  /** The most time of an attempt, delay of the event loop (99 %) and megabytes that are gained: the machine decides them, too. */
  attemptMs: number;
  delay99Ms: number;
  grownMb: number;
}

export interface HostilesResult {
  kinds: number;
  deliveries: number;
  slowestMs: number;
  mostOpen: number;
  grownMb: number;
  delay99Ms: number;
}

const EVENT = 'MESSAGE_RECEIVED';
const SLOTS = 64;

export async function proveHostiles({ each, attemptMs, ...most }: HostilesSize): Promise<HostilesResult> {
  return withStage({}, async (stage) => {
    const town = await openHostileReceivers();
    const honest = await startReceiver(() => ({ status: 200, afterMs: 0 }));
    try {
      const process = await stage.start('all');
      const victims = new Map<string, HostileReceiver>();
      for (const hostile of [...town.hostiles, { kind: 'honest', url: honest.url, errors: null }]) {
        const tenant = await stage.createTenant(hostile.kind);
        await createWebhook(process, tenant, hostile.url, [EVENT]);
        victims.set(tenant._id, hostile);
      }
      const before = await readVitals(process);
      for (const company of victims.keys()) await enqueueEvents(stage, { _id: company, key: '' }, each);
      const slowestMs = await awaitAndCheckOutcomes(stage, victims, { each, attemptMs });
      const after = await readVitals(process);
      const grownMb = Math.round((after.residentBytes - before.residentBytes) / 1_048_576);
      assert.equal(town.strays(), 0, 'a redirect was followed');
      assert.ok(town.mostOpen() <= SLOTS, `${town.mostOpen()} connections at once`);
      assert.ok(grownMb <= most.grownMb, `the process grew by ${grownMb} MB`);
      assert.ok(after.delay99Ms <= most.delay99Ms, `the event loop was late by ${after.delay99Ms} ms (99 %)`);
      const figures = { slowestMs, mostOpen: town.mostOpen(), grownMb, delay99Ms: Math.round(after.delay99Ms) };
      return { kinds: town.hostiles.length, deliveries: victims.size * each, ...figures };
    } finally {
      await town.close();
      await honest.close();
    }
  });
}

async function enqueueEvents(stage: Stage, { _id: company }: Tenant, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => ({
    event: EVENT as 'MESSAGE_RECEIVED',
    data: { _id: newId(), company },
  }));
  await stage.database.tenantTx(company, (tx) => emit(tx, items));
}

interface StoredDelivery {
  company: string;
  status: string;
  error: string | null;
  response_ms: number;
}

/** Waits until every delivery has ended, and returns the duration of the slowest attempt. */
async function awaitAndCheckOutcomes(
  { store }: Stage,
  victims: Map<string, HostileReceiver>,
  { each, attemptMs }: Pick<HostilesSize, 'each' | 'attemptMs'>,
): Promise<number> {
  // Deliveries run two at a time and take ten seconds each; the rest of the time limit is for the start.
  const timeoutMs = Math.ceil(each / 2) * attemptMs + 30_000;
  const rows = await waitUntil(
    'every delivery to be settled',
    async () => {
      const found = await store.sql<StoredDelivery>(
        'select company_id as company, status, error, response_ms from deliveries where finished_at is not null',
      );
      return found.length === victims.size * each && found;
    },
    timeoutMs,
  );
  for (const row of rows) {
    const { kind, errors } = victims.get(row.company) as HostileReceiver;
    assert.equal(row.status, errors ? 'FAILED' : 'DELIVERED', `${kind}: ${row.error}`);
    assert.ok(row.error === null || errors?.includes(row.error), `${kind}: ${row.error}`);
    assert.ok(row.response_ms <= attemptMs, `${kind}: an attempt held its slot for ${row.response_ms} ms`);
  }
  return Math.max(...rows.map((row) => row.response_ms));
}

/** Reads memory and event loop delay from the process's /metrics; the delay is that since the last call. */
async function readVitals({ url }: PlatformProcess): Promise<{ residentBytes: number; delay99Ms: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    residentBytes: figure('process_resident_memory_bytes'),
    delay99Ms: figure('nodejs_eventloop_lag_p99_seconds') * 1_000,
  };
}
