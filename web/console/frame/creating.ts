/** The command that opens the dialog for a new record on its screen, as the button there does. */
import { useEffect } from 'react';
import { createStore, useStore } from '../store.ts';
import type { ScreenName } from './texts.ts';

/** The screen that is asked to open its dialog, until it has opened it. */
const asked = createStore<ScreenName | null>(null);

export const askToCreate = (screen: ScreenName): void => asked.set(screen);

/** Opens the dialog of a screen when its command is run. */
export function useCreateCommand(screen: ScreenName, open: () => void): void {
  const isAsked = useStore(asked) === screen;
  useEffect(() => {
    if (!isAsked) return;
    asked.set(null);
    open();
  });
}
