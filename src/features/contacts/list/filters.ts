/** Reads and checks the filters of the contacts list, and finds their custom fields. */
import { checkText } from '../../../platform/body.ts';
import { invalid, unknownReference } from '../../../platform/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { findLostDigits, isPrecise, NUMBER_WANTED } from '../../../platform/numbers.ts';
import { findPhoneCountry } from '../../../platform/phone-country.ts';
import { toPhoneProblem, readPhone } from '../../../platform/phone.ts';
import type { TenantRead } from '../../../platform/tenant.ts';
import { describeValues } from '../../../platform/words.ts';
import type { FieldType } from '../../custom-fields/schemas.ts';
import { findValueFault } from '../../custom-fields/values.ts';
import { MAX_FILTERS, OPERATORS } from '../schemas.ts';
import { COLUMNS, listFilterFields, type Column, type ContactFilter, type Operator } from './filter-queries.ts';

const PROPERTIES = new Set(['field', 'operator', 'value']);

interface FilterItem {
  path: string;
  /** The column of the contact itself, or the id of a custom field. */
  field: { column: Column } | { _id: string };
  operator: Operator;
  value: unknown;
}

/** Throws VALIDATION_FAILED or UNKNOWN_REFERENCE naming the item, such as `filters[2].operator`. */
export async function readFilters(tx: TenantRead, text: string | undefined): Promise<ContactFilter[]> {
  if (text === undefined) return [];
  const items = parseFilterList(text).map((item, index) => readFilterItem(item, `filters[${index}]`));
  const types = await findFieldTypes(tx, items);
  const filters: ContactFilter[] = [];
  for (const { path, field, operator, value } of items) {
    const type = 'column' in field ? 'TEXT' : types.get(field._id);
    if (!type) throw unknownReference(`${path}.field`);
    const wanted = readFilterText(type, operator, value, path);
    if (!('column' in field)) filters.push({ field: { ...field, type }, operator, value: wanted });
    else if (field.column !== 'phone_number') filters.push({ field, operator, value: wanted });
    else filters.push({ field, operator, value: await toPhoneSearchText(tx, wanted, operator, `${path}.value`) });
  }
  return filters;
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

function parseFilterList(text: string): unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // Failure policy: the parser's message may quote the caller's text, so the answer only says that it is not JSON.
    throw invalid('filters', 'is not JSON', 'MALFORMED');
  }
  const lost = findLostDigits(text);
  if (lost !== null) throw invalid(`filters${lost}`, NUMBER_WANTED, 'PRECISION');
  if (!Array.isArray(list)) throw invalid('filters', 'must be a JSON array of {field, operator, value}', 'TYPE');
  if (list.length > MAX_FILTERS) throw invalid('filters', `must have at most ${MAX_FILTERS} items`, 'MAX_ITEMS');
  return list;
}

function readFilterItem(item: unknown, path: string): FilterItem {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw invalid(path, 'must be {field, operator, value}', 'TYPE');
  const { field, operator, value } = item as Record<string, unknown>;
  const surplus = Object.keys(item).find((name) => !PROPERTIES.has(name));
  if (surplus !== undefined)
    throw invalid(`${path}.${surplus}`, 'is not a property of a filter', 'ADDITIONAL_PROPERTIES');
  const known = OPERATORS.find((name) => name === operator);
  if (!known) throw invalid(`${path}.operator`, `must be one of ${describeValues(OPERATORS)}`, 'ENUM');
  return { path, field: readFilterField(field, `${path}.field`), operator: known, value };
}

function readFilterField(field: unknown, path: string): FilterItem['field'] {
  if (typeof field === 'string' && isId(field)) return { _id: field };
  const column = COLUMNS.find((name) => `contact.${name}` === field);
  if (column) return { column };
  const names = COLUMNS.map((name) => `contact.${name}`).join(', ');
  throw invalid(path, `must be one of ${names}, or the id of a custom field`, 'ENUM');
}

async function findFieldTypes(tx: TenantRead, items: FilterItem[]): Promise<Map<string, FieldType>> {
  const ids = items.flatMap(({ field }) => ('_id' in field ? [field._id] : []));
  if (ids.length === 0) return new Map();
  return new Map((await listFilterFields(tx, ids)).map(({ _id, type }) => [_id, type]));
}

/** Returns the value as text. Numbers and booleans are accepted for fields of these types, also as text. */
function readFilterText(type: FieldType, operator: Operator, value: unknown, path: string): string {
  if (operator === 'is_empty' || operator === 'is_not_empty') return '';
  const place = `${path}.value`;
  if (value === undefined || value === null) throw invalid(place, 'is required by this operator', 'REQUIRED');
  const isEqual = operator === 'eq' || operator === 'neq';
  if (typeof value === 'string') {
    checkText(value, place);
    if (isEqual && type === 'NUMBER') return readFilterNumber(value, place);
    if (isEqual && type === 'BOOLEAN' && !/^(true|false)$/i.test(value)) throw invalid(place, 'must be true or false');
    const fault = isEqual && type === 'DATE' ? findValueFault({ type, options: [] }, value) : null;
    if (fault !== null) throw invalid(place, fault);
    return value;
  }
  if (typeof value === 'number' && Number.isFinite(value) && type === 'NUMBER') {
    if (isEqual && !isPrecise(value)) throw invalid(place, NUMBER_WANTED, 'PRECISION');
    return JSON.stringify(value);
  }
  if (typeof value === 'boolean' && type === 'BOOLEAN') return String(value);
  throw invalid(place, `does not fit a field of type ${type}`, 'TYPE');
}

function readFilterNumber(text: string, path: string): string {
  const number = /\S/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number) || !isPrecise(text)) throw invalid(path, NUMBER_WANTED);
  return JSON.stringify(number);
}
