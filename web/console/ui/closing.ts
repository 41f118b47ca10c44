/** Closes a conversation, with a notice that takes it back, and reopens it. */
import type { Conversation } from '@parley/sdk';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { nameSummary } from '../records/contacts.ts';
import { changeConversation } from '../records/conversations.ts';
import { LeftOut } from '../records/in-order.ts';
import { hasDraft } from '../screens/inbox/thread/drafts.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import { showError, showErrorOf, showNotice } from './toast.tsx';

const CLOSING = defineTexts(
  {
    closed: (name: string) => `Conversation closed: ${name}`,
    closedWithDraft: (name: string) => `Conversation closed: ${name}. Your draft was not sent and is still there.`,
    leftOpen: (name: string) =>
      `The conversation with ${name} was not closed: there is a message that you have not seen, or something was not sent.`,
  },
  {
    'pt-BR': {
      closed: (name) => `Conversa encerrada: ${name}`,
      closedWithDraft: (name) => `Conversa encerrada: ${name}. Seu rascunho não foi enviado e continua lá.`,
      leftOpen: (name) =>
        `A conversa com ${name} não foi encerrada: há uma mensagem que você não viu, ou algo não foi enviado.`,
    },
    es: {
      closed: (name) => `Conversación cerrada: ${name}`,
      closedWithDraft: (name) => `Conversación cerrada: ${name}. Su borrador no se envió y sigue ahí.`,
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

/** Closes a conversation, or reopens a closed one. The notice about it comes even if the page shows another conversation by then. */
export function useClosingChange(): UseMutationResult<void, Error, Conversation> {
  const texts = useTexts(CLOSING);
  const common = useTexts(COMMON);
  const name = ({ contact_summary }: Conversation): string => nameSummary(contact_summary) ?? '…';
  return useMutation({
    mutationFn: async (before) => {
      const { _id, status, snoozed_until } = before;
      if (status === 'CLOSED') return void (await changeConversation(_id, { status: 'OPEN' }));
      await changeConversation(_id, { status: 'CLOSED' });
      const undo = (): void => void changeConversation(_id, { status, snoozed_until }).catch(showError);
      const said = hasDraft(_id) ? texts.closedWithDraft : texts.closed;
      showNotice(said(name(before)), { label: common.undo, run: undo });
    },
    onError: (error, before) =>
      error instanceof LeftOut ? showErrorOf(before._id, texts.leftOpen(name(before))) : showError(error),
  });
}

/** Without a conversation, nothing happens. */
export function useClosing(conversation: Conversation | undefined): Closing {
  const { isPending, mutate } = useClosingChange();
  return {
    isClosed: conversation?.status === 'CLOSED',
    isBusy: isPending,
    toggle: () => conversation && mutate(conversation),
  };
}
