/** Stores a portion of rows as contacts: finds what the rows refer to, plans what each of them does, and writes the plan. */
import type { TenantTx } from '../../../platform/store/tenant.ts';
import { listAllDefinitions } from '../../custom-fields/values.ts';
import type { Fault, ReadRow } from '../../imports/reading.ts';
import { toRowErrors } from '../../imports/row-errors.ts';
import type { ImportInput, RowError } from '../../imports/schemas.ts';
import type { ImportedRows, RowImporter } from '../../imports/work.ts';
import type { CustomField } from '../../custom-fields/schemas.ts';
import type { ContactSource } from '../schemas.ts';
import { dropUnknownReferences, matchRows, type FailedRow } from './match.ts';
import { planContacts, type ContactDraft } from './plan.ts';
import type { PersonRow, RowRules } from './rows.ts';
import { writeContacts } from './write.ts';

/** Imports the rows of a sheet as contacts. */
export const contactImporter: RowImporter<RowRules, PersonRow> = {
  slots: async (tx, { country }) => ({ definitions: await listAllDefinitions(tx, 'contact'), country }),
  take: importContactRows,
};

async function importContactRows(
  tx: TenantTx,
  { update_existing, silent, tag }: ImportInput,
  rows: ReadRow<PersonRow>[],
  { definitions }: RowRules,
): Promise<ImportedRows> {
  const storing = { update_existing, silent, tag, definitions, source: 'IMPORT' } as const;
  const { drafts, failed } = await storeContacts(tx, await dropUnknownReferences(tx, rows), storing);
  const created = drafts.filter(({ isNew }) => isNew).length;
  return {
    created,
    changed: rows.length - failed.length - created,
    failed: failed.length,
    errors: listErrors(rows, failed),
  };
}

/** Returns what is wrong with rows that failed, and with rows that were stored without a wrong cell. */
function listErrors(rows: ReadRow<PersonRow>[], failed: FailedRow[]): RowError[] {
  const byNumber = new Map(failed.map(({ number, faults }) => [number, faults]));
  return rows.flatMap(({ warnings = [], ...row }) => {
    const faults = byNumber.get(row.number);
    const shown = [...warnings, ...(faults ?? [])].map((fault) => ({ ...readRefused(row.value, fault), ...fault }));
    return toRowErrors({ ...row, faults: shown, stored: faults === undefined });
  });
}

/** Returns the value of a field that is refused because of other contacts. */
function readRefused(person: PersonRow | null, { field }: Fault): Pick<Fault, 'value'> {
  const value = field === '_id' ? person?._id : person?.plain[field as keyof PersonRow['plain']];
  return value === undefined || value === null ? {} : { value: String(value) };
}

interface Storing {
  /** With false, rows about contacts that exist fail. */
  update_existing: boolean;
  /** With true, no events are emitted. */
  silent: boolean;
  /** A tag that all contacts get besides their others; null for none. */
  tag: string | null;
  definitions: CustomField[];
  /** The source of contacts that are created. */
  source: ContactSource;
}

export interface StoredRows {
  /** The contacts of the rows, each with its rows. */
  drafts: ContactDraft[];
  /** The numbers of the rows that created a contact or changed what the rows before them had left. */
  changed: Set<number>;
  /** The rows that could not be stored, in their order. */
  failed: FailedRow[];
}

/**
 * Creates or updates the contacts of checked rows, whose businesses and users exist, with their events. Throws ChangedMeanwhile when the rows should be
 * tried again.
 */
export async function storeContacts(
  tx: TenantTx,
  rows: ReadRow<PersonRow>[],
  { update_existing, silent, tag, definitions, source }: Storing,
): Promise<StoredRows> {
  const matched = await matchRows(tx, rows);
  const { drafts: planned, failed, identities } = planContacts(matched, { updates: update_existing, definitions });
  const drafts = [...planned.values()];
  const changed = await writeContacts(tx, { drafts, identities, definitions, source, tag, silent });
  return {
    drafts,
    changed,
    failed: failed.toSorted((a, b) => a.number - b.number),
  };
}
