/** The arrows go from card to card; with Shift, left and right move the card to the neighbouring step. */
import type { Conversation } from '@parley/sdk';
import type { KeyboardEvent } from 'react';
import { moveCard, type BoardStep } from './card-moves.ts';

interface CardKeys {
  conversation: Conversation;
  step: BoardStep;
  steps: readonly BoardStep[];
  mayMove: boolean;
}

const DIRECTIONS = new Map([
  ['ArrowLeft', { across: -1, down: 0 }],
  ['ArrowRight', { across: 1, down: 0 }],
  ['ArrowUp', { across: 0, down: -1 }],
  ['ArrowDown', { across: 0, down: 1 }],
]);

export function useCardKeys({ conversation, step, steps, mayMove }: CardKeys): (event: KeyboardEvent) => void {
  return (event) => {
    const { key, shiftKey, altKey, ctrlKey, metaKey, currentTarget, target } = event;
    const direction = DIRECTIONS.get(key);
    // The menu of a card has keys of its own, and its elements lie outside of the card.
    const isOnCard = target instanceof Node && currentTarget.contains(target);
    if (!direction || !isOnCard || altKey || ctrlKey || metaKey) return;
    event.preventDefault();
    if (!shiftKey) return focusNext(currentTarget, direction.across, direction.down);
    const next = steps[steps.indexOf(step) + direction.across];
    if (mayMove && next && direction.across !== 0) moveCard(conversation, next._id);
  };
}

const CARD = '[data-card]';

/** Gives the focus to the next card in this direction. Columns without a card are passed over. */
function focusNext(card: Element, across: number, down: number): void {
  const board = card.closest('[data-board]');
  if (!board) return;
  const columns = [...board.children].map((column) => [...column.querySelectorAll(CARD)]);
  const column = columns.findIndex((cards) => cards.includes(card));
  if (down !== 0) {
    const cards = columns[column] ?? [];
    return focusCard(cards[cards.indexOf(card) + down]);
  }
  const side = across < 0 ? columns.slice(0, column).toReversed() : columns.slice(column + 1);
  focusCard(findNearest(side.find((cards) => cards.length > 0) ?? [], card));
}

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** Returns the card at the same height as another one, as far as there is one. */
const findNearest = (cards: readonly Element[], to: Element): Element | undefined =>
  cards.toSorted((a, b) => Math.abs(topOf(a) - topOf(to)) - Math.abs(topOf(b) - topOf(to)))[0];

function focusCard(card: Element | undefined): void {
  card?.querySelector('a')?.focus();
}
