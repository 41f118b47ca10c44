/** Checks that refusing another company's record takes as long as refusing an unknown one. */
import { newId } from '../../../src/platform/values/ids.ts';
import {
  sendAndCheck,
  mayReachAllCompanies,
  buildValidRequest,
  withTextAt,
  type Findings,
  type CompanyPair,
} from './asking.ts';
import type { Callers } from './callers.ts';
import { findId } from './companies.ts';
import type { Operation } from './document.ts';
import { findPositions } from './positions.ts';

// A difference of medians that is too small to be measured over a network.
const BAR_MS = 0.5;
// The number of requests before the measurement, enough for code to be compiled.
const WARM_UP = 50;

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** Measures the difference for each GET by id, and returns the largest one in milliseconds. */
export async function measureDenials(
  pair: CompanyPair,
  callers: Callers,
  operations: Operation[],
  pairs: number,
): Promise<{ account: Findings; differenceMs: number }> {
  const account: Findings = { asked: 0, faults: [] };
  let differenceMs = 0;
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const position = findPositions(operation).find((one) => one.in === 'path');
    if (!position) continue;
    const { allowed } = await callers.chooseCast(operation);
    const caller = allowed.find((one) => !mayReachAllCompanies(operation, one));
    if (!caller) continue;
    const valid = buildValidRequest(operation, pair.own);
    const [kind = ''] = position.kinds;
    const times = { foreign: [] as number[], unknown: [] as number[] };
    for (let turn = -WARM_UP; turn < pairs; turn += 1) {
      // The order alternates, so that disturbances of the machine affect both kinds of ids alike.
      const order = turn % 2 === 0 ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const);
      for (const which of order) {
        const id = which === 'foreign' ? findId(pair.other, kind) : newId();
        const started = performance.now();
        await sendAndCheck(pair, account, { caller, asking: withTextAt(valid, position, id) });
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
