/** Checks that the failures which a proof (a long test) causes have interrupted some work; otherwise it has shown nothing. */
import assert from 'node:assert/strict';

// A single failure may happen between two requests; of this many failures under load, at least one interrupts a request.
const CERTAIN_FROM = 20;

/** Asserts that enough failures interrupted some of the work; `blows` counts the failures, and `met` the interrupted work. */
export function assertWorkWasInterrupted(what: string, { blows, met }: { blows: number; met: number }): void {
  assert.ok(blows < CERTAIN_FROM || met > 0, `none of ${blows} failures interrupted ${what}`);
}
