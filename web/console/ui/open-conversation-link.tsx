/** Leads to a conversation: without a label to the open one that keeps another one of the same contact closed. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';

interface OpenConversationLinkProps {
  conversation: string;
  /** The message at which it opens. */
  message?: string | null;
  label?: string;
  onOpen?(): void;
}

export function OpenConversationLink({
  conversation,
  message,
  label,
  onOpen,
}: OpenConversationLinkProps): ReactElement {
  const texts = useTexts(COMMON);
  const place = message ? `?message=${message}` : '';
  return (
    <Link href={toScreen(`/inbox/all/${conversation}${place}`)} onClick={onOpen}>
      {label ?? texts.toOpenConversation}
    </Link>
  );
}
