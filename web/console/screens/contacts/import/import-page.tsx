/** One import of contacts: how far it is, what it has made, and the rows that failed. */
import { isParleyError } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { parley } from '../../../client.ts';
import { useContactImport } from '../../../records/imports.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Page } from '../../../ui/page.tsx';
import { ImportProgress, ImportState } from '../../../ui/sheets/import-progress.tsx';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { useImportFields } from './fields.ts';
import styles from './import.module.css';
import { IMPORTS } from './texts.ts';

export function ImportPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(IMPORTS);
  const fields = useImportFields();
  const { data: record, error } = useContactImport(id);
  if (isParleyError(error) && error.code === 'NOT_FOUND') return <Empty icon="upload" title={texts.notFound} />;
  if (error) return <Failure error={error} />;
  if (!record) return <Loading />;
  return (
    <Page title={record.file_name} lead={<ImportState record={record} />} back="/import">
      <ImportProgress record={record} fields={fields} readErrors={() => parley.contacts.getImportErrors(record._id)}>
        <Link href="/" className={styles['link']}>
          {texts.toContacts}
        </Link>
      </ImportProgress>
    </Page>
  );
}
