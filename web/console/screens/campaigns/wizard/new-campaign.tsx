/** Begins a campaign: from its name and inbox on, it is a draft at the platform. */
import type { Campaign } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showCampaign } from '../../../records/campaigns.ts';
import { useCompanyZone } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { explainField } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { CAMPAIGNS } from '../texts.ts';
import { useTemplateInboxes } from '../../../ui/templates/template-inboxes.ts';
import { WIZARD } from './texts.ts';

interface NewCampaignProps {
  onClose(created: Campaign | null): void;
}

export function NewCampaign({ onClose }: NewCampaignProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const inboxes = useTemplateInboxes();
  const time_zone = useCompanyZone();
  const [name, setName] = useState('');
  const [chosen, choose] = useState('');
  const inbox = chosen || (inboxes[0]?.value ?? '');
  const create = useMutation({
    mutationFn: () => parley.campaigns.create({ name, inbox, time_zone, error_threshold: USUAL_THRESHOLD }),
    onSuccess: (created) => {
      showCampaign(created);
      onClose(created);
    },
  });
  return (
    <Dialog
      title={useTexts(CAMPAIGNS).newCampaign}
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onClick={() => onClose(null)}>{common.cancel}</Button>
          <Button kind="primary" disabled={inbox === ''} isBusy={create.isPending} onClick={() => create.mutate()}>
            {common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={create.error} fields={['name', 'inbox']} />
      <TextField label={texts.name} value={name} onChange={setName} error={explainField(create.error, 'name')} />
      <SelectField<string>
        label={texts.inbox}
        hint={inboxes.length === 0 ? texts.noInbox : undefined}
        value={inbox}
        options={inboxes}
        onChange={choose}
        error={explainField(create.error, 'inbox')}
      />
    </Dialog>
  );
}

/** A campaign of which every third message fails is stopped, unless somebody wants it otherwise. */
const USUAL_THRESHOLD = 30;
