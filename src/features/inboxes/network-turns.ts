/** Limits how many requests wait for a company's own network or server, which may never answer. */
import { CALL_MS } from '../../channels/limits.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { createShares } from '../../platform/work/shares.ts';

const MOST_OF_COMPANY = declareLimit(8, {
  topic: 'Networks',
  what: 'Checks, pairings, log-in links, template changes and look-ups at the same time, per company and process',
  beyond: 'the next one waits',
});
const MOST_CALLS = declareLimit(64, {
  topic: 'Networks',
  what: 'Checks, pairings, log-in links, template changes and look-ups at the same time, per process',
  beyond: 'the next one waits',
});
const WAIT_MS = declareLimit(5_000, {
  topic: 'Networks',
  what: 'Checks, pairings, log-in links, template changes and look-ups: wait for a turn',
  unit: 'ms',
  beyond: '503; an inbox that is saved is checked later',
});
const turns = createShares(MOST_OF_COMPANY, WAIT_MS, { all: MOST_CALLS, kept: 16 });

/** Calls a network in the company's turn, with a signal that ends the call. Throws UNAVAILABLE when no turn comes in time. */
export const callInTurn = <T>(company: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  turns.within(company, () => call(AbortSignal.timeout(CALL_MS)));
