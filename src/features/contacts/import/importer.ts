/** Stores a portion of rows as contacts: finds what the rows refer to, plans what each of them does, and writes the plan. */
import { emit, type EventItem } from '../../../platform/store/events.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import { fieldEvents, listAllDefinitions } from '../../custom-fields/values.ts';
import type { ReadRow } from '../../imports/reading.ts';
import { toRowErrors } from '../../imports/row-errors.ts';
import type { Import } from '../../imports/schemas.ts';
import type { ImportedRows, RowImporter } from '../../imports/work.ts';
import type { CustomField } from '../../custom-fields/schemas.ts';
import type { ContactSource } from '../schemas.ts';
import { matchRows, type FailedRow } from './match.ts';
import { planContacts, type ContactDraft } from './plan.ts';
import { findImportedContacts } from './queries.ts';
import type { PersonRow, RowRules } from './rows.ts';
import { writeContacts, type WrittenContact } from './write.ts';

/** Imports the rows of a sheet as contacts. */
export const contactImporter: RowImporter<RowRules, PersonRow> = {
  slots: async (tx, { country }) => ({ definitions: await listAllDefinitions(tx, 'contact'), country }),
  take: importContactRows,
};

async function importContactRows(
  tx: TenantTx,
  { update_existing, silent }: Import,
  rows: ReadRow<PersonRow>[],
  { definitions }: RowRules,
): Promise<ImportedRows> {
  const { drafts, failed } = await storeContacts(tx, rows, { update_existing, silent, definitions, source: 'IMPORT' });
  const created = drafts.filter(({ isNew }) => isNew).length;
  return {
    created,
    updated: rows.length - failed.length - created,
    failed: failed.length,
    errors: failed.flatMap(({ number, faults }) => toRowErrors(number, faults)),
  };
}

interface Storing {
  /** With false, rows about contacts that exist fail. */
  update_existing: boolean;
  /** With true, no events are emitted. */
  silent: boolean;
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
 * Creates or updates the contacts of checked rows with their events. Throws ChangedMeanwhile when the rows should be
 * tried again.
 */
export async function storeContacts(
  tx: TenantTx,
  rows: ReadRow<PersonRow>[],
  { update_existing, silent, definitions, source }: Storing,
): Promise<StoredRows> {
  const matched = await matchRows(tx, rows);
  const { drafts: planned, failed, identities } = planContacts(matched, { updates: update_existing, definitions });
  const drafts = [...planned.values()];
  const { written, changed } = await writeContacts(tx, { drafts, identities, definitions, source });
  if (!silent) await emitEvents(tx, written);
  return {
    drafts,
    changed,
    failed: failed.toSorted((a, b) => a.number - b.number),
  };
}

async function emitEvents(tx: TenantTx, written: WrittenContact[]): Promise<void> {
  if (written.length === 0) return;
  const people = await findImportedContacts(
    tx,
    written.map(({ person }) => person._id),
  );
  const records = new Map(people.map((contact) => [contact._id, contact]));
  const items = written.flatMap(({ isNew, person: { _id }, changes }): EventItem[] => {
    const contact = records.get(_id);
    if (!contact) return [];
    const about = { _id, company: contact.company, contact: _id };
    return [{ event: isNew ? 'CONTACT_CREATED' : 'CONTACT_UPDATED', data: contact }, ...fieldEvents(about, changes)];
  });
  await emit(tx, items);
}
