/** Reads the filters of a list: what they name, and whether operator and value fit the type of what is compared. */
import { checkText } from '../../http/body.ts';
import { DATE_WANTED, isDate } from '../../values/date.ts';
import { invalid } from '../../values/errors.ts';
import { findLostDigits, isPrecise, NUMBER_WANTED } from '../../values/numbers.ts';
import { describeValues } from '../../values/words.ts';
import { declareLimit } from '../../values/limits.ts';

export const MAX_FILTERS = declareLimit(15, { topic: 'Records', what: 'Filters of a list', beyond: '400' });
export const OPERATORS = [
  'eq',
  'neq',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'is_empty',
  'is_not_empty',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** The types of compared values: those of custom fields and columns, and the id of another record. */
export type FilterType = 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'DATE' | 'SELECT' | 'LIST' | 'URL' | 'ID';

const PROPERTIES = new Set(['field', 'operator', 'value']);

export interface FilterItem {
  /** Where the filter stands in the request, such as `filters[2]`. */
  path: string;
  field: unknown;
  operator: Operator;
  value: unknown;
}

/** Reads a JSON array of filters. Throws VALIDATION_FAILED that names the item, such as `filters[2].operator`. */
export function parseFilters(text: string | undefined): FilterItem[] {
  if (text === undefined) return [];
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
  return list.map((item, index) => readFilterItem(item, `filters[${index}]`));
}

function readFilterItem(item: unknown, path: string): FilterItem {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw invalid(path, 'must be {field, operator, value}', 'TYPE');
  const { field, operator, value } = item as Record<string, unknown>;
  const surplus = Object.keys(item).find((name) => !PROPERTIES.has(name));
  if (surplus !== undefined)
    throw invalid(`${path}.${surplus}`, 'is not a property of a filter', 'ADDITIONAL_PROPERTIES');
  if (typeof field === 'string') checkText(field, `${path}.field`);
  const known = OPERATORS.find((name) => name === operator);
  if (!known) throw invalid(`${path}.operator`, `must be one of ${describeValues(OPERATORS)}`, 'ENUM');
  return { path, field, operator: known, value };
}

const ORDERING: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];
const ID_OPERATORS: readonly Operator[] = ['eq', 'neq', 'is_empty', 'is_not_empty'];

export const takesValue = (operator: Operator): boolean => operator !== 'is_empty' && operator !== 'is_not_empty';

/** Returns the operators for values of a type. Only numbers and dates have an order, and a part of an id means nothing. */
function listOperators(type: FilterType): readonly Operator[] {
  if (type === 'ID') return ID_OPERATORS;
  const isOrdered = type === 'NUMBER' || type === 'DATE';
  return isOrdered ? OPERATORS : OPERATORS.filter((operator) => !ORDERING.includes(operator));
}

/**
 * Returns the value of a filter as text, "" for an operator without a value. Numbers and booleans are accepted where the compared values
 * have these types, also as text. Throws VALIDATION_FAILED that names the item's operator or value.
 */
export function readFilterText(type: FilterType, { path, operator, value }: Omit<FilterItem, 'field'>): string {
  const operators = listOperators(type);
  if (!operators.includes(operator))
    throw invalid(`${path}.operator`, `must be one of ${describeValues(operators)} for this field`, 'ENUM');
  if (!takesValue(operator)) return '';
  const place = `${path}.value`;
  if (value === undefined || value === null) throw invalid(place, 'is required by this operator', 'REQUIRED');
  const isWhole = operator === 'eq' || operator === 'neq' || ORDERING.includes(operator);
  if (typeof value === 'string') {
    checkText(value, place);
    if (isWhole && type === 'NUMBER') return readFilterNumber(value, place);
    if (isWhole && type === 'BOOLEAN' && !/^(true|false)$/i.test(value)) throw invalid(place, 'must be true or false');
    if (isWhole && type === 'DATE' && !isDate(value)) throw invalid(place, DATE_WANTED);
    return value;
  }
  if (typeof value === 'number' && Number.isFinite(value) && type === 'NUMBER') {
    if (isWhole && !isPrecise(value)) throw invalid(place, NUMBER_WANTED, 'PRECISION');
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
