/** The company's own fields of a record: their values as text, and the field of a form for each type. */
import type { Column, CustomField, FieldValue } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { formatDate, formatNumber } from '../texts/formats.ts';
import { getTexts, useTexts } from '../texts/texts.ts';
import styles from './custom-fields.module.css';
import { CheckField, SelectField, TextField } from './field.tsx';
import { NumberField } from './number-field.tsx';
import { explainField } from './problem.ts';
import { COMMON } from './texts.ts';

export type CustomValue = FieldValue['value'];
/** The values of a record by the slugs of their fields. */
export type CustomValues = ReadonlyMap<string, CustomValue>;

export const toCustomValues = (values: readonly FieldValue[]): CustomValues =>
  new Map(values.map(({ slug, value }) => [slug, value]));

/** Returns the values that differ, as the API takes them; undefined when none does. */
export function pickCustomChanges(before: CustomValues, after: CustomValues): Record<string, CustomValue> | undefined {
  const changed = [...after].filter(
    ([slug, value]) => JSON.stringify(value) !== JSON.stringify(before.get(slug) ?? null),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Writes a value for people. */
export function formatValue(type: Column['type'], value: CustomValue): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? getTexts(COMMON).yes : getTexts(COMMON).no;
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.join(', ') || null;
  // A date without a time is the same day in every time zone.
  return type === 'DATE' ? formatDate(`${value}T00:00:00`) : value;
}

/** Lists the fields with their values for people, and a key of each. */
export const listCustomDetails = (
  fields: readonly CustomField[],
  values: readonly FieldValue[],
): (readonly [name: string, value: string | null, key: string])[] =>
  fields.map(({ _id, title, type }) => [
    title,
    formatValue(type, values.find((each) => each._id === _id)?.value ?? null),
    _id,
  ]);

interface CustomFieldInputsProps {
  fields: readonly CustomField[];
  values: CustomValues;
  error: unknown;
  onChange(values: CustomValues): void;
}

export function CustomFieldInputs({ fields, values, error, onChange }: CustomFieldInputsProps): ReactElement[] {
  return fields.map((field) => (
    <CustomFieldInput
      key={field._id}
      field={field}
      value={values.get(field.slug) ?? null}
      error={explainField(error, `custom_fields.${field.slug}`)}
      onChange={(value) => onChange(new Map(values).set(field.slug, value))}
    />
  ));
}

interface CustomFieldInputProps {
  field: Pick<CustomField, 'title' | 'options'> & { type: Column['type']; description?: string | null };
  value: CustomValue;
  error: string | null;
  onChange(value: CustomValue): void;
}

/** The field of a form for a value of this type. */
export function CustomFieldInput(props: CustomFieldInputProps): ReactElement {
  const { field, value, error, onChange } = props;
  const about = { label: field.title, hint: field.description, error };
  const text = value === null ? '' : String(value);
  const texts = useTexts(COMMON);
  switch (field.type) {
    case 'NUMBER':
      return <NumberField {...about} value={typeof value === 'number' ? value : text || null} onChange={onChange} />;
    case 'DATE':
      return <TextField {...about} type="date" value={text} onChange={(typed) => onChange(typed || null)} />;
    case 'BOOLEAN': {
      const options = [
        { value: '', label: '–' },
        { value: 'true', label: texts.yes },
        { value: 'false', label: texts.no },
      ];
      const choose = (chosen: string): void => onChange(chosen === '' ? null : chosen === 'true');
      return <SelectField<string> {...about} value={text} options={options} onChange={choose} />;
    }
    case 'SELECT': {
      // A record keeps an option that the field has no more.
      const known = [...new Set(['', ...field.options, text])];
      const options = known.map((option) => ({ value: option, label: option || '–' }));
      return (
        <SelectField<string>
          {...about}
          value={text}
          options={options}
          onChange={(chosen) => onChange(chosen || null)}
        />
      );
    }
    case 'LIST':
      return field.options.length > 0 ? <ListChoice {...props} /> : <ListText {...props} />;
    default:
      return <TextField {...about} value={text} onChange={(typed) => onChange(typed || null)} />;
  }
}

const toItems = (value: CustomValue): string[] => (Array.isArray(value) ? value : []);

function ListChoice({ field, value, error, onChange }: CustomFieldInputProps): ReactElement {
  const items = toItems(value);
  const choose = (option: string, isChosen: boolean): void =>
    onChange(isChosen ? [...items, option] : items.filter((item) => item !== option));
  return (
    <fieldset className={styles['choice']}>
      <legend>{field.title}</legend>
      {[...new Set([...field.options, ...items])].map((option) => (
        <CheckField
          key={option}
          label={option}
          checked={items.includes(option)}
          onChange={(isChosen) => choose(option, isChosen)}
        />
      ))}
      <p role="alert">{error}</p>
    </fieldset>
  );
}

/** Splits what was typed with commas between its items. */
export const splitItems = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
];

function ListText({ field, value, error, onChange }: CustomFieldInputProps): ReactElement {
  const texts = useTexts(COMMON);
  const [typed, setTyped] = useState(toItems(value).join(', '));
  const change = (text: string): void => {
    setTyped(text);
    onChange(splitItems(text));
  };
  return <TextField label={field.title} hint={texts.commas} error={error} value={typed} onChange={change} />;
}
