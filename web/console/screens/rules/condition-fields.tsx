/** The conditions of a rule, in groups of which each must hold. */
import type { RuleCondition, RuleConditionGroup } from '@parley/sdk';
import { useEffect, useRef, type ReactElement, type RefObject } from 'react';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { ListInput } from '../../ui/actions/inputs.tsx';
import { ACTIONS } from '../../ui/actions/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { ChoicesField } from './choices-field.tsx';
import {
  beginCondition,
  findKey,
  setOperator,
  takesValues,
  useConditionFields,
  type ConditionField,
  type Operator,
} from './condition-kinds.ts';
import type { RulePartProps } from './rule-form.ts';
import styles from './rules.module.css';
import { RULES } from './texts.ts';

/** The paths of errors that the fields show. */
export const listConditionPaths = (groups: readonly RuleConditionGroup[]): string[] =>
  groups.flatMap(({ conditions }, group) => conditions.map((_, index) => toPath(group, index)));

const toPath = (group: number, index: number): string => `conditions[${group}].conditions[${index}].values`;

export function ConditionFields({ form, error, isLocked, onChange }: RulePartProps): ReactElement {
  const texts = useTexts(RULES);
  const { groups } = form;
  const fields = useConditionFields();
  const first = fields[0];
  const set = (next: readonly RuleConditionGroup[]): void => onChange({ groups: next });
  const { list, begin } = useNewPart();
  return (
    <div ref={list} className={styles['groups']}>
      {groups.length === 0 && <p className={styles['soft']}>{texts.always}</p>}
      {groups.map((group, index) => (
        // Groups and conditions have no names of their own. When one is removed, the fields of the others begin anew.
        <Group
          key={`${index} ${groups.length}`}
          {...{ group, index, fields, error, isLocked }}
          isOnly={groups.length === 1}
          onBegin={begin}
          onChange={(next) => set(next === null ? groups.toSpliced(index, 1) : groups.with(index, next))}
        />
      ))}
      {!isLocked && first && (
        <div>
          <Button
            icon="plus"
            onClick={() => {
              set([...groups, { match: 'ALL', conditions: [beginCondition(first)] }]);
              begin();
            }}
          >
            {groups.length === 0 ? texts.addCondition : texts.addGroup}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Gives the focus to the first field of the condition that was added last, once it is there. */
function useNewPart(): { list: RefObject<HTMLDivElement | null>; begin(): void } {
  const list = useRef<HTMLDivElement>(null);
  const isNew = useRef(false);
  useEffect(() => {
    if (!isNew.current) return;
    isNew.current = false;
    [...(list.current?.querySelectorAll<HTMLElement>('[data-condition]') ?? [])]
      .at(-1)
      ?.querySelector('select')
      ?.focus();
  });
  return { list, begin: () => void (isNew.current = true) };
}

interface GroupProps {
  group: RuleConditionGroup;
  index: number;
  fields: readonly ConditionField[];
  error: unknown;
  isLocked: boolean;
  isOnly: boolean;
  /** A condition was added. */
  onBegin(): void;
  /** Null removes the group. */
  onChange(group: RuleConditionGroup | null): void;
}

function Group({ group, index, fields, error, isLocked, isOnly, onBegin, onChange }: GroupProps): ReactElement {
  const texts = useTexts(RULES);
  const { match, conditions } = group;
  const first = fields[0];
  const set = (next: RuleCondition[]): void => onChange(next.length === 0 ? null : { match, conditions: next });
  return (
    <fieldset className={styles['group']}>
      <legend className={isOnly ? styles['hidden'] : undefined}>{texts.group(formatNumber(index + 1))}</legend>
      {conditions.length > 1 && (
        <SelectField
          label={texts.match}
          value={match}
          options={(['ALL', 'ANY'] as const).map((value) => ({ value, label: texts[value] }))}
          disabled={isLocked}
          onChange={(next) => onChange({ match: next, conditions })}
        />
      )}
      <ul className={styles['conditions']} aria-label={texts.conditions}>
        {conditions.map((condition, place) => (
          <Condition
            key={`${place} ${conditions.length}`}
            {...{ condition, fields, isLocked }}
            error={explainField(error, toPath(index, place))}
            onChange={(next) => set(next === null ? conditions.toSpliced(place, 1) : conditions.with(place, next))}
          />
        ))}
      </ul>
      {!isLocked && first && (
        <div>
          <Button
            kind="quiet"
            icon="plus"
            onClick={() => {
              set([...conditions, beginCondition(first)]);
              onBegin();
            }}
          >
            {texts.addCondition}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface ConditionProps {
  condition: RuleCondition;
  fields: readonly ConditionField[];
  error: string | null;
  isLocked: boolean;
  onChange(condition: RuleCondition | null): void;
}

function Condition({ condition, fields, error, isLocked, onChange }: ConditionProps): ReactElement {
  const texts = useTexts(RULES);
  const common = useTexts(COMMON);
  const key = findKey(condition);
  const field = fields.find((each) => each.key === key);
  const { operator } = condition;
  const options = fields.map(({ key: value, label }) => ({ value, label }));
  const label = field?.label ?? texts.unknownField;
  const operators: readonly Operator[] = field?.operators ?? [operator];
  return (
    <li className={styles['condition']} data-condition>
      <div className={styles['parts']}>
        <SelectField
          label={texts.field}
          value={key}
          options={field ? options : [...options, { value: key, label }]}
          disabled={isLocked}
          onChange={(chosen) => {
            const next = fields.find((each) => each.key === chosen);
            if (next) onChange(beginCondition(next));
          }}
        />
        <SelectField
          label={texts.comparison}
          value={operator}
          options={operators.map((value) => ({ value, label: texts[value] }))}
          disabled={isLocked}
          onChange={(chosen) => onChange(setOperator(condition, chosen))}
        />
        {takesValues(operator) && <ValuesField key={key} {...{ condition, field, error, isLocked, onChange }} />}
      </div>
      {!isLocked && <IconButton icon="close" label={`${common.remove}: ${label}`} onClick={() => onChange(null)} />}
    </li>
  );
}

type ValuesFieldProps = Omit<ConditionProps, 'fields'> & { field: ConditionField | undefined };

function ValuesField({ condition, field, error, isLocked, onChange }: ValuesFieldProps): ReactElement {
  const texts = useTexts(RULES);
  const actions = useTexts(ACTIONS);
  const about = { label: texts.values, error, disabled: isLocked, values: condition.values ?? [] };
  const set = (values: string[]): void => onChange({ ...condition, values });
  if (condition.operator === 'AT_LEAST' || condition.operator === 'AT_MOST')
    return (
      <TextField
        label={about.label}
        error={error}
        disabled={isLocked}
        value={about.values[0] ?? ''}
        onChange={(text) => set(text === '' ? [] : [text.replace(/^(-?\d+),(\d+)$/, '$1.$2')])}
      />
    );
  return field?.choices ? (
    <ChoicesField {...about} choices={field.choices} onChange={set} />
  ) : (
    <ListInput {...about} hint={actions.commas} onChange={set} />
  );
}
