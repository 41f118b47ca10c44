/** Writes a template, or gives one new contents, and submits it to the network's review. */
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
import { copyTemplate, fillForm, toPreview, toTemplate, type TemplateForm } from './template-draft.ts';
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

interface TemplateDialogProps {
  inbox: string;
  /** The template that is changed, or of which the new one begins as a copy; null for an empty one. */
  from: Template | null;
  /** Whether it is changed. */
  isEdit: boolean;
  onClose(): void;
}

export function TemplateDialog({ inbox, from, isEdit, onClose }: TemplateDialogProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const common = useTexts(COMMON);
  const [form, setForm] = useState(() => (from ? (isEdit ? fillForm(from) : copyTemplate(from)) : toEmptyForm()));
  const change = (next: Partial<TemplateForm>): void => setForm({ ...form, ...next });
  const submit = useMutation({
    mutationFn: () => {
      const { name, ...contents } = toTemplate(form);
      return isEdit
        ? parley.templates.update(inbox, name, contents)
        : parley.templates.create(inbox, { name, ...contents });
    },
    onSuccess: (template) => {
      showTemplate(template, inbox);
      showNotice(texts.submitted);
      onClose();
    },
  });
  const { error } = submit;
  /** The network keeps the category of an approved template. */
  const isFixed = isEdit && from?.status === 'APPROVED';
  return (
    <Dialog
      title={isEdit ? texts.editTitle(form.name, form.language) : texts.submitNew}
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
          <FormProblem
            error={error}
            fields={[...(isEdit ? [] : ['name', 'language']), ...(isFixed ? [] : ['category'])]}
          />
          {!isEdit && <PlaceFields {...{ form, change, error }} />}
          {!isFixed && <CategoryField {...{ form, change, error }} />}
          <TemplateTextFields form={form} change={change} />
        </div>
        <PhonePreview template={toPreview(form)} />
      </SideBySide>
    </Dialog>
  );
}

interface FieldsProps {
  form: TemplateForm;
  change(next: Partial<TemplateForm>): void;
  error: unknown;
}

function PlaceFields({ form, change, error }: FieldsProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  return (
    <>
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
    </>
  );
}

function CategoryField({ form, change, error }: FieldsProps): ReactElement {
  const texts = useTexts(TEMPLATES);
  const translate = useTemplateWords();
  return (
    <SelectField
      label={texts.category}
      value={form.category}
      options={CATEGORIES.map((value) => ({ value, label: translate(value) }))}
      onChange={(category) => change({ category })}
      error={explainField(error, 'category')}
    />
  );
}
