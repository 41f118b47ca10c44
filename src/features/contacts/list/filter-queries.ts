/**
 * Search and filters of contacts as SQL. A condition has two forms: `exact` decides, and `indexed` uses the index contacts_search and holds
 * for every contact that matches. Values of callers are always parameters.
 */
import { many } from '../../../platform/db.ts';
import { isId } from '../../../platform/ids.ts';
import type { TenantRead } from '../../../platform/tenant.ts';
import { readDigits, foldText, isLetterPair, pairCondition } from '../../../platform/words.ts';
import type { CustomField, FieldType } from '../../custom-fields/schemas.ts';
import type { OPERATORS } from '../schemas.ts';

/** Returns those of the given ids that are custom fields of contacts. */
export function listFilterFields(tx: TenantRead, ids: string[]): Promise<Pick<CustomField, '_id' | 'type'>[]> {
  return many(tx, {
    name: 'contacts.listFilterFields',
    text: `select _id, type from custom_fields where company_id = $1 and context = 'contact' and _id = any($2)`,
    values: [tx.companyId, ids],
  });
}

export const COLUMNS = ['name', 'email', 'phone_number', 'country_code', 'professional_network_identifier'] as const;
export type Column = (typeof COLUMNS)[number];

export type Operator = (typeof OPERATORS)[number];

export interface ContactFilter {
  field: { column: Column } | { _id: string; type: FieldType };
  operator: Operator;
  /** The value as text, also for numbers and booleans; "" for operators without a value. */
  value: string;
}

export interface ContactMatch {
  /** Only contacts with one of these ids; null for all. */
  ids: string[] | null;
  /** Only contacts of this business; null for all. */
  business: string | null;
  search: string | null;
  filters: ContactFilter[];
}

/** Adds a value to the parameters and returns its placeholder. */
type BindValue = (value: string) => string;

interface Condition {
  exact: string;
  /**
   * The condition for the index; null when no index can help. Values that only this form needs are bound after all values of the exact
   * form.
   */
  indexed: ((bind: BindValue) => string) | null;
}

export interface Conditions {
  /** The exact condition. The text begins with ` and `, and its parameters follow the one of the company. */
  exact: string;
  exactValues: string[];
  indexed: string | null;
  /** The values of `exact`, followed by those that only `indexed` has. */
  values: string[];
}

/** Builds the SQL of all conditions of a match. */
export function buildConditions({ ids, business, search, filters }: ContactMatch): Conditions {
  const values: string[] = [];
  const bind: BindValue = (value) => `$${values.push(value) + 1}::text`;
  const conditions = [
    ...(ids === null ? [] : [decidedByIndex(`_id = any(string_to_array(${bind(ids.join(','))}, ','))`)]),
    ...(business === null ? [] : [decidedByIndex(`business_id = ${bind(business)}`)]),
    ...(search === null ? [] : [searchCondition(search, bind)]),
    ...filters.map((filter) => filterCondition(filter, bind)),
  ];
  const exactValues = [...values];
  const indexed = conditions.flatMap((condition) => condition.indexed?.(bind) ?? []);
  return {
    exact: joinConditions(conditions.map((condition) => condition.exact)),
    exactValues,
    indexed: indexed.length > 0 ? joinConditions(indexed) : null,
    values,
  };
}

const joinConditions = (parts: string[]): string => parts.map((part) => ` and (${part})`).join('');

/** Makes a condition that an index decides by itself. */
const decidedByIndex = (sql: string): Condition => ({ exact: sql, indexed: () => sql });

const SEARCHED = ['folded_name', 'folded_email'];

/**
 * Makes the condition of a search: it finds a whole id, a part of the name or e-mail without regard to accents, or a part of the phone
 * number without punctuation.
 */
function searchCondition(term: string, bind: BindValue): Condition {
  const text = `fold(${bind(term)})`;
  const folded = foldText(term);
  const alternatives: Condition[] = SEARCHED.map((column) => ({
    exact: `strpos(${column}, ${text}) > 0`,
    indexed: partIndexed({ expression: column, value: text, folded }, 'contains'),
  }));
  const digits = readDigits(term);
  if (digits !== null) {
    const value = bind(digits);
    alternatives.push({
      exact: `strpos(phone_number, ${value}) > 0`,
      indexed: partIndexed({ expression: 'phone_number', value, folded: digits }, 'contains'),
    });
  }
  if (isId(term)) {
    alternatives.push(decidedByIndex(`_id = ${bind(term)}`));
  }
  const lookUps = alternatives.flatMap((alternative) => alternative.indexed ?? []);
  return {
    exact: alternatives.map((alternative) => alternative.exact).join(' or '),
    // If one of the alternatives has no index, every contact has to be compared anyway.
    indexed: lookUps.length < alternatives.length ? null : (more) => lookUps.map((lookUp) => lookUp(more)).join(' or '),
  };
}

/** The same search for terms that very many contacts match: without ids, and only with conditions that an index can answer. */
export interface BroadSearch {
  values: (string | null)[];
  /** The condition for contacts with the alias `c`; `first` is the number of the first parameter. */
  condition: (first: number) => string;
}

export function toBroadSearch(term: string): BroadSearch {
  return {
    values: [term, readDigits(term)],
    condition: (first) =>
      [
        ...SEARCHED.map((column) => `c.${column} like '%' || like_literal(fold($${first}::text)) || '%'`),
        `c.phone_number like '%' || $${first + 1}::text || '%'`,
      ].join(' or '),
  };
}

function filterCondition({ field, operator, value }: ContactFilter, bind: BindValue): Condition {
  if ('column' in field) return columnCondition(field.column, operator, value, bind);
  const id = bind(field._id);
  if (operator === 'is_empty' || operator === 'is_not_empty') {
    const not = operator === 'is_empty' ? '' : 'not ';
    return {
      exact: `coalesce(custom_fields -> ${id}, 'null') ${not}in ('null', '""', '[]')`,
      indexed: null,
    };
  }
  const given = bind(value);
  const numeric = field.type === 'NUMBER' && (operator === 'eq' || operator === 'neq');
  const positive = POSITIVE[operator] ?? operator;
  const test = numeric
    ? `custom_fields -> ${id} = (${given})::jsonb`
    : field.type === 'LIST'
      ? `exists (select from jsonb_array_elements_text(
          case jsonb_typeof(custom_fields -> ${id}) when 'array' then custom_fields -> ${id} else '[]' end) item
          where ${makeTextCondition('lower(item)', positive, `lower(${given})`)})`
      : makeTextCondition(`lower(custom_fields ->> ${id})`, positive, `lower(${given})`);
  return {
    exact: positive === operator ? test : `(${test}) is not true`,
    indexed: operator === 'eq' ? (more) => heldIndexed(field, value, more) : null,
  };
}

/** The negated operators and their opposites; a negated one also finds contacts without a value. */
const POSITIVE: Partial<Record<Operator, Operator>> = { neq: 'eq', not_contains: 'contains' };

/** Custom fields are indexed as one JSON document in small letters, which contains every value that is equal but for case. */
function heldIndexed({ _id, type }: { _id: string; type: FieldType }, value: string, bind: BindValue): string {
  const typed = type === 'NUMBER' ? Number(value) : type === 'BOOLEAN' ? value.toLowerCase() === 'true' : value;
  const held = JSON.stringify({ [_id]: type === 'LIST' ? [typed] : typed });
  return `lower(custom_fields::text)::jsonb @> lower(${bind(held)})::jsonb`;
}

/** The indexed expression of each column, and the function that is applied to the value. */
const TRIGRAMS: Record<Exclude<Column, 'country_code'>, { expression: string; change: string }> = {
  name: { expression: 'folded_name', change: 'fold' },
  email: { expression: 'folded_email', change: 'fold' },
  phone_number: { expression: 'phone_number', change: 'lower' },
  professional_network_identifier: { expression: 'lower(professional_network_identifier)', change: 'lower' },
};

function columnCondition(column: Column, operator: Operator, value: string, bind: BindValue): Condition {
  if (operator === 'is_empty' || operator === 'is_not_empty') {
    const sign = operator === 'is_empty' ? '=' : '>';
    return {
      exact: `coalesce(${column}, '') ${sign} ''`,
      indexed: () =>
        column === 'country_code' ? `${COUNTRY} ${sign} ''` : `${MARKS} @> '{${sign === '=' ? '-' : '+'}${column}}'`,
    };
  }
  const given = bind(value);
  const positive = POSITIVE[operator] ?? operator;
  const test = makeTextCondition(`lower(${column})`, positive, `lower(${given})`);
  const exact = positive === operator ? test : `(${test}) is not true`;
  if (column === 'country_code')
    return { exact, indexed: value === '' ? null : countryIndexed(operator, `lower(${given})`) };
  const { expression, change } = TRIGRAMS[column];
  const looked = {
    expression,
    value: `${change}(${given})`,
    folded: change === 'fold' ? foldText(value) : value.toLowerCase(),
  };
  return { exact, indexed: positive === operator ? partIndexed(looked, operator) : null };
}

// The same expression as in the index contacts_search.
const MARKS = `contact_marks(name, email, phone_number, professional_network_identifier,
  coalesce(folded_name, '') || coalesce(folded_email, ''))`;
// The same expression as in contacts_search, with "" for contacts without a country, so that the index answers `neq` for them as well.
const COUNTRY = `coalesce(lower(country_code), '')`;

function countryIndexed(operator: Operator, value: string): Condition['indexed'] {
  if (operator === 'eq') return () => `${COUNTRY} = ${value}`;
  return operator === 'neq' ? () => `${COUNTRY} < ${value} or ${COUNTRY} > ${value}` : null;
}

/** `text` and `value` are SQL expressions with the same folding of letters. */
function makeTextCondition(text: string, operator: Operator, value: string): string {
  switch (operator) {
    case 'contains':
      return `strpos(${text}, ${value}) > 0`;
    case 'starts_with':
      return `starts_with(${text}, ${value})`;
    case 'ends_with':
      return `right(${text}, length(${value})) = ${value}`;
    default:
      return `${text} = ${value}`;
  }
}

interface IndexedText {
  /** The expression that the index holds. */
  expression: string;
  /** The SQL expression of the value, folded like the indexed expression. */
  value: string;
  /** The same value as the database will fold it. */
  folded: string;
}

/** A condition for the trigram index of an expression; null when the value has no trigram. */
function partIndexed({ expression, value, folded }: IndexedText, operator: Operator): Condition['indexed'] {
  const from = operator === 'contains' || operator === 'ends_with' ? '%' : '';
  const to = operator === 'contains' || operator === 'starts_with' ? '%' : '';
  if (operator === 'contains' && WORDS.test(folded))
    return (more) => wordsIndexed(expression, listWordEnds(folded), more);
  if (hasTrigram(folded, from === '', to === ''))
    return () => `${expression} like '${from}' || like_literal(${value}) || '${to}'`;
  return operator === 'contains' && isLetterPair(folded) ? pairIndexed(expression, folded) : null;
}

// Matches several words of plain letters, as in names.
const WORDS = /^[a-z]+(?: [a-z]+)+$/;

/** Returns the last three letters of each word and the blank after it; a shorter word as a whole with the blanks around it. */
function listWordEnds(words: string): string[] {
  const ends = [...words.matchAll(/[a-z]+/g)].map(({ 0: word, index }) => {
    const end = index + word.length;
    return words.slice(word.length < 3 ? Math.max(index - 1, 0) : end - 3, end + 1);
  });
  return ends.filter((end) => hasTrigram(end, false, false));
}

/** PostgreSQL compares each trigram of a text with each row that has the rarest one. Only the ends of words take half the time. */
function wordsIndexed(expression: string, ends: string[], more: BindValue): string {
  return ends.map((end) => `${expression} like '%' || like_literal(${more(end)}) || '%'`).join(' and ');
}

/**
 * Returns whether the text has a trigram: three letters or digits in a row, or fewer at a known edge, where a trigram includes two blanks
 * before a word and one after it.
 */
function hasTrigram(folded: string, startKnown: boolean, endKnown: boolean): boolean {
  for (const { 0: word, index } of folded.matchAll(/[\p{L}\p{N}]+/gu)) {
    const before = startKnown || index > 0 ? 2 : 0;
    const after = endKnown || index + word.length < folded.length ? 1 : 0;
    if (Array.from(word).length + before + after >= 3) return true;
  }
  return false;
}

/**
 * A condition for two letters inside a text. The index would miss them after a letter beyond ASCII. Names and e-mails with such letters are
 * few and marked, and phone numbers have none; in other texts such letters are not marked, so no index can be used.
 */
function pairIndexed(expression: string, pair: string): Condition['indexed'] {
  const trigrams: Condition['indexed'] = (more) => pairCondition(expression, more(pair));
  if (expression === 'phone_number') return trigrams;
  return expression.startsWith('folded_') ? (more) => `${trigrams(more)} or ${MARKS} @> '{+letters}'` : null;
}
