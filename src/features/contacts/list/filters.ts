/** Reads and checks the filters of the contacts list, and finds their custom fields. */
import { invalid, unknownReference } from '../../../platform/values/errors.ts';
import {
  parseFilters,
  readFilterText,
  takesValue,
  type FilterItem,
  type Operator,
} from '../../../platform/store/filters/items.ts';
import { isId } from '../../../platform/values/ids.ts';
import { findPhoneCountry } from '../../../platform/store/phone-country.ts';
import { isPhoneFault, readPhone, toReadablePhone } from '../../../platform/values/phone.ts';
import { plainPhoneText } from '../../../platform/values/phone-text.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { describeValues, readDigits } from '../../../platform/values/words.ts';
import { SOURCES } from '../schemas.ts';
import {
  COLUMN_TYPES,
  COLUMNS,
  findUnknownRecords,
  listFilterFields,
  type Column,
  type ContactFilter,
} from './filter-queries.ts';

interface FilterField {
  /** Where the field stands in the request, such as `filters[2].field`. */
  path: string;
  field: unknown;
}

/** Throws VALIDATION_FAILED or UNKNOWN_REFERENCE naming the item, such as `filters[2].operator`. */
export async function readFilters(tx: TenantRead, text: string | undefined): Promise<ContactFilter[]> {
  const items = parseFilters(text);
  const fields = await findFields(
    tx,
    items.map(({ path, field }) => ({ path: `${path}.field`, field })),
  );
  const filters: ContactFilter[] = [];
  for (const [index, item] of items.entries()) {
    const field = fields[index] as ContactFilter['field'];
    const value = readFilterText('column' in field ? COLUMN_TYPES[field.column] : field.type, item);
    const read = 'column' in field ? await readColumnValue(tx, field.column, item, value) : { value };
    filters.push({ field, operator: item.operator, ...read });
  }
  return filters;
}

type FilterValue = Pick<ContactFilter, 'value' | 'otherValue'>;

/** Reads the value of a filter on a field of the contact itself. */
async function readColumnValue(
  tx: TenantRead,
  column: Column,
  { path, operator }: FilterItem,
  text: string,
): Promise<FilterValue> {
  const place = `${path}.value`;
  if (!takesValue(operator)) return { value: text };
  switch (column) {
    case 'phone_number':
      return readPhoneValue(tx, text, operator);
    case 'username':
      return { value: text.replace(/^@/, '') };
    case 'owner':
    case 'business':
      return { value: await expectRecord(tx, column, text, place) };
    case 'source':
      if ((operator === 'eq' || operator === 'neq') && !SOURCES.some((source) => source === text.toUpperCase()))
        throw invalid(place, `must be one of ${describeValues(SOURCES)}`, 'ENUM');
      return { value: text };
    default:
      return { value: text };
  }
}

async function expectRecord(tx: TenantRead, column: 'owner' | 'business', id: string, path: string): Promise<string> {
  if (!isId(id)) throw invalid(path, `must be the id of a ${column === 'owner' ? 'user' : 'business'}`);
  const unknown = await findUnknownRecords(tx, { owner: null, business: null, [column]: id });
  if (unknown.length > 0) throw unknownReference(path);
  return id;
}

/**
 * Finds the stored numbers that the value can stand for. A whole number is read as in a body, and also as networks report numbers, because
 * what they report is stored without being checked: a contact is found by the number that its own record shows. A part of a number loses
 * its punctuation.
 */
async function readPhoneValue(tx: TenantRead, text: string, operator: Operator): Promise<FilterValue> {
  if (readDigits(text) === null) return { value: text };
  if (operator !== 'eq' && operator !== 'neq') return { value: plainPhoneText(text).replaceAll(/[^+\d]/g, '') };
  const reported = toReadablePhone(text).phone_number;
  const read = readPhone(text, await findPhoneCountry(tx, null));
  if (isPhoneFault(read) || read.phone_number === reported) return { value: reported };
  return { value: read.phone_number, otherValue: reported };
}

/** Finds what filters name: a field of the contact itself, or a custom field by its id or slug. */
async function findFields(tx: TenantRead, named: FilterField[]): Promise<ContactFilter['field'][]> {
  const columns = named.map(({ field }) => COLUMNS.find((name) => `contact.${name}` === field));
  const names = named.flatMap(({ field }, index) => (typeof field === 'string' && !columns[index] ? [field] : []));
  const custom = names.length > 0 ? await listFilterFields(tx, names) : [];
  return named.map(({ path, field }, index) => {
    const column = columns[index];
    if (column) return { column };
    const found = custom.find(({ _id }) => _id === field) ?? custom.find(({ slug }) => slug === field);
    if (found) return { _id: found._id, type: found.type };
    if (typeof field === 'string' && isId(field)) throw unknownReference(path);
    const all = COLUMNS.map((name) => `contact.${name}`).join(', ');
    throw invalid(path, `must be one of ${all}, or the id or slug of a custom field`, 'ENUM');
  });
}
