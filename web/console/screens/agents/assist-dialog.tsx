/** Which agent writes for the users of the company, and what they can ask of it. */
import type { AssistSettings } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { showAssistSettings, useAssistSettings, type Act } from '../../records/assist.ts';
import { useAgents } from '../../records/company.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { ASSIST_SETTINGS } from './assist-texts.ts';

const ACTS: readonly Act[] = ['DRAFT', 'REWRITE', 'SUMMARIZE', 'TRANSLATE'];

export function AssistDialog({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(ASSIST_SETTINGS);
  const { data, error } = useAssistSettings();
  if (data) return <AssistForm settings={data} onClose={onClose} />;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {error ? <Failure error={error} /> : <Loading />}
    </Dialog>
  );
}

function AssistForm({ settings, onClose }: { settings: AssistSettings; onClose(): void }): ReactElement {
  const texts = useTexts(ASSIST_SETTINGS);
  const common = useTexts(COMMON);
  const isLocked = !useMay('agents:update');
  const agents = useAgents().filter(({ type }) => type === 'AI');
  const [agent, setAgent] = useState(settings.agent ?? '');
  const isOff = agents.find(({ _id }) => _id === agent)?.status === 'INACTIVE';
  // All actions are allowed when AI assist is turned on; single ones can be turned off.
  const [acts, setActs] = useState(settings.agent === null ? ACTS : settings.acts);
  const saving = useMutation({
    mutationFn: () => parley.agents.updateAssist({ agent: agent || null, acts: agent ? [...acts] : [] }),
    onSuccess: (saved) => {
      showAssistSettings(saved);
      showNotice(saved.agent === null || saved.is_available ? common.saved : texts.savedInVain);
      onClose();
    },
  });
  const toggle = (act: Act, isOn: boolean): void =>
    setActs(isOn ? [...acts, act] : acts.filter((each) => each !== act));
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      actions={
        !isLocked && (
          <Button kind="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {common.save}
          </Button>
        )
      }
    >
      <p>{texts.lead}</p>
      <FormProblem error={saving.error} fields={[]} />
      {!settings.has_model && <p role="alert">{texts.noModel}</p>}
      <SelectField
        label={texts.agent}
        hint={agents.length === 0 ? texts.noAgent : texts.agentHint}
        value={agent}
        options={[{ value: '', label: texts.off }, ...agents.map(({ _id, name }) => ({ value: _id, label: name }))]}
        onChange={setAgent}
        error={isOff ? texts.agentOff : null}
        disabled={isLocked}
      />
      {agent !== '' && (
        <div role="group" aria-label={texts.acts}>
          {acts.length === 0 && <p role="alert">{texts.noActs}</p>}
          {ACTS.map((act) => (
            <CheckField
              key={act}
              label={texts[act]}
              checked={acts.includes(act)}
              onChange={(isOn) => toggle(act, isOn)}
              disabled={isLocked}
            />
          ))}
        </div>
      )}
    </Dialog>
  );
}
