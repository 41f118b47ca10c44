/** Leads to a conversation: without a label to the open one that keeps another one of the same contact closed. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';

interface OpenConversationLinkProps {
  conversation: string;
  label?: string;
  onOpen?(): void;
}

export function OpenConversationLink({ conversation, label, onOpen }: OpenConversationLinkProps): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <Link href={toScreen(`/inbox/all/${conversation}`)} onClick={onOpen}>
      {label ?? texts.toOpenConversation}
    </Link>
  );
}
