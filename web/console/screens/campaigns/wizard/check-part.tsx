/** The last page of the wizard: it lists what is missing, says what will happen, and starts the campaign. */
import type { Campaign } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { showCampaign, useCampaignPreview } from '../../../records/campaigns.ts';
import { useInboxes } from '../../../records/company.ts';
import { useMay } from '../../../session/session.ts';
import { formatMoment, formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Details } from '../../../ui/details.tsx';
import { AudienceCount } from './audience-count.tsx';
import { FirstMessages } from './first-messages.tsx';
import { StartLead } from './start-lead.tsx';
import { findPart, findStep, type PartProps } from './parts.ts';
import { TestButton } from './test-dialog.tsx';
import { WIZARD } from './texts.ts';
import styles from './wizard.module.css';

export function CheckPart({ stored, onOpen }: PartProps): ReactElement {
  const texts = useTexts(WIZARD);
  const { data: preview, isFetching } = useCampaignPreview(stored);
  const [isAsked, ask] = useState(false);
  const may = useMay('campaigns:update');
  const problems = preview?.problems ?? [];
  const { steps, scheduled_at } = stored;
  const name = (path: string): string => {
    const step = findStep(path);
    return step === null ? texts[findPart(path)] : texts.message(step + 1);
  };
  const action = scheduled_at === null ? texts.start : texts.scheduleIt;
  return (
    <>
      {problems.length > 0 && (
        <section className={styles['missing']} role="alert">
          <h3>{texts.missing}</h3>
          <ul>
            {problems.map(({ path, code, message }) => (
              <li key={`${path} ${code}`}>
                {path.startsWith('steps') && steps.length === 0 ? texts.noMessage : `${name(path)}: ${message}`}{' '}
                <Button kind="quiet" onClick={() => onOpen(findPart(path))}>
                  {texts.mend(texts[findPart(path)])}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Summary campaign={stored} />
      <AudienceCount campaign={stored} />
      <FirstMessages campaign={stored} />
      <div className={styles['start']}>
        {may && (
          <Button kind="primary" icon="play" disabled={isFetching || problems.length > 0} onClick={() => ask(true)}>
            {action}
          </Button>
        )}
        {steps[0] && <TestButton inbox={stored.inbox} template={steps[0].template} title={texts.message(1)} />}
      </div>
      {isAsked && (
        <ConfirmDialog
          title={texts.startTitle(stored.name)}
          lead={<StartLead campaign={stored} />}
          action={action}
          act={() => parley.campaigns.start(stored._id)}
          onDone={showCampaign}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

function Summary({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(WIZARD);
  const inbox = useInboxes().find(({ _id }) => _id === campaign.inbox);
  const { steps, scheduled_at, sending_hours: hours, messages_per_minute, error_threshold } = campaign;
  return (
    <Details
      items={[
        [texts.inbox, inbox?.name ?? null],
        [texts.messages, steps.length > 0 ? steps.map(({ template }) => template.name).join(', ') : null],
        [texts.beginsAt, scheduled_at === null ? texts.atOnce : formatMoment(scheduled_at)],
        hours !== null && [texts.hasHours, `${hours.from}–${hours.to}`],
        [texts.messages_per_minute, messages_per_minute && formatNumber(messages_per_minute)],
        [texts.error_threshold, error_threshold && `${error_threshold} %`],
      ]}
    />
  );
}
