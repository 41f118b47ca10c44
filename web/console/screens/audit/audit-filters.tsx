/** What the audit shows: whose actions, on which kind of record, which action, and of which days. */
import type { ReactElement } from 'react';
import { useApiKeys, useUsers } from '../../records/company.ts';
import { useTexts } from '../../texts/texts.ts';
import { SelectField, TextField, type Option } from '../../ui/field.tsx';
import { listActions, RESOURCES, type Resource } from './actions.ts';
import styles from './audit.module.css';
import { AUDIT, RESOURCE_NAMES } from './texts.ts';
import { VERB_NAMES } from './verb-texts.ts';

export interface ChosenFilters {
  actor: string;
  resource: Resource | '';
  action: string;
  /** Days as a date field writes them; both belong to the choice. */
  from: string;
  to: string;
}

export const EVERYTHING: ChosenFilters = { actor: '', resource: '', action: '', from: '', to: '' };

interface AuditFiltersProps {
  choice: ChosenFilters;
  onChange(choice: ChosenFilters): void;
}

export function AuditFilters({ choice, onChange }: AuditFiltersProps): ReactElement {
  const texts = useTexts(AUDIT);
  const resources = useTexts(RESOURCE_NAMES);
  const verbs = useTexts(VERB_NAMES);
  const { resource } = choice;
  const kinds = RESOURCES.map((value) => ({ value, label: resources[value] }));
  const actions = resource === '' ? [] : listActions(resource);
  const set = (change: Partial<ChosenFilters>): void => onChange({ ...choice, ...change });
  return (
    <section className={styles['filters']} aria-label={texts.filters}>
      <SelectField
        label={texts.who}
        value={choice.actor}
        options={[{ value: '', label: texts.everybody }, ...useActors()]}
        onChange={(actor) => set({ actor })}
      />
      <SelectField<Resource | ''>
        label={texts.what}
        value={resource}
        options={[{ value: '', label: texts.everything }, ...kinds]}
        onChange={(next) => set({ resource: next, action: '' })}
      />
      <SelectField
        label={texts.action}
        value={choice.action}
        options={[
          { value: '', label: texts.anyAction },
          ...actions.map(({ action, verb }) => ({ value: action, label: verbs[verb] })),
        ]}
        disabled={resource === ''}
        onChange={(action) => set({ action })}
      />
      <TextField label={texts.from} type="date" value={choice.from} onChange={(from) => set({ from })} />
      <TextField label={texts.to} type="date" value={choice.to} onChange={(to) => set({ to })} />
    </section>
  );
}

function useActors(): Option[] {
  const texts = useTexts(AUDIT);
  const users = useUsers().map(({ _id, name }) => ({ value: _id, label: name }));
  const keys = useApiKeys().map(({ _id, name }) => ({ value: _id, label: `${texts.key}: ${name}` }));
  return [...users, ...keys];
}
