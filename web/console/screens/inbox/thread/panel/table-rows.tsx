/** The rows of the company's tables that refer to the contact, such as orders. */
import type { Row } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../../client.ts';
import { useContactRows, useTable } from '../../../../records/tables.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { formatValue } from '../../../../ui/custom-fields.tsx';
import styles from './panel.module.css';
import { SectionList } from './section.tsx';
import { PANEL } from './texts.ts';

/** How many columns of a row are shown. */
const SHOWN = 4;

export function TableRows({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(PANEL);
  return <SectionList feed={useContactRows(contact)} empty={texts.noRows} render={(row) => <RowLink row={row} />} />;
}

function RowLink({ row }: { row: Row }): ReactElement {
  const { data: table } = useTable(row.table);
  const values = (table?.columns ?? []).slice(0, SHOWN).map(({ key, type }) => {
    const value = new Map(Object.entries(row.data)).get(key);
    return formatValue(type, value ?? null);
  });
  return (
    <Link href={toScreen(`/tables/${row.table}`)} className={styles['other']}>
      <span className={styles['text']} dir="auto">
        {values.filter(Boolean).join(' · ') || `#${row.row_index}`}
      </span>
      <span className={styles['soft']} dir="auto">
        {table?.name ?? '…'}
      </span>
    </Link>
  );
}
