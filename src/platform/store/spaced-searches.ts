/** How the expensive reads of a company wait for each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../values/errors.ts';
import type { Shares } from '../work/shares.ts';
import { createSpacedTurns } from '../work/spaced-turns.ts';
import type { Executor, Statement } from './db.ts';

// The longest wait of an expensive read for its turn, as long as a statement may take: until then the expensive reads of a company wait for
// each other.
const EXPENSIVE_WAIT_MS = 5_000;
// People type their searches, and most are found at once. An export that nobody watches pauses after each of its statements.
const CHEAP_SEARCH_MS = 30;

export const spaceSearches = (): Shares => createSpacedTurns({ waitMs: EXPENSIVE_WAIT_MS, cheapMs: CHEAP_SEARCH_MS });
export const spaceWalks = (): Shares => createSpacedTurns({ waitMs: EXPENSIVE_WAIT_MS, cheapMs: 0 });

/** Makes the searches of a company take turns, because their cost depends on what they look for. Other statements do not wait. */
export function withSpacedSearches(turns: Shares, owner: string, executor: Executor): Executor {
  return {
    ...executor,
    query: <R>(statement: Statement) =>
      statement.planEachTime ? turns.within(owner, () => executor.query<R>(statement)) : executor.query<R>(statement),
  };
}

// An export that has begun can only be cut, so a read of it whose turn does not come asks again: for more than a minute.
const ATTEMPTS = 12;
const PAUSE_MS = 500;

/** Makes reads try again that found no turn or no connection in time. */
export function withPatience(executor: Executor, pauseMs = PAUSE_MS): Executor {
  return {
    query: <R>(statement: Statement) => insist(() => executor.query<R>(statement), pauseMs),
    execute: (statement) => insist(() => executor.execute(statement), pauseMs),
  };
}

async function insist<T>(run: () => Promise<T>, pauseMs: number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const isLater = error instanceof AppError && error.code === 'UNAVAILABLE';
      if (!isLater || attempt === ATTEMPTS) throw error;
      await sleep(pauseMs);
    }
  }
}
