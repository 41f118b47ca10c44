/** The company's webhook, of which there is one at most. */
import type { Webhook } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import { queries } from '../../records/queries.ts';

const WEBHOOK_KEY = ['webhook'] as const;

export const useWebhook = (): UseQueryResult<Webhook | null> =>
  useQuery({ queryKey: WEBHOOK_KEY, queryFn: ({ signal }) => parley.webhooks.get({ signal }) });

/** Shows the webhook as it is now; null after it was removed. */
export const showWebhook = (webhook: Webhook | null): void => void queries.setQueryData(WEBHOOK_KEY, webhook);
