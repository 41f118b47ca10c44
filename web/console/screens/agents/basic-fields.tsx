/** What an agent is called, what it is for, and whether it answers. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { explainField } from '../../ui/problem.ts';
import type { AgentPartProps } from './agent-form.ts';
import { TYPES } from './list-state.ts';
import { AGENT_TYPE_HINTS, AGENT_TYPES, AGENTS } from './texts.ts';

export function BasicFields({
  form,
  error,
  isLocked,
  onChange,
  isNew,
}: AgentPartProps & { isNew: boolean }): ReactElement {
  const texts = useTexts(AGENTS);
  const types = useTexts(AGENT_TYPES);
  const hints = useTexts(AGENT_TYPE_HINTS);
  return (
    <Card>
      <TextField
        label={texts.name}
        value={form.name}
        disabled={isLocked}
        onChange={(name) => onChange({ name })}
        error={explainField(error, 'name')}
      />
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        value={form.description}
        disabled={isLocked}
        onChange={(description) => onChange({ description })}
        error={explainField(error, 'description')}
      />
      <SelectField
        label={texts.type}
        hint={hints[form.type]}
        value={form.type}
        options={TYPES.map((value) => ({ value, label: types[value] }))}
        disabled={isLocked || !isNew}
        onChange={(type) => onChange({ type })}
      />
      <CheckField
        label={texts.active}
        hint={texts.activeHint}
        checked={form.isActive}
        disabled={isLocked}
        onChange={(isActive) => onChange({ isActive })}
      />
    </Card>
  );
}
