/**
 * Takes callbacks and answers each after its commit. Callbacks that wait at the same moment are written
 * in one transaction, and a callback that comes alone is written at once. Phone numbers take turns, and a
 * large callback is written in portions next to the small ones, so that no phone number waits for another.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Inbound } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { createPump } from '../../platform/work/pump.ts';
import { PORTION, readPortions } from './portions.ts';
import { createInboxFinder } from './inboxes.ts';
import { storeBatch, type ElementStore, type UnsettledElements } from './settle.ts';
import { createTurnQueue, type WaitingItem } from './turns.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The most concurrent transactions; more of them would only wait for the same rows.
const FLUSHES = 3;
// The number of waiting elements for which a second transaction begins. A transaction has a fixed cost, so callbacks are gathered while
// one runs. A further transaction begins whenever a running one has not ended after STILL_MS, because it probably waits for a lock.
const WORTH_ELEMENTS = 16;
const STILL_MS = 20;
// The most transactions that make progress: one prepares its statements while the database runs those of the other.
const MOVING = 2;
// The most elements in a transaction. A larger transaction is no faster per element, and makes other callbacks wait.
const BATCH_ELEMENTS = 500;
// Portions of large callbacks have one transaction at a time, followed by a pause of the same length. So they use at most half of a core,
// of this process and of the database, and other work runs in the pauses.
const LARGE_FLUSHES = 1;
const LARGE_PAUSES = 1;
// The longest pause after a portion; a portion that took longer probably waited for something else.
const MAX_PAUSE_MS = 200;
// The most bytes of callbacks that wait for their answer: four of the largest kind, or some ten thousand of the usual one. They need
// several times as much memory once they are parsed.
const OWED_MAX_BYTES = declareLimit(16 * 1024 * 1024, {
  topic: 'Networks',
  what: 'Callbacks that wait to be stored, per process',
  unit: 'bytes',
  beyond: '503; the network repeats them',
});
// The share of these bytes for one phone number: one callback of the largest kind.
const OWED_SHARE = declareLimit(1 / 4, {
  topic: 'Networks',
  what: 'Callbacks that wait to be stored: share of one number',
  unit: 'percent',
  beyond: '503; the network repeats them',
});
// The size from which a callback is large: parsing more JSON than this blocks the event loop for milliseconds.
const LARGE_BYTES = 256 * 1024;

export interface Intake {
  /**
   * Throws when the limits leave no bytes for a callback of this size and address, so that a large callback is refused before it is parsed.
   */
  admit(channel: NamedChannel, address: string, bytes: number): void;
  /**
   * Resolves when all parts are committed or kept aside. Rejects only when the database cannot be reached, or is so slow that
   * too many bytes wait for it. `bytes` is the size of the callback; `parts` are read only when the limits leave room for them.
   */
  take(channel: NamedChannel, bytes: number, parts: Iterable<Inbound | null>): Promise<void>;
}

export function createIntake(kit: Kit): Intake {
  const owed = createWaitingBytes();
  const waitForLarge = createTurnWait();
  const store = { kit, inboxes: createInboxFinder() };
  const small = createStoreLane(store, { flushes: FLUSHES, pauses: 0 });
  const large = createStoreLane(store, { flushes: LARGE_FLUSHES, pauses: LARGE_PAUSES });

  async function take(channel: NamedChannel, bytes: number, portions: AsyncIterator<Inbound[]>): Promise<void> {
    let portion = await portions.next();
    if (portion.done) return;
    // A callback usually concerns one phone number, so its first element decides which number's turn and share it takes.
    const key = `${channel.name} ${findAddress(portion.value)}`;
    const release = owed.add(key, bytes, OWED_MAX_BYTES * OWED_SHARE);
    try {
      let next = await portions.next();
      const lane = next.done ? small : large;
      while (!portion.done) {
        await lane(channel, key, portion.value);
        portion = next;
        if (!portion.done) next = await portions.next();
      }
    } finally {
      release();
    }
  }

  return {
    admit: (channel, address, bytes) => owed.add(`${channel.name} ${address}`, bytes, OWED_MAX_BYTES * OWED_SHARE)(),
    // When one portion fails the network repeats the whole callback, and the parts that are stored already are recognised.
    take: async (channel, bytes, parts) => {
      const release = owed.add('all', bytes, OWED_MAX_BYTES);
      const leave = kit.precedence.enter();
      try {
        if (bytes > LARGE_BYTES) await waitForLarge();
        const ignored = (): void => kit.metrics.inbound.inc({ channel: channel.name, outcome: 'ignored' });
        await take(channel, bytes, readPortions(parts, ignored));
      } finally {
        leave();
        release();
      }
    },
  };
}

function findAddress(elements: Inbound[]): string {
  for (const element of elements) if ('address' in element && element.address !== null) return element.address;
  return '';
}

/** Counts bytes by key. `add` throws when they would exceed `max`; the function that it returns subtracts them again. */
function createWaitingBytes() {
  const bytesByKey = new Map<string, number>();
  return {
    add: (key: string, bytes: number, max: number): (() => void) => {
      const before = bytesByKey.get(key) ?? 0;
      if (before + bytes > max)
        throw new AppError('UNAVAILABLE', 'Too many callbacks are waiting', [], { 'retry-after': '1' });
      bytesByKey.set(key, before + bytes);
      return () => {
        const left = (bytesByKey.get(key) ?? 0) - bytes;
        if (left > 0) bytesByKey.set(key, left);
        else bytesByKey.delete(key);
      };
    },
  };
}

/** Lets one caller continue in each turn of the event loop, so that other work runs between two of them. */
function createTurnWait(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    last = last.then(() => nextTurn());
    await last;
  };
}

interface QueuedElements extends WaitingItem, UnsettledElements {
  channel: NamedChannel;
}

type StoreLane = (channel: NamedChannel, key: string, elements: Inbound[]) => Promise<void>;

/** Creates a queue to the store with at most `flushes` transactions at a time, each followed by a pause of `pauses` times its length. */
function createStoreLane(store: ElementStore, { flushes, pauses }: { flushes: number; pauses: number }): StoreLane {
  const line = createTurnQueue<QueuedElements>({ size: BATCH_ELEMENTS, sizePerKey: PORTION });
  /** The number of running transactions that have not taken longer than STILL_MS. */
  let moving = 0;
  const isWorthwhile = (): boolean => line.waiting() >= (moving > 0 ? WORTH_ELEMENTS : 1);
  const pump = createPump((flushing) => flushing < flushes && moving < MOVING && isWorthwhile(), flush);

  async function flush(): Promise<void> {
    const startedMs = performance.now();
    moving += 1;
    let isMoving = true;
    const stop = (): void => {
      if (isMoving) moving -= 1;
      isMoving = false;
      pump.wake();
    };
    const patience = setTimeout(stop, STILL_MS);
    try {
      const error = await settleByChannel(store, line.nextBatch());
      // Callbacks that wait receive the error as well: their own transactions would take as long to fail, and networks repeat callbacks.
      if (error !== null) for (const item of line.takeAll()) item.failed(error);
      const pauseMs = Math.min(MAX_PAUSE_MS, pauses * (performance.now() - startedMs));
      if (pauseMs > 0) await sleep(pauseMs);
    } finally {
      clearTimeout(patience);
      stop();
    }
  }

  return (channel, key, elements) =>
    new Promise((done, failed) => {
      line.add({ channel, key, size: elements.length, elements, done, failed });
      pump.wake();
    });
}

/** Stores the batch. Returns the error when the database takes no changes, else null. */
async function settleByChannel(store: ElementStore, batch: QueuedElements[]): Promise<unknown> {
  let error: unknown = null;
  for (const [channel, items] of Map.groupBy(batch, (item) => item.channel)) {
    if (error === null) error = await storeBatch(store, channel, items);
    else for (const item of items) item.failed(error);
  }
  return error;
}
