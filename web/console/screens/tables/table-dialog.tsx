/** Makes a table, changes its name and columns, or removes it. */
import type { Table } from '@parley/sdk';
import { isParleyError } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { forgetTable, rereadTable, showTable } from '../../records/tables.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { ColumnList } from './column-list.tsx';
import { listRemoved, saveTable, toForm, type TableForm } from './table-form.ts';
import { TABLES } from './texts.ts';

interface TableDialogProps {
  /** Null makes a new one. */
  table: Table | null;
  onClose(saved: Table | null): void;
  onRemoved?(): void;
}

export function TableDialog({ table, onClose, onRemoved }: TableDialogProps): ReactElement {
  const texts = useTexts(TABLES);
  const common = useTexts(COMMON);
  const mayRemove = useMay('tables:delete');
  const [form, setForm] = useState(() => toForm(table));
  const change = (part: Partial<TableForm>): void => setForm({ ...form, ...part });
  const saving = useMutation({
    mutationFn: () => saveTable(table, form),
    onSuccess: (saved) => {
      showTable(saved);
      // A change of columns may have converted the values of all rows.
      if (table) rereadTable(table._id);
      showNotice(common.saved);
      onClose(saved);
    },
  });
  const { error } = saving;
  return (
    <Dialog
      width="wide"
      title={table?.name ?? texts.create}
      onClose={() => onClose(null)}
      actions={
        <>
          {table && mayRemove && (
            <RemoveButton
              meaning={texts.removeMeaning}
              confirmation={texts.reallyRemove}
              remove={() => parley.tables.delete(table._id)}
              onRemoved={() => {
                onRemoved?.();
                forgetTable(table._id);
                showNotice(texts.removed(table.name));
              }}
            />
          )}
          <Button onClick={() => onClose(null)}>{common.cancel}</Button>
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {table ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem
        error={error}
        fields={['name', 'slug', 'description', ...form.columns.map((_, index) => `columns[${index}]`)]}
      />
      <DroppedValues table={table} form={form} error={error} onChange={change} />
      <TableFields form={form} isNew={table === null} error={error} onChange={change} />
      <ColumnList columns={form.columns} error={error} onChange={(columns) => change({ columns })} />
    </Dialog>
  );
}

interface TableFieldsProps {
  form: TableForm;
  isNew: boolean;
  error: unknown;
  onChange(part: Partial<TableForm>): void;
}

function TableFields({ form, isNew, error, onChange }: TableFieldsProps): ReactElement {
  const texts = useTexts(TABLES);
  return (
    <FieldGrid>
      <TextField
        label={texts.name}
        value={form.name}
        onChange={(name) => onChange({ name })}
        error={explainField(error, 'name')}
      />
      <TextField
        label={texts.slug}
        hint={isNew && texts.slugHint}
        value={form.slug}
        disabled={!isNew}
        onChange={(slug) => onChange({ slug })}
        error={explainField(error, 'slug')}
      />
      <TextField
        label={texts.description}
        value={form.description}
        onChange={(description) => onChange({ description })}
        error={explainField(error, 'description')}
      />
    </FieldGrid>
  );
}

interface DroppedValuesProps {
  table: Table | null;
  form: TableForm;
  error: unknown;
  onChange(part: Partial<TableForm>): void;
}

/** Asks whether removed columns may take their values along, once the platform has refused that. */
function DroppedValues({ table, form, error, onChange }: DroppedValuesProps): ReactElement | null {
  const texts = useTexts(TABLES);
  const removed = listRemoved(table, form);
  const isRefused = isParleyError(error) && error.code === 'COLUMN_IN_USE';
  if (removed.length === 0 || !(isRefused || form.dropsValues)) return null;
  return (
    <CheckField
      label={texts.dropColumns(removed.map(({ title }) => title).join(', '))}
      checked={form.dropsValues}
      onChange={(dropsValues) => onChange({ dropsValues })}
    />
  );
}
