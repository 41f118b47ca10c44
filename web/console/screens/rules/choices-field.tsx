/** Chooses several of a few values: the chosen ones stand above the list of the others. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { SelectField, type Option } from '../../ui/field.tsx';
import { ChosenRecord } from '../../ui/records-field.tsx';
import styles from './rules.module.css';
import { RULES } from './texts.ts';

interface ChoicesFieldProps {
  label: string;
  choices: readonly Option[];
  values: readonly string[];
  disabled: boolean;
  error: string | null;
  onChange(values: string[]): void;
}

export function ChoicesField({ label, choices, values, disabled, error, onChange }: ChoicesFieldProps): ReactElement {
  const texts = useTexts(RULES);
  const left = choices.filter(({ value }) => !values.includes(value));
  const nameOf = (value: string): string => choices.find((choice) => choice.value === value)?.label ?? texts.unknown;
  return (
    <div>
      <SelectField<string>
        label={label}
        value=""
        options={[{ value: '', label: values.length === 0 ? texts.choose : texts.chooseMore }, ...left]}
        disabled={disabled || left.length === 0}
        error={error}
        onChange={(value) => value !== '' && onChange([...values, value])}
      />
      {values.length > 0 && (
        <ul className={styles['chosen']} aria-label={label}>
          {values.map((value) => (
            <ChosenRecord
              key={value}
              name={nameOf(value)}
              onRemove={disabled ? undefined : () => onChange(values.filter((each) => each !== value))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}
