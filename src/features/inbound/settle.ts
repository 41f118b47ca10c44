/** Stores waiting callbacks together and resolves each one. When a batch fails, its callbacks are tried one by one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbound } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { isCollision, isContention, isUnavailable } from '../../platform/db.ts';
import type { Inboxes } from './inboxes.ts';
import { beginsWithReads, ingest, type Outcomes } from './ingest.ts';
import { MergeSplit } from './jobs.ts';

/** A callback, or a portion of one, that waits for the store. */
export interface Unsettled {
  elements: Inbound[];
  done: () => void;
  failed: (error: unknown) => void;
}

/** The services that storing a batch needs. */
export interface Store {
  kit: Kit;
  inboxes: Inboxes;
}

/** Stores the batch, whose callbacks all came through `channel`, and resolves or rejects each of them. Never rejects itself. */
export async function settle(store: Store, channel: NamedChannel, batch: Unsettled[]): Promise<void> {
  try {
    await write(
      store,
      channel,
      batch.flatMap((item) => item.elements),
    );
    for (const item of batch) item.done();
  } catch (error) {
    if (isAway(error)) for (const item of batch) item.failed(error);
    else for (const item of batch) await retryAlone(store, channel, item, batch.length > 1);
  }
}

/** Returns true when the database can not be reached at all, so that storing the elements one by one would fail as well. */
const isAway = (error: unknown): boolean => isUnavailable(error) && !isContention(error);

/** Stores the callback as a whole first, then element by element, so that one bad element does not keep the others from being stored. */
async function retryAlone(store: Store, channel: NamedChannel, item: Unsettled, whole: boolean): Promise<void> {
  const { elements, done, failed } = item;
  try {
    if (!whole || !(await isStored(store, channel, elements))) {
      for (const element of elements) await storeOrPutAside(store, channel, element);
    }
    done();
  } catch (error) {
    // Failure policy: the database is away, or another transaction has locked a row; the network gets an error and repeats the callback.
    failed(error);
  }
}

async function isStored(store: Store, channel: NamedChannel, elements: Inbound[]): Promise<boolean> {
  try {
    await write(store, channel, elements);
    return true;
  } catch (error) {
    if (isAway(error)) throw error;
    return false;
  }
}

// The number of tries: two transactions that collided on the same rows usually succeed at the second try.
// After a third collision the network gets an error and repeats the callback; no element is put aside.
const TRIES = 3;
const PAUSE_MS = 50;

/** Throws when the element should be tried later. An element that can never be stored is kept aside for inspection. */
async function storeOrPutAside(store: Store, channel: NamedChannel, element: Inbound): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(store, channel, [element]);
    } catch (error) {
      if (isAway(error) || (isContention(error) && !(isCollision(error) && attempt < TRIES))) throw error;
      if (attempt < TRIES) await sleep(Math.random() * PAUSE_MS * attempt);
      else return await putAside(store, channel, element, error as Error);
    }
  }
}

async function putAside(store: Store, channel: NamedChannel, element: Inbound, error: Error): Promise<void> {
  store.kit.log.error(
    { err: error, channel: channel.name, kind: element.kind },
    'inbound: an element could not be stored',
  );
  const address = 'address' in element ? element.address : null;
  await write(store, channel, [{ kind: 'unreadable', address, reason: error.message, raw: element }]);
}

async function write({ kit, inboxes }: Store, channel: NamedChannel, elements: Inbound[]): Promise<void> {
  const outcomes = await kit.database.flushTx(
    (tx) =>
      ingest(tx, channel, elements, {
        inboxes,
        split: (found) => kit.enqueue(tx, MergeSplit, found, { key: `${found.kept} ${found.absorbed}` }),
      }),
    { startsWithBegin: beginsWithReads(elements), gathers: true },
  );
  count(kit, channel, outcomes);
}

function count(kit: Kit, channel: NamedChannel, outcomes: Outcomes): void {
  for (const [outcome, number] of Object.entries(outcomes)) {
    if (number > 0) kit.metrics.inbound.inc({ channel: channel.name, outcome }, number);
  }
}
