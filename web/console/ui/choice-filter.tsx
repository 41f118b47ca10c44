/** Limits a list to one value of a field, or shows all of them. */
import type { ReactElement } from 'react';
import { SelectField } from './field.tsx';

interface ChoiceFilterProps<Value extends string> {
  label: string;
  /** What the choice of no value is called. */
  all: string;
  values: readonly Value[];
  names: Record<Value, string>;
  value: NoInfer<Value> | undefined;
  /** Gets "" for all. */
  onChoose(value: string): void;
}

export function ChoiceFilter<Value extends string>(props: ChoiceFilterProps<Value>): ReactElement {
  const { label, all, values, names, value, onChoose } = props;
  return (
    <SelectField<string>
      label={label}
      value={value ?? ''}
      options={[{ value: '', label: all }, ...values.map((each) => ({ value: each, label: names[each] }))]}
      onChange={onChoose}
    />
  );
}
