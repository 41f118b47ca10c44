/** What a new visitor is asked before the first message: the name, the e-mail, and the company's own fields of contacts. */
import type { ReactElement } from 'react';
import { useCustomFields } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { SelectField } from '../../../ui/field.tsx';
import { explainField } from '../../../ui/problem.ts';
import styles from '../inboxes.module.css';
import { changeAsked, readAsked, type Asked, type WebDraftProps } from './draft.ts';
import { WEB_CHAT } from './texts.ts';

const ASKED: readonly Asked[] = ['no', 'optional', 'required'];

export function QuestionFields({ draft: { questions }, change, error }: WebDraftProps): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const fields = useCustomFields('contact');
  const choices = [
    { key: { kind: 'NAME' }, label: texts.askName },
    { key: { kind: 'EMAIL' }, label: texts.askEmail },
    ...fields.map(({ slug, title }) => ({ key: { kind: 'CUSTOM_FIELD' as const, slug }, label: title })),
  ] as const;
  return (
    <fieldset className={styles['form']}>
      <legend>{texts.questions}</legend>
      <p role="alert">{explainField(error, 'web_config.questions')}</p>
      {choices.map(({ key, label }) => (
        <SelectField<Asked>
          key={'slug' in key ? key.slug : key.kind}
          label={label}
          value={readAsked(questions, key)}
          options={ASKED.map((value) => ({ value, label: texts[value] }))}
          onChange={(asked) => change({ questions: changeAsked(questions, key, asked) })}
        />
      ))}
    </fieldset>
  );
}
