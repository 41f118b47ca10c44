/** Fields for a list and for a pause, which keep what is typed as it is. */
import { useState, type ReactElement } from 'react';
import { DelayFields } from '../delay-fields.tsx';
import { readMinutes, toDelay } from '../delay.ts';
import { TextField } from '../field.tsx';
import { readTags } from './action-kinds.ts';
import styles from './actions.module.css';

interface InputProps {
  label: string;
  hint?: string;
  disabled: boolean;
  error: string | null;
}

/** Texts that are separated by commas. */
export function ListInput({
  values,
  onChange,
  ...field
}: InputProps & { values: readonly string[]; onChange(values: string[]): void }): ReactElement {
  const [typed, setTyped] = useState(() => values.join(', '));
  return (
    <TextField
      {...field}
      value={typed}
      onChange={(text) => {
        setTyped(text);
        onChange(readTags(text));
      }}
    />
  );
}

export function DelayInput({
  minutes,
  onChange,
  label,
  disabled,
  error,
}: InputProps & { minutes: number; onChange(minutes: number): void }): ReactElement {
  const [delay, setDelay] = useState(() => toDelay(minutes));
  return (
    <div className={styles['delay']}>
      <DelayFields
        {...{ label, disabled, error, delay }}
        onChange={(next) => {
          setDelay(next);
          onChange(readMinutes(next));
        }}
      />
    </div>
  );
}
