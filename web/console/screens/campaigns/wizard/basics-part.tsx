/** What the campaign is called, which number sends it, and who answers. */
import { useState, type ReactElement } from 'react';
import { useAgents, useUsers } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { FieldGrid } from '../../../ui/field-grid.tsx';
import { explainField } from '../../../ui/problem.ts';
import { useTemplateInboxes } from '../../../ui/templates/template-inboxes.ts';
import { WIZARD } from './texts.ts';
import type { PartProps } from './parts.ts';

export function BasicsPart({ stored, shown, kept }: PartProps): ReactElement {
  const texts = useTexts(WIZARD);
  const inboxes = useTemplateInboxes();
  // A stored text has no blanks around it; one that is being typed has.
  const [name, setName] = useState(stored.name);
  const [description, setDescription] = useState(stored.description ?? '');
  return (
    <>
      <TextField
        label={texts.name}
        value={name}
        onChange={(next) => {
          setName(next);
          kept.change({ name: next.trim() });
        }}
        error={explainField(kept.error, 'name')}
      />
      <TextArea
        label={texts.description}
        rows={2}
        value={description}
        onChange={(next) => {
          setDescription(next);
          kept.change({ description: next.trim() || null });
        }}
        error={explainField(kept.error, 'description')}
      />
      <SelectField<string>
        label={texts.inbox}
        hint={texts.inboxHint}
        value={shown.inbox}
        options={inboxes}
        // Another number may have none of the templates.
        onChange={(inbox) => kept.change(inbox === stored.inbox ? { inbox } : { inbox, steps: [] })}
        error={explainField(kept.error, 'inbox')}
      />
      <PeopleFields shown={shown} kept={kept} />
    </>
  );
}

/** Who gets the conversations that the campaign opens. */
function PeopleFields({ shown, kept }: Pick<PartProps, 'shown' | 'kept'>): ReactElement {
  const texts = useTexts(WIZARD);
  const users = useUsers();
  const agents = useAgents().filter(({ _id, status }) => status === 'ACTIVE' || _id === shown.agent);
  const ofInbox = { value: '', label: texts.asInbox };
  const list = (all: readonly { _id: string; name: string }[]) => [
    ofInbox,
    ...all.map(({ _id, name }) => ({ value: _id, label: name })),
  ];
  return (
    <FieldGrid>
      <SelectField<string>
        label={texts.owner}
        value={shown.owner ?? ''}
        options={list(users)}
        onChange={(owner) => kept.change({ owner: owner || null })}
        error={explainField(kept.error, 'owner')}
      />
      {agents.length > 0 && (
        <SelectField<string>
          label={texts.agent}
          value={shown.agent ?? ''}
          options={list(agents)}
          onChange={(agent) => kept.change({ agent: agent || null })}
          error={explainField(kept.error, 'agent')}
        />
      )}
    </FieldGrid>
  );
}
