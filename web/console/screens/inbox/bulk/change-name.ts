import type { ConversationChange } from '@parley/sdk';
import type { Translation } from '../../../../browser/texts.ts';
import type { CONVERSATION_CHANGES } from './texts.ts';

/** Says what is done with so many conversations (All), or what was done (Done). */
export const describeAct = (
  texts: Translation<(typeof CONVERSATION_CHANGES)['en']>,
  act: ConversationChange | { macro: { name: string } },
  [end, count]: ['All' | 'Done', string],
): string => ('macro' in act ? texts[`macro${end}`](count, act.macro.name) : texts[`${nameChange(act)}${end}`](count));

/** Returns the beginning of the names of the texts that say what a change does. */
function nameChange(
  change: ConversationChange,
): 'close' | 'reopen' | 'snooze' | 'move' | 'tag' | 'rank' | 'unread' | 'assign' | 'unassign' | 'leave' {
  if (change.status === 'CLOSED') return 'close';
  if (change.status === 'SNOOZED') return 'snooze';
  if (change.status !== undefined) return 'reopen';
  if (change.step !== undefined) return 'move';
  if (change.priority !== undefined) return 'rank';
  if (change.unread !== undefined) return 'unread';
  if (change.owner === null) return 'unassign';
  if (change.team === null) return 'leave';
  return change.add_tags || change.remove_tags ? 'tag' : 'assign';
}
