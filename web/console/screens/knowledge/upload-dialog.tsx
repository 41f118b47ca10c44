/** Makes an item from a file. The platform reads its text afterwards, which the list shows. */
import type { KnowledgeUploadForm } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { showItem } from '../../records/knowledge.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { readTags, useConsoleLanguage, useLanguageOptions, type ItemLanguage } from './item-fields.ts';
import { TYPES } from './list-state.ts';
import { ITEM_TYPES, KNOWLEDGE } from './texts.ts';

/** A large file on a slow line. */
const UPLOAD_MS = 600_000;

interface UploadForm {
  file: File | null;
  name: string;
  description: string;
  /** "" lets the platform decide by the format. */
  type: '' | (typeof TYPES)[number];
  language: ItemLanguage;
  tags: string;
}

export function UploadDialog({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const language = useConsoleLanguage();
  const [form, setForm] = useState<UploadForm>(() => ({ ...EMPTY, language }));
  const upload = useMutation({
    mutationFn: (file: File) => parley.knowledge.upload(toBody(form, file), { timeoutMs: UPLOAD_MS }),
    onSuccess: (item) => {
      showItem(item);
      showNotice(common.saved);
      onClose();
    },
  });
  const { file } = form;
  return (
    <Dialog
      title={texts.upload}
      onClose={onClose}
      actions={
        <>
          {upload.isPending && <progress aria-label={texts.uploading} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            icon="upload"
            disabled={file === null}
            isBusy={upload.isPending}
            onClick={() => file && upload.mutate(file)}
          >
            {texts.upload}
          </Button>
        </>
      }
    >
      <FormProblem error={upload.error} fields={['name', 'description', 'tags', 'type']} />
      <FileField
        label={texts.file}
        choose={texts.chooseFile}
        name={file?.name ?? null}
        onChoose={(chosen) => setForm({ ...form, file: chosen })}
      />
      <UploadFields form={form} error={upload.error} onChange={(part) => setForm({ ...form, ...part })} />
    </Dialog>
  );
}

const EMPTY = { file: null, name: '', description: '', type: '', tags: '' } as const;

/** An empty name and an empty description are left out: the file has a name, and the description is optional. */
const toBody = ({ name, description, type, language, tags }: UploadForm, file: File): KnowledgeUploadForm => ({
  file,
  language,
  tags: readTags(tags),
  ...(name.trim() && { name }),
  ...(description.trim() && { description }),
  ...(type && { type }),
});

interface UploadFieldsProps {
  form: UploadForm;
  error: unknown;
  onChange(part: Partial<UploadForm>): void;
}

function UploadFields({ form, error, onChange }: UploadFieldsProps): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const types = useTexts(ITEM_TYPES);
  return (
    <>
      <FieldGrid>
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={form.name}
          onChange={(name) => onChange({ name })}
          error={explainField(error, 'name')}
        />
        <SelectField<UploadForm['type']>
          label={texts.use}
          hint={texts.useHint}
          value={form.type}
          options={[{ value: '', label: texts.byFormat }, ...TYPES.map((value) => ({ value, label: types[value] }))]}
          onChange={(type) => onChange({ type })}
          error={explainField(error, 'type')}
        />
        <SelectField
          label={texts.language}
          value={form.language}
          options={useLanguageOptions()}
          onChange={(language) => onChange({ language })}
        />
        <TextField
          label={texts.tags}
          hint={common.commas}
          value={form.tags}
          onChange={(tags) => onChange({ tags })}
          error={explainField(error, 'tags')}
        />
      </FieldGrid>
      <TextArea
        label={texts.description}
        hint={texts.descriptionHint}
        rows={2}
        value={form.description}
        onChange={(description) => onChange({ description })}
        error={explainField(error, 'description')}
      />
    </>
  );
}
