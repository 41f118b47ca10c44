/** Takes a pause: a number and its unit. */
import type { ReactElement } from 'react';
import { defineTexts, useTexts } from '../texts/texts.ts';
import type { Delay, Unit } from './delay.ts';
import { SelectField, TextField } from './field.tsx';

const DELAYS = defineTexts(
  { unit: 'Unit of time', minute: 'minutes', hour: 'hours', day: 'days' },
  {
    'pt-BR': { unit: 'Unidade da espera', minute: 'minutos', hour: 'horas', day: 'dias' },
    es: { unit: 'Unidad de la espera', minute: 'minutos', hour: 'horas', day: 'días' },
  },
);

interface DelayFieldsProps {
  label: string;
  delay: Delay;
  disabled?: boolean;
  error?: string | null;
  onChange(delay: Delay): void;
}

export function DelayFields({ label, delay, disabled, error, onChange }: DelayFieldsProps): ReactElement {
  const texts = useTexts(DELAYS);
  const units = (['minute', 'hour', 'day'] as const).map((value) => ({ value, label: texts[value] }));
  return (
    <>
      <TextField
        label={label}
        inputMode="decimal"
        value={delay.count}
        disabled={disabled}
        onChange={(count) => onChange({ ...delay, count })}
        error={error}
      />
      <SelectField<Unit>
        label={texts.unit}
        value={delay.unit}
        options={units}
        disabled={disabled ?? false}
        onChange={(unit) => onChange({ ...delay, unit })}
      />
    </>
  );
}
