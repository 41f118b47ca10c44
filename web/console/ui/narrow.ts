/** Whether the page has room for something, such as buttons in place of a menu. */
import { useSyncExternalStore } from 'react';

/** Returns a hook that follows a media query. */
export function followMedia(query: string): () => boolean {
  const media = matchMedia(query);
  const follow = (listen: () => void): (() => void) => {
    media.addEventListener('change', listen);
    return () => media.removeEventListener('change', listen);
  };
  return () => useSyncExternalStore(follow, () => media.matches);
}

/** Whether a conversation has so little room that a menu takes the place of its buttons, as on a phone. */
export const useIsNarrow = followMedia('(max-width: 900px)');

/** Whether a screen has room for one column only. */
export const useIsPhone = followMedia('(max-width: 800px)');
