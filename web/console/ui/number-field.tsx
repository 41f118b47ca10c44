/** A field for a number, which people type as they are used to: 0,90 and 0.90 are the same in every language. */
import { useState, type ReactElement } from 'react';
import { toNumber, writeNumber } from '../texts/formats.ts';
import { TextField } from './field.tsx';

interface NumberFieldProps {
  label: string;
  hint?: string | null | undefined;
  error?: string | null | undefined;
  /** A text is what somebody typed that is no number. */
  value: number | string | null;
  onChange(value: number | null): void;
}

export function NumberField({ value, onChange, ...field }: NumberFieldProps): ReactElement {
  const [typed, setTyped] = useState('');
  // What was typed stays as it is while it means the value.
  const text = readTyped(typed) === value ? typed : typeof value === 'number' ? writeNumber(value) : (value ?? '');
  return (
    <TextField
      {...field}
      inputMode="decimal"
      value={text}
      onChange={(next) => {
        setTyped(next);
        onChange(readTyped(next));
      }}
    />
  );
}

const readTyped = (text: string): number | null => (text.trim() === '' ? null : toNumber(text));
