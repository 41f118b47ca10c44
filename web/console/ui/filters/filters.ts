/** Filters of the list of contacts: what there is to choose, the sentence of each, and how the API takes them. */
import type { CustomField } from '@parley/sdk';
import { useCustomFields } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { COMMON } from '../texts.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { FILTERS, OPERATOR_NAMES } from './texts.ts';

/** As many as the API takes. */
export const MOST_FILTERS = 15;

const OPERATORS = [
  'contains',
  'not_contains',
  'eq',
  'neq',
  'starts_with',
  'ends_with',
  'is_empty',
  'is_not_empty',
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  /** `contact.name` and the like, or the id of a custom field. */
  field: string;
  operator: Operator;
  value: string | number | boolean;
}

const COLUMNS = ['name', 'email', 'phone_number', 'country_code', 'professional_network_identifier'] as const;

/** A field that filters may name. */
export interface FilterField {
  key: string;
  title: string;
  type: CustomField['type'];
  options: readonly string[];
}

export function useFilterFields(): FilterField[] {
  const texts = useTexts(CONTACT_FIELDS);
  const custom = useCustomFields('contact');
  return [
    ...COLUMNS.map((name) => ({ key: `contact.${name}`, title: texts[name], type: 'TEXT' as const, options: [] })),
    ...custom.map(({ _id, title, type, options }) => ({ key: _id, title, type, options })),
  ];
}

/** Returns the operators that make sense for a field. */
export function listOperators({ type }: FilterField): readonly Operator[] {
  const isChoice = type === 'BOOLEAN' || type === 'SELECT' || type === 'DATE';
  const parts: readonly Operator[] = ['contains', 'not_contains', 'starts_with', 'ends_with'];
  return isChoice ? OPERATORS.filter((each) => !parts.includes(each)) : OPERATORS;
}

export const takesValue = (operator: Operator): boolean => operator !== 'is_empty' && operator !== 'is_not_empty';

/** Returns a function that writes a filter as a sentence: “Name contains Maria”. */
export function useSentences(): (filter: Filter) => string {
  const fields = useFilterFields();
  const operators = useTexts(OPERATOR_NAMES);
  const texts = useTexts(FILTERS);
  const common = useTexts(COMMON);
  return ({ field, operator, value }) => {
    const title = fields.find(({ key }) => key === field)?.title ?? texts.unknownField;
    const word = typeof value === 'boolean' ? (value ? common.yes : common.no) : String(value);
    return [title, operators[operator], takesValue(operator) ? word : ''].join(' ').trim();
  };
}

/** Reads filters out of an address. What is no list of filters counts as none. */
export function readFilters(text: string | null): Filter[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isFilter).slice(0, MOST_FILTERS) : [];
  } catch {
    // Failure policy: somebody has changed the address by hand.
    return [];
  }
}

function isFilter(item: unknown): item is Filter {
  if (typeof item !== 'object' || item === null) return false;
  const { field, operator } = item as Partial<Filter>;
  return typeof field === 'string' && OPERATORS.some((each) => each === operator);
}

/** Returns filters as the API takes them: without a value where the operator takes none. */
export const toApiFilters = (filters: readonly Filter[]): (Omit<Filter, 'value'> & Partial<Filter>)[] =>
  filters.map(({ field, operator, value }) =>
    takesValue(operator) ? { field, operator, value } : { field, operator },
  );

/** Writes filters for an address; undefined when there is none. */
export const writeFilters = (filters: readonly Filter[]): string | undefined =>
  filters.length > 0 ? JSON.stringify(toApiFilters(filters)) : undefined;
