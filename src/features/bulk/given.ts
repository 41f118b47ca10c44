/**
 * Reads the contacts of a bulk call, from JSON or from a sheet, and finds those without a valid phone number and those that repeat an
 * earlier contact.
 */
import type { GivenComponent } from '../../channels/templates/given.ts';
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import type { Upload } from '../../platform/http/multipart.ts';
import { findPhoneCountry } from '../../platform/store/phone-country.ts';
import {
  isPhoneFault,
  readPhone,
  readSheetPhone,
  type Phone,
  type PhoneFault,
  type PhoneReader,
} from '../../platform/values/phone.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { clipText, foldText } from '../../platform/values/words.ts';
import type { Fault } from '../sends/schemas.ts';
import { toPerson } from '../sends/sender.ts';
import type { NewRow } from './row-queries.ts';
import type { BulkForm } from './schemas.ts';
import { readSheet, tooMany, type AskedSheet } from './sheet.ts';
import { declareLimit, declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('BULK_MAX_CONTACTS', {
  topic: 'Campaigns',
  what: 'Bulk send: contacts',
  beyond: '413; use a campaign',
});

/** A request for a bulk call. */
export interface BulkRequest {
  body: BulkForm;
  upload: Upload | null;
  /** Aborted when the caller closes the connection. */
  signal: AbortSignal;
}

/** A person whom a caller names by a phone number, in JSON or in a row of a sheet. */
export interface GivenPerson {
  row: number;
  name: string | null;
  phone: string;
  columns: Record<string, string>;
  fault: Fault | null;
}

export interface CheckedPerson extends GivenPerson, Pick<Phone, 'country_code'> {}

// The longest name of a contact, and the longest text that can be a phone number.
const MAX_NAME = declareLimit(200, {
  topic: 'Campaigns',
  what: 'Bulk send: name of a contact',
  unit: 'characters',
  beyond: 'an error of the row',
});
const MAX_PHONE = 40;

/** Reads the rows of a bulk call, those with a fault included. */
export async function readBulkRows(
  kit: Kit,
  tenant: Tenant,
  request: BulkRequest,
  components: readonly GivenComponent[],
): Promise<NewRow[]> {
  const country = await findPhoneCountry(tenant.read, request.body.country);
  const given = await readGiven(kit, tenant, request);
  if (given.length === 0) throw invalid(request.upload ? 'file' : 'contacts', 'has no contact', 'EMPTY');
  const used = namedColumns(components);
  return checkPeople(given, country, request.upload ? readSheetPhone : readPhone).map(
    ({ row, name, phone, fault, ...each }) => {
      const columns = Object.entries(each.columns).filter(([title]) => used.has(foldText(title.trim())));
      const hasColumns = columns.length > 0 && !fault;
      return { row, name, phone, columns: hasColumns ? Object.fromEntries(columns) : null, error: fault };
    },
  );
}

/** Reads the phone numbers, and finds the people without a valid one and those that an earlier row names already. */
export function checkPeople(given: GivenPerson[], country: string | null, reader: PhoneReader): CheckedPerson[] {
  const seen = new Map<string, number>();
  return given.map((each) => {
    const name = each.name?.trim() || null;
    const read = reader(each.phone, country);
    const known = isPhoneFault(read) ? { phone_number: clipText(each.phone, MAX_PHONE), country_code: null } : read;
    const { phone_number: phone, country_code } = known;
    const fault = each.fault ?? findFault(each.phone, read, name) ?? findRepeat(seen, phone, each.row);
    return { ...each, name: name && Array.from(name).slice(0, MAX_NAME).join(''), phone, country_code, fault };
  });
}

async function readGiven(kit: Kit, tenant: Tenant, { body, upload, signal }: BulkRequest): Promise<GivenPerson[]> {
  const { contacts } = body;
  const most = kit.config.BULK_MAX_CONTACTS;
  if (contacts === undefined && !upload) throw invalid('contacts', 'or file is required', 'REQUIRED');
  if (contacts !== undefined && upload) throw invalid('file', 'is not allowed with contacts');
  if (upload) {
    return readSheetPeople(kit, { upload, company: tenant.companyId, most, hint: BULK_HINT, signal });
  }
  const list = Array.isArray(contacts) ? contacts : contacts ? [contacts] : [];
  if (list.length > most) throw tooMany('contacts', list.length, { most, hint: BULK_HINT });
  return list.map(({ name = null, phone }, place) => ({
    row: place + 1,
    name,
    phone: phone ?? '',
    columns: {},
    fault: null,
  }));
}

const BULK_HINT = 'a campaign (/v1/campaigns) takes any number';

export async function readSheetPeople(kit: Kit, asked: AskedSheet): Promise<GivenPerson[]> {
  const rows = await readSheet(kit.readers, asked);
  return rows.map(({ number, contact, faults: [fault] }) => ({
    row: number,
    ...contact,
    fault: fault ? { code: 'INVALID_ROW', message: [fault.field, fault.message].filter(Boolean).join(' ') } : null,
  }));
}

function findFault(given: string, read: Phone | PhoneFault, name: string | null): Fault | null {
  if (given.trim() === '') return { code: 'INVALID_NUMBER', message: 'The phone number is missing' };
  if (isPhoneFault(read)) return { code: 'INVALID_NUMBER', message: `The phone number ${read.message}` };
  return name !== null && Array.from(name).length > MAX_NAME
    ? { code: 'INVALID_NAME', message: `The name has more than ${MAX_NAME} characters` }
    : null;
}

function findRepeat(seen: Map<string, number>, phone: string, row: number): Fault | null {
  const key = toPerson(phone);
  const first = seen.get(key);
  if (first !== undefined) return { code: 'DUPLICATE', message: `The contact is the same as in row ${first}` };
  seen.set(key, row);
  return null;
}

/** The titles of columns that the components may name, in the form in which they are compared. */
function namedColumns(components: readonly GivenComponent[]): Set<string> {
  const variables = components.flatMap(({ parameters }) =>
    parameters.flatMap(({ variable_ref }) => variable_ref ?? []),
  );
  return new Set(variables.map((variable) => foldText(variable.replace(/^column\./, '').trim())));
}
