/** Reads the contacts whom a caller adds to a campaign, from JSON or from a sheet. */
import type { Kit } from '../../../kit.ts';
import { invalid, unknownReference } from '../../../platform/values/errors.ts';
import type { Upload } from '../../../platform/http/multipart.ts';
import { findPhoneCountry } from '../../../platform/store/phone-country.ts';
import { readPhone, readSheetPhone } from '../../../platform/values/phone.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { foldText } from '../../../platform/values/words.ts';
import { checkPeople, readSheetPeople, type CheckedPerson } from '../../bulk/given.ts';
import { findExistingContacts } from '../queries.ts';
import { MAX_SHEET_CONTACTS, type AddedContact, type ContactsToAdd, type SheetToAdd } from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** A row of the request that names someone. */
export interface GivenRow {
  row: number;
  /** The id or phone number as it is answered. */
  shown: string;
  /** The id of the contact; null for one that is named by a phone number. */
  contact: string | null;
  phone: string;
  country_code: string | null;
  name: string | null;
  columns: Record<string, string> | null;
}

export interface FailedRow {
  row: number;
  contact: string;
  code: string;
  message: string;
}

export interface GivenSheet {
  body: SheetToAdd;
  upload: Upload | null;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
}

export interface GivenRows {
  rows: GivenRow[];
  failed: FailedRow[];
}

// The most bytes of the values of one row, which are stored with the enrollment.
const MAX_COLUMN_BYTES = declareLimit(8 * 1024, {
  topic: 'Campaigns',
  what: 'Adding contacts: values of a row',
  unit: 'bytes',
  beyond: 'an error of the row',
});

/** Throws UNKNOWN_REFERENCE for an id that is no contact of the company. */
export async function readContactsToAdd(tenant: Tenant, { contacts, country }: ContactsToAdd): Promise<GivenRows> {
  const ids = contacts.flatMap((each) => each.contact ?? []);
  const existing = new Set(ids.length > 0 ? await findExistingContacts(tenant.read, ids) : []);
  for (const [place, { contact, phone }] of contacts.entries()) {
    const path = `contacts[${place}]`;
    if (contact === undefined && phone === undefined)
      throw invalid(`${path}.contact`, 'or phone is required', 'REQUIRED');
    if (contact !== undefined && phone !== undefined) throw invalid(`${path}.phone`, 'is not allowed with contact');
    if (contact !== undefined && !existing.has(contact)) throw unknownReference(`${path}.contact`);
  }
  const people = contacts.flatMap(({ phone, ...each }, place) =>
    phone === undefined ? [] : [{ row: place + 1, phone, ...readRest(each), fault: null }],
  );
  const checked = checkPeople(people, await findPhoneCountry(tenant.read, country), readPhone);
  const named = contacts.flatMap(({ contact, ...each }, place) =>
    contact === undefined ? [] : [{ row: place + 1, contact, ...readRest(each) }],
  );
  return sortRows([
    ...checked,
    ...named.map((each) => ({ ...each, phone: each.contact, country_code: null, fault: null })),
  ]);
}

const readRest = ({ name = null, parameters = {} }: AddedContact) => ({ name, columns: parameters });

/** Throws when the sheet cannot be read, has no column of phone numbers, or too many rows. */
export async function readSheetToAdd(
  kit: Kit,
  tenant: Tenant,
  { body, upload, signal }: GivenSheet,
): Promise<GivenRows> {
  if (!upload) throw invalid('file', 'is required', 'REQUIRED');
  const country = await findPhoneCountry(tenant.read, body.country);
  const hint = 'add further ones with another call';
  const asked = { upload, company: tenant.companyId, most: MAX_SHEET_CONTACTS, hint, signal };
  const people = await readSheetPeople(kit, asked);
  if (people.length === 0) throw invalid('file', 'has no contact', 'EMPTY');
  return sortRows(checkPeople(people, country, readSheetPhone));
}

/** Sorts the good rows from those that cannot be enrolled. */
function sortRows(people: (CheckedPerson & { contact?: string })[]): GivenRows {
  const given: GivenRows = { rows: [], failed: [] };
  for (const { row, contact = null, phone, country_code, name, fault, ...rest } of people) {
    const shown = contact ?? phone;
    const columns = foldColumns({ name, phone: contact === null ? phone : null, ...rest.columns });
    const isLarge = Buffer.byteLength(JSON.stringify(columns)) > MAX_COLUMN_BYTES;
    const found = fault ?? (isLarge ? TOO_LARGE : null);
    if (found) given.failed.push({ row, contact: shown, code: String(found.code), message: found.message });
    else given.rows.push({ row, shown, contact, phone, country_code, name, columns });
  }
  given.rows.sort((a, b) => a.row - b.row);
  return given;
}

const TOO_LARGE: Pick<FailedRow, 'code' | 'message'> = {
  code: 'TOO_LARGE',
  message: `The values of the row have more than ${MAX_COLUMN_BYTES} bytes`,
};

/** Names the values in the form in which variables are compared. Empty values are left out. */
function foldColumns(columns: Record<string, string | null>): GivenRow['columns'] {
  const kept = Object.entries(columns).flatMap(([title, value]): [string, string][] =>
    value === null || value.trim() === '' ? [] : [[foldText(title.trim()), value]],
  );
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}
