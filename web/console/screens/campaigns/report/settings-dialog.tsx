/** Changes what may be changed of a campaign that was started: its name, its hours and its pace. */
import type { Campaign, CampaignUpdate } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showCampaign } from '../../../records/campaigns.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { HoursFields } from '../wizard/hours-fields.tsx';
import { PaceFields } from '../wizard/pace-fields.tsx';
import { WIZARD } from '../wizard/texts.ts';
import { REPORT } from './texts.ts';

interface SettingsDialogProps {
  campaign: Campaign;
  onClose(): void;
}

const FIELDS = ['name', 'sending_hours', 'messages_per_minute', 'error_threshold'];

export function SettingsDialog({ campaign, onClose }: SettingsDialogProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const [changes, setChanges] = useState<CampaignUpdate>({});
  const save = useMutation({
    mutationFn: () => parley.campaigns.update(campaign._id, changes),
    onSuccess: (saved) => {
      showCampaign(saved);
      onClose();
    },
  });
  const shown = { ...campaign, ...changes } as Campaign;
  const kept = { error: save.error, change: (next: CampaignUpdate) => setChanges({ ...changes, ...next }) };
  return (
    <Dialog
      title={useTexts(REPORT).settings}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {common.save}
          </Button>
        </>
      }
    >
      <FormProblem error={save.error} fields={FIELDS} />
      <TextField
        label={texts.name}
        value={shown.name}
        onChange={(name) => kept.change({ name })}
        error={explainField(save.error, 'name')}
      />
      <HoursFields shown={shown} kept={kept} />
      <PaceFields shown={shown} kept={kept} />
      {campaign.steps.length > 1 && (
        <CheckField
          label={texts.stopOnReply}
          checked={shown.stop_on_reply}
          onChange={(stop_on_reply) => kept.change({ stop_on_reply })}
        />
      )}
    </Dialog>
  );
}
