import type { ConversationChange } from '@parley/sdk';

/** Returns the beginning of the names of the texts that say what a change does. */
export function nameChange(
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
