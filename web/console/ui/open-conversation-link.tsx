/** Leads to the open conversation that keeps another one of the same contact closed. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../client.ts';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';

interface OpenConversationLinkProps {
  conversation: string;
  onOpen?(): void;
}

export function OpenConversationLink({ conversation, onOpen }: OpenConversationLinkProps): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <Link href={toScreen(`/inbox/all/${conversation}`)} onClick={onOpen}>
      {texts.toOpenConversation}
    </Link>
  );
}
