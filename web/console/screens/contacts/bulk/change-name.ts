import type { ContactChange } from '@parley/sdk';

/** Returns the beginning of the names of the texts that say what a change does. */
export function nameChange(
  change: ContactChange,
): 'remove' | 'optOut' | 'block' | 'unblock' | 'owner' | 'field' | 'clear' | 'tag' {
  if (change.delete) return 'remove';
  if (change.opted_out !== undefined) return 'optOut';
  if (change.blocked !== undefined) return change.blocked ? 'block' : 'unblock';
  if (change.owner !== undefined) return 'owner';
  if (!change.custom_fields) return 'tag';
  return Object.values(change.custom_fields).every((value) => value === null) ? 'clear' : 'field';
}
