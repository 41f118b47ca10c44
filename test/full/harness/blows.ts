/** Checks that the failures which a proof causes interrupted something; otherwise it has proven nothing. */
import assert from 'node:assert/strict';

// A single failure may hit a moment between two requests; of this many under load, at least one interrupts something.
const CERTAIN_FROM = 20;

/** `met` counts the work that the failures interrupted. */
export function assertMet(what: string, { blows, met }: { blows: number; met: number }): void {
  assert.ok(blows < CERTAIN_FROM || met > 0, `none of ${blows} blows met ${what}`);
}
