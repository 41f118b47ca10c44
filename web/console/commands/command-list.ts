/** The commands that can be run from everywhere, and those of the conversation that is open. */
import { useLocation } from 'wouter';
import { compose, useMayCompose } from '../frame/composing.ts';
import { askToMerge } from '../frame/merging.ts';
import { snoozeTimes } from '../frame/snooze.ts';
import { FRAME, SCREEN_NAMES } from '../frame/texts.ts';
import { OPEN_CONVERSATION } from '../frame/writing.ts';
import { useVisibleScreens } from '../frame/screens.ts';
import { chooseTheme, THEMES } from '../frame/theme.ts';
import { assignTo, HAND_BACK, takeOver, useConversation, useConversationChange } from '../records/conversations.ts';
import { toViewKey, useViews } from '../records/views.ts';
import { logOut, useMay, useSession } from '../session/session.ts';
import { LANGUAGES } from '../../browser/texts.ts';
import { chooseLanguage, LANGUAGE_NAMES } from '../texts/language.ts';
import { formatListed } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { useClosing } from '../ui/closing.ts';
import { useMacrosOf } from '../ui/macros.ts';
import { showError } from '../ui/toast.tsx';
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

function useConversationCommands(id: string): Entry[] {
  const texts = useTexts(SEARCH);
  const { user } = useSession();
  const mayChange = useMay('conversations:update');
  const { data: conversation } = useConversation(id);
  const change = useConversationChange(id);
  const { isClosed, toggle } = useClosing(conversation);
  const { macros, run } = useMacrosOf(id);
  if (!conversation || !mayChange) return [];
  const apply = (update: Parameters<typeof change.mutate>[0]) => (): void =>
    change.mutate(update, { onError: showError });
  const { owner, agent, handled_by } = conversation;
  const { tomorrow } = snoozeTimes();
  const entries: (Entry | false)[] = [
    owner !== user._id && {
      key: 'assign',
      icon: 'person',
      label: texts.assign,
      run: apply(assignTo(user._id, conversation)),
    },
    handled_by === 'AI' && {
      key: 'take-over',
      icon: 'person',
      label: texts.takeOver,
      run: apply(takeOver(conversation, user._id)),
    },
    handled_by !== 'AI' &&
      agent !== null && { key: 'agent', icon: 'agent', label: texts.handBack, run: apply(HAND_BACK) },
    {
      key: 'close',
      icon: isClosed ? 'refresh' : 'check',
      label: isClosed ? texts.reopen : texts.close,
      run: toggle,
    },
    !isClosed && {
      key: 'snooze',
      icon: 'clock',
      label: `${texts.snooze} · ${formatListed(tomorrow)}`,
      run: apply({ status: 'SNOOZED', snoozed_until: tomorrow }),
    },
    { key: 'merge', icon: 'merge', label: texts.merge, run: () => askToMerge(conversation) },
    ...macros.map((macro): Entry => ({
      key: macro._id,
      icon: 'wand',
      label: texts.macro(macro.name),
      run: () => run(macro),
    })),
  ];
  return entries.filter((entry) => entry !== false);
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
