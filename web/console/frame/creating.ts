/** The command that opens the dialog for a new record on its screen, as the button there does. */
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { createStore, useStore } from '../store.ts';
import type { Screen } from './screens.ts';
import type { ScreenName } from './texts.ts';

/** The screen that is asked to open its dialog, until it has opened it. */
const asked = createStore<Pick<Screen, 'name' | 'path'> | null>(null);

export const askToCreate = (screen: Screen): void => asked.set(screen);

/** Opens the dialog of a screen when its command is run. */
export function useCreateCommand(screen: ScreenName, open: () => void): void {
  const isAsked = useStore(asked)?.name === screen;
  useEffect(() => {
    if (!isAsked) return;
    asked.set(null);
    open();
  });
}

/**
 * Forgets the command when the user leaves its screen before it is loaded. The component that calls this must not be inside the Suspense of
 * the screens: React runs no effects there while a screen loads.
 */
export function useForgottenCommand(): void {
  const [location] = useLocation();
  useEffect(() => {
    const screen = asked.get();
    if (screen && location !== `/${screen.path}`) asked.set(null);
  }, [location]);
}
