/** Writes a text, or changes it, with the text beside it as it will be read. Who may not change it reads it. */
import type { KnowledgeItem } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { showItem } from '../../records/knowledge.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Unsaved, useKeptForm } from '../../ui/kept-form.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import { SideBySide } from '../../ui/side-by-side.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { ItemFault, RemoveItem } from './item-actions.tsx';
import { ItemState } from './item-state.tsx';
import { readTags, useLanguageOptions, type ItemLanguage } from './item-fields.ts';
import { KNOWLEDGE, LANGUAGE_NAMES } from './texts.ts';

interface TextForm {
  name: string;
  content: string;
  description: string;
  tags: string;
  /** Null lets the platform detect it. */
  language: ItemLanguage | null;
}

/** Null writes a new text. */
export function TextEditor({ item }: { item: KnowledgeItem | null }): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const languages = useTexts(LANGUAGE_NAMES);
  const mayWrite = useMay(item ? 'knowledge:update' : 'knowledge:create');
  const [, navigate] = useLocation();
  const { form, changes, change, discard, settle } = useKeptForm(`text.${item?._id ?? 'new'}`, item, toForm);
  const saving = useMutation({
    mutationFn: (sent: TextForm) => {
      const { name, content, language } = sent;
      const chosen = language === null ? {} : { language };
      const body = { name, content, ...chosen, description: sent.description || null, tags: readTags(sent.tags) };
      return item ? parley.knowledge.updateAutcl(item._id, body) : parley.knowledge.createAutcl(body);
    },
    onSuccess: (saved, sent) => {
      showItem(saved);
      settle(sent);
      showNotice(sent.language === null ? texts.detected(languages[saved.language]) : common.saved);
      navigate(`/${saved._id}`, { replace: item === null });
    },
  });
  return (
    <Page
      title={item?.name ?? texts.write}
      back="/"
      lead={item && <ItemState item={item} />}
      actions={
        <>
          <Unsaved changes={changes} isBusy={saving.isPending} onDiscard={discard} />
          {item && <RemoveItem item={item} />}
          {mayWrite && (
            <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate(form)}>
              {item ? common.save : common.create}
            </Button>
          )}
        </>
      }
    >
      {item && <ItemFault item={item} />}
      <FormProblem error={saving.error} fields={['name', 'content', 'description', 'tags']} />
      <SideBySide>
        <Card>
          <TextFields
            form={form}
            error={saving.error}
            isLocked={!mayWrite}
            mayDetect={item === null}
            onChange={change}
          />
        </Card>
        <Card title={texts.preview}>
          <Markdown text={form.content} />
        </Card>
      </SideBySide>
    </Page>
  );
}

const toForm = (item: KnowledgeItem | null): TextForm => ({
  name: item?.name ?? '',
  content: item?.content ?? '',
  description: item?.description ?? '',
  tags: item?.tags.join(', ') ?? '',
  language: item?.language ?? null,
});

/** The choice of no language. */
const DETECT = 'detect' as const;

interface TextFieldsProps {
  form: TextForm;
  error: unknown;
  isLocked: boolean;
  mayDetect: boolean;
  onChange(part: Partial<TextForm>): void;
}

function TextFields({ form, error, isLocked, mayDetect, onChange }: TextFieldsProps): ReactElement {
  const texts = useTexts(KNOWLEDGE);
  const common = useTexts(COMMON);
  const languages = useLanguageOptions();
  return (
    <>
      <TextField
        label={texts.name}
        value={form.name}
        disabled={isLocked}
        onChange={(name) => onChange({ name })}
        error={explainField(error, 'name')}
      />
      <TextArea
        label={texts.text}
        hint={texts.textHint}
        rows={16}
        value={form.content}
        disabled={isLocked}
        onChange={(content) => onChange({ content })}
        error={explainField(error, 'content')}
      />
      <FieldGrid>
        <SelectField<ItemLanguage | typeof DETECT>
          label={texts.language}
          hint={texts.languageHint}
          value={form.language ?? DETECT}
          options={mayDetect ? [{ value: DETECT, label: texts.detect }, ...languages] : languages}
          disabled={isLocked}
          onChange={(language) => onChange({ language: language === DETECT ? null : language })}
        />
        <TextField
          label={texts.tags}
          hint={common.commas}
          value={form.tags}
          disabled={isLocked}
          onChange={(tags) => onChange({ tags })}
          error={explainField(error, 'tags')}
        />
      </FieldGrid>
      <TextField
        label={texts.description}
        value={form.description}
        disabled={isLocked}
        onChange={(description) => onChange({ description })}
        error={explainField(error, 'description')}
      />
    </>
  );
}
