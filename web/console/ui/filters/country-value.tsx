/** The country that a filter is about, chosen by its name. */
import type { ReactElement } from 'react';
import { listCountries } from '../../texts/countries.ts';
import { useLanguage } from '../../texts/language.ts';
import { SelectField } from '../field.tsx';

interface CountryValueProps {
  label: string;
  /** The code of the country; "" while none is chosen. */
  value: string;
  onChange(value: string): void;
}

export function CountryValue({ label, value, onChange }: CountryValueProps): ReactElement {
  const countries = listCountries(useLanguage(), value);
  return (
    <SelectField<string>
      label={label}
      value={value}
      options={[{ value: '', label: '–' }, ...countries]}
      onChange={onChange}
    />
  );
}
