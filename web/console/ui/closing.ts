/** Closes a conversation, with a notice that takes it back, and reopens it. */
import type { Conversation } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { nameSummary } from '../records/contacts.ts';
import { closeConversation, useConversationChange } from '../records/conversations.ts';
import { LeftOut } from '../records/in-order.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import { showError, showErrorOf, showNotice } from './toast.tsx';

const CLOSING = defineTexts(
  {
    closed: (name: string) => `Conversation closed: ${name}`,
    leftOpen: (name: string) =>
      `The conversation with ${name} was not closed: there is a message that you have not seen, or something was not sent.`,
  },
  {
    'pt-BR': {
      closed: (name) => `Conversa encerrada: ${name}`,
      leftOpen: (name) =>
        `A conversa com ${name} não foi encerrada: há uma mensagem que você não viu, ou algo não foi enviado.`,
    },
    es: {
      closed: (name) => `Conversación cerrada: ${name}`,
      leftOpen: (name) =>
        `La conversación con ${name} no se cerró: hay un mensaje que usted no ha visto, o algo no se envió.`,
    },
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
  const closing = useMutation({ mutationFn: closeConversation });
  const close = async (before: Conversation): Promise<void> => {
    const name = nameSummary(before.contact_summary) ?? '…';
    try {
      await closing.mutateAsync(before);
      showNotice(texts.closed(name), { label: common.undo, run: () => undo(before) });
    } catch (error) {
      if (error instanceof LeftOut) showErrorOf(before._id, texts.leftOpen(name));
      else showError(error);
    }
  };
  return {
    isClosed,
    isBusy: change.isPending || closing.isPending,
    toggle: () => {
      if (isClosed) change.mutate({ status: 'OPEN' }, { onError: showError });
      else if (conversation) void close(conversation);
    },
  };
}
