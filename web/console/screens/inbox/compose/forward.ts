/** A message that is forwarded: the dialog that starts a conversation opens with its content. */
import type { Message } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { compose } from '../../../frame/composing.ts';
import { copyContent, type OutgoingContent } from '../thread/outbox.ts';

export type Forwarded = Extract<OutgoingContent, { kind: 'TEXT' | 'FILE' }>;

let forwarded: Forwarded | null = null;

/** Returns what is forwarded of a message; null for a content that goes nowhere else, and for a note, which is for the team. */
export function toForward(message: Message): Forwarded | null {
  if (message.message_type === 'NOTE' || message.message_type === 'SYSTEM' || message.revoked_at !== null) return null;
  const content = copyContent(message);
  const { content: text, email: mail } = message;
  // The subject is kept, the recipients of the original mail are not.
  const email = mail?.subject ? { subject: `Fwd: ${mail.subject}`.slice(0, 255) } : undefined;
  if (content?.kind === 'FILE') return { ...content, email };
  return text ? { kind: 'TEXT', text, email } : null;
}

export function forward(content: Forwarded): void {
  forwarded = content;
  compose();
}

/** What the dialog that is open forwards; null when it starts with nothing. */
export function useForwarded(): Forwarded | null {
  const [content] = useState(forwarded);
  useEffect(
    () => () => {
      forwarded = null;
    },
    [],
  );
  return content;
}
