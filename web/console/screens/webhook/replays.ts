/** Replays of the deliveries of a period. */
import type { DeliveryReplay } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';

const REPLAY_KEY = ['running-replay'] as const;
const ASK_AGAIN_MS = 1_000;

/** The replay that runs, or the last one of this dialog; null when there is none. It is asked for until it has ended. */
export const useReplay = (): UseQueryResult<DeliveryReplay | null> =>
  useQuery({
    queryKey: REPLAY_KEY,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<DeliveryReplay | null>(REPLAY_KEY);
      if (known) return parley.webhooks.getReplay(known._id, { signal });
      const { result } = await parley.webhooks.listReplays(
        { status: 'RUNNING', limit: 1, skipCount: true },
        { signal },
      );
      return result[0] ?? null;
    },
    // What was done at another time is of no interest to who opens the dialog again.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? ASK_AGAIN_MS : false),
  });

export const showReplayRun = (replay: DeliveryReplay | null): void => void queries.setQueryData(REPLAY_KEY, replay);
