/** What a list says about a message, in one line. */
import type { Conversation, Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { AUTHOR_NAMES, CONTENT_NAMES, nameOrigin } from '../texts/contents.ts';
import { useTexts } from '../texts/texts.ts';
import { toPreview } from './marks.ts';

type Previewed = Pick<Message, 'content' | 'contentType' | 'channel'>;

/** Returns the text of a message without marks, or the name of its content. */
export function usePreview({ content, contentType, channel }: Previewed): string {
  const contents = useTexts(CONTENT_NAMES);
  return content === null ? contents[contentType] : toPreview(content, channel);
}

export function Preview({ message }: { message: Previewed }): ReactElement {
  return <>{usePreview(message)}</>;
}

/** The newest message of a conversation, after its author unless the contact wrote it. */
export function LastMessage({ conversation }: { conversation: Conversation }): ReactElement | null {
  const authors = useTexts(AUTHOR_NAMES);
  const { last_message: last, channel } = conversation;
  if (!last) return null;
  const { message_type, sender_type, origin } = last;
  const text = <Preview message={{ ...last, channel }} />;
  if (message_type === 'INCOMING' || message_type === 'SYSTEM') return text;
  const author = sender_type === 'USER' ? authors.you : authors[nameOrigin(origin)];
  // The text has its own direction, whatever that of the author's name is.
  return (
    <>
      {message_type === 'NOTE' ? authors.note : author}: <bdi>{text}</bdi>
    </>
  );
}
