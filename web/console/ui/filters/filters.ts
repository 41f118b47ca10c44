/** Filters of contacts and of rows: what there is to choose, the sentence of each, and how the API takes them. */
import type { Column, CustomField } from '@parley/sdk';
import { useCustomFields, useUsers } from '../../records/company.ts';
import { formatCountry } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { COMMON } from '../texts.ts';
import { CONTACT_FIELDS, CONTACT_SOURCES } from '../../texts/contact-fields.ts';
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
  'gt',
  'gte',
  'lt',
  'lte',
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  /** `contact.name` and the like, or the id of a custom field; for rows the key of a column. */
  field: string;
  operator: Operator;
  value: string | number | boolean;
}

interface Choice {
  value: string;
  label: string;
}

/** A field that filters may name. */
export interface FilterField {
  key: string;
  title: string;
  /** ID is the id of another record, and COUNTRY the code of a country. Both are chosen by their names. */
  type: CustomField['type'] | Column['type'] | 'ID' | 'COUNTRY';
  /** The values to choose from; empty where any value can be written. */
  choices: readonly Choice[];
}

/** What filters are about, with the words for it. */
export interface Filterable {
  fields: readonly FilterField[];
  /** The beginning of the sentence: "Contacts whose". */
  where: string;
  /** The title of the dialog. */
  title: string;
}

const TEXT_COLUMNS = [
  'name',
  'email',
  'phone_number',
  'professional_network_identifier',
  'external_id',
  'username',
] as const;

const chooseAmong = (options: readonly string[]): Choice[] => options.map((value) => ({ value, label: value }));

/** Returns what a list of contacts can be filtered by. */
export function useContactFilters(): Filterable {
  const texts = useTexts(CONTACT_FIELDS);
  const words = useTexts(FILTERS);
  const sources = useTexts(CONTACT_SOURCES);
  const users = useUsers();
  const custom = useCustomFields('contact');
  const sourceChoices = Object.entries(sources).map(([value, label]) => ({ value, label }));
  const ownerChoices = users.map(({ _id, name }) => ({ value: _id, label: name }));
  return {
    where: words.contactsWhose,
    title: words.contactsTitle,
    fields: [
      ...TEXT_COLUMNS.map((name) => ({
        key: `contact.${name}`,
        title: texts[name],
        type: 'TEXT' as const,
        choices: [],
      })),
      { key: 'contact.country_code', title: words.numberCountry, type: 'COUNTRY', choices: [] },
      { key: 'contact.tags', title: texts.tags, type: 'LIST', choices: [] },
      { key: 'contact.owner', title: texts.owner, type: 'ID', choices: ownerChoices },
      { key: 'contact.source', title: texts.source, type: 'SELECT', choices: sourceChoices },
      { key: 'contact.opted_out', title: texts.opted_out, type: 'BOOLEAN', choices: [] },
      { key: 'contact.blocked', title: texts.blocked, type: 'BOOLEAN', choices: [] },
      ...custom.map(toFilterField),
    ],
  };
}

/** Returns filters by the custom fields of conversations. */
export function useFieldFilters(context: CustomField['context']): Filterable {
  const words = useTexts(FILTERS);
  const custom = useCustomFields(context);
  return { where: '', title: words.fieldTitle, fields: custom.map(toFilterField) };
}

const toFilterField = ({ _id, title, type, options }: CustomField): FilterField => ({
  key: _id,
  title,
  type,
  choices: chooseAmong(options),
});

/** Returns what the rows of a table can be filtered by. */
export function useRowFilters(columns: readonly Column[]): Filterable {
  const words = useTexts(FILTERS);
  return {
    where: words.rowsWhose,
    title: words.rowsTitle,
    fields: columns.map(({ key, title, type, options }) => ({ key, title, type, choices: chooseAmong(options) })),
  };
}

const PARTS: readonly Operator[] = ['contains', 'not_contains', 'starts_with', 'ends_with'];
const ORDERING: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];

/** Returns the operators that make sense for a field. */
export function listOperators({ type }: FilterField): readonly Operator[] {
  const isOrdered = type === 'NUMBER' || type === 'DATE';
  const hasParts = type === 'TEXT' || type === 'LIST' || type === 'URL';
  return OPERATORS.filter((each) => (isOrdered || !ORDERING.includes(each)) && (hasParts || !PARTS.includes(each)));
}

export const takesValue = (operator: Operator): boolean => operator !== 'is_empty' && operator !== 'is_not_empty';

/** Returns a function that writes a filter as a sentence: “Name contains Maria”. */
export function useSentences(fields: readonly FilterField[]): (filter: Filter) => string {
  const operators = useTexts(OPERATOR_NAMES);
  const texts = useTexts(FILTERS);
  const common = useTexts(COMMON);
  return ({ field: key, operator, value }) => {
    const field = fields.find((each) => each.key === key);
    const chosen = field?.choices.find((choice) => choice.value === value)?.label;
    const written = field?.type === 'COUNTRY' ? formatCountry(String(value)) : String(value);
    const word = typeof value === 'boolean' ? (value ? common.yes : common.no) : (chosen ?? written);
    return [field?.title ?? texts.unknownField, operators[operator], takesValue(operator) ? word : ''].join(' ').trim();
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
