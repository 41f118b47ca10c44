/** Converts rows of a sheet to the contacts of a bulk call. This runs in the child process. */
import type { Fault, ImportRow } from '../imports/reading.ts';

/** A contact as the sheet has it. */
export interface SheetContact {
  name: string | null;
  phone: string;
  /** The other cells of the row by the titles of their columns. */
  columns: Record<string, string>;
}

/** The field of a column that is neither the name nor the phone number; the column's title follows. */
export const COLUMN = 'column.';

export const rowsToRecipients =
  () =>
  ({ cells }: ImportRow): { value: SheetContact; faults: Fault[] } => {
    const columns: [string, string][] = [];
    let name = '';
    let phone = '';
    for (const [field, cell] of cells) {
      const text = String(cell).trim();
      if (field === 'name') name = text;
      else if (field === 'phone_number') phone = text;
      else columns.push([field.slice(COLUMN.length), text]);
    }
    return { value: { name: name || null, phone, columns: Object.fromEntries(columns) }, faults: [] };
  };
