/** Makes one filter out of a field, a condition and a value. */
import { Suspense, useState, type ReactElement } from 'react';
import { toNumber, writeNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { SelectField, TextField } from '../field.tsx';
import { LoadingPart, lazyPart } from '../lazy-part.tsx';
import { COMMON } from '../texts.ts';
import { listOperators, takesValue, type Filter, type Filterable, type FilterField, type Operator } from './filters.ts';
import { FILTERS, OPERATOR_NAMES } from './texts.ts';

const CountryValue = lazyPart(async () => (await import('./country-value.tsx')).CountryValue);

interface FilterDialogProps {
  filterable: Filterable;
  /** Null makes a new filter. */
  filter: Filter | null;
  onApply(filter: Filter): void;
  onClose(): void;
}

export function FilterDialog({ filterable, filter, onApply, onClose }: FilterDialogProps): ReactElement | null {
  const texts = useTexts(FILTERS);
  const common = useTexts(COMMON);
  const names = useTexts(OPERATOR_NAMES);
  const { fields } = filterable;
  const [key, setKey] = useState(filter?.field ?? fields[0]?.key);
  const [wanted, setOperator] = useState<Operator>(filter?.operator ?? 'contains');
  const [value, setValue] = useState(writeValue(filter?.value));
  const field = fields.find((each) => each.key === key) ?? fields[0];
  if (!field) return null;
  const operators = listOperators(field);
  const operator = operators.find((each) => each === wanted) ?? 'eq';
  const chosen = { field: field.key, operator, value: readValue(field, value) };
  const isWhole = !takesValue(operator) || chosen.value !== '';
  const chooseField = (next: string): void => {
    setKey(next);
    setValue('');
  };
  return (
    <Dialog
      title={filterable.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" disabled={!isWhole} onClick={() => onApply(chosen)}>
            {texts.apply}
          </Button>
        </>
      }
    >
      <SelectField
        label={texts.field}
        value={field.key}
        options={fields.map((each) => ({ value: each.key, label: each.title }))}
        onChange={chooseField}
      />
      <SelectField
        label={texts.operator}
        value={operator}
        options={operators.map((each) => ({ value: each, label: names[each] }))}
        onChange={setOperator}
      />
      {takesValue(operator) && <ValueField field={field} value={value} onChange={setValue} />}
    </Dialog>
  );
}

interface ValueFieldProps {
  field: FilterField;
  value: string;
  onChange(value: string): void;
}

function ValueField({ field, value, onChange }: ValueFieldProps): ReactElement {
  const label = useTexts(FILTERS).value;
  const common = useTexts(COMMON);
  const { type, choices } = field;
  if (type === 'COUNTRY')
    return (
      <Suspense fallback={<LoadingPart />}>
        <CountryValue {...{ label, value, onChange }} />
      </Suspense>
    );
  if (type === 'BOOLEAN' || type === 'ID' || choices.length > 0) {
    const offered =
      type === 'BOOLEAN'
        ? [
            { value: 'true', label: common.yes },
            { value: 'false', label: common.no },
          ]
        : choices;
    return (
      <SelectField<string>
        label={label}
        value={value}
        options={[{ value: '', label: '–' }, ...offered]}
        onChange={onChange}
      />
    );
  }
  const native = type === 'NUMBER' ? ({ inputMode: 'decimal' } as const) : { type: type === 'DATE' ? 'date' : 'text' };
  return <TextField label={label} {...native} value={value} onChange={onChange} />;
}

const writeValue = (value: Filter['value'] | undefined): string =>
  typeof value === 'number' ? writeNumber(value) : String(value ?? '');

/** Returns a value in the type of its field; "" as long as there is none. */
function readValue({ type }: FilterField, typed: string): Filter['value'] {
  if (typed === '') return '';
  return type === 'NUMBER' ? toNumber(typed) : type === 'BOOLEAN' ? typed === 'true' : typed;
}
