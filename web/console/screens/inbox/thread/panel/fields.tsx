import type { Conversation } from '@parley/sdk';
import { useRef, type ReactElement } from 'react';
import { useCustomFields } from '../../../../records/company.ts';
import { useConversationChange } from '../../../../records/conversations.ts';
import { useMay } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
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
import { COMMON } from '../../../../ui/texts.ts';
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
