/** G and a letter open a screen. */
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useVisibleScreens } from './screens.ts';
import { isLetterKey } from './shortcuts.ts';
import type { ScreenName } from './texts.ts';

export const SCREEN_KEYS: Readonly<Record<ScreenName, string>> = {
  inbox: 'i',
  board: 'b',
  contacts: 'c',
  campaigns: 'm',
  businesses: 'o',
  tables: 't',
  knowledge: 'l',
  agents: 'e',
  'quick-replies': 'q',
  inboxes: 'n',
  webhook: 'w',
  company: 'y',
  users: 'u',
  'api-keys': 'k',
  fields: 'f',
  audit: 'a',
  profile: 'p',
};

/** The letter has to follow within this time. */
const PAUSE_MS = 1_500;

export function useScreenKeys(): void {
  const screens = useVisibleScreens();
  const [, navigate] = useLocation();
  useEffect(() => {
    let begun = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent): void => {
      if (!isLetterKey(event)) return;
      const isSecond = event.timeStamp - begun < PAUSE_MS;
      begun = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const screen = isSecond && screens.find(({ name }) => SCREEN_KEYS[name] === event.key);
      if (!screen) return;
      event.preventDefault();
      // The letter must not also be a key of the screen that is shown now.
      event.stopPropagation();
      navigate(`/${screen.path}`);
    };
    document.addEventListener('keydown', press, { capture: true });
    return () => document.removeEventListener('keydown', press, { capture: true });
  }, [screens, navigate]);
}
