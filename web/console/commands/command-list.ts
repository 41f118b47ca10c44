/** All commands: those of the open conversation, and those that can be run from everywhere. */
import { useLocation } from 'wouter';
import { compose, useMayCompose } from '../frame/composing.ts';
import { FRAME, SCREEN_NAMES } from '../frame/texts.ts';
import { OPEN_CONVERSATION } from '../frame/writing.ts';
import { useSelectedCommands } from '../frame/selected-commands.ts';
import { useVisibleScreens } from '../frame/screens.ts';
import { chooseTheme, THEMES } from '../frame/theme.ts';
import { toViewKey, useViews } from '../records/views.ts';
import { logOut } from '../session/session.ts';
import { LANGUAGES } from '../../browser/texts.ts';
import { chooseLanguage, LANGUAGE_NAMES } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { showError } from '../ui/toast.tsx';
import { useConversationCommands } from './conversation-commands.ts';
import { useCreateCommands } from './create-commands.ts';
import type { Entry, EntryGroup } from './entries.ts';
import { openCommandDialog } from './opened.ts';
import { SEARCH } from './texts.ts';

export function useCommands(): EntryGroup[] {
  const texts = useTexts(SEARCH);
  const names = useTexts(SCREEN_NAMES);
  const [location, navigate] = useLocation();
  const [, id] = OPEN_CONVERSATION.exec(location) ?? [];
  const screens = useVisibleScreens().map(({ path, name, icon }): Entry => ({
    key: path,
    icon,
    label: names[name],
    run: () => navigate(`/${path}`),
  }));
  return [
    { title: texts.selected, items: useSelectedCommands().map((command) => ({ ...command, icon: 'wand' })) },
    { title: texts.conversation, items: useConversationCommands(id ?? '') },
    { title: texts.create, items: [...useCompose(), ...useCreateCommands()] },
    { title: texts.views, items: useViewCommands() },
    { title: texts.screens, items: screens },
    { title: texts.settings, items: useSettingCommands() },
  ];
}

/** Opens a saved view of the inbox. */
function useViewCommands(): Entry[] {
  const [, navigate] = useLocation();
  return useViews().map(({ _id, name }): Entry => ({
    key: _id,
    icon: 'filter',
    label: name,
    run: () => navigate(`/inbox/${toViewKey(_id)}`),
  }));
}

function useCompose(): Entry[] {
  const texts = useTexts(FRAME);
  return useMayCompose() ? [{ key: 'compose', icon: 'edit', label: texts.compose, run: () => compose() }] : [];
}

function useSettingCommands(): Entry[] {
  const texts = useTexts(FRAME);
  return [
    ...THEMES.map((theme): Entry => ({
      key: theme,
      icon: 'settings',
      label: `${texts.theme}: ${texts[theme]}`,
      run: () => chooseTheme(theme),
    })),
    ...LANGUAGES.map((language): Entry => ({
      key: language,
      icon: 'settings',
      label: `${texts.language}: ${LANGUAGE_NAMES[language]}`,
      run: () => chooseLanguage(language),
    })),
    { key: 'keys', icon: 'keyboard', label: texts.keys, run: () => openCommandDialog('KEYS') },
    { key: 'out', icon: 'logout', label: texts.logOut, run: () => void logOut().catch(showError) },
  ];
}
