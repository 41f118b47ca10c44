/** What is typed in the panel and not saved yet. The browser keeps it like the drafts of the composer. */
import { useState } from 'react';
import { useSession } from '../../../../session/session.ts';
import { keep, readKept } from '../../../../store.ts';

const KEPT_AS = 'parley.panel.';

/**
 * Follows a text that the user types about a record. `saved` is what the record has: a text that equals it is not kept. Also works after the
 * panel has gone, because a text may be saved while another conversation is shown.
 */
export function useUnsaved(record: string, saved = ''): [text: string, set: (text: string) => void] {
  const { user } = useSession();
  const key = `${KEPT_AS}${user._id}.${record}`;
  const [text, show] = useState(() => readKept(key) ?? saved);
  const set = (next: string): void => {
    show(next);
    keep(key, next === saved ? null : next);
  };
  return [text, set];
}

/** True when a text about the record was begun. */
export function useIsUnsaved(record: string): boolean {
  const { user } = useSession();
  return readKept(`${KEPT_AS}${user._id}.${record}`) !== null;
}
