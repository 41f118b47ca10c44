/** Writes a template and submits it to the network's review. */
import type { Template } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { getLanguage } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { SideBySide } from '../../ui/side-by-side.tsx';
import { PhonePreview } from '../../ui/templates/phone-preview.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { copyTemplate, toPreview, toTemplate, type TemplateForm } from './template-draft.ts';
import { showTemplate } from './template-feed.ts';
import { TemplateTextFields } from './template-text-fields.tsx';
import { useTemplateWords } from '../../ui/templates/template-words.ts';
import styles from './templates.module.css';
import { TEMPLATES } from './texts.ts';

const CATEGORIES = ['UTILITY', 'MARKETING'] as const;

const toEmptyForm = (): TemplateForm => ({
  name: '',
  language: getLanguage().replace('-', '_'),
  category: 'UTILITY',
  header: '',
  body: '',
  footer: '',
  buttons: '',
  examples: new Map(),
});

interface NewTemplateProps {
  inbox: string;
  /** The template that it begins as a copy of. */
  from: Template | null;
  onClose(): void;
}

export function NewTemplate({ inbox, from, onClose }: NewTemplateProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const common = useTexts(COMMON);
  const translate = useTemplateWords();
  const [form, setForm] = useState(() => (from ? copyTemplate(from) : toEmptyForm()));
  const change = (next: Partial<TemplateForm>): void => setForm({ ...form, ...next });
  const submit = useMutation({
    mutationFn: () => parley.templates.create(inbox, toTemplate(form)),
    onSuccess: (template) => {
      showTemplate(template, inbox);
      showNotice(texts.submitted);
      onClose();
    },
  });
  const { error } = submit;
  return (
    <Dialog
      title={texts.submitNew}
      onClose={onClose}
      width="wide"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={submit.isPending} onClick={() => submit.mutate()}>
            {texts.submit}
          </Button>
        </>
      }
    >
      <SideBySide>
        <div className={styles['fields']}>
          <FormProblem error={error} fields={['name', 'language', 'category']} />
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            value={form.name}
            onChange={(name) => change({ name })}
            error={explainField(error, 'name')}
          />
          <TextField
            label={texts.language}
            hint={texts.languageHint}
            value={form.language}
            onChange={(language) => change({ language })}
            error={explainField(error, 'language')}
          />
          <SelectField
            label={texts.category}
            value={form.category}
            options={CATEGORIES.map((value) => ({ value, label: translate(value) }))}
            onChange={(category) => change({ category })}
            error={explainField(error, 'category')}
          />
          <TemplateTextFields form={form} change={change} />
        </div>
        <PhonePreview template={toPreview(form)} />
      </SideBySide>
    </Dialog>
  );
}
