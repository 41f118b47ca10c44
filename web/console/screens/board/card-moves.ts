/** Moves cards between steps, and gives a card that has moved the focus at its new place. */
import type { Conversation, PipelineStep } from '@parley/sdk';
import { useEffect } from 'react';
import { moveConversation } from '../../records/conversations.ts';
import { createStore, useStore } from '../../store.ts';
import { showError } from '../../ui/toast.tsx';

/** A step of the pipeline; without an id, the place of the conversations that have no step. */
export type BoardStep = Pick<PipelineStep, 'name' | 'kind'> & { _id: string | null };

interface MovedCard {
  conversation: string;
  step: string | null;
}

const moved = createStore<MovedCard | null>(null);

/** Returns the card that has just come to this step. It has the focus until the user does something else, also when it is rendered again. */
export const useMovedCard = (step: string | null): string | null =>
  useStore(moved, (card) => (card && card.step === step ? card.conversation : null));

const forgetMovedCard = (): void => moved.set(null);

const ACTS = ['keydown', 'pointerdown', 'click', 'wheel'] as const;

/** Whatever the user does next decides where the focus is. These listeners run before those of the elements, which may move another card. */
export function useFocusOfMoves(): void {
  useEffect(() => {
    for (const act of ACTS) document.addEventListener(act, forgetMovedCard, { capture: true, passive: true });
    return () => {
      for (const act of ACTS) document.removeEventListener(act, forgetMovedCard, { capture: true });
      forgetMovedCard();
    };
  }, []);
}

export function moveCard(conversation: Conversation, step: string | null): void {
  const { _id, step: before } = conversation;
  if (before === step) return;
  moved.set({ conversation: _id, step });
  moveConversation(conversation, step).catch((error: unknown) => {
    moved.set({ conversation: _id, step: before });
    showError(error);
  });
}

/** What a drag carries. */
export const toDraggedCard = (conversation: Conversation): Record<string, unknown> => ({ conversation });

/** Returns the conversation that is dragged; null when something else is. */
export const readDraggedCard = ({ conversation }: Record<string, unknown>): Conversation | null =>
  // Only cards of this page are dragged with such a property.
  (conversation as Conversation | undefined) ?? null;
