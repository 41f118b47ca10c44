/** Decides whether the conditions of a rule hold for a conversation and a message. */
import type { TenantRead } from '../../platform/store/tenant.ts';
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import { PRIORITIES } from '../../platform/store/orders.ts';
import { describeValues, foldText } from '../../platform/values/words.ts';
import { CONVERSATION_STATUSES, HANDLERS, type Conversation } from '../conversations/schemas.ts';
import { applyValues } from '../custom-fields/values.ts';
import { findMissing, type NamedKind } from './queries.ts';
import { MAX_RULE_VALUES, type Condition, type ConditionField, type ConditionGroup, type Operator } from './schemas.ts';

/** What the conditions look at. */
export interface Situation {
  conversation: Conversation;
  /** The text of the message, or of the last one. */
  text: string | null;
}

/** Returns a function that says whether all groups of conditions hold. What does not depend on the situation is prepared once. */
export function compileConditions(groups: readonly ConditionGroup[]): (situation: Situation) => boolean {
  const compiled = groups.map(({ match, conditions }) => ({ match, tests: conditions.map(compileCondition) }));
  return (situation) => {
    const folded = new Map<string, string>();
    const fold = (text: string): string => {
      const known = folded.get(text) ?? foldText(text);
      folded.set(text, known);
      return known;
    };
    return compiled.every(({ match, tests }) =>
      match === 'ALL' ? tests.every((test) => test(situation, fold)) : tests.some((test) => test(situation, fold)),
    );
  };
}

type Test = (situation: Situation, fold: (text: string) => string) => boolean;

function compileCondition(condition: Condition): Test {
  const { operator, values = [] } = condition;
  const [first = ''] = values;
  const wanted = new Set(values);
  const parts = values.map(foldText);
  const contains: Test = (situation, fold) =>
    readValues(condition, situation).some((present) => parts.some((part) => fold(present).includes(part)));
  const read = (test: (present: readonly string[]) => boolean): Test => {
    return (situation) => test(readValues(condition, situation));
  };
  switch (operator) {
    case 'ANY_OF':
      return read((present) => present.some((value) => wanted.has(value)));
    case 'NONE_OF':
      return read((present) => !present.some((value) => wanted.has(value)));
    case 'CONTAINS_ANY_OF':
      return contains;
    case 'CONTAINS_NONE_OF':
      return (situation, fold) => !contains(situation, fold);
    case 'AT_LEAST':
      return read((present) => present.some((value) => compare(value, first) >= 0));
    case 'AT_MOST':
      return read((present) => present.some((value) => compare(value, first) <= 0));
    case 'IS_SET':
      return read((present) => present.length > 0);
    case 'IS_EMPTY':
      return read((present) => present.length === 0);
  }
}

/** Compares numbers as numbers, and all else, such as dates, as texts. */
function compare(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the values of the field as texts; none when it is empty. */
function readValues({ field, custom_field }: Condition, { conversation, text }: Situation): string[] {
  if (field === 'text') return text ? [text] : [];
  if (field === 'tags') return conversation.tags;
  if (field === 'custom_field') {
    const found = conversation.custom_fields.find(({ _id, slug }) => _id === custom_field || slug === custom_field);
    return [found?.value ?? []].flat().map(String);
  }
  const value = conversation[field];
  return value === null ? [] : [value];
}

const COMPARING: readonly Operator[] = ['ANY_OF', 'NONE_OF', 'IS_SET', 'IS_EMPTY'];
const READING: readonly Operator[] = ['CONTAINS_ANY_OF', 'CONTAINS_NONE_OF', 'IS_SET', 'IS_EMPTY'];

interface FieldRule {
  operators: readonly Operator[];
  /** The kind of records that its values name. */
  names?: NamedKind;
  /** The values that it can have. */
  choices?: readonly string[];
}

const FIELDS: Record<ConditionField, FieldRule> = {
  text: { operators: READING },
  inbox: { operators: COMPARING, names: 'inbox' },
  channel: { operators: COMPARING, choices: CHANNEL_NAMES },
  status: { operators: COMPARING, choices: CONVERSATION_STATUSES },
  priority: { operators: COMPARING, choices: PRIORITIES },
  handled_by: { operators: COMPARING, choices: HANDLERS },
  agent: { operators: COMPARING, names: 'agent' },
  owner: { operators: COMPARING, names: 'user' },
  attendant: { operators: COMPARING, names: 'user' },
  team: { operators: COMPARING, names: 'team' },
  step: { operators: COMPARING, names: 'step' },
  tags: { operators: COMPARING },
  custom_field: { operators: [...new Set([...COMPARING, ...READING, 'AT_LEAST', 'AT_MOST'] as const)] },
};

/** Throws for conditions that can never be evaluated, or that name a record which does not exist. */
export async function checkConditions(read: TenantRead, groups: readonly ConditionGroup[]): Promise<void> {
  const count = groups.flatMap(({ conditions }) => conditions.flatMap(({ values = [] }) => values)).length;
  if (count > MAX_RULE_VALUES) throw invalid('conditions', `have more than ${MAX_RULE_VALUES} values`, 'LIMIT_REACHED');
  for (const [group, { conditions }] of groups.entries())
    for (const [index, condition] of conditions.entries())
      await checkCondition(read, condition, `conditions[${group}].conditions[${index}]`);
}

async function checkCondition(read: TenantRead, condition: Condition, path: string): Promise<void> {
  const { field, custom_field, operator, values } = condition;
  const { operators, names, choices } = FIELDS[field];
  if (!operators.includes(operator))
    throw invalid(`${path}.operator`, `must be ${describeValues(operators)} for ${field}`);
  const isBare = operator === 'IS_SET' || operator === 'IS_EMPTY';
  if (isBare && values) throw invalid(`${path}.values`, `is not for ${operator}`);
  if (!isBare && !values) throw invalid(`${path}.values`, `is required by ${operator}`, 'REQUIRED');
  if ((operator === 'AT_LEAST' || operator === 'AT_MOST') && values?.length !== 1)
    throw invalid(`${path}.values`, `must be one value for ${operator}`);
  if (operator.startsWith('CONTAINS') && values?.some((value) => foldText(value) === ''))
    throw invalid(`${path}.values`, 'must contain letters, digits or signs');
  await checkField(read, field, custom_field, `${path}.custom_field`);
  const wrong = choices && values ? values.findIndex((value) => !choices.includes(value)) : -1;
  if (wrong >= 0) throw invalid(`${path}.values[${wrong}]`, `must be ${describeValues(choices ?? [])}`);
  const [missing] = names && values ? await findMissing(read, names, values) : [];
  if (missing !== undefined) throw unknownReference(`${path}.values[${values?.indexOf(missing)}]`);
}

async function checkField(
  read: TenantRead,
  field: ConditionField,
  name: string | undefined,
  path: string,
): Promise<void> {
  if (field !== 'custom_field') {
    if (name !== undefined) throw invalid(path, 'is only for the field custom_field');
    return;
  }
  if (name === undefined) throw invalid(path, 'is required by the field custom_field', 'REQUIRED');
  try {
    await applyValues(read, 'conversation', {}, { [name]: null });
  } catch (error) {
    // Failure policy: the error names the property of the condition; any other error is thrown on.
    throw error instanceof AppError && error.code === 'UNKNOWN_REFERENCE' ? unknownReference(path) : error;
  }
}
