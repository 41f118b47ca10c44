/** One table: its rows in a grid, with what can be done with all of them. */
import { isParleyError, type Table } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { rereadTable, useRows, useTable, type RowChoice } from '../../records/tables.ts';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { readFilters, useRowFilters, writeFilters } from '../../ui/filters/filters.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { Grid } from './grid/grid.tsx';
import { useSheet } from './grid/sheet.ts';
import { TableDialog } from './table-dialog.tsx';
import styles from './tables.module.css';
import { GRID, TABLES } from './texts.ts';

export function TablePage({ id }: { id: string }): ReactElement {
  const texts = useTexts(TABLES);
  const { data: table, error } = useTable(id);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="table" title={texts.notFound} />;
  if (error) return <Failure error={error} />;
  return table ? <Rows table={table} /> : <Loading />;
}

function Rows({ table }: { table: Table }): ReactElement {
  const texts = useTexts(TABLES);
  const grid = useTexts(GRID);
  const common = useTexts(COMMON);
  const mayCreate = useMay('tables:create');
  const [choice, choose] = useState<RowChoice>({ search: '', filters: undefined, sort: 'row_index' });
  const filterable = useRowFilters(table.columns);
  const feed = useRows(table._id, choice);
  const sheet = useSheet(table, feed);
  return (
    <Page
      title={table.name}
      lead={table.description}
      back="/"
      actions={
        <>
          <TableActions table={table} />
          {mayCreate && table.columns.length > 0 && (
            <Button kind="primary" icon="plus" onClick={sheet.begin}>
              {grid.newRow}
            </Button>
          )}
        </>
      }
    >
      <div className={styles['screen']}>
        <div className={styles['tools']}>
          <SearchField
            label={texts.searchRows}
            value={choice.search}
            onSearch={(search) => choose({ ...choice, search })}
          />
          <FilterBar
            filterable={filterable}
            filters={readFilters(choice.filters ?? null)}
            onChange={(filters) => choose({ ...choice, filters: writeFilters(filters) })}
          />
          <SelectField
            label={texts.order}
            value={choice.sort}
            options={(['row_index', '-row_index', '-updatedAt'] as const).map((value) => ({
              value,
              label: texts[value],
            }))}
            onChange={(sort) => choose({ ...choice, sort })}
          />
          {feed.hasNews && (
            <Button kind="quiet" icon="refresh" onClick={feed.reread}>
              {common.readAgain}
            </Button>
          )}
          <span className={styles['count']}>{texts.rowCount(formatNumber(table.row_count))}</span>
          <IconButton icon="refresh" label={texts.refresh} onClick={() => rereadTable(table._id)} />
        </div>
        <div className={styles['list']}>
          <Grid
            table={table}
            feed={feed}
            sheet={sheet}
            isFiltered={choice.search !== '' || choice.filters !== undefined}
          />
        </div>
      </div>
    </Page>
  );
}

function TableActions({ table }: { table: Table }): ReactElement {
  const texts = useTexts(TABLES);
  const [, navigate] = useLocation();
  const [isSetUp, setUp] = useState(false);
  const mayUpdate = useMay('tables:update');
  const mayImport = useMay('tables:create') && table.columns.length > 0;
  const save = useMutation({
    mutationFn: async () => saveFile(await parley.tables.export(table._id), `${table.slug}.csv`),
    onSuccess: () => showNotice(texts.exported),
    onError: showError,
  });
  return (
    <>
      <Button icon="download" isBusy={save.isPending} onClick={() => save.mutate()}>
        {texts.exportSheet}
      </Button>
      {mayImport && (
        <Button icon="upload" onClick={() => navigate(`/${table._id}/import`)}>
          {texts.importSheet}
        </Button>
      )}
      {mayUpdate && (
        <Button icon="settings" onClick={() => setUp(true)}>
          {texts.setUp}
        </Button>
      )}
      {isSetUp && <TableDialog table={table} onClose={() => setUp(false)} onRemoved={() => navigate('/')} />}
    </>
  );
}
