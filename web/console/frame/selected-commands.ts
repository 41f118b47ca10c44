/** What the search can do with the records that are selected in a list. */
import { useEffect } from 'react';
import { createStore, useStore } from '../store.ts';

interface SelectedCommand {
  key: string;
  label: string;
  run(): void;
}

const NONE: readonly SelectedCommand[] = [];
const offered = createStore(NONE);

export const useSelectedCommands = (): readonly SelectedCommand[] => useStore(offered);

/** Offers these commands while the component that has the selection is shown. */
export function useOfferedCommands(commands: readonly SelectedCommand[]): void {
  useEffect(() => offered.set(commands), [commands]);
  useEffect(() => () => offered.set(NONE), []);
}
