/** The country in which the numbers of a sheet are dialled that have no country code. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { TextField } from '../field.tsx';
import { explainField } from '../problem.ts';
import { SHEETS } from './texts.ts';

interface CountryFieldProps {
  value: string;
  onChange(value: string): void;
  /** Why the sheet was refused. */
  error: unknown;
}

export function CountryField({ value, onChange, error }: CountryFieldProps): ReactElement {
  const texts = useTexts(SHEETS);
  return (
    <TextField
      label={texts.country}
      hint={texts.countryHint}
      maxLength={2}
      value={value}
      onChange={onChange}
      error={explainField(error, 'country')}
    />
  );
}
