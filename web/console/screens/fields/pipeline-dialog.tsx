/** Makes a pipeline, changes it, or removes it. */
import type { Pipeline, PipelineStep } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { showPipeline } from './field-lists.ts';
import { listStranded, savePipeline, toForm, type PipelineForm } from './pipeline-form.ts';
import { RemovePipeline } from './remove-pipeline.tsx';
import { StepList } from './step-list.tsx';
import { PIPELINES } from './texts.ts';

interface PipelineDialogProps {
  /** Null makes a new one. */
  pipeline: Pipeline | null;
  onClose(): void;
}

export function PipelineDialog({ pipeline, onClose }: PipelineDialogProps): ReactElement {
  const texts = useTexts(PIPELINES);
  const common = useTexts(COMMON);
  const mayRemove = useMay('pipelines:delete');
  const [form, setForm] = useState(() => toForm(pipeline));
  const [stranded, setStranded] = useState<readonly PipelineStep[]>([]);
  const change = (part: Partial<PipelineForm>): void => setForm({ ...form, ...part });
  const saving = useMutation({
    mutationFn: () => savePipeline(pipeline, form),
    onSuccess: (saved) => {
      showPipeline(saved);
      showNotice(common.saved);
      onClose();
    },
    onError: (error) => setStranded(listStranded(error, pipeline?.steps ?? [])),
  });
  const { error } = saving;
  return (
    <Dialog
      width="wide"
      title={pipeline?.name ?? texts.create}
      onClose={onClose}
      actions={
        <>
          {pipeline && mayRemove && <RemovePipeline pipeline={pipeline} onRemoved={onClose} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {pipeline ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={['name', ...form.steps.map((_, index) => `steps[${index}]`)]} />
      <Replacements stranded={stranded} form={form} onChange={change} />
      <TextField
        label={texts.name}
        value={form.name}
        onChange={(name) => change({ name })}
        error={explainField(error, 'name')}
      />
      <CheckField
        label={texts.makeDefault}
        hint={texts.makeDefaultHint}
        checked={form.isDefault}
        disabled={pipeline?.is_default ?? false}
        onChange={(isDefault) => change({ isDefault })}
      />
      <StepList steps={form.steps} error={error} onChange={(steps) => change({ steps })} />
    </Dialog>
  );
}

interface ReplacementsProps {
  stranded: readonly PipelineStep[];
  form: PipelineForm;
  onChange(part: Partial<PipelineForm>): void;
}

/** Asks where the conversations of removed steps go. */
function Replacements({ stranded, form, onChange }: ReplacementsProps): ReactElement[] {
  const texts = useTexts(PIPELINES);
  const kept = form.steps.flatMap(({ _id, name }) => (_id ? [{ value: _id, label: name }] : []));
  const missing = stranded.filter(({ _id }) => kept.every(({ value }) => value !== _id));
  return missing.map(({ _id, name }) => (
    <SelectField<string>
      key={_id}
      label={texts.replacementFor(name)}
      value={new Map(Object.entries(form.replacements)).get(_id) ?? ''}
      options={[{ value: '', label: texts.choose }, ...kept]}
      onChange={(step) => onChange({ replacements: { ...form.replacements, [_id]: step } })}
    />
  ));
}
