/** The steps of a pipeline in their order. */
import type { PipelineStep } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import styles from './fields.module.css';
import { makeStep, type StepForm } from './pipeline-form.ts';
import { PIPELINES } from './texts.ts';

const KINDS = ['OPEN', 'WON', 'LOST'] as const satisfies readonly PipelineStep['kind'][];

interface StepListProps {
  steps: readonly StepForm[];
  error: unknown;
  onChange(steps: readonly StepForm[]): void;
}

export function StepList({ steps, error, onChange }: StepListProps): ReactElement {
  const texts = useTexts(PIPELINES);
  return (
    <section className={styles['steps']} aria-label={texts.steps}>
      <ol className={styles['steps']}>
        {steps.map((step, index) => (
          <li key={step.key} className={styles['step']}>
            <TextField
              label={texts.stepName(index + 1)}
              value={step.name}
              onChange={(name) => onChange(steps.with(index, { ...step, name }))}
              error={explainField(error, `steps[${index}].name`)}
            />
            <SelectField
              label={texts.kindOf(index + 1)}
              value={step.kind}
              options={KINDS.map((value) => ({ value, label: texts[value] }))}
              onChange={(kind) => onChange(steps.with(index, { ...step, kind }))}
            />
            <Moves steps={steps} index={index} onChange={onChange} />
          </li>
        ))}
      </ol>
      <div>
        <Button icon="plus" onClick={() => onChange([...steps, makeStep()])}>
          {texts.addStep}
        </Button>
      </div>
    </section>
  );
}

interface MovesProps {
  steps: readonly StepForm[];
  index: number;
  onChange(steps: readonly StepForm[]): void;
}

function Moves({ steps, index, onChange }: MovesProps): ReactElement | null {
  const texts = useTexts(PIPELINES);
  const step = steps[index];
  if (!step) return null;
  const name = step.name || texts.stepName(index + 1);
  const others = steps.toSpliced(index, 1);
  const move = (by: number): void => onChange(others.toSpliced(index + by, 0, step));
  return (
    <div className={styles['moves']}>
      <span className={styles['up']}>
        <IconButton icon="down" label={texts.moveUp(name)} disabled={index === 0} onClick={() => move(-1)} />
      </span>
      <IconButton
        icon="down"
        label={texts.moveDown(name)}
        disabled={index === steps.length - 1}
        onClick={() => move(1)}
      />
      <IconButton
        icon="remove"
        label={texts.removeStep(name)}
        disabled={steps.length === 1}
        onClick={() => onChange(others)}
      />
    </div>
  );
}
