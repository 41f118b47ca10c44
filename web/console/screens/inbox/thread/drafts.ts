/** What was typed and not sent yet, kept for each person and conversation in this browser, also over a reload and another log-in. */
import { useState } from 'react';
import { useSession } from '../../../session/session.ts';
import { keep, readKept } from '../../../store.ts';

export function useDraft(conversation: string): [string, (text: string) => void] {
  const { user } = useSession();
  const key = `parley.draft.${user._id}.${conversation}`;
  const [text, setText] = useState(() => readKept(key) ?? '');
  const change = (next: string): void => {
    setText(next);
    keep(key, next === '' ? null : next);
  };
  return [text, change];
}
