import type { Conversation } from '@parley/sdk';
import { PRIORITIES, PRIORITY_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { THREAD } from './thread/texts.ts';

type Priority = Conversation['priority'];

/** The items of a menu that sets a priority, or none. `current` is undefined for several conversations. */
export function usePriorityItems(current: Priority | undefined, apply: (priority: Priority) => void): MenuItem[] {
  const texts = useTexts(THREAD);
  const names = useTexts(PRIORITY_NAMES);
  return [...PRIORITIES, null].map((each) => ({
    key: each ?? 'none',
    label: each === null ? texts.noPriority : names[each],
    isChosen: each === current,
    onSelect: () => apply(each),
  }));
}
