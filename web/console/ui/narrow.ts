/** Whether the page is as narrow as on a phone, where a menu takes the place of buttons. */
import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 800px)');

export const useIsNarrow = (): boolean => useSyncExternalStore(follow, () => narrow.matches);

function follow(listen: () => void): () => void {
  narrow.addEventListener('change', listen);
  return () => narrow.removeEventListener('change', listen);
}
