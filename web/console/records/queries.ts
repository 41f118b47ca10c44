/** The cache of what the API has answered. Records that the live stream brings are kept up to date; others are read again when they are shown. */
import { isParleyError } from '@parley/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
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

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    // The client itself repeats what is worth repeating.
    queries: { staleTime: FRESH_MS, retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
