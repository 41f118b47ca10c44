/** Refusing another company's record takes as long as refusing an unknown one. Reliability bar B2. */
import { newId } from '../../../src/platform/ids.ts';
import { ask, isByRight, validAsking, withText, type Account, type Pair } from './asking.ts';
import type { Callers } from './callers.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions } from './positions.ts';

// A difference of medians that is too small to be measured over a network.
const BAR_MS = 0.5;
// The number of requests before the measurement, enough for code to be compiled.
const WARM_UP = 50;

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** The largest difference of all GETs by id, in milliseconds. */
export async function measureDenials(
  pair: Pair,
  callers: Callers,
  operations: Operation[],
  pairs: number,
): Promise<{ account: Account; differenceMs: number }> {
  const account: Account = { asked: 0, faults: [] };
  let differenceMs = 0;
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const position = findPositions(operation).find((one) => one.in === 'path');
    if (!position) continue;
    const { allowed } = await callers.chooseCast(operation);
    const caller = allowed.find((one) => !isByRight(operation, one));
    if (!caller) continue;
    const valid = validAsking(operation, pair.own);
    const [kind = ''] = position.kinds;
    const times = { foreign: [] as number[], unknown: [] as number[] };
    for (let turn = -WARM_UP; turn < pairs; turn += 1) {
      // Alternating order, so that disturbances of the machine affect both alike.
      const order = turn % 2 === 0 ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const);
      for (const which of order) {
        const id = which === 'foreign' ? findId(pair.other, kind) : newId();
        const started = performance.now();
        await ask(pair, account, { caller, asking: withText(valid, position, id) });
        if (turn >= 0) times[which].push(performance.now() - started);
      }
    }
    const difference = Math.abs(median(times.foreign) - median(times.unknown));
    if (difference > BAR_MS)
      account.faults.push(`${operation.name}: the medians differ by ${difference.toFixed(2)} ms`);
    differenceMs = Math.max(differenceMs, difference);
  }
  return { account, differenceMs };
}
