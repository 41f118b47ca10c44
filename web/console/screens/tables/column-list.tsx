/** The columns of a table in its form: their titles and kinds of values, in the order of the grid. */
import type { Column } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import { hasOptions, makeColumn, type ColumnForm } from './table-form.ts';
import styles from './tables.module.css';
import { TABLES } from './texts.ts';

const TYPES = ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'SELECT', 'LIST', 'URL'] as const satisfies Column['type'][];

interface ColumnListProps {
  columns: readonly ColumnForm[];
  error: unknown;
  onChange(columns: readonly ColumnForm[]): void;
}

export function ColumnList({ columns, error, onChange }: ColumnListProps): ReactElement {
  const texts = useTexts(TABLES);
  return (
    <section className={styles['columns']} aria-label={texts.columns}>
      <ol className={styles['columns']}>
        {columns.map((column, index) => (
          <li key={column.id} className={styles['column']}>
            <ColumnFields
              column={column}
              place={index + 1}
              error={error}
              onChange={(change) => onChange(columns.with(index, { ...column, ...change }))}
            />
            <Moves columns={columns} index={index} onChange={onChange} />
          </li>
        ))}
      </ol>
      <div>
        <Button icon="plus" onClick={() => onChange([...columns, makeColumn()])}>
          {texts.addColumn}
        </Button>
      </div>
    </section>
  );
}

interface ColumnFieldsProps {
  column: ColumnForm;
  /** Counted from one. */
  place: number;
  error: unknown;
  onChange(change: Partial<ColumnForm>): void;
}

function ColumnFields({ column, place, error, onChange }: ColumnFieldsProps): ReactElement {
  const texts = useTexts(TABLES);
  const { title, type, required, options } = column;
  const path = `columns[${place - 1}]`;
  return (
    <div className={styles['fields']}>
      <TextField
        label={texts.columnTitle(place)}
        value={title}
        onChange={(next) => onChange({ title: next })}
        error={explainField(error, `${path}.title`) ?? explainField(error, `${path}.key`)}
      />
      <SelectField
        label={texts.columnType(place)}
        value={type}
        options={TYPES.map((value) => ({ value, label: texts[value] }))}
        onChange={(next) => onChange({ type: next })}
        error={explainField(error, `${path}.type`)}
      />
      {hasOptions(type) && (
        <TextArea
          label={texts.columnOptions(place)}
          hint={type === 'LIST' ? texts.listOptionsHint : texts.optionsHint}
          rows={3}
          value={options}
          onChange={(next) => onChange({ options: next })}
          error={explainField(error, `${path}.options`)}
        />
      )}
      <CheckField label={texts.required} checked={required} onChange={(next) => onChange({ required: next })} />
    </div>
  );
}

interface MovesProps {
  columns: readonly ColumnForm[];
  index: number;
  onChange(columns: readonly ColumnForm[]): void;
}

function Moves({ columns, index, onChange }: MovesProps): ReactElement | null {
  const texts = useTexts(TABLES);
  const column = columns[index];
  if (!column) return null;
  const title = column.title || texts.columnTitle(index + 1);
  const others = columns.toSpliced(index, 1);
  const move = (by: number): void => onChange(others.toSpliced(index + by, 0, column));
  return (
    <div className={styles['moves']}>
      <IconButton icon="up" label={texts.moveUp(title)} disabled={index === 0} onClick={() => move(-1)} />
      <IconButton
        icon="down"
        label={texts.moveDown(title)}
        disabled={index === columns.length - 1}
        onClick={() => move(1)}
      />
      <IconButton icon="remove" label={texts.removeColumn(title)} onClick={() => onChange(others)} />
    </div>
  );
}
