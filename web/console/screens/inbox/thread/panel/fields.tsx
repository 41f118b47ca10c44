/** The company's own fields of the conversation, and its tags. */
import type { Conversation } from '@parley/sdk';
import { useRef, useState, type FormEvent, type ReactElement } from 'react';
import { useCustomFields } from '../../../../records/company.ts';
import { useConversationChange } from '../../../../records/conversations.ts';
import { useMay } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import {
  CustomFieldInputs,
  listCustomDetails,
  pickCustomChanges,
  toCustomValues,
  type CustomValue,
  type CustomValues,
} from '../../../../ui/custom-fields.tsx';
import { Details } from '../../../../ui/details.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { COMMON } from '../../../../ui/texts.ts';
import { showError } from '../../../../ui/toast.tsx';
import { THREAD } from '../texts.ts';
import styles from './panel.module.css';
import { useUnsaved } from './unsaved.ts';

/** The values that the user has typed and not saved yet, and what changes them. */
function useEdited(conversation: string): [edited: CustomValues, edit: (edited: CustomValues) => void] {
  const [text, set] = useUnsaved(conversation, '[]');
  return [new Map(JSON.parse(text) as [string, CustomValue][]), (edited) => set(JSON.stringify([...edited]))];
}

/** The company's own fields of the conversation. What is typed stays while a colleague changes other fields. */
export function Fields({ conversation }: { conversation: Conversation }): ReactElement | null {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const fields = useCustomFields('conversation');
  const before = toCustomValues(conversation.custom_fields);
  const [edited, edit] = useEdited(conversation._id);
  const latest = useRef(edited);
  latest.current = edited;
  const change = useConversationChange(conversation._id);
  const may = useMay('conversations:update');
  const values: CustomValues = new Map([...before, ...edited]);
  const custom_fields = pickCustomChanges(before, values);
  const save = (): void => {
    // What was typed since then stays.
    const drop = (): void => edit(new Map([...latest.current].filter(([slug, value]) => value !== edited.get(slug))));
    // Failure policy: the form shows the error, and what was typed stays.
    change.mutateAsync({ custom_fields }).then(drop, () => undefined);
  };
  if (fields.length === 0) return null;
  return (
    <section className={styles['fields']} data-unfinished={custom_fields !== undefined || undefined}>
      <h3>{texts.fields}</h3>
      {may ? (
        <CustomFieldInputs
          fields={fields}
          values={values}
          error={change.error}
          onChange={(all) => edit(new Map([...all].filter(([slug, value]) => value !== before.get(slug))))}
        />
      ) : (
        <Details items={listCustomDetails(fields, conversation.custom_fields)} />
      )}
      {custom_fields && (
        <Button kind="primary" isBusy={change.isPending} onClick={save}>
          {common.save}
        </Button>
      )}
    </section>
  );
}

export function Tags({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(THREAD);
  const [typed, setTyped] = useState('');
  const may = useMay('conversations:update');
  const change = useConversationChange(conversation._id);
  const set = (tags: string[]): void => change.mutate({ tags }, { onError: showError });
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const tag = typed.trim();
    setTyped('');
    if (tag !== '' && !conversation.tags.includes(tag)) set([...conversation.tags, tag]);
  };
  return (
    <section className={styles['section']}>
      <h3>{texts.tags}</h3>
      <ul className={styles['badges']}>
        {conversation.tags.map((tag) => (
          <li key={tag} className={styles['tag']}>
            <Badge>{tag}</Badge>
            {may && (
              <button
                type="button"
                className={styles['remove']}
                aria-label={texts.removeTag(tag)}
                onClick={() => set(conversation.tags.filter((each) => each !== tag))}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {may && (
        <form onSubmit={add}>
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
