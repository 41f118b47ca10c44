/** What the list of campaigns shows: its search and its filters. */
import type { Campaign } from '@parley/sdk';
import { useCallback } from 'react';
import type { CampaignChoice } from '../../records/campaigns.ts';
import { useListParams } from '../../ui/list-params.ts';

/** In the order in which a campaign goes through them. */
export const STATUSES = [
  'DRAFT',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'CANCELLED',
  'FAILED',
] as const satisfies Campaign['status'][];

interface ListState {
  choice: CampaignChoice;
  setSearch(search: string): void;
  setStatus(status: string): void;
}

export function useListState(): ListState {
  const { params, set } = useListParams();
  const search = params.get('search');
  const status = STATUSES.find((each) => each === params.get('status'));
  return {
    choice: { ...(search && { search }), ...(status && { status }) },
    setSearch: useCallback((text) => set('search', text), [set]),
    setStatus: (chosen) => set('status', chosen),
  };
}
