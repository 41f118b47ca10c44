/**
 * Takes callbacks and answers each after its commit. Callbacks that wait at the same moment are written in one
 * transaction, and a callback that comes alone is written at once. Phone numbers take turns, and a large callback is written in
 * portions beside the small ones, so that no number waits for another one.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Channel, Inbound } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/errors.ts';
import { PORTION, readPortions } from './portions.ts';
import { createInboxes } from './inboxes.ts';
import { settle, type Store, type Unsettled } from './settle.ts';
import { createLine, type Waiting } from './turns.ts';

// The most at a time. More would only wait for the same rows.
const FLUSHES = 3;
// What a transaction costs by itself it costs once for all that it stores, so what arrives gathers while one runs. A second one
// begins beside it for so many elements, and a further one for each that stands still: it waits for a row that somebody holds.
const WORTH_ELEMENTS = 16;
const STILL_MS = 20;
// One prepares its statements while the other's are run.
const MOVING = 2;
// A transaction that holds more elements than this is no faster per element, and makes its neighbours wait.
const BATCH_ELEMENTS = 500;
// Portions of large callbacks have a flush of their own, and after each one a pause as long as it took: of the database and of this
// process they use half of what a core has, and whatever waits for either goes in between.
const LARGE_FLUSHES = 1;
const LARGE_PAUSES = 1;
// A portion that took longer waited for something else.
const MAX_PAUSE_MS = 200;
// Of callbacks whose answer is still owed: four of the largest kind, or some ten thousand of the usual one. Parsed they take
// several times as much memory.
const OWED_MAX_BYTES = 16 * 1024 * 1024;
// Of that, for one number. It is one callback of the largest kind.
const OWED_SHARE = 1 / 4;
// Reading the JSON of more than this takes milliseconds, in which nothing else runs.
const LARGE_BYTES = 256 * 1024;

export interface Intake {
  /** Throws when a callback of so many bytes for this address would find no room: a large one is refused before it is parsed. */
  admit(channel: Channel, address: string, bytes: number): void;
  /**
   * Resolves when everything is committed, or kept aside; rejects only when the store can not be reached, or is so slow that too
   * much waits for it. `bytes`: the size of the callback; `parts` are read only when there is room for them.
   */
  take(channel: Channel, bytes: number, parts: Iterable<Inbound | null>): Promise<void>;
}

export function createIntake(kit: Kit): Intake {
  const owed = createOwed();
  const waitForLarge = oneByTurn();
  const store = { kit, inboxes: createInboxes() };
  const small = createLane(store, { flushes: FLUSHES, pauses: 0 });
  const large = createLane(store, { flushes: LARGE_FLUSHES, pauses: LARGE_PAUSES });

  async function take(channel: Channel, bytes: number, portions: AsyncIterator<Inbound[]>): Promise<void> {
    let portion = await portions.next();
    if (portion.done) return;
    // A callback is one number's as a rule: its first element says whose turn and whose room it takes.
    const key = `${channel.name} ${addressOf(portion.value)}`;
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
    // When one portion fails the whole is repeated by the network, and what is stored already is recognised.
    take: async (channel, bytes, parts) => {
      const release = owed.add('all', bytes, OWED_MAX_BYTES);
      try {
        if (bytes > LARGE_BYTES) await waitForLarge();
        const ignored = (): void => kit.metrics.inbound.inc({ channel: channel.name, outcome: 'ignored' });
        await take(channel, bytes, readPortions(parts, ignored));
      } finally {
        release();
      }
    },
  };
}

function addressOf(elements: Inbound[]): string {
  for (const element of elements) if ('address' in element && element.address !== null) return element.address;
  return '';
}

/** Counts bytes by key. What `add` returns takes them back; it throws when they are more than `max`. */
function createOwed() {
  const bytesOf = new Map<string, number>();
  return {
    add: (key: string, bytes: number, max: number): (() => void) => {
      const before = bytesOf.get(key) ?? 0;
      if (before + bytes > max)
        throw new AppError('UNAVAILABLE', 'Too many callbacks wait', [], { 'retry-after': '1' });
      bytesOf.set(key, before + bytes);
      return () => {
        const left = (bytesOf.get(key) ?? 0) - bytes;
        if (left > 0) bytesOf.set(key, left);
        else bytesOf.delete(key);
      };
    },
  };
}

/** Lets one caller go in each turn of the event loop, so that others get in between. */
function oneByTurn(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    last = last.then(() => nextTurn());
    await last;
  };
}

interface Queued extends Waiting, Unsettled {
  channel: Channel;
}

type Lane = (channel: Channel, key: string, elements: Inbound[]) => Promise<void>;

/** A way to the store with at most `flushes` transactions at a time, each followed by a pause of `pauses` times as long. */
function createLane(store: Store, { flushes, pauses }: { flushes: number; pauses: number }): Lane {
  const line = createLine<Queued>({ size: BATCH_ELEMENTS, sizePerKey: PORTION });
  let flushing = 0;
  /** Transactions that run and do not stand still. */
  let moving = 0;
  let planned = false;

  function plan(): void {
    if (planned || flushing >= flushes || line.waiting() === 0) return;
    if (moving > 0 && (moving >= MOVING || line.waiting() < WORTH_ELEMENTS)) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      void flush(line.nextBatch());
      plan();
    });
  }

  async function flush(batch: Queued[]): Promise<void> {
    const startedMs = performance.now();
    flushing += 1;
    moving += 1;
    let isMoving = true;
    const stop = (): void => {
      if (isMoving) moving -= 1;
      isMoving = false;
      plan();
    };
    const patience = setTimeout(stop, STILL_MS);
    try {
      await settleByChannel(store, batch);
      const pauseMs = Math.min(MAX_PAUSE_MS, pauses * (performance.now() - startedMs));
      if (pauseMs > 0) await sleep(pauseMs);
    } finally {
      clearTimeout(patience);
      flushing -= 1;
      stop();
    }
  }

  return (channel, key, elements) =>
    new Promise((done, failed) => {
      line.add({ channel, key, size: elements.length, elements, done, failed });
      plan();
    });
}

async function settleByChannel(store: Store, batch: Queued[]): Promise<void> {
  for (const [channel, items] of Map.groupBy(batch, (item) => item.channel)) await settle(store, channel, items);
}
