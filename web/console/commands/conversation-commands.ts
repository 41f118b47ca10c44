/** The commands of the conversation that is open. */
import type { Conversation, ConversationUpdate } from '@parley/sdk';
import { askForSearch, askForTags } from '../frame/conversation-dialogs.ts';
import { askToMerge } from '../frame/merging.ts';
import { snoozeTimes } from '../frame/snooze.ts';
import { useUsersOf } from '../records/company.ts';
import { assignTo, HAND_BACK, takeOver, useConversation, useConversationChange } from '../records/conversations.ts';
import { useMay, useSession } from '../session/session.ts';
import { PRIORITIES, PRIORITY_NAMES } from '../texts/conversation-states.ts';
import { formatListed } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import { useClosing } from '../ui/closing.ts';
import { useMacrosOf } from '../ui/macros.ts';
import { COMMON } from '../ui/texts.ts';
import { showError } from '../ui/toast.tsx';
import type { Entry } from './entries.ts';
import { SEARCH } from './texts.ts';

/** Makes what a command does of a change of the conversation. */
type Apply = (update: ConversationUpdate) => () => void;

export function useConversationCommands(id: string): Entry[] {
  const texts = useTexts(SEARCH);
  const mayChange = useMay('conversations:update');
  const mayRead = useMay('messages:read');
  const { data: conversation } = useConversation(id);
  const change = useConversationChange(id);
  const apply: Apply = (update) => () => change.mutate(update, { onError: showError });
  const { macros, run } = useMacrosOf(id);
  const answering = useAnsweringCommands(conversation, apply);
  const states = useStateCommands(conversation, apply);
  const colleagues = useColleagueCommands(conversation, apply);
  const priorities = usePriorityCommands(conversation, apply);
  const search: Entry = { key: 'search', icon: 'search', label: texts.searchHere, run: () => askForSearch(id) };
  const searching = mayRead ? [search] : [];
  if (!conversation) return [];
  if (!mayChange) return searching;
  return [
    ...answering,
    ...states,
    { key: 'tags', icon: 'tag', label: texts.tags, run: () => askForTags(id) },
    ...searching,
    { key: 'merge', icon: 'merge', label: texts.merge, run: () => askToMerge(conversation) },
    ...macros.map((macro): Entry => ({
      key: macro._id,
      icon: 'wand',
      label: texts.macro(macro.name),
      run: () => run(macro),
    })),
    ...colleagues,
    ...priorities,
  ];
}

const assign = (to: string, label: string, run: () => void): Entry => ({
  key: `assign ${to}`,
  icon: 'person',
  label,
  run,
});

/** Who answers: the user or an agent. */
function useAnsweringCommands(conversation: Conversation | undefined, apply: Apply): Entry[] {
  const texts = useTexts(SEARCH);
  const { user } = useSession();
  if (!conversation) return [];
  const { owner, agent, handled_by } = conversation;
  const isAgents = handled_by === 'AI';
  const entries: (Entry | false)[] = [
    owner !== user._id && assign(user._id, texts.assign, apply(assignTo(user._id, conversation))),
    isAgents && {
      key: 'take-over',
      icon: 'person',
      label: texts.takeOver,
      run: apply(takeOver(conversation, user._id)),
    },
    !isAgents && agent !== null && { key: 'agent', icon: 'agent', label: texts.handBack, run: apply(HAND_BACK) },
  ];
  return entries.filter((entry) => entry !== false);
}

function useColleagueCommands(conversation: Conversation | undefined, apply: Apply): Entry[] {
  const texts = useTexts(SEARCH);
  const { user } = useSession();
  const users = useUsersOf(conversation?.inbox ?? '');
  if (!conversation) return [];
  return users
    .filter(({ _id }) => _id !== user._id && _id !== conversation.owner)
    .map(({ _id, name }) => assign(_id, texts.assignTo(name), apply(assignTo(_id, conversation))));
}

function usePriorityCommands(conversation: Conversation | undefined, apply: Apply): Entry[] {
  const texts = useTexts(SEARCH);
  const { none } = useTexts(COMMON);
  const names = useTexts(PRIORITY_NAMES);
  if (!conversation) return [];
  return [...PRIORITIES, null]
    .filter((each) => each !== conversation.priority)
    .map((priority) => ({
      key: `priority ${priority}`,
      icon: 'flag',
      label: texts.priority(priority === null ? none : names[priority]),
      run: apply({ priority }),
    }));
}

/** Closes, reopens and snoozes the conversation. */
function useStateCommands(conversation: Conversation | undefined, apply: Apply): Entry[] {
  const texts = useTexts(SEARCH);
  const { isClosed, toggle } = useClosing(conversation);
  if (!conversation) return [];
  const { tomorrow } = snoozeTimes();
  const close: Entry = {
    key: 'close',
    icon: isClosed ? 'refresh' : 'check',
    label: isClosed ? texts.reopen : texts.close,
    run: toggle,
  };
  const snooze: Entry = {
    key: 'snooze',
    icon: 'clock',
    label: `${texts.snooze} · ${formatListed(tomorrow)}`,
    run: apply({ status: 'SNOOZED', snoozed_until: tomorrow }),
  };
  return isClosed ? [close] : [close, snooze];
}
