/** The log of deliveries, newest first. */
import type { WebhookDelivery } from '@parley/sdk';
import { parley } from '../../client.ts';
import { changeFeeds, placeInFeed, useFeed, type FeedView } from '../../records/feeds.ts';
import { queries } from '../../records/queries.ts';

export type EventName = WebhookDelivery['event'];
export type DeliveryStatus = WebhookDelivery['status'];

export interface DeliveryFilter {
  event?: EventName | undefined;
  status?: DeliveryStatus | undefined;
  webhook?: string | undefined;
}

const DELIVERIES_KEY = ['deliveries'] as const;

export function useDeliveries(filter: DeliveryFilter): FeedView<WebhookDelivery> {
  const read = (after: string | undefined, signal?: AbortSignal): ReturnType<typeof parley.webhooks.listDeliveries> =>
    parley.webhooks.listDeliveries({ ...filter, limit: 50, skipCount: true, after }, { signal });
  return useFeed<WebhookDelivery>([...DELIVERIES_KEY, filter], read, { isLive: false });
}

export const rereadDeliveries = (): void => void queries.invalidateQueries({ queryKey: DELIVERIES_KEY });

/** Most receivers answer within this time, so that the log then shows what became of a replay. */
const ANSWERED_MS = 1_500;

/** Shows a replay in the lists that it belongs to, and soon after that its outcome. */
export function showReplay(replay: WebhookDelivery): void {
  changeFeeds<WebhookDelivery>(DELIVERIES_KEY, (feed, [, filter]) => {
    const asked = filter as DeliveryFilter;
    const isWanted = (['event', 'status', 'webhook'] as const).every(
      (field) => (asked[field] ?? replay[field]) === replay[field],
    );
    return isWanted ? placeInFeed(feed, replay, ({ createdAt }) => createdAt) : feed;
  });
  setTimeout(rereadDeliveries, ANSWERED_MS);
}
