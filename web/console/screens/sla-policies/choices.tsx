/** Several of a few values; none means all. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, type Option } from '../../ui/field.tsx';
import styles from './sla-policies.module.css';
import { SLA_POLICIES } from './texts.ts';

interface ChoicesProps<Value extends string> {
  label: string;
  options: readonly Option<Value>[];
  chosen: readonly Value[] | null;
  onChange(chosen: Value[] | null): void;
  error: string | null;
}

export function Choices<Value extends string>(props: ChoicesProps<Value>): ReactElement {
  const { label, options, chosen, onChange, error } = props;
  const texts = useTexts(SLA_POLICIES);
  const toggle = (value: Value, isIn: boolean): void => {
    const next = [...(chosen ?? []).filter((each) => each !== value), ...(isIn ? [value] : [])];
    onChange(next.length === 0 ? null : next);
  };
  return (
    <fieldset className={styles['choices']}>
      <legend>{label}</legend>
      <p className={styles['hint']}>{chosen?.length === 0 ? texts.appliesToNone : texts.allIfNone}</p>
      <div className={styles['options']}>
        {options.map((option) => (
          <CheckField
            key={option.value}
            label={option.label}
            checked={chosen?.includes(option.value) ?? false}
            onChange={(isIn) => toggle(option.value, isIn)}
          />
        ))}
      </div>
      <p role="alert">{error}</p>
    </fieldset>
  );
}
