/** Search and filters of contacts as SQL, most of which the index contacts_search can answer. */
import { many } from '../../../platform/store/db.ts';
import {
  buildAll,
  decidedByIndex,
  heldCondition,
  isNegated,
  negatable,
  textCondition,
  type BindValue,
  type Condition,
  type Conditions,
} from '../../../platform/store/filters/conditions.ts';
import type { FilterType, Operator } from '../../../platform/store/filters/items.ts';
import { partIndexed } from '../../../platform/store/filters/trigrams.ts';
import { isId } from '../../../platform/values/ids.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { findUnknown } from '../../../platform/store/unknown-references.ts';
import { readUsername } from '../../../platform/values/username.ts';
import { foldText, readDigits } from '../../../platform/values/words.ts';
import type { CustomField, FieldType } from '../../custom-fields/schemas.ts';
import { MARKS, TRIGRAMS } from './indexed-sql.ts';

/** Returns the custom fields of contacts that have one of these ids or slugs. */
export function listFilterFields(
  tx: TenantRead,
  names: string[],
): Promise<Pick<CustomField, '_id' | 'slug' | 'type'>[]> {
  return many(tx, {
    name: 'contacts.listFilterFields',
    text: `select _id, slug, type from custom_fields
      where company_id = $1 and context = 'contact' and (_id = any($2) or slug = any($2))`,
    values: [tx.companyId, names],
  });
}

/** The fields of contacts that filters compare, and the types of their values. */
export const COLUMN_TYPES = {
  name: 'TEXT',
  email: 'TEXT',
  phone_number: 'TEXT',
  country_code: 'TEXT',
  professional_network_identifier: 'TEXT',
  external_id: 'TEXT',
  username: 'TEXT',
  tags: 'LIST',
  owner: 'ID',
  business: 'ID',
  opted_out: 'BOOLEAN',
  blocked: 'BOOLEAN',
  source: 'SELECT',
} as const satisfies Record<string, FilterType>;
export type Column = keyof typeof COLUMN_TYPES;
export const COLUMNS = Object.keys(COLUMN_TYPES) as Column[];

/** Returns the names of the columns whose given record the company does not have. */
export function findUnknownRecords(
  tx: TenantRead,
  asked: Record<'owner' | 'business', string | null>,
): Promise<('owner' | 'business')[]> {
  return findUnknown(tx, {
    name: 'contacts.findUnknownRecords',
    tables: { owner: 'users', business: 'businesses' },
    asked,
  });
}

export interface ContactFilter {
  field: { column: Column } | { _id: string; type: FieldType };
  operator: Operator;
  /** The value as text, also for numbers and booleans; "" for operators without a value. */
  value: string;
  /** Another text that the value stands for. */
  otherValue?: string;
}

export interface ContactMatch {
  /** Only contacts with one of these ids; null for all. */
  ids: string[] | null;
  /** Only contacts of this business; null for all. */
  business: string | null;
  search: string | null;
  filters: ContactFilter[];
}

/** Builds the SQL of all conditions of a match. Their parameters follow the one of the company. */
export function buildConditions({ ids, business, search, filters }: ContactMatch): Conditions {
  return buildAll(2, (bind) => [
    ...(ids === null ? [] : [decidedByIndex(`_id = any(string_to_array(${bind(ids.join(','))}, ','))`)]),
    ...(business === null ? [] : [decidedByIndex(`business_id = ${bind(business)}`)]),
    ...(search === null ? [] : [searchCondition(search, bind)]),
    ...filters.map((filter) => filterCondition(filter, bind)),
  ]);
}

const SEARCHED = [TRIGRAMS.name, TRIGRAMS.email];

/**
 * Makes the condition of a search: it finds a whole id, a part of the name or e-mail without regard to accents, a part of the phone number
 * without punctuation, or a part of the username with or without @.
 */
function searchCondition(term: string, bind: BindValue): Condition {
  const text = `fold(${bind(term)})`;
  const folded = foldText(term);
  const alternatives: Condition[] = SEARCHED.map((column) => ({
    exact: `strpos(${column.expression}, ${text}) > 0`,
    indexed: partIndexed({ ...column, value: () => text, folded }, 'contains'),
  }));
  const digits = readDigits(term);
  if (digits !== null) {
    const value = bind(digits);
    alternatives.push({
      exact: `strpos(phone_number, ${value}) > 0`,
      indexed: partIndexed({ ...TRIGRAMS.phone_number, value: () => value, folded: digits }, 'contains'),
    });
  }
  const username = readUsername(term);
  if (username !== null) {
    const value = bind(username);
    alternatives.push({
      exact: `strpos(username, ${value}) > 0`,
      indexed: partIndexed({ ...TRIGRAMS.username, value: () => value, folded: username }, 'contains'),
    });
  }
  if (isId(term)) {
    alternatives.push(decidedByIndex(`_id = ${bind(term)}`));
  }
  return joinAlternatives(alternatives, 'or');
}

/** Joins conditions, of which one has to hold, or with `and` all of them. */
function joinAlternatives(alternatives: Condition[], word: 'and' | 'or'): Condition {
  const lookUps = alternatives.flatMap((alternative) => alternative.indexed ?? []);
  const join = (parts: string[]): string =>
    (parts.length > 1 ? parts.map((part) => `(${part})`) : parts).join(` ${word} `);
  return {
    exact: join(alternatives.map((alternative) => alternative.exact)),
    // If one of the alternatives has no index, every contact has to be compared anyway.
    indexed: lookUps.length < alternatives.length ? null : (more) => join(lookUps.map((lookUp) => lookUp(more))),
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
    values: [term, readDigits(term), readUsername(term)],
    condition: (first) =>
      [
        ...SEARCHED.map(({ expression }) => `c.${expression} like '%' || like_literal(fold($${first}::text)) || '%'`),
        `c.phone_number like '%' || $${first + 1}::text || '%'`,
        `c.username like '%' || like_literal($${first + 2}::text) || '%'`,
      ].join(' or '),
  };
}

function filterCondition({ field, operator, value, otherValue }: ContactFilter, bind: BindValue): Condition {
  if ('column' in field) {
    const test = (text: string): Condition => columnCondition(field.column, operator, text, bind);
    if (otherValue === undefined) return test(value);
    return joinAlternatives([test(value), test(otherValue)], isNegated(operator) ? 'and' : 'or');
  }
  const { type } = field;
  return {
    exact: heldCondition(`(custom_fields -> ${bind(field._id)})`, { type, operator, value }, bind),
    indexed: operator === 'eq' ? (more) => heldIndexed(field, value, more) : null,
  };
}

/** Custom fields are indexed as one JSON document in small letters, which contains every value that is equal but for case. */
function heldIndexed({ _id, type }: { _id: string; type: FieldType }, value: string, bind: BindValue): string {
  const typed = type === 'NUMBER' ? Number(value) : type === 'BOOLEAN' ? value.toLowerCase() === 'true' : value;
  const held = JSON.stringify({ [_id]: type === 'LIST' ? [typed] : typed });
  return `lower(custom_fields::text)::jsonb @> lower(${bind(held)})::jsonb`;
}

function columnCondition(column: Column, operator: Operator, value: string, bind: BindValue): Condition {
  switch (column) {
    case 'tags':
      return tagsCondition(operator, value, bind);
    case 'owner':
    case 'business':
      return recordCondition(`${column}_id`, operator, value, bind);
    case 'opted_out':
    case 'blocked':
    case 'source':
      return textColumn(`${column}::text`, operator, value, bind);
    case 'username':
      return usernameCondition(operator, value, bind);
    case 'external_id':
      return externalIdCondition(operator, value, bind);
    default:
      return searchedCondition(column, operator, value, bind);
  }
}

/** A condition on a column as text, without an index. */
function textColumn(column: string, operator: Operator, value: string, bind: BindValue): Condition {
  const exact =
    operator === 'is_empty' || operator === 'is_not_empty'
      ? `coalesce(${column}, '') ${operator === 'is_empty' ? '=' : '>'} ''`
      : textTest(column, operator, `lower(${bind(value)})`);
  return { exact, indexed: null };
}

const textTest = (column: string, operator: Operator, value: string): string =>
  negatable(operator, (positive) => textCondition(`lower(${column})`, positive, value));

/** A condition on the column with the id of another record. */
function recordCondition(column: string, operator: Operator, value: string, bind: BindValue): Condition {
  if (operator === 'is_empty') return { exact: `${column} is null`, indexed: null };
  if (operator === 'is_not_empty') return decidedByIndex(`${column} is not null`);
  const test = `${column} = ${bind(value)}`;
  return operator === 'eq' ? decidedByIndex(test) : { exact: `(${test}) is not true`, indexed: null };
}

// The same expressions as in the indexes contacts_tags and contacts_external_id.
const TAGS = 'lower_items(tags)';
const EXTERNAL_ID = 'lower(external_id)';

function tagsCondition(operator: Operator, value: string, bind: BindValue): Condition {
  if (operator === 'is_empty') return { exact: `tags = '{}'`, indexed: null };
  if (operator === 'is_not_empty') return { exact: `tags <> '{}'`, indexed: null };
  const given = `lower(${bind(value)})`;
  const exact = negatable(
    operator,
    (positive) => `exists (select from unnest(tags) item where ${textCondition('lower(item)', positive, given)})`,
  );
  return { exact, indexed: operator === 'eq' ? () => `tags <> '{}' and ${TAGS} @> array[${given}]` : null };
}

function externalIdCondition(operator: Operator, value: string, bind: BindValue): Condition {
  if (operator !== 'eq') return textColumn('external_id', operator, value, bind);
  return decidedByIndex(`${EXTERNAL_ID} = lower(${bind(value)})`);
}

function usernameCondition(operator: Operator, value: string, bind: BindValue): Condition {
  if (operator === 'is_empty') return { exact: 'username is null', indexed: null };
  if (operator === 'is_not_empty') return decidedByIndex('username is not null');
  const given = `lower(${bind(value)})`;
  const indexed = { ...TRIGRAMS.username, value: () => given, folded: value.toLowerCase() };
  return {
    exact: textTest('username', operator, given),
    indexed: isNegated(operator) ? null : partIndexed(indexed, operator),
  };
}

/** A condition on a column that contacts_search holds. */
function searchedCondition(
  column: Exclude<keyof typeof TRIGRAMS, 'username'> | 'country_code',
  operator: Operator,
  value: string,
  bind: BindValue,
): Condition {
  if (operator === 'is_empty' || operator === 'is_not_empty') {
    const sign = operator === 'is_empty' ? '=' : '>';
    return {
      exact: `coalesce(${column}, '') ${sign} ''`,
      indexed: () =>
        column === 'country_code' ? `${COUNTRY} ${sign} ''` : `${MARKS} @> '{${sign === '=' ? '-' : '+'}${column}}'`,
    };
  }
  const given = bind(value);
  const exact = textTest(column, operator, `lower(${given})`);
  if (column === 'country_code')
    return { exact, indexed: value === '' ? null : countryIndexed(operator, `lower(${given})`) };
  const { change, ...indexed } = TRIGRAMS[column];
  const looked = {
    ...indexed,
    value: () => `${change}(${given})`,
    folded: change === 'fold' ? foldText(value) : value.toLowerCase(),
  };
  return { exact, indexed: isNegated(operator) ? null : partIndexed(looked, operator) };
}

// The same expression as in contacts_search, with "" for contacts without a country, so that the index answers `neq` for them as well.
const COUNTRY = `coalesce(lower(country_code), '')`;

function countryIndexed(operator: Operator, value: string): Condition['indexed'] {
  if (operator === 'eq') return () => `${COUNTRY} = ${value}`;
  return operator === 'neq' ? () => `${COUNTRY} < ${value} or ${COUNTRY} > ${value}` : null;
}
