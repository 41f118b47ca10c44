/** Commands that create records. Each opens the same form as the button on its screen. */
import { useLocation } from 'wouter';
import { askToCreate } from '../frame/creating.ts';
import { useVisibleScreens } from '../frame/screens.ts';
import { holdsScope, useSession } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import type { Entry } from './entries.ts';
import { CREATE } from './texts.ts';

/** `isPage`: the form is a page of its own, not a dialog of the list. */
const RECORDS = [
  { screen: 'contacts', scope: 'contacts:create', isPage: false },
  { screen: 'campaigns', scope: 'campaigns:create', isPage: false },
  { screen: 'rules', scope: 'agents:create', isPage: true },
  { screen: 'quick-replies', scope: 'messages:create', isPage: false },
  { screen: 'agents', scope: 'agents:create', isPage: true },
  { screen: 'users', scope: 'users:create', isPage: false },
] as const;

export function useCreateCommands(): Entry[] {
  const texts = useTexts(CREATE);
  const { scopes } = useSession();
  const screens = useVisibleScreens();
  const [, navigate] = useLocation();
  return RECORDS.filter(({ scope }) => holdsScope(scopes, scope)).flatMap(({ screen, isPage }): Entry[] => {
    const shown = screens.find(({ name }) => name === screen);
    if (!shown) return [];
    const run = (): void => {
      navigate(isPage ? `/${shown.path}/new` : `/${shown.path}`);
      if (!isPage) askToCreate(shown);
    };
    return [{ key: `create ${screen}`, icon: shown.icon, label: texts[screen], run }];
  });
}
