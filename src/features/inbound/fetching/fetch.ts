/** Fetches what has arrived in one inbox, and stores it together with the position behind it. */
import type { Inbound } from '../../../channels/channel.ts';
import type { FetchedItem, FetchPosition } from '../../../channels/fetching.ts';
import type { Kit } from '../../../kit.ts';
import { bufferSource } from '../../../platform/store/byte-source.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { networkCredentials } from '../../inboxes/connection.ts';
import { noteRefusal } from '../../inboxes/refused.ts';
import type { Intake } from '../intake.ts';
import { countBytes, keepAside, translateItem } from '../translate-item.ts';
import { haltInbox } from './halt.ts';
import type { ClaimedInbox, FetchOutcome } from './queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The pause after everything was fetched. */
const REST_SECONDS = 20;
/** The pause after the first failure, which doubles with each further one up to the longest. */
const FAILED_SECONDS = 60;
const MOST_FAILED_SECONDS = declareLimit(15 * 60, {
  topic: 'E-mail',
  what: 'Mailbox: longest pause after failures',
  unit: 'seconds',
  beyond: 'the pause stays at this',
});
/** How long the network may take for one call. */
const FETCH_MS = 90_000;
/** After this time a turn stores what it has translated, and leaves the further items to the next turn. */
const TRANSLATING_MS = 60_000;
/** The time in which an item is translated on a busy machine. */
const PATIENCE_MS = 120_000;
/** The longest turn. */
export const TURN_MS = FETCH_MS + TRANSLATING_MS + PATIENCE_MS;

interface Fetching {
  kit: Kit;
  intake: Intake;
  signal: AbortSignal;
}

/** Never throws. */
export async function fetchInbox(fetching: Fetching, inbox: ClaimedInbox): Promise<FetchOutcome> {
  const { kit } = fetching;
  const { company, _id, turn, failures } = inbox;
  const end = (failed: number, rest: number): FetchOutcome => ({ company, _id, turn, failures: failed, rest });
  try {
    const hasMore = await fetchAndStore(fetching, inbox);
    if (hasMore !== null) return end(0, hasMore ? 0 : REST_SECONDS);
  } catch (error) {
    // Failure policy: the position has not moved, so the next turn fetches the same items again.
    kit.log.warn({ err: error, company, inbox: _id }, 'fetching: what was fetched could not be stored');
    // The platform itself is busy, which says nothing about the server of the inbox.
    if (error instanceof AppError && error.code === 'UNAVAILABLE') return end(failures, REST_SECONDS);
  }
  return end(failures + 1, Math.min(MOST_FAILED_SECONDS, FAILED_SECONDS * 2 ** Math.min(failures, 10)));
}

/** Returns whether the inbox has further items; null when the network has failed. */
async function fetchAndStore({ kit, intake, signal }: Fetching, inbox: ClaimedInbox): Promise<boolean | null> {
  const { company, _id, channel: name, address, receives } = inbox;
  const channel = kit.channels.get(name);
  const credentials = receives ? await networkCredentials(kit, kit.database.read(company), _id) : null;
  // The row waits until the inbox receives again.
  if (!channel.fetchItems || !credentials) return false;
  kit.storage.admit();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const fetched = await channel.fetchItems(credentials.settings, inbox, ends);
  if (fetched.outcome === 'refused') {
    const cause = { code: 'LOG_IN_REFUSED', message: fetched.error };
    await kit.database.tenantTx(company, (tx) => noteRefusal(kit, tx, credentials, cause));
  }
  if (fetched.outcome === 'stopped') await haltInbox(kit, company, credentials, fetched.error);
  if (fetched.outcome !== 'fetched') {
    kit.log.info({ company, inbox: _id, reason: fetched.error }, 'fetching: the network has failed');
    if (fetched.outcome === 'failed' && fetched.position)
      await intake.take(channel, 0, [makePosition(address, fetched.position)]);
    return null;
  }
  const { elements, count } = await translateItems(kit, inbox, fetched.items, signal);
  const isWhole = count === fetched.items.length;
  const reached = (isWhole ? null : fetched.items[count - 1]?.position) ?? fetched.position;
  elements.push(makePosition(address, reached));
  await intake.take(channel, countBytes(elements), elements);
  return fetched.hasMore || !isWhole;
}

const makePosition = (address: string, position: FetchPosition): Inbound => ({
  kind: 'position',
  address,
  timestamp: new Date(),
  position,
});

interface Translated {
  elements: (Inbound | null)[];
  /** How many of the items have been translated: the first of them, and fewer than all when the time is over. */
  count: number;
}

/** Throws when not even the first item could be translated. */
async function translateItems(
  kit: Kit,
  inbox: ClaimedInbox,
  items: FetchedItem[],
  signal: AbortSignal,
): Promise<Translated> {
  const elements: (Inbound | null)[] = [];
  const startedMs = performance.now();
  for (const [count, item] of items.entries()) {
    if (count > 0 && performance.now() - startedMs > TRANSLATING_MS) return { elements, count };
    try {
      elements.push(...(await translateFetched(kit, inbox, item, signal)));
    } catch (error) {
      // Failure policy: what is translated is stored, and the next turn begins with this item.
      if (count === 0) throw error;
      return { elements, count };
    }
  }
  return { elements, count: items.length };
}

/** Throws when no child process is free. */
async function translateFetched(
  kit: Kit,
  { company, channel, address }: ClaimedInbox,
  { raw, position: _position, failure, ...rest }: FetchedItem,
  signal: AbortSignal,
): Promise<(Inbound | null)[]> {
  const source = bufferSource(raw);
  if (failure !== undefined) return [await keepAside(address, source, failure)];
  const item = { ...rest, address };
  // No one waits for the result, so the places of the callers who wait stay free.
  const how = { signal, patienceMs: PATIENCE_MS, isAwaited: false };
  return translateItem(kit, { company, channel, item, source }, how);
}
