/** The rows of the company's tables that refer to the contact, such as orders. */
import type { Row } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toScreen } from '../../../../client.ts';
import { useContactRows, useTable } from '../../../../records/tables.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { formatValue } from '../../../../ui/custom-fields.tsx';
import { AddRow } from './add-row.tsx';
import { nameLoaded, RecordLink, SectionList } from './section.tsx';
import { PANEL } from './texts.ts';

/** How many columns of a row are shown. */
const SHOWN = 4;

export function TableRows({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(PANEL);
  return (
    <>
      <SectionList feed={useContactRows(contact)} empty={texts.noRows} render={(row) => <RowLink row={row} />} />
      <AddRow contact={contact} />
    </>
  );
}

function RowLink({ row }: { row: Row }): ReactElement {
  const table = useTable(row.table);
  const values = (table.data?.columns ?? []).slice(0, SHOWN).map(({ key, type }) => {
    const value = new Map(Object.entries(row.data)).get(key);
    return formatValue(type, value ?? null);
  });
  return (
    <RecordLink
      href={toScreen(`/tables/${row.table}`)}
      name={values.filter(Boolean).join(' · ') || `#${row.row_index}`}
      about={nameLoaded(table)}
    />
  );
}
