/** What the list of items shows: its search and its filters. */
import type { ListedKnowledgeItem } from '@parley/sdk';
import { useCallback } from 'react';
import type { KnowledgeChoice } from '../../records/knowledge.ts';
import { useListParams } from '../../ui/list-params.ts';

export const TYPES = ['KNOWLEDGE', 'MEDIA'] as const satisfies ListedKnowledgeItem['type'][];
export const FILE_TYPES = [
  'AUTCL',
  'PDF',
  'DOCX',
  'DOCUMENT',
  'IMAGE',
  'VIDEO',
  'AUDIO',
] as const satisfies ListedKnowledgeItem['file_type'][];
export const STATUSES = ['PROCESSING', 'READY', 'ERROR'] as const satisfies ListedKnowledgeItem['status'][];

interface ListState {
  choice: KnowledgeChoice;
  setSearch(search: string): void;
  /** Chooses a value of a filter; "" shows all. */
  set(filter: 'type' | 'file_type' | 'status', value: string): void;
}

export function useListState(): ListState {
  const { params, set } = useListParams();
  const search = params.get('search');
  const type = TYPES.find((each) => each === params.get('type'));
  const file_type = FILE_TYPES.find((each) => each === params.get('file_type'));
  const status = STATUSES.find((each) => each === params.get('status'));
  return {
    choice: {
      ...(search && { search }),
      ...(type && { type }),
      ...(file_type && { file_type }),
      ...(status && { status }),
    },
    setSearch: useCallback((text) => set('search', text), [set]),
    set,
  };
}
