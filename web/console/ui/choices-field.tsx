/** Chooses several records of a short list. */
import type { ReactElement } from 'react';
import styles from './choices-field.module.css';
import { CheckField } from './field.tsx';

interface ChoicesFieldProps {
  label: string;
  options: readonly { _id: string; name: string }[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

export function ChoicesField({ label, options, chosen, onChange }: ChoicesFieldProps): ReactElement {
  return (
    <fieldset className={styles['field']}>
      <legend>{label}</legend>
      <div className={styles['choices']}>
        {options.map(({ _id, name }) => (
          <CheckField
            key={_id}
            label={name}
            checked={chosen.includes(_id)}
            onChange={(isIn) => onChange(isIn ? [...chosen, _id] : chosen.filter((each) => each !== _id))}
          />
        ))}
      </div>
    </fieldset>
  );
}
