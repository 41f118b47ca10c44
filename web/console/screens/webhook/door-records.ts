/** The webhooks that clients of other systems have set, of which a company has twenty at most. */
import type { DoorWebhook } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';

const KEY = ['door-webhooks'];
const MOST = 100;

export const useDoorWebhooks = (): UseQueryResult<DoorWebhook[]> =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) =>
      (await parley.doorWebhooks.list({ sort: 'createdAt', limit: MOST, skipCount: true }, { signal })).result,
  });

export const showDoorWebhook = (webhook: DoorWebhook): void =>
  void queries.setQueryData<DoorWebhook[]>(KEY, (list = []) =>
    list.map((each) => (each._id === webhook._id ? webhook : each)),
  );

export const forgetDoorWebhook = (id: string): void =>
  void queries.setQueryData<DoorWebhook[]>(KEY, (list = []) => list.filter(({ _id }) => _id !== id));
