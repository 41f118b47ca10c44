/** Starts an import, and lists the earlier ones. */
import type { Import } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useContactImports } from '../../../records/imports.ts';
import { useMay } from '../../../session/session.ts';
import { formatListed, formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Page } from '../../../ui/page.tsx';
import { RecordList, type Column } from '../../../ui/record-list.tsx';
import { ImportState } from '../../../ui/sheets/import-progress.tsx';
import { SHEETS } from '../../../ui/sheets/texts.ts';
import { Empty } from '../../../ui/state.tsx';
import styles from './import.module.css';
import { NewImport } from './new-import.tsx';
import { IMPORTS } from './texts.ts';

export function ImportList(): ReactElement {
  const texts = useTexts(IMPORTS);
  const [, navigate] = useLocation();
  const mayImport = useMay('contacts:create');
  const feed = useContactImports();
  const columns = useColumns();
  return (
    <Page title={texts.title} lead={texts.lead} back="/">
      {mayImport && <NewImport onStarted={({ _id }) => navigate(`/import/${_id}`)} />}
      <h2 className={styles['heading']}>{texts.earlier}</h2>
      <div className={styles['list']}>
        <RecordList
          label={texts.earlier}
          feed={feed}
          columns={columns}
          empty={<Empty icon="upload" title={texts.noImport} />}
          onOpen={({ _id }) => navigate(`/import/${_id}`)}
        />
      </div>
    </Page>
  );
}

function useColumns(): Column<Import>[] {
  const texts = useTexts(SHEETS);
  const count = (key: 'created' | 'updated' | 'failed'): Column<Import> => ({
    key,
    title: texts[key],
    width: '90px',
    isSecondary: true,
    render: (record) => formatNumber(record[`${key}_count`]),
  });
  return [
    { key: 'sheet', title: texts.sheet, width: 'minmax(140px, 2fr)', render: ({ file_name }) => file_name },
    { key: 'status', title: '', width: '150px', render: (record) => <ImportState record={record} /> },
    count('created'),
    count('updated'),
    count('failed'),
    {
      key: 'started',
      title: texts.startedAt,
      width: '150px',
      isSecondary: true,
      render: ({ createdAt }) => formatListed(createdAt),
    },
  ];
}
