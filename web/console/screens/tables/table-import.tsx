/** Brings the rows of a sheet into a table, and shows how far that is. */
import { isParleyError, type Column, type Import, type Table } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { rereadTable, showTableImport, useTable, useTableImport } from '../../records/tables.ts';
import { useTexts } from '../../texts/texts.ts';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Page } from '../../ui/page.tsx';
import { ImportProgress, ImportState } from '../../ui/sheets/import-progress.tsx';
import { foldTitle, toMappingBody, type ImportField } from '../../ui/sheets/mapping.ts';
import { SheetChoice, StartButton, type MappedSheet } from '../../ui/sheets/sheet-choice.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { TABLES } from './texts.ts';

const toFields = (columns: readonly Column[]): ImportField[] => columns.map(({ key, title }) => ({ key, title }));

/** Returns the column that a title of a sheet means, as the platform recognises it; null when it means none. */
function findColumn(columns: readonly Column[], title: string): string | null {
  const found =
    columns.find(({ key }) => key === title) ?? columns.find((each) => foldTitle(each.title) === foldTitle(title));
  return found?.key ?? null;
}

export function NewTableImport({ id }: { id: string }): ReactElement {
  const texts = useTexts(TABLES);
  const { data: table, error } = useTable(id);
  if (error) return <Failure error={error} />;
  if (!table) return <Loading />;
  return (
    <Page title={texts.importInto(table.name)} lead={texts.importLead} back={`/${id}`}>
      <SheetChoice fields={toFields(table.columns)} find={(title) => findColumn(table.columns, title)}>
        {(sheet) => <Start table={table} sheet={sheet} />}
      </SheetChoice>
    </Page>
  );
}

function Start({ table, sheet }: { table: Table; sheet: MappedSheet }): ReactElement {
  const [, navigate] = useLocation();
  const start = useMutation({
    mutationFn: () => parley.tables.import(table._id, { file: sheet.file, mapping: toMappingBody(sheet.mapping) }),
    onSuccess: (started: Import) => {
      showTableImport(started);
      navigate(`/${table._id}/import/${started._id}`);
    },
  });
  return (
    <>
      <FormProblem error={start.error} fields={[]} />
      <StartButton
        sheet={sheet}
        fields={toFields(table.columns)}
        isBusy={start.isPending}
        onStart={() => start.mutate()}
      />
    </>
  );
}

export function TableImportPage({ id, importId }: { id: string; importId: string }): ReactElement {
  const texts = useTexts(TABLES);
  const { data: table } = useTable(id);
  const { data: record, error } = useTableImport(id, importId);
  const processed = record?.processed;
  useEffect(() => {
    if (processed) rereadTable(id);
  }, [id, processed]);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="upload" title={texts.noImport} />;
  if (error) return <Failure error={error} />;
  if (!record) return <Loading />;
  return (
    <Page title={record.file_name} lead={<ImportState record={record} />} back={`/${id}`}>
      <ImportProgress
        record={record}
        fields={toFields(table?.columns ?? [])}
        readErrors={() => parley.tables.getImportErrors(id, importId)}
      >
        <Link href={`/${id}`}>{texts.toRows}</Link>
      </ImportProgress>
    </Page>
  );
}
