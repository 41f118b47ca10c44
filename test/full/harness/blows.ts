/** A proof whose blows fell beside everything has proven nothing. */
import assert from 'node:assert/strict';

// One blow may fall between two requests; of so many, under load, some do not.
const CERTAIN_FROM = 20;

/** `met`: what the blows interrupted. */
export function assertMet(what: string, { blows, met }: { blows: number; met: number }): void {
  assert.ok(blows < CERTAIN_FROM || met > 0, `none of ${blows} blows met ${what}`);
}
