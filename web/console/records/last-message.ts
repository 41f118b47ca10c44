/** What a list says about the newest message of a conversation. */
import type { Conversation } from '@parley/sdk';
import { AUTHOR_NAMES, CONTENT_NAMES, nameOrigin } from '../texts/contents.ts';
import { useTexts } from '../texts/texts.ts';

export function useLastMessage({ last_message: last }: Conversation): string {
  const contents = useTexts(CONTENT_NAMES);
  const authors = useTexts(AUTHOR_NAMES);
  if (!last) return '';
  const text = last.content ?? contents[last.contentType];
  if (last.message_type === 'NOTE') return `${authors.note}: ${text}`;
  if (last.message_type !== 'OUTGOING') return text;
  return `${last.sender_type === 'USER' ? authors.you : authors[nameOrigin(last.origin)]}: ${text}`;
}
