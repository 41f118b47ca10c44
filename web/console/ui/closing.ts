/** Closes a conversation, with a notice that takes it back, and reopens it. */
import type { Conversation } from '@parley/sdk';
import { nameSummary } from '../records/contacts.ts';
import { useConversationChange } from '../records/conversations.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import { showError, showNotice } from './toast.tsx';

const CLOSING = defineTexts(
  { closed: (name: string) => `Conversation closed: ${name}` },
  {
    'pt-BR': { closed: (name) => `Conversa encerrada: ${name}` },
    es: { closed: (name) => `Conversación cerrada: ${name}` },
  },
);

interface Closing {
  isClosed: boolean;
  isBusy: boolean;
  /** Closes the conversation, or reopens a closed one. */
  toggle(): void;
}

/** Without a conversation, nothing happens. */
export function useClosing(conversation: Conversation | undefined): Closing {
  const texts = useTexts(CLOSING);
  const common = useTexts(COMMON);
  const change = useConversationChange(conversation?._id ?? '');
  const isClosed = conversation?.status === 'CLOSED';
  const undo = ({ status, snoozed_until }: Conversation): void =>
    void change.mutateAsync({ status, snoozed_until }).catch(showError);
  // The page may show another conversation before the answer comes, so the notice does not depend on this one being shown.
  const close = async (before: Conversation): Promise<void> => {
    await change.mutateAsync({ status: 'CLOSED' });
    showNotice(texts.closed(nameSummary(before.contact_summary) ?? '…'), {
      label: common.undo,
      run: () => undo(before),
    });
  };
  return {
    isClosed,
    isBusy: change.isPending,
    toggle: () => {
      if (isClosed) change.mutate({ status: 'OPEN' }, { onError: showError });
      else if (conversation) void close(conversation).catch(showError);
    },
  };
}
