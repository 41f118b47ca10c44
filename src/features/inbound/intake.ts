/**
 * Takes callbacks and answers each after its commit. Those that wait at the same moment are written together: under load a
 * transaction carries many, alone a callback waits for nobody. When a batch fails its members are tried one by one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, Inbound } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { isCollision, isContention, isUnavailable } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { ingest, type Outcomes } from './ingest.ts';

// Enough to keep two cores and the disk busy; more only makes smaller batches that wait for the same rows.
const FLUSHES = 3;
// A transaction that holds more rows than this is no faster per row, and makes its neighbours wait.
const BATCH_ELEMENTS = 500;
// Of callbacks whose answer is still owed: four of the largest kind, or some ten thousand of the usual one. Parsed they take
// several times as much memory.
const OWED_MAX_BYTES = 16 * 1024 * 1024;

interface Waiting {
  channel: Channel;
  elements: Inbound[];
  done: () => void;
  failed: (error: unknown) => void;
}

export interface Intake {
  /**
   * Resolves when everything is committed, or kept aside; rejects only when the store can not be reached, or is so slow that too
   * much waits for it. `bytes`: the size of the callback.
   */
  take(channel: Channel, elements: Inbound[], bytes: number): Promise<void>;
}

export function createIntake(kit: Kit): Intake {
  let waiting: Waiting[] = [];
  let owedBytes = 0;
  let flushing = 0;
  let planned = false;

  function plan(): void {
    if (planned || flushing >= FLUSHES || waiting.length === 0) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      flushing += 1;
      void flush(kit, nextBatch()).finally(() => {
        flushing -= 1;
        plan();
      });
      plan();
    });
  }

  /** Callbacks of one channel, in their order. */
  function nextBatch(): Waiting[] {
    const [first] = waiting;
    const batch: Waiting[] = [];
    let size = 0;
    for (const item of waiting) {
      if (item.channel !== first?.channel || (size > 0 && size + item.elements.length > BATCH_ELEMENTS)) break;
      batch.push(item);
      size += item.elements.length;
    }
    waiting = waiting.slice(batch.length);
    return batch;
  }

  function put(channel: Channel, elements: Inbound[]): Promise<void> {
    return new Promise((done, failed) => {
      waiting.push({ channel, elements, done, failed });
      plan();
    });
  }

  return {
    // A history can hold thousands: in pieces, each its own transaction. When one fails the whole is repeated by the network,
    // and what is stored already is recognised.
    take: async (channel, elements, bytes) => {
      if (owedBytes + bytes > OWED_MAX_BYTES)
        throw new AppError('UNAVAILABLE', 'Too many callbacks wait', [], { 'retry-after': '1' });
      owedBytes += bytes;
      const pieces = piecesOf(elements).map((piece) => put(channel, piece));
      void Promise.allSettled(pieces).then(() => (owedBytes -= bytes));
      await Promise.all(pieces);
    },
  };
}

function piecesOf(elements: Inbound[]): Inbound[][] {
  const pieces = Math.ceil(elements.length / BATCH_ELEMENTS);
  return Array.from({ length: pieces }, (_, index) =>
    elements.slice(index * BATCH_ELEMENTS, (index + 1) * BATCH_ELEMENTS),
  );
}

async function flush(kit: Kit, batch: Waiting[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  try {
    await store(
      kit,
      first.channel,
      batch.flatMap((item) => item.elements),
    );
    for (const item of batch) item.done();
  } catch (error) {
    if (isAway(error)) for (const item of batch) item.failed(error);
    else for (const item of batch) await retryAlone(kit, item, batch.length > 1);
  }
}

/** The store can not be reached at all: nothing is wrong with any element, and none can be helped now. */
const isAway = (error: unknown): boolean => isUnavailable(error) && !isContention(error);

/** As a whole first, then element by element: what is wrong with one harms only itself. */
async function retryAlone(kit: Kit, { channel, elements, done, failed }: Waiting, whole: boolean): Promise<void> {
  try {
    if (!whole || !(await isStored(kit, channel, elements))) {
      for (const element of elements) await storeOrPutAside(kit, channel, element);
    }
    done();
  } catch (error) {
    // Failure policy: the store is away, or a row is held by somebody; the network is told so and comes again.
    failed(error);
  }
}

async function isStored(kit: Kit, channel: Channel, elements: Inbound[]): Promise<boolean> {
  try {
    await store(kit, channel, elements);
    return true;
  } catch (error) {
    if (isAway(error)) throw error;
    return false;
  }
}

// Two that met on the same rows part at the second try; a third meeting is still no reason to give anything up.
const TRIES = 3;
const PAUSE_MS = 50;

/** Throws when it should be tried later; what can never be stored is kept for inspection. */
async function storeOrPutAside(kit: Kit, channel: Channel, element: Inbound): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store(kit, channel, [element]);
    } catch (error) {
      if (isAway(error) || (isContention(error) && !(isCollision(error) && attempt < TRIES))) throw error;
      if (attempt < TRIES) await sleep(Math.random() * PAUSE_MS * attempt);
      else return await putAside(kit, channel, element, error as Error);
    }
  }
}

async function putAside(kit: Kit, channel: Channel, element: Inbound, error: Error): Promise<void> {
  kit.log.error({ err: error, channel: channel.name, kind: element.kind }, 'inbound: an element could not be stored');
  const address = 'address' in element ? element.address : null;
  await store(kit, channel, [{ kind: 'unreadable', address, reason: error.message, raw: element }]);
}

async function store(kit: Kit, channel: Channel, elements: Inbound[]): Promise<void> {
  const outcomes = await kit.database.systemTx((tx) => ingest(tx, channel, elements));
  count(kit, channel, outcomes);
}

function count(kit: Kit, channel: Channel, outcomes: Outcomes): void {
  for (const [outcome, number] of Object.entries(outcomes)) {
    if (number > 0) kit.metrics.inbound.inc({ channel: channel.name, outcome }, number);
  }
}
