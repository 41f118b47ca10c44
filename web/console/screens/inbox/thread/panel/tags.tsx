/** The tags of the conversation, in the panel and in a dialog. */
import type { Conversation } from '@parley/sdk';
import { useState, type FormEvent, type ReactElement } from 'react';
import { useConversationChange } from '../../../../records/conversations.ts';
import { useMay } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { showError } from '../../../../ui/toast.tsx';
import { THREAD } from '../texts.ts';
import styles from './panel.module.css';

interface TagChange {
  add(typed: string): void;
  remove(tag: string): void;
}

/** Without a conversation, nothing happens. */
export function useTagChange(conversation: Conversation | undefined): TagChange {
  const change = useConversationChange(conversation?._id ?? '');
  const before = conversation?.tags ?? [];
  const set = (tags: string[]): void => conversation && change.mutate({ tags }, { onError: showError });
  return {
    add: (typed) => {
      const tag = typed.trim();
      if (tag !== '' && !before.includes(tag)) set([...before, tag]);
    },
    remove: (tag) => set(before.filter((each) => each !== tag)),
  };
}

export function TagList({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(THREAD);
  const may = useMay('conversations:update');
  const { remove } = useTagChange(conversation);
  return (
    <ul className={styles['badges']}>
      {conversation.tags.map((tag) => (
        <li key={tag} className={styles['tag']}>
          <Badge>{tag}</Badge>
          {may && (
            <button
              type="button"
              className={styles['remove']}
              aria-label={texts.removeTag(tag)}
              onClick={() => remove(tag)}
            >
              <Icon name="close" size={12} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Tags({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(THREAD);
  const [typed, setTyped] = useState('');
  const may = useMay('conversations:update');
  const { add } = useTagChange(conversation);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTyped('');
    add(typed);
  };
  return (
    <section className={styles['section']}>
      <h3>{texts.tags}</h3>
      <TagList conversation={conversation} />
      {may && (
        <form onSubmit={submit}>
          <input
            className={styles['add']}
            aria-label={texts.addTag}
            placeholder={texts.addTag}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </form>
      )}
    </section>
  );
}
