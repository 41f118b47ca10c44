/** What the list of contacts shows; it is in the address, so that going back, or loading the page again, shows the same. */
import type { Segment } from '@parley/sdk';
import { useCallback, useMemo } from 'react';
import { useSearch, useSearchParams } from 'wouter';
import type { ContactChoice } from '../../records/contacts.ts';
import { readFilters, writeFilters, type Filter } from '../../ui/filters/filters.ts';

export interface ListState {
  search: string;
  filters: readonly Filter[];
  /** The same for the API. */
  choice: ContactChoice;
  /** The id of the segment that was opened; its filters may have been changed since. */
  segment: string | null;
  setSearch(search: string): void;
  setFilters(filters: readonly Filter[]): void;
  /** Shows the contacts of a segment, or with null all contacts. */
  open(segment: Segment | null): void;
}

export function useListState(): ListState {
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const filters = useMemo(() => readFilters(params.get('filters')), [params]);
  const set = useCallback(
    (changed: Record<string, string | undefined>): void =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [key, value] of Object.entries(changed))
            if (value === undefined) next.delete(key);
            else next.set(key, value);
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );
  return {
    search,
    filters,
    segment: params.get('segment'),
    choice: { ...(search && { search }), ...(filters.length > 0 && { filters: writeFilters(filters) }) },
    setSearch: useCallback((text) => set({ search: text || undefined }), [set]),
    setFilters: (list) => set({ filters: writeFilters(list) }),
    open: (segment) =>
      set({ segment: segment?._id, search: segment?.filters.search, filters: segment?.filters.filters }),
  };
}

/** Returns a function that adds the list's search and filters to a path, so that the list is the same when somebody comes back to it. */
export function useListQuery(): (path: string) => string {
  const query = useSearch();
  return (path) => (query ? `${path}?${query}` : path);
}
