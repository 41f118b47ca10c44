/** Writes a row of a table that belongs to the contact, such as an order. */
import type { Row, Table } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../../client.ts';
import { addRow, rereadContactRows, useTables } from '../../../../records/tables.ts';
import { useMay } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Button } from '../../../../ui/button.tsx';
import { CustomFieldInput, type CustomValue } from '../../../../ui/custom-fields.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { SelectField } from '../../../../ui/field.tsx';
import { FormProblem } from '../../../../ui/form-problem.tsx';
import { explainField } from '../../../../ui/problem.ts';
import { COMMON } from '../../../../ui/texts.ts';
import { PANEL } from './texts.ts';

export function AddRow({ contact }: { contact: string }): ReactElement | null {
  const texts = useTexts(PANEL);
  const mayCreate = useMay('tables:create');
  const tables = useTables('').items.filter(({ columns }) => columns.length > 0);
  const [isOpen, open] = useState(false);
  if (!mayCreate || tables.length === 0) return null;
  return (
    <>
      <Button kind="quiet" icon="plus" onClick={() => open(true)}>
        {texts.addRow}
      </Button>
      {isOpen && <AddRowDialog {...{ contact, tables }} onClose={() => open(false)} />}
    </>
  );
}

interface AddRowDialogProps {
  contact: string;
  tables: readonly Table[];
  onClose(): void;
}

function AddRowDialog({ contact, tables, onClose }: AddRowDialogProps): ReactElement {
  const texts = useTexts(PANEL);
  const common = useTexts(COMMON);
  const [chosen, choose] = useState(tables[0]?._id ?? '');
  const [values, setValues] = useState<Row['data']>({});
  const columns = tables.find(({ _id }) => _id === chosen)?.columns ?? [];
  const create = useMutation({
    mutationFn: () => parley.tables.createRow(chosen, { data: values, contact_id: contact }),
    onSuccess: (row) => {
      addRow(row);
      rereadContactRows();
      onClose();
    },
  });
  const write = (key: string, value: CustomValue): void => setValues({ ...values, [key]: value });
  return (
    <Dialog
      title={texts.addRow}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
            {common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={create.error} fields={columns.map(({ key }) => `data.${key}`)} />
      {tables.length > 1 && (
        <SelectField
          label={texts.table}
          value={chosen}
          options={tables.map(({ _id, name }) => ({ value: _id, label: name }))}
          onChange={(table) => {
            choose(table);
            setValues({});
          }}
        />
      )}
      {columns.map((column) => (
        <CustomFieldInput
          key={`${chosen} ${column.key}`}
          field={column}
          value={new Map(Object.entries(values)).get(column.key) ?? null}
          error={explainField(create.error, `data.${column.key}`)}
          onChange={(value) => write(column.key, value)}
        />
      ))}
    </Dialog>
  );
}
