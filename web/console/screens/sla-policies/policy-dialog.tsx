/** Creates an SLA policy, changes it, or removes it. */
import type { SlaPolicy } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useInboxes, useTeams } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { PRIORITIES, PRIORITY_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { toApiPosition, toShownPosition } from '../../ui/position.ts';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { Choices } from './choices.tsx';
import { SLA_POLICIES } from './texts.ts';

const TARGETS = [
  ['first_reply_minutes', 'first'],
  ['next_reply_minutes', 'next'],
  ['close_minutes', 'close'],
] as const;
const FIELDS = ['name', 'position', 'inboxes', 'teams', 'priorities', ...TARGETS.map(([field]) => field)];

/** The first position is 1 in the form, and 0 in the API. */
type Draft = Omit<SlaPolicy, '_id' | 'company' | 'createdAt' | 'updatedAt' | 'position'> & { position: number | null };

function toDraft(policy: SlaPolicy | null): Draft {
  const { name, first_reply_minutes, next_reply_minutes, close_minutes, within_business_hours, position } = policy ?? {
    name: '',
    first_reply_minutes: 60,
    next_reply_minutes: null,
    close_minutes: null,
    within_business_hours: true,
    position: 0,
  };
  const { inboxes = null, teams = null, priorities = null } = policy ?? {};
  const targets = { first_reply_minutes, next_reply_minutes, close_minutes };
  return { name, ...targets, within_business_hours, inboxes, teams, priorities, position: toShownPosition(position) };
}

interface PolicyDialogProps {
  /** Null creates a new policy. */
  policy: SlaPolicy | null;
  onClose(): void;
  onSaved(policy: SlaPolicy): void;
  onRemoved(policy: SlaPolicy): void;
}

export function PolicyDialog({ policy, onClose, onSaved, onRemoved }: PolicyDialogProps): ReactElement {
  const texts = useTexts(SLA_POLICIES);
  const common = useTexts(COMMON);
  const [draft, setDraft] = useState(() => toDraft(policy));
  const save = useMutation({
    mutationFn: () => {
      const body = { ...draft, position: toApiPosition(draft.position) };
      return policy ? parley.slaPolicies.update(policy._id, body) : parley.slaPolicies.create(body);
    },
    onSuccess: (saved) => {
      onSaved(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  return (
    <Dialog
      title={policy?.name ?? texts.create}
      width="wide"
      onClose={onClose}
      actions={
        <>
          {policy && (
            <RemovePolicy
              policy={policy}
              onRemoved={() => {
                onRemoved(policy);
                onClose();
              }}
            />
          )}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {policy ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={save.error} fields={FIELDS} />
      <PolicyFields draft={draft} error={save.error} change={(next) => setDraft({ ...draft, ...next })} />
    </Dialog>
  );
}

interface PolicyFieldsProps {
  draft: Draft;
  error: unknown;
  change(next: Partial<Draft>): void;
}

function PolicyFields({ draft, error, change }: PolicyFieldsProps): ReactElement {
  const texts = useTexts(SLA_POLICIES);
  return (
    <>
      <FieldGrid>
        <TextField
          label={texts.name}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={explainField(error, 'name')}
        />
        <NumberField
          label={texts.position}
          hint={texts.positionHint}
          value={draft.position}
          onChange={(position) => change({ position })}
          error={explainField(error, 'position')}
        />
        {TARGETS.map(([field, text]) => (
          <NumberField
            key={field}
            label={texts[text]}
            hint={texts.noTarget}
            value={draft[field]}
            onChange={(minutes) => change({ [field]: minutes })}
            error={explainField(error, field)}
          />
        ))}
      </FieldGrid>
      <CheckField
        label={texts.hours}
        checked={draft.within_business_hours}
        onChange={(within_business_hours) => change({ within_business_hours })}
      />
      <PlaceFields {...{ draft, error, change }} />
    </>
  );
}

function PlaceFields({ draft, error, change }: PolicyFieldsProps): ReactElement {
  const texts = useTexts(SLA_POLICIES);
  const names = useTexts(PRIORITY_NAMES);
  const inboxes = useInboxes().filter(({ _id, status }) => status === 'ACTIVE' || draft.inboxes?.includes(_id));
  const teams = useTeams();
  return (
    <FieldGrid>
      <Choices
        label={texts.inboxes}
        options={inboxes.map(({ _id, name }) => ({ value: _id, label: name }))}
        chosen={draft.inboxes}
        onChange={(chosen) => change({ inboxes: chosen })}
        error={explainField(error, 'inboxes')}
      />
      {teams.length > 0 && (
        <Choices
          label={texts.teams}
          options={teams.map(({ _id, name }) => ({ value: _id, label: name }))}
          chosen={draft.teams}
          onChange={(chosen) => change({ teams: chosen })}
          error={explainField(error, 'teams')}
        />
      )}
      <Choices
        label={texts.priorities}
        options={[
          ...PRIORITIES.map((value) => ({ value, label: names[value] })),
          { value: 'NONE' as const, label: texts.NONE },
        ]}
        chosen={draft.priorities}
        onChange={(chosen) => change({ priorities: chosen })}
        error={explainField(error, 'priorities')}
      />
    </FieldGrid>
  );
}

function RemovePolicy({ policy, onRemoved }: { policy: SlaPolicy; onRemoved(): void }): ReactElement | null {
  const texts = useTexts(SLA_POLICIES);
  if (!useMay('inboxes:delete')) return null;
  return (
    <RemoveButton
      meaning={texts.removing}
      remove={() => parley.slaPolicies.delete(policy._id)}
      onRemoved={() => {
        showNotice(texts.removed(policy.name));
        onRemoved();
      }}
    />
  );
}
