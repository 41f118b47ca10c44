/** The words of a message as its network gets them: with the operator's name before them, and no longer than the network takes. */
import type { Abilities } from '../../channels/abilities.ts';
import type { MessageContent } from '../../channels/content.ts';
import { invalid } from '../../platform/values/errors.ts';

export interface NamedContent {
  content: MessageContent;
  /** The line before the words that has the operator's name; null without one. */
  nameLine: string | null;
}

/** `operator` is the name that is shown; null for none. Throws MAX_LENGTH when the network would not take the words. */
export function addOperatorName(can: Abilities, message: MessageContent, operator: string | null): NamedContent {
  const most = findMost(can, message.contentType);
  if (most === 0 || !('content' in message) || !message.content) return { content: message, nameLine: null };
  const nameLine = operator === null || can.showsAuthors ? null : writeName(can, operator);
  const words = nameLine === null ? message.content : `${nameLine}\n${message.content}`;
  // The network would refuse longer words without a clear reason.
  if (most !== null && Array.from(words).length > most) {
    const named = nameLine === null ? '' : " with the operator's name before it";
    throw invalid('message.content', `is longer than ${most} characters${named}`, 'MAX_LENGTH');
  }
  return { content: { ...message, content: words }, nameLine };
}

/** The most characters of the words of this content: null where there is no limit, and 0 where the network shows no words. */
function findMost({ maxText, media }: Abilities, contentType: MessageContent['contentType']): number | null {
  if (contentType === 'TEXT') return maxText;
  const format = media.find((each) => each.contentType === contentType);
  return format ? format.maxCaption : 0;
}

/** A mark in the name would end the bold words, and a line break the line. */
function writeName({ marks: { bold } }: Abilities, operator: string): string {
  const name = bold === '' ? operator : operator.replaceAll(bold, ' ');
  return `${bold}${name.replaceAll(/\s+/g, ' ').trim()}${bold}`;
}

/**
 * Returns the words without their first line, if that looks like an operator's name, and null otherwise. The line may be part of what was
 * written, so the caller asks startsWithName() as soon as the operator is known.
 */
export function cutName({ marks: { bold } }: Abilities, words: string | null): string | null {
  const end = words?.indexOf('\n') ?? -1;
  const line = words?.slice(0, end) ?? '';
  const isName = end > 2 * bold.length && line.startsWith(bold) && line.endsWith(bold);
  return isName ? (words?.slice(end + 1) ?? null) : null;
}

/** Returns true when the first line of the words is the one that names this operator. */
export const startsWithName = (can: Abilities, words: string | null, operator: string): boolean =>
  words?.startsWith(`${writeName(can, operator)}\n`) ?? false;
