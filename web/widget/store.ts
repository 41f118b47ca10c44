/** Follows a value outside of Preact. */
import { useEffect, useState } from 'preact/hooks';
import type { Store } from '../browser/store.ts';

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const read = (): void => setValue(() => store.get());
    // It may have changed since the component was rendered.
    read();
    return store.follow(read);
  }, [store]);
  return value;
}
