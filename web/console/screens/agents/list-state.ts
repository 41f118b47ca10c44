/** What the list of agents shows: its search and its filters. */
import type { ListedAgent } from '@parley/sdk';
import { useCallback } from 'react';
import type { AgentChoice } from '../../records/agents.ts';
import { useListParams } from '../../ui/list-params.ts';

export const TYPES = ['AI', 'EXTERNAL'] as const satisfies ListedAgent['type'][];
export const STATUSES = ['ACTIVE', 'INACTIVE'] as const satisfies ListedAgent['status'][];

interface ListState {
  choice: AgentChoice;
  setSearch(search: string): void;
  /** Chooses a value of a filter; "" shows all. */
  set(filter: 'type' | 'status', value: string): void;
}

export function useListState(): ListState {
  const { params, set } = useListParams();
  const search = params.get('search');
  const type = TYPES.find((each) => each === params.get('type'));
  const status = STATUSES.find((each) => each === params.get('status'));
  return {
    choice: { ...(search && { search }), ...(type && { type }), ...(status && { status }) },
    setSearch: useCallback((text) => set('search', text), [set]),
    set,
  };
}
