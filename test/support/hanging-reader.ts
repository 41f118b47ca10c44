/** The process that reads sheets, changed so that it hangs for ever at a cell with the text "hang". */
import { rowsToRecipients } from '../../src/features/bulk/sheet-rows.ts';
import { rowsToPeople, type RowRules } from '../../src/features/contacts/import/rows.ts';
import { createReading } from '../../src/features/imports/reading.ts';
import { rowsToData } from '../../src/features/tables/rows/import-rows.ts';
import { serveParent } from '../../src/platform/work/child-work.ts';

serveParent(
  createReading({
    CONTACTS: (terms: RowRules) => {
      const read = rowsToPeople(terms);
      return (row) => {
        while ([...row.cells.values()].includes('hang'));
        return read(row);
      };
    },
    TABLE: rowsToData,
    BULK: rowsToRecipients,
  }),
);
