/** Fetches what has arrived in one inbox, and stores it together with the position behind it. */
import type { Inbound } from '../../../channels/channel.ts';
import type { FetchedItem, FetchPosition, TranslationRequest } from '../../../channels/fetching.ts';
import type { Kit } from '../../../kit.ts';
import { bufferSource } from '../../../platform/byte-source.ts';
import { AppError } from '../../../platform/errors.ts';
import { readInChild } from '../../../platform/media/reading.ts';
import { networkCredentials } from '../../inboxes/connection.ts';
import { noteRefusal } from '../../inboxes/refused.ts';
import type { Intake } from '../intake.ts';
import type { ClaimedInbox, FetchOutcome } from './queries.ts';

/** The pause after everything was fetched. */
const REST_SECONDS = 20;
/** The pause after the first failure, which doubles with each further one up to the longest. */
const FAILED_SECONDS = 60;
const MOST_FAILED_SECONDS = 15 * 60;
/** How long the network may take for one call. */
const FETCH_MS = 90_000;
/** After this time a turn stores what it has translated, and leaves the further items to the next turn. */
const TRANSLATING_MS = 60_000;
/** The CPU time in which an item is translated. The largest mails take some four seconds. */
const CPU_MS = 8_000;
/** The time in which a child process gets this CPU time on a busy machine. */
const PATIENCE_MS = 120_000;
/** The longest turn. */
export const TURN_MS = FETCH_MS + TRANSLATING_MS + PATIENCE_MS;
/** How much is kept of an item that can not be read. */
const KEPT_BYTES = 64 * 1024;

interface Fetching {
  kit: Kit;
  intake: Intake;
  signal: AbortSignal;
}

/** Never throws. */
export async function fetchInbox(fetching: Fetching, inbox: ClaimedInbox): Promise<FetchOutcome> {
  const { kit } = fetching;
  const { company, _id, seq, turn, failures } = inbox;
  const end = (failed: number, rest: number): FetchOutcome => ({ company, _id, seq, turn, failures: failed, rest });
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
      elements.push(...(await translateItem(kit, inbox, item, signal)));
    } catch (error) {
      // Failure policy: what is translated is stored, and the next turn begins with this item.
      if (count === 0) throw error;
      return { elements, count };
    }
  }
  return { elements, count: items.length };
}

/** Translates an item in a child process. Throws when no child process is free. */
async function translateItem(
  kit: Kit,
  { company, channel, address }: ClaimedInbox,
  { raw, position: _position, failure, ...item }: FetchedItem,
  signal: AbortSignal,
): Promise<(Inbound | null)[]> {
  const request: TranslationRequest = { translate: channel, bytes: raw.length, item: { ...item, address } };
  const unreadable = (reason: string): Inbound => ({
    kind: 'unreadable',
    address,
    reason,
    raw: raw.subarray(0, KEPT_BYTES),
  });
  if (failure !== undefined) return [unreadable(failure)];
  try {
    const reading = { owner: company, source: bufferSource(raw), signal };
    // Nobody waits for the result, so the places of the callers who wait stay free.
    const work = { request, cpuMs: CPU_MS, patienceMs: PATIENCE_MS, isAwaited: false };
    const elements = await readInChild<(Inbound | null)[]>(kit.readers, reading, work);
    return elements.map((element) => (element?.kind === 'unreadable' ? unreadable(element.reason) : element));
  } catch (error) {
    // Failure policy: an item that takes too much time or memory is kept aside, because it would at each further try.
    if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
    return [unreadable(error.message)];
  }
}

const countBytes = (elements: (Inbound | null)[]): number =>
  elements.reduce((sum, element) => sum + (element?.kind === 'message' ? (element.content?.length ?? 0) : 0), 0);
