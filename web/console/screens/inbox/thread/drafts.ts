/** What was typed and not sent yet, kept for each person and conversation in this browser, also over a reload and another log-in. */
import { useEffect, useState } from 'react';
import { useSession } from '../../../session/session.ts';
import { keep, readKept } from '../../../store.ts';

export type Writing = 'REPLY' | 'NOTE';

/** A note and a reply are kept apart, so that the words of one never end up in the other. */
const KEPT_AS: Record<Writing, string> = { REPLY: 'parley.draft', NOTE: 'parley.note' };

export interface Draft {
  writing: Writing;
  text: string;
  /** True when the reply or the note has a text. */
  isBegun: boolean;
  choose(writing: Writing): void;
  setText(text: string): void;
}

/** Begins with the reply, or with the note when only a note was begun. */
export function useDraft(conversation: string): Draft {
  const { user } = useSession();
  const keyOf = (writing: Writing): string => `${KEPT_AS[writing]}.${user._id}.${conversation}`;
  const [texts, setTexts] = useState(() => ({
    REPLY: readKept(keyOf('REPLY')) ?? '',
    NOTE: readKept(keyOf('NOTE')) ?? '',
  }));
  // Another tab has written or sent the same draft.
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent): void => {
      for (const kind of ['REPLY', 'NOTE'] as const)
        if (key === keyOf(kind)) setTexts((before) => ({ ...before, [kind]: newValue ?? '' }));
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [user._id, conversation]);
  const [writing, choose] = useState<Writing>(texts.REPLY === '' && texts.NOTE !== '' ? 'NOTE' : 'REPLY');
  return {
    writing,
    text: texts[writing],
    isBegun: texts.REPLY !== '' || texts.NOTE !== '',
    choose,
    setText: (text) => {
      setTexts((before) => ({ ...before, [writing]: text }));
      keep(keyOf(writing), text === '' ? null : text);
    },
  };
}
