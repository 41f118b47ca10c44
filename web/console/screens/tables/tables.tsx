/** The tables of the company: their list, and the page of each. */
import type { Table } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useTables } from '../../records/tables.ts';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Column } from '../../ui/record-list.tsx';
import { RecordsPage } from '../../ui/records-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableDialog } from './table-dialog.tsx';
import { NewTableImport, TableImportPage } from './table-import.tsx';
import { TablePage } from './table-page.tsx';
import { TABLES } from './texts.ts';

export function TablesScreen(): ReactElement {
  return (
    <Switch>
      <Route path="/:id/import">{({ id }) => <NewTableImport id={id} />}</Route>
      <Route path="/:id/import/:importId">
        {({ id, importId }) => <TableImportPage id={id} importId={importId} />}
      </Route>
      <Route path="/:id">{({ id }) => <TablePage key={id} id={id} />}</Route>
      <Route>
        <TableList />
      </Route>
    </Switch>
  );
}

function TableList(): ReactElement {
  const texts = useTexts(TABLES);
  const names = useTexts(SCREEN_NAMES);
  const [, navigate] = useLocation();
  const mayCreate = useMay('tables:create');
  const [search, setSearch] = useState('');
  const [isNew, setNew] = useState(false);
  const feed = useTables(search);
  const close = (created: Table | null): void => {
    setNew(false);
    if (created) navigate(`/${created._id}`);
  };
  return (
    <RecordsPage
      title={names.tables}
      lead={texts.lead}
      feed={feed}
      columns={useColumns()}
      onOpen={({ _id }) => navigate(`/${_id}`)}
      create={mayCreate && { label: texts.create, run: () => setNew(true) }}
      tools={<SearchField label={texts.searchHere} value={search} onSearch={setSearch} />}
      isFiltered={search !== ''}
      empty={{ icon: 'table', title: texts.nothing }}
    >
      {isNew && <TableDialog table={null} onClose={close} />}
    </RecordsPage>
  );
}

function useColumns(): Column<Table>[] {
  const texts = useTexts(TABLES);
  return [
    { key: 'name', title: texts.name, width: 'minmax(140px, 2fr)', render: ({ name }) => name },
    {
      key: 'description',
      title: texts.description,
      width: 'minmax(140px, 3fr)',
      isSecondary: true,
      render: ({ description }) => description ?? '–',
    },
    {
      key: 'columns',
      title: texts.columns,
      width: '90px',
      isSecondary: true,
      render: ({ columns }) => formatNumber(columns.length),
    },
    { key: 'rows', title: texts.rows, width: '90px', render: ({ row_count }) => formatNumber(row_count) },
    {
      key: 'changed',
      title: texts.changed,
      width: '150px',
      isSecondary: true,
      render: ({ updatedAt }) => formatListed(updatedAt),
    },
  ];
}
