/** What a macro or a rule does, one action below the other. */
import type { ReactElement, ReactNode } from 'react';
import { useAgents, usePipelines, useTeams, useUsers } from '../../records/company.ts';
import { PRIORITIES, PRIORITY_NAMES, STATUS_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { SelectField, TextArea, type Option } from '../field.tsx';
import { Icon } from '../icon.tsx';
import { Menu } from '../menu.tsx';
import { explainField } from '../problem.ts';
import { ChosenTemplate } from '../templates/chosen-template.tsx';
import { COMMON } from '../texts.ts';
import {
  ACTION_ICONS,
  addAction,
  canAdd,
  isPresent,
  listOthers,
  removeAction,
  type ActionDraft,
  type ActionKind,
} from './action-kinds.ts';
import styles from './actions.module.css';
import { DelayInput, ListInput } from './inputs.tsx';
import { ACTIONS } from './texts.ts';

interface ActionFieldsProps {
  draft: ActionDraft;
  kinds: readonly ActionKind[];
  error: unknown;
  isLocked: boolean;
  onChange(draft: ActionDraft): void;
}

export function ActionFields({ draft, kinds, error, isLocked, onChange }: ActionFieldsProps): ReactElement {
  const texts = useTexts(ACTIONS);
  const common = useTexts(COMMON);
  const agent = useAgents()[0]?._id;
  const present = kinds.filter((kind) => isPresent(draft, kind));
  const offered = kinds.filter((kind) => canAdd(draft, kind) && (kind !== 'agent' || agent !== undefined));
  const others = listOthers(draft, kinds);
  return (
    <>
      {present.length > 0 ? (
        <ul className={styles['rows']} aria-label={texts.title}>
          {present.map((kind) => (
            <li key={kind} className={styles['row']}>
              <span className={styles['icon']}>
                <Icon name={ACTION_ICONS[kind]} />
              </span>
              <div className={styles['control']}>
                <ActionField {...{ draft, kind, error, isLocked, onChange }} />
              </div>
              {!isLocked && (
                <IconButton
                  icon="close"
                  label={`${common.remove}: ${texts[kind]}`}
                  onClick={() => onChange(removeAction(draft, kind))}
                />
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles['soft']}>{texts.nothing}</p>
      )}
      <p className={styles['problem']} role="alert">
        {explainField(error, 'actions') !== null && texts.needed}
      </p>
      {others.length > 0 && <p className={styles['soft']}>{texts.others(others.join(', '))}</p>}
      {!isLocked && offered.length > 0 && (
        <div>
          <Menu
            trigger={<Button icon="plus">{texts.add}</Button>}
            items={offered.map((kind) => ({
              key: kind,
              label: texts[kind],
              icon: ACTION_ICONS[kind],
              onSelect: () => onChange(addAction(draft, kind, { agent: agent ?? '' })),
            }))}
          />
        </div>
      )}
    </>
  );
}

type FieldProps = Omit<ActionFieldsProps, 'kinds'> & { kind: ActionKind };

function ActionField({ kind, ...props }: FieldProps): ReactElement {
  const texts = useTexts(ACTIONS);
  const { draft, error, isLocked, onChange } = props;
  const about = { label: texts[kind], disabled: isLocked, error: explainField(error, `actions.${kind}`) };
  switch (kind) {
    case 'reply':
    case 'note':
      return (
        <TextArea
          {...about}
          hint={kind === 'reply' && texts.replyHint}
          rows={3}
          value={draft[kind] ?? ''}
          onChange={(text) => onChange({ ...draft, [kind]: text })}
        />
      );
    case 'template':
      return <TemplateField {...props} label={texts.template} />;
    case 'add_tags':
    case 'remove_tags':
      return (
        <ListInput
          {...about}
          hint={texts.commas}
          values={draft[kind] ?? []}
          onChange={(tags) => onChange({ ...draft, [kind]: tags })}
        />
      );
    case 'snooze_minutes':
      return (
        <DelayInput
          {...about}
          minutes={draft.snooze_minutes ?? 0}
          onChange={(snooze_minutes) => onChange({ ...draft, snooze_minutes })}
        />
      );
    case 'unread':
      return <p>{draft.unread === false ? texts.read : texts.unread}</p>;
    case 'webhook':
      return <p>{texts.webhook}</p>;
    default:
      return <ChoiceField {...props} {...about} kind={kind} />;
  }
}

function TemplateField({
  draft,
  error,
  isLocked,
  label,
  onChange,
}: Omit<FieldProps, 'kind'> & { label: string }): ReactNode {
  const texts = useTexts(ACTIONS);
  const { template } = draft;
  const chosen = template && template.name !== '' ? template : null;
  return (
    <>
      <p>{label}</p>
      <ChosenTemplate
        name={label}
        template={chosen}
        words={chosen ? texts.templateChosen(chosen.name) : texts.noTemplate}
        isLocked={isLocked}
        onChange={(given) => onChange({ ...draft, template: given ?? { name: '', language: '' } })}
      />
      <p className={styles['problem']} role="alert">
        {explainField(error, 'actions.template') ?? explainField(error, 'actions.template.name')}
      </p>
    </>
  );
}

type ChoiceKind = 'owner' | 'team' | 'agent' | 'priority' | 'step' | 'status';

interface ChoiceFieldProps extends Pick<FieldProps, 'draft' | 'onChange'> {
  kind: ChoiceKind;
  label: string;
  disabled: boolean;
  error: string | null;
}

const NONE = '';

/** Null is a choice of its own, for example nobody. */
function ChoiceField({ draft, kind, onChange, ...about }: ChoiceFieldProps): ReactElement {
  const texts = useTexts(ACTIONS);
  const options = useChoices()[kind];
  const value = draft[kind] ?? NONE;
  const isKnown = options.some((option) => option.value === value);
  return (
    <SelectField<string>
      {...about}
      value={value}
      options={isKnown ? options : [...options, { value, label: texts.unknown }]}
      onChange={(chosen) => onChange({ ...draft, [kind]: chosen === NONE ? null : chosen })}
    />
  );
}

function useChoices(): Record<ChoiceKind, readonly Option[]> {
  const texts = useTexts(ACTIONS);
  const states = useTexts(STATUS_NAMES);
  const priorities = useTexts(PRIORITY_NAMES);
  const toOption = ({ _id, name }: { _id: string; name: string }): Option => ({ value: _id, label: name });
  const users = useUsers().filter(({ status }) => status === 'ACTIVE');
  const pipelines = usePipelines();
  const steps = pipelines.flatMap((pipeline) =>
    pipeline.steps.map(({ _id, name }) => ({
      value: _id,
      label: pipelines.length > 1 ? `${pipeline.name}: ${name}` : name,
    })),
  );
  return {
    owner: [{ value: NONE, label: texts.nobody }, ...users.map(toOption)],
    team: [{ value: NONE, label: texts.noTeam }, ...useTeams().map(toOption)],
    agent: useAgents().map(toOption),
    priority: [
      ...PRIORITIES.map((value) => ({ value, label: priorities[value] })),
      { value: NONE, label: texts.noPriority },
    ],
    step: [{ value: NONE, label: texts.noStep }, ...steps],
    status: (['OPEN', 'PENDING', 'CLOSED'] as const).map((value) => ({ value, label: states[value] })),
  };
}
