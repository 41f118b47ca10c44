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
import { toPhoneProblem, readPhone } from '../../../platform/values/phone.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { describeValues } from '../../../platform/values/words.ts';
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
    filters.push({
      field,
      operator: item.operator,
      value: 'column' in field ? await readColumnValue(tx, field.column, item, value) : value,
    });
  }
  return filters;
}

/** Reads the value of a filter on a field of the contact itself. */
async function readColumnValue(
  tx: TenantRead,
  column: Column,
  { path, operator }: FilterItem,
  text: string,
): Promise<string> {
  const place = `${path}.value`;
  if (!takesValue(operator)) return text;
  switch (column) {
    case 'phone_number':
      return toPhoneSearchText(tx, text, operator, place);
    case 'owner':
    case 'business':
      return expectRecord(tx, column, text, place);
    case 'source':
      if ((operator === 'eq' || operator === 'neq') && !SOURCES.some((source) => source === text.toUpperCase()))
        throw invalid(place, `must be one of ${describeValues(SOURCES)}`, 'ENUM');
      return text;
    default:
      return text;
  }
}

async function expectRecord(tx: TenantRead, column: 'owner' | 'business', id: string, path: string): Promise<string> {
  if (!isId(id)) throw invalid(path, `must be the id of a ${column === 'owner' ? 'user' : 'business'}`);
  const unknown = await findUnknownRecords(tx, { owner: null, business: null, [column]: id });
  if (unknown.length > 0) throw unknownReference(path);
  return id;
}

const PART_OF_PHONE = /^[+\s().\-/]*\d[+\d\s().\-/]*$/;

/** Phone numbers are stored as E.164: a whole number is read as in a body, and a part of a number loses its punctuation. */
async function toPhoneSearchText(tx: TenantRead, text: string, operator: Operator, path: string): Promise<string> {
  if (operator !== 'eq' && operator !== 'neq') return PART_OF_PHONE.test(text) ? text.replaceAll(/[^+\d]/g, '') : text;
  const read = readPhone(text, await findPhoneCountry(tx, null));
  if (!('code' in read)) return read.phone_number;
  // A text that is no phone number equals no stored number, so it finds nothing.
  if (read.code === 'INVALID') return text;
  throw toPhoneProblem(read, path);
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
