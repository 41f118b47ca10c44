/**
 * Filters as SQL. A condition has two forms: `exact` decides, and `indexed` can be answered by an index and holds for every record that
 * matches. Values of callers are always parameters.
 */
import type { FilterType, Operator } from './items.ts';

/** Adds a value to the parameters and returns its placeholder. */
export type BindValue = (value: string) => string;

export interface Condition {
  exact: string;
  /**
   * The condition for the index; null when no index can help. Values that only this form needs are bound after all values of the exact
   * form.
   */
  indexed: ((bind: BindValue) => string) | null;
}

export interface Conditions {
  /** The exact condition. The text begins with ` and `. */
  exact: string;
  exactValues: string[];
  indexed: string | null;
  /** The values of `exact`, followed by those that only `indexed` has. */
  values: string[];
}

/** Builds the SQL of several conditions, of which all have to hold. Their first parameter has the number `first`. */
export function buildAll(first: number, build: (bind: BindValue) => Condition[]): Conditions {
  const values: string[] = [];
  const bind: BindValue = (value) => `$${values.push(value) + first - 1}::text`;
  const conditions = build(bind);
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
export const decidedByIndex = (sql: string): Condition => ({ exact: sql, indexed: () => sql });

/** The negated operators and their opposites; a negated one also finds records without a value. */
const POSITIVE: Partial<Record<Operator, Operator>> = { neq: 'eq', not_contains: 'contains' };

export const isNegated = (operator: Operator): boolean => operator in POSITIVE;

/** Negates the SQL that `test` makes for the positive form of an operator, where the operator is negated. */
export function negatable(operator: Operator, test: (positive: Operator) => string): string {
  const positive = POSITIVE[operator];
  return positive === undefined ? test(operator) : `(${test(positive)}) is not true`;
}

/** `text` and `value` are SQL expressions with the same folding of letters. */
export function textCondition(text: string, operator: Operator, value: string): string {
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

const COMPARISONS: Partial<Record<Operator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

interface HeldFilter {
  type: FilterType;
  operator: Operator;
  /** The value as text, also for numbers and booleans. */
  value: string;
}

/** A condition on the custom field with this id. */
export interface ValueFilter extends HeldFilter {
  _id: string;
}

/** Makes the exact condition on a value in a JSON document with typed values. `held` is the SQL expression of the value. */
export function heldCondition(held: string, { type, operator, value }: HeldFilter, bind: BindValue): string {
  if (operator === 'is_empty' || operator === 'is_not_empty') {
    const not = operator === 'is_empty' ? '' : 'not ';
    return `coalesce(${held}, 'null') ${not}in ('null', '""', '[]')`;
  }
  const given = bind(value);
  const text = `(${held} #>> '{}')`;
  const compare = COMPARISONS[operator];
  if (compare !== undefined) {
    // The database orders values of different types by their type, so a text from before a change of type must not be compared.
    return type === 'NUMBER'
      ? `jsonb_typeof(${held}) = 'number' and ${held} ${compare} (${given})::jsonb`
      : `jsonb_typeof(${held}) = 'string' and ${text} > '' and ${text} collate "C" ${compare} ${given}`;
  }
  return negatable(operator, (positive) => {
    if (type === 'NUMBER' && positive === 'eq') return `${held} = (${given})::jsonb`;
    if (type !== 'LIST') return textCondition(`lower(${text})`, positive, `lower(${given})`);
    return `exists (select from jsonb_array_elements_text(case jsonb_typeof(${held}) when 'array' then ${held} else '[]' end) item
      where ${textCondition('lower(item)', positive, `lower(${given})`)})`;
  });
}
