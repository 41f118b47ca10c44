/** A value outside of React that components can follow. */
import { useSyncExternalStore } from 'react';
import type { Store } from '../browser/store.ts';

export { createStore, keep, listKept, listKeptKeys, readKept, type Store } from '../browser/store.ts';

/** Follows a store. `select` has to return the same object as long as the part of the value that it selects is the same. */
export function useStore<T, S = T>(store: Store<T>, select?: (value: T) => S): S {
  const read = (): S => (select ? select(store.get()) : (store.get() as unknown as S));
  return useSyncExternalStore(store.follow, read);
}
