/** What a list says about a message, in one line. */
import type { Conversation, Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useUserName } from '../records/company.ts';
import { useSession } from '../session/session.ts';
import { AUTHOR_NAMES, CONTENT_NAMES, nameOrigin } from '../texts/contents.ts';
import { useTexts } from '../texts/texts.ts';
import { toPreview } from './marks.ts';

type Previewed = Pick<Message, 'content' | 'contentType' | 'channel'> &
  (Pick<Message, 'media' | 'revoked_at'> | Pick<LastOne, 'file_name' | 'is_revoked'>);
type LastOne = NonNullable<Conversation['last_message']>;

/** Returns the text of a message without marks, or the name of its file or content. */
export function usePreview(message: Previewed): string {
  const contents = useTexts(CONTENT_NAMES);
  const { content, contentType, channel } = message;
  const isLast = 'is_revoked' in message;
  if (isLast ? message.is_revoked : message.revoked_at !== null) return contents.REVOKED;
  if (content !== null) return toPreview(content, channel);
  const name = isLast ? message.file_name : (message.media?.fileName ?? null);
  return (contentType === 'DOCUMENT' && name) || contents[contentType];
}

export function Preview({ message }: { message: Previewed }): ReactElement {
  return <>{usePreview(message)}</>;
}

/** The newest message of a conversation, after its author unless the contact wrote it. */
export function LastMessage({ conversation }: { conversation: Conversation }): ReactElement | null {
  const authors = useTexts(AUTHOR_NAMES);
  const { user } = useSession();
  const { last_message: last, channel } = conversation;
  const colleague = useUserName(last?.sender ?? null);
  if (!last) return null;
  const { message_type, sender_type, sender, origin } = last;
  const text = <Preview message={{ ...last, channel }} />;
  if (message_type === 'INCOMING' || message_type === 'SYSTEM') return text;
  const person = sender === user._id ? authors.you : (colleague ?? authors.team);
  const author = sender_type === 'USER' ? person : authors[nameOrigin(origin)];
  // The text has its own direction, whatever that of the author's name is.
  return (
    <>
      {message_type === 'NOTE' ? authors.note : author}: <bdi>{text}</bdi>
    </>
  );
}
