/** What a large callback becomes on its way to the store: portions, read little by little. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Inbound, InboundUnreadable } from '../../channels/channel.ts';

/** Elements in a portion. A transaction of so many lasts some 50 ms, which is what anybody waits for a large callback. */
export const PORTION = 100;
// What else waits for the event loop gets its turn after so long. It takes several turns to answer a request.
const SLICE_MS = 2;
// So many unreadable parts of one callback are kept each by itself, for whoever looks at them; more of them are junk.
const SINGLE_PARTS = 100;
// The further ones are kept together, so many in a row of the table.
const BUNDLED_PARTS = 1_000;

/**
 * Reads on only when the next portion is asked for, and lets go of the event loop meanwhile. `ignored` hears of each part that says
 * nothing to us.
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

/** A callback may be made of hundreds of thousands of unreadable parts: nothing of them is lost, but they share rows. */
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
        yield bundleOf(bundled);
        bundled = [];
      } else yield null;
    }
  }
  if (bundled.length > 0) yield bundleOf(bundled);
}

function bundleOf(raw: unknown[]): InboundUnreadable {
  return { kind: 'unreadable', address: null, reason: `${raw.length} more parts could not be read`, raw };
}
