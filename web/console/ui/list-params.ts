/** What a list shows stands in the address, so that going back, or loading the page again, shows the same. */
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

interface ListParams {
  params: URLSearchParams;
  /** Changes one of them; "" removes it. */
  set(name: string, value: string): void;
}

export function useListParams(): ListParams {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (name: string, value: string): void =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );
  return { params, set };
}
