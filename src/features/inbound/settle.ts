/** Stores waiting callbacks together and resolves each one. When a batch fails, its callbacks are tried one by one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbound } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import { isAway, isCollision, isContention, isUnavailable } from '../../platform/store/db.ts';
import { reserveAttachment } from '../attachments/reserve.ts';
import { enqueueReadMark } from '../conversations/conversations.ts';
import { enqueueHistory } from '../inboxes/history/asking.ts';
import { enqueueCheck, enqueueStanding } from '../inboxes/reported.ts';
import type { InboxFinder } from './inboxes.ts';
import { beginsWithReads, ingest, type Outcomes } from './ingest.ts';
import { MergeSplit } from './jobs.ts';

/** A callback, or a portion of one, that waits for the store. */
export interface UnsettledElements {
  elements: Inbound[];
  done: () => void;
  failed: (error: unknown) => void;
}

/** The services that storing a batch needs. */
export interface ElementStore {
  kit: Kit;
  inboxes: InboxFinder;
}

/**
 * Stores the batch, whose callbacks all came through `channel`, and resolves or rejects each of them. Returns the error when the database
 * takes no changes, else null. Never rejects itself.
 */
export async function storeBatch(
  store: ElementStore,
  channel: NamedChannel,
  batch: UnsettledElements[],
): Promise<unknown> {
  try {
    await storeElements(
      store,
      channel,
      batch.flatMap((item) => item.elements),
    );
    for (const item of batch) item.done();
    return null;
  } catch (error) {
    if (await isDatabaseAway(store, error)) {
      for (const item of batch) item.failed(error);
      // When only this connection broke, other callbacks can be stored.
      return (await store.kit.database.takesChanges()) ? null : error;
    }
    for (const item of batch) await retryAlone(store, channel, item, batch.length > 1);
    return null;
  }
}

/**
 * Returns true when storing the elements one by one would fail as well: the database cannot be reached, or the rows are locked because it takes
 * no changes, as when each COMMIT waits for a standby.
 */
const isDatabaseAway = async ({ kit }: ElementStore, error: unknown): Promise<boolean> =>
  isAway(error) || (isContention(error) && !(await kit.database.takesChanges()));

/** Stores the callback as a whole first, then element by element, so that one bad element does not keep the others from being stored. */
async function retryAlone(
  store: ElementStore,
  channel: NamedChannel,
  item: UnsettledElements,
  whole: boolean,
): Promise<void> {
  const { elements, done, failed } = item;
  try {
    if (!whole || !(await tryToStore(store, channel, elements))) {
      for (const element of elements) await storeOrPutAside(store, channel, element);
    }
    done();
  } catch (error) {
    // Failure policy: the database is away, or another transaction has locked a row; the network gets an error and repeats the callback.
    failed(error);
  }
}

async function tryToStore(store: ElementStore, channel: NamedChannel, elements: Inbound[]): Promise<boolean> {
  try {
    await storeElements(store, channel, elements);
    return true;
  } catch (error) {
    if (await isDatabaseAway(store, error)) throw error;
    return false;
  }
}

// The number of tries: two transactions that collided on the same rows usually succeed at the second try.
// After a third collision the network gets an error and repeats the callback; no element is put aside.
const TRIES = 3;
const PAUSE_MS = 50;

/** Throws when the element should be tried later. An element that can never be stored is kept aside for inspection. */
async function storeOrPutAside(store: ElementStore, channel: NamedChannel, element: Inbound): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await storeElements(store, channel, [element]);
    } catch (error) {
      if (isUnavailable(error) && !(isCollision(error) && attempt < TRIES)) throw error;
      if (attempt < TRIES) await sleep(Math.random() * PAUSE_MS * attempt);
      else return await putAside(store, channel, element, error as Error);
    }
  }
}

async function putAside(store: ElementStore, channel: NamedChannel, element: Inbound, error: Error): Promise<void> {
  store.kit.log.error(
    { err: error, channel: channel.name, kind: element.kind },
    'inbound: an element could not be stored',
  );
  const address = 'address' in element ? element.address : null;
  await storeElements(store, channel, [{ kind: 'unreadable', address, reason: error.message, raw: element }]);
}

async function storeElements(
  { kit, inboxes }: ElementStore,
  channel: NamedChannel,
  elements: Inbound[],
): Promise<void> {
  const outcomes = await kit.database.flushTx(
    (tx) =>
      ingest(tx, channel, elements, {
        inboxes,
        agentWaitSeconds: kit.config.AGENT_WAIT / 1_000,
        reserve: (company, expected) => reserveAttachment(kit, company, expected),
        recheck: (receiver) => enqueueCheck(kit, tx, receiver),
        askHistory: (found) => enqueueHistory(kit, tx, found),
        rereadStanding: (found) => enqueueStanding(kit, tx, found),
        markRead: (about) => enqueueReadMark(kit, tx, about),
        split: (found) => kit.enqueue(tx, MergeSplit, found, { key: `${found.kept} ${found.absorbed}` }),
      }),
    { startsWithBegin: beginsWithReads(elements) },
  );
  countOutcomes(kit, channel, outcomes);
}

function countOutcomes(kit: Kit, channel: NamedChannel, outcomes: Outcomes): void {
  for (const [outcome, number] of Object.entries(outcomes)) {
    if (number > 0) kit.metrics.inbound.inc({ channel: channel.name, outcome }, number);
  }
}
