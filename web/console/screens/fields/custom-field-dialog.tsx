/** Defines a custom field, changes it, or removes it. */
import type { CustomField } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { forgetCustomField, showCustomField } from './field-lists.ts';
import { FIELDS } from './texts.ts';

const CONTEXTS = ['contact', 'conversation', 'business'] as const;
const TYPES = ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST'] as const;

interface CustomFieldDialogProps {
  /** Null defines a new one. */
  field: CustomField | null;
  /** What the form of a new one begins with. */
  draft?: Partial<FieldForm>;
  /** Called instead of onClose() once the field is stored. */
  onSaved?(field: CustomField): void;
  onClose(): void;
}

interface FieldForm extends Pick<CustomField, 'title' | 'context' | 'type' | 'slug'> {
  /** One a line. */
  options: string;
  description: string;
}

const toForm = (field: CustomField | null): FieldForm => ({
  title: field?.title ?? '',
  context: field?.context ?? 'contact',
  type: field?.type ?? 'TEXT',
  slug: field?.slug ?? '',
  options: field?.options.join('\n') ?? '',
  description: field?.description ?? '',
});

const hasOptions = (type: CustomField['type']): boolean => type === 'SELECT' || type === 'LIST';

function save(field: CustomField | null, form: FieldForm): Promise<CustomField> {
  const { title, context, type, slug } = form;
  const lines = form.options.split('\n').map((line) => line.trim());
  const options = hasOptions(type) ? { options: lines.filter((line) => line !== '') } : {};
  const change = { title, description: form.description || null, ...options };
  if (field) return parley.customFields.update(field._id, change);
  return parley.customFields.create({ ...change, context, type, slug: slug || undefined });
}

export function CustomFieldDialog({ field, draft = {}, onSaved, onClose }: CustomFieldDialogProps): ReactElement {
  const texts = useTexts(FIELDS);
  const common = useTexts(COMMON);
  const [form, setForm] = useState(() => ({ ...toForm(field), ...draft }));
  const saving = useMutation({
    mutationFn: () => save(field, form),
    onSuccess: (saved) => {
      showCustomField(saved);
      showNotice(common.saved);
      if (onSaved) onSaved(saved);
      else onClose();
    },
  });
  return (
    <Dialog
      title={field?.title ?? texts.create}
      onClose={onClose}
      actions={
        <>
          {field && <RemoveField field={field} onRemoved={onClose} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {field ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={saving.error} fields={['title', 'context', 'type', 'slug', 'options', 'description']} />
      <FieldFields
        form={form}
        isNew={field === null}
        error={saving.error}
        onChange={(change) => setForm({ ...form, ...change })}
      />
    </Dialog>
  );
}

interface FieldFieldsProps {
  form: FieldForm;
  isNew: boolean;
  error: unknown;
  onChange(change: Partial<FieldForm>): void;
}

function FieldFields({ form, isNew, error, onChange }: FieldFieldsProps): ReactElement {
  const texts = useTexts(FIELDS);
  const { title, context, type, slug, options, description } = form;
  return (
    <>
      <TextField
        label={texts.title}
        value={title}
        onChange={(next) => onChange({ title: next })}
        error={explainField(error, 'title')}
      />
      <SelectField
        label={texts.context}
        hint={isNew && texts.contextHint}
        value={context}
        options={CONTEXTS.map((value) => ({ value, label: texts[value] }))}
        disabled={!isNew}
        onChange={(next) => onChange({ context: next })}
        error={explainField(error, 'context')}
      />
      <SelectField
        label={texts.type}
        hint={isNew && texts.typeHint}
        value={type}
        options={TYPES.map((value) => ({ value, label: texts[value] }))}
        disabled={!isNew}
        onChange={(next) => onChange({ type: next })}
        error={explainField(error, 'type')}
      />
      {hasOptions(type) && (
        <TextArea
          label={texts.options}
          hint={type === 'LIST' ? texts.listOptionsHint : texts.optionsHint}
          value={options}
          onChange={(next) => onChange({ options: next })}
          error={explainField(error, 'options')}
        />
      )}
      <TextField
        label={texts.description}
        value={description}
        onChange={(next) => onChange({ description: next })}
        error={explainField(error, 'description')}
      />
      <TextField
        label={texts.slug}
        hint={isNew && texts.slugHint}
        value={slug}
        disabled={!isNew}
        onChange={(next) => onChange({ slug: next })}
        error={explainField(error, 'slug')}
      />
    </>
  );
}

function RemoveField({ field, onRemoved }: { field: CustomField; onRemoved(): void }): ReactElement | null {
  const texts = useTexts(FIELDS);
  const may = useMay('custom-fields:delete');
  if (!may) return null;
  return (
    <RemoveButton
      meaning={texts.removeMeaning}
      confirmation={texts.reallyRemove}
      remove={() => parley.customFields.delete(field._id)}
      onRemoved={() => {
        forgetCustomField(field._id);
        showNotice(texts.removed(field.title));
        onRemoved();
      }}
    />
  );
}
