/** Reactions at this network: they have no id of their own, and one that was sent stays. */
import { createHash } from 'node:crypto';

/** The writer of a reaction of the account itself. */
export const OURS = 'account';

/** Returns the id of a reaction, which is the same for its call and for the event that reports it. */
export function nameReaction(message: string, writer: string, emoji: string | null): string {
  const hash = createHash('sha256')
    .update(`${message}\n${writer}\n${emoji ?? ''}`)
    .digest('hex');
  return `reaction-${hash.slice(0, 32)}`;
}
