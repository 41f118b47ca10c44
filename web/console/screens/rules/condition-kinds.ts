/** What the conditions of a rule can look at, and how. */
import type { RuleCondition } from '@parley/sdk';
import { useAgents, useCustomFields, useInboxes, usePipelines, useTeams, useUsers } from '../../records/company.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { PRIORITIES, PRIORITY_NAMES, STATUS_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import type { Option } from '../../ui/field.tsx';
import { RULES } from './texts.ts';

export type Operator = RuleCondition['operator'];

/** A field of a condition; a custom field has its id behind the name. */
export interface ConditionField {
  key: string;
  label: string;
  operators: readonly Operator[];
  /** The values to choose from; null where any can be written. */
  choices: readonly Option[] | null;
}

const COMPARING: readonly Operator[] = ['ANY_OF', 'NONE_OF', 'IS_SET', 'IS_EMPTY'];
const READING: readonly Operator[] = ['CONTAINS_ANY_OF', 'CONTAINS_NONE_OF', 'IS_SET', 'IS_EMPTY'];
const ORDERING: readonly Operator[] = ['AT_LEAST', 'AT_MOST'];
const CUSTOM = 'custom_field:';

export function useConditionFields(): readonly ConditionField[] {
  const texts = useTexts(RULES);
  const states = useTexts(STATUS_NAMES);
  const priorities = useTexts(PRIORITY_NAMES);
  const toOption = ({ _id, name }: { _id: string; name: string }): Option => ({ value: _id, label: name });
  const users = useUsers().map(toOption);
  const steps = usePipelines().flatMap(({ steps: each }) => each.map(toOption));
  const choose = (
    key: Exclude<RuleCondition['field'], 'custom_field'>,
    choices: readonly Option[],
  ): ConditionField => ({
    key,
    label: texts[key],
    operators: COMPARING,
    choices,
  });
  return [
    { key: 'text', label: texts.text, operators: READING, choices: null },
    choose('inbox', useInboxes().map(toOption)),
    choose('channel', list(CHANNEL_NAMES)),
    { key: 'tags', label: texts.tags, operators: COMPARING, choices: null },
    choose('owner', users),
    choose('team', useTeams().map(toOption)),
    choose('agent', useAgents().map(toOption)),
    choose('attendant', users),
    choose('step', steps),
    choose(
      'priority',
      PRIORITIES.map((value) => ({ value, label: priorities[value] })),
    ),
    choose('status', list(states)),
    choose('handled_by', list({ AI: texts.AI, HUMAN: texts.HUMAN, NONE: texts.NONE })),
    ...useCustomFieldConditions(),
  ];
}

const list = (names: Readonly<Record<string, string>>): Option[] =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

function useCustomFieldConditions(): ConditionField[] {
  const texts = useTexts(RULES);
  return useCustomFields('conversation').map(({ _id, title, type, options }) => {
    const isOrdered = type === 'NUMBER' || type === 'DATE';
    const hasParts = type === 'TEXT' || type === 'LIST';
    return {
      key: CUSTOM + _id,
      label: title,
      operators: [...(isOrdered ? ORDERING : []), ...COMPARING, ...(hasParts ? READING.slice(0, 2) : [])],
      choices:
        type === 'BOOLEAN'
          ? list({ true: texts.yes, false: texts.no })
          : options.length > 0
            ? options.map((value) => ({ value, label: value }))
            : null,
    };
  });
}

/** Returns the key of the field that a condition looks at, as `useConditionFields` names it. */
export const findKey = ({ field, custom_field }: RuleCondition): string =>
  field === 'custom_field' ? CUSTOM + (custom_field ?? '') : field;

/** Returns a condition on this field, which is not complete yet. */
export function beginCondition({ key, operators }: ConditionField): RuleCondition {
  const operator = operators[0] ?? 'IS_SET';
  return key.startsWith(CUSTOM)
    ? { field: 'custom_field', custom_field: key.slice(CUSTOM.length), operator, values: [] }
    : { field: key as RuleCondition['field'], operator, values: [] };
}

export const takesValues = (operator: Operator): boolean => operator !== 'IS_SET' && operator !== 'IS_EMPTY';

/** Returns the condition with another operator; those without values lose them. */
export function setOperator({ values, ...condition }: RuleCondition, operator: Operator): RuleCondition {
  return takesValues(operator) ? { ...condition, operator, values: values ?? [] } : { ...condition, operator };
}
