/** Until when a key works. */
import { useState, type ReactElement } from 'react';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { toDay } from '../../ui/days.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { API_KEYS } from './texts.ts';

const DAYS = ['30', '90', '365'] as const;
type Choice = 'NEVER' | 'DAY' | (typeof DAYS)[number];

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

interface ExpiryFieldProps {
  onChange(expiresAt: string | null): void;
  error: string | null;
}

export function ExpiryField({ onChange, error }: ExpiryFieldProps): ReactElement {
  const texts = useTexts(API_KEYS);
  const [choice, setChoice] = useState<Choice>('NEVER');
  const [day, setDay] = useState('');
  const chooseDay = (next: string): void => {
    setDay(next);
    // The key works until that day ends where the person is. The platform refuses an empty day.
    onChange(next === '' ? '' : new Date(`${next}T23:59:59.999`).toISOString());
  };
  const choose = (next: Choice): void => {
    setChoice(next);
    if (next === 'DAY') chooseDay(toDay(inDays(30)));
    else onChange(next === 'NEVER' ? null : inDays(Number(next)).toISOString());
  };
  return (
    <>
      <SelectField
        label={texts.expires}
        value={choice}
        options={[
          { value: 'NEVER', label: texts.never },
          ...DAYS.map((value) => ({ value, label: texts.afterDays(formatNumber(Number(value))) })),
          { value: 'DAY', label: texts.onDay },
        ]}
        onChange={choose}
        error={choice === 'DAY' ? null : error}
      />
      {choice === 'DAY' && (
        <TextField label={texts.lastDay} type="date" value={day} onChange={chooseDay} error={error} />
      )}
    </>
  );
}
