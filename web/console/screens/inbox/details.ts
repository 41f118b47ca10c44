/**
 * The panel about the contact: next to the messages where a thread of 420 px is left, else above the messages. There is also room for it
 * where the views are folded into the title of the list.
 */
import { useEffect, useState } from 'react';
import { createStore, keep, readKept, useStore } from '../../store.ts';
import { followMedia } from '../../ui/narrow.ts';

const KEPT_AS = 'parley.details';

const useIsBeside = followMedia('(min-width: 1110px)');
const useHasRoomForAll = followMedia('(min-width: 1440px)');
const useHasRoomForViews = followMedia('(min-width: 1101px)');

/** Whether the panel is open where it is next to the messages. Where it covers them, it is closed again with the conversation. */
const kept = createStore(readKept(KEPT_AS) !== null);

/** The state of the panel of one conversation. */
export interface DetailsPanel {
  isOpen: boolean;
  isBeside: boolean;
  toggle(): void;
}

export function useDetails(): DetailsPanel {
  const isBeside = useIsBeside();
  const isKept = useStore(kept);
  const [isAbove, showAbove] = useState(false);
  useEffect(() => showAbove(false), [isBeside]);
  const isOpen = isBeside ? isKept : isAbove;
  const toggle = (): void => {
    if (!isBeside) return showAbove(!isOpen);
    kept.set(!isOpen);
    keep(KEPT_AS, isOpen ? null : 'open');
  };
  return { isOpen, isBeside, toggle };
}

/** Whether the views open from the title of the list, because there is no room for a column. */
export function useAreViewsFolded(hasConversation: boolean): boolean {
  const [isBeside, isKept] = [useIsBeside(), useStore(kept)];
  const [hasRoomForAll, hasRoomForViews] = [useHasRoomForAll(), useHasRoomForViews()];
  return !(isBeside && isKept && hasConversation ? hasRoomForAll : hasRoomForViews);
}
