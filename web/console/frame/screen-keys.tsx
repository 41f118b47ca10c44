/** G and a letter open a screen. */
import { useEffect, useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import styles from './frame.module.css';
import { useVisibleScreens } from './screens.ts';
import { isLetterKey } from './shortcuts.ts';
import { FRAME, type ScreenName } from './texts.ts';

export const SCREEN_KEYS: Readonly<Record<ScreenName, string>> = {
  inbox: 'i',
  board: 'b',
  contacts: 'c',
  campaigns: 'm',
  reports: 'r',
  businesses: 'o',
  tables: 't',
  knowledge: 'l',
  agents: 'e',
  rules: 'v',
  macros: 'z',
  'quick-replies': 'q',
  inboxes: 'n',
  'business-hours': 'j',
  'sla-policies': 'x',
  templates: 's',
  webhook: 'w',
  company: 'y',
  users: 'u',
  teams: 'h',
  'api-keys': 'k',
  'connected-apps': 'd',
  fields: 'f',
  audit: 'a',
  profile: 'p',
};

/** Keys that only change what another key means. */
const isModifier = ({ key }: KeyboardEvent): boolean => /^(Shift|Control|Alt|AltGraph|Meta|CapsLock)$/.test(key);

/** Goes to a screen by its keys. After G, the page says that the next key belongs to it, however late that key comes. */
export function ScreenKeys(): ReactElement {
  const texts = useTexts(FRAME);
  const screens = useVisibleScreens();
  const [, navigate] = useLocation();
  const [isBegun, begin] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isModifier(event)) return;
      begin(false);
      if (!isLetterKey(event)) return;
      if (!isBegun) return begin(event.key === 'g');
      // The second key must not also be a key of the screen that is shown now.
      event.preventDefault();
      event.stopPropagation();
      const screen = screens.find(({ name }) => SCREEN_KEYS[name] === event.key);
      if (screen) navigate(`/${screen.path}`);
    };
    const leave = (): void => begin(false);
    document.addEventListener('keydown', press, { capture: true });
    document.addEventListener('pointerdown', leave, { capture: true });
    return () => {
      document.removeEventListener('keydown', press, { capture: true });
      document.removeEventListener('pointerdown', leave, { capture: true });
    };
  }, [screens, navigate, isBegun]);
  return (
    <p role="status" className={styles['begun']}>
      {isBegun && texts.screenKey}
    </p>
  );
}
