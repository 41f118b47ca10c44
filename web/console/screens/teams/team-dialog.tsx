/** Creates a team, changes it, or removes it. */
import type { Team } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useUsers } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ChoicesField } from '../../ui/choices-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { explainField } from '../../ui/problem.ts';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { forgetTeam, showTeam } from './team-list.ts';
import { TEAMS } from './texts.ts';

const DISTRIBUTIONS = ['MANUAL', 'ROUND_ROBIN', 'LEAST_LOADED'] as const;
const FIELDS = ['name', 'description', 'distribution', 'capacity'];

interface TeamDialogProps {
  /** Null creates a new team. */
  team: Team | null;
  onClose(): void;
}

export function TeamDialog({ team, onClose }: TeamDialogProps): ReactElement {
  const texts = useTexts(TEAMS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(team?.name ?? '');
  const [description, setDescription] = useState(team?.description ?? '');
  const [distribution, setDistribution] = useState<Team['distribution']>(team?.distribution ?? 'MANUAL');
  const [capacity, setCapacity] = useState(team?.capacity ?? null);
  const [members, setMembers] = useState<readonly string[]>(team?.members ?? []);
  const users = useUsers().filter(({ _id, status }) => status !== 'INACTIVE' || members.includes(_id));
  const save = useMutation({
    mutationFn: () => {
      const body = { name, description: description.trim() || null, distribution, capacity, members: [...members] };
      return team ? parley.teams.update(team._id, body) : parley.teams.create(body);
    },
    onSuccess: (saved) => {
      showTeam(saved);
      showNotice(common.saved);
      onClose();
    },
  });
  const { error } = save;
  return (
    <Dialog
      title={team?.name ?? texts.create}
      onClose={onClose}
      actions={
        <>
          {team && <RemoveTeam team={team} onRemoved={onClose} />}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {team ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={error} fields={FIELDS} />
      <TextField label={texts.name} value={name} onChange={setName} error={explainField(error, 'name')} />
      <TextField
        label={texts.description}
        value={description}
        onChange={setDescription}
        error={explainField(error, 'description')}
      />
      <ChoicesField label={texts.members} options={users} chosen={members} onChange={setMembers} />
      <SelectField
        label={texts.distribution}
        hint={texts[`${distribution}_HINT`]}
        value={distribution}
        options={DISTRIBUTIONS.map((value) => ({ value, label: texts[value] }))}
        onChange={setDistribution}
        error={explainField(error, 'distribution')}
      />
      {distribution !== 'MANUAL' && (
        <NumberField
          label={texts.capacity}
          hint={texts.capacityHint}
          value={capacity}
          onChange={setCapacity}
          error={explainField(error, 'capacity')}
        />
      )}
    </Dialog>
  );
}

function RemoveTeam({ team, onRemoved }: { team: Team; onRemoved(): void }): ReactElement | null {
  const texts = useTexts(TEAMS);
  if (!useMay('users:delete')) return null;
  return (
    <RemoveButton
      remove={() => parley.teams.delete(team._id)}
      onRemoved={() => {
        forgetTeam(team._id);
        showNotice(texts.removed(team.name));
        onRemoved();
      }}
    />
  );
}
