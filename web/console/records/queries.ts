/** The cache of what the API has answered. Records that the live stream brings are kept up to date; others are read again when they are shown. */
import { isParleyError } from '@parley/sdk';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { endSession, readSession } from '../session/session.ts';

/** How long an answer without live updates is shown before it is read again. */
const FRESH_MS = 15_000;
/** For queries whose answers the live stream keeps up to date. */
export const LIVE = { staleTime: Number.POSITIVE_INFINITY } as const;

function noteRefusal(error: Error): void {
  if (!isParleyError(error)) return;
  if (error.code === 'UNAUTHORIZED') endSession();
  // The company has begun to require a second factor, so the session says what the user has to do first.
  if (error.code === 'SECOND_FACTOR_MISSING') void readSession();
}

/**
 * Reads a list again that is being read for the first time: its answer may be older than the change after which it is read again, and the
 * library by itself would only wait for that answer.
 */
class RecordQueries extends QueryClient {
  readonly #read = new WeakSet<Query>();

  override invalidateQueries<K extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<K>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' }))
      if (query.state.data === undefined && !this.#read.has(query)) void this.#readTwice(query);
    return super.invalidateQueries(filters, options);
  }

  async #readTwice(query: Query): Promise<void> {
    this.#read.add(query);
    try {
      await query.promise;
    } catch {
      // Failure policy: the component that started the first reading shows its error and offers a retry.
      return;
    } finally {
      this.#read.delete(query);
    }
    await super.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}

export const queries = new RecordQueries({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    // The client itself repeats what is worth repeating.
    queries: { staleTime: FRESH_MS, retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
