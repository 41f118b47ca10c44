/** Splits a large callback into portions, which are parsed little by little. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Inbound, InboundUnreadable } from '../../channels/channel.ts';

/** The number of elements in a portion. Storing them takes some 50 ms, and other callbacks wait that long for a large one. */
export const PORTION = 100;
// The time after which parsing pauses, so that other work of the event loop gets its turn. Answering a request takes several turns.
const SLICE_MS = 2;
// The number of unreadable parts of one callback that are kept aside one by one, to be inspected; further ones are junk.
const SINGLE_PARTS = 100;
// The number of further unreadable parts that share a row.
const BUNDLED_PARTS = 1_000;

/**
 * Reads a portion only when it is requested, and yields to the event loop meanwhile. `ignored` is called for each part that the
 * channel does not need.
 */
export async function* readPortions(parts: Iterable<Inbound | null>, ignored: () => void): AsyncGenerator<Inbound[]> {
  let portion: Inbound[] = [];
  let begunMs = performance.now();
  for (const element of bundleUnreadable(parts, ignored)) {
    if (element) portion.push(element);
    if (portion.length === PORTION) {
      yield portion;
      portion = [];
      begunMs = performance.now();
    } else if (performance.now() - begunMs > SLICE_MS) {
      await nextTurn();
      begunMs = performance.now();
    }
  }
  if (portion.length > 0) yield portion;
}

/** A callback may consist of hundreds of thousands of unreadable parts: all of them are kept, but many share a row. */
function* bundleUnreadable(parts: Iterable<Inbound | null>, ignored: () => void): Generator<Inbound | null> {
  let singles = 0;
  let bundled: unknown[] = [];
  for (const element of parts) {
    if (element === null) ignored();
    if (element?.kind !== 'unreadable' || singles < SINGLE_PARTS) {
      if (element?.kind === 'unreadable') singles += 1;
      yield element;
    } else {
      bundled.push(element.raw);
      if (bundled.length === BUNDLED_PARTS) {
        yield makeBundle(bundled);
        bundled = [];
      } else yield null;
    }
  }
  if (bundled.length > 0) yield makeBundle(bundled);
}

function makeBundle(raw: unknown[]): InboundUnreadable {
  return { kind: 'unreadable', address: null, reason: `${raw.length} more parts could not be read`, raw };
}
