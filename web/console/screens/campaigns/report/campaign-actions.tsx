/** What somebody can do with a campaign as a whole, as far as its state allows it. */
import type { Campaign, CampaignCreate } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../../client.ts';
import { forgetCampaign, showCampaign } from '../../../records/campaigns.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { RemoveDialog } from '../../../ui/remove-dialog.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { StartLead } from '../wizard/start-lead.tsx';
import { listSteps } from '../wizard/steps.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { REPORT } from './texts.ts';

type Asked = 'START' | 'CANCEL' | 'REMOVE' | 'CHANGE';

const ENDED: readonly Campaign['status'][] = ['COMPLETED', 'CANCELLED', 'FAILED'];

export function CampaignActions({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(REPORT);
  const common = useTexts(COMMON);
  const mayChange = useMay('campaigns:update');
  const mayCreate = useMay('campaigns:create');
  const mayRemove = useMay('campaigns:delete');
  const [asked, ask] = useState<Asked | null>(null);
  const { status, started_at } = campaign;
  const isUnderWay = status !== 'DRAFT' && !ENDED.includes(status);
  return (
    <>
      {mayChange && <PauseButtons campaign={campaign} />}
      {mayChange && status === 'SCHEDULED' && (
        <Button icon="play" onClick={() => ask('START')}>
          {texts.startNow}
        </Button>
      )}
      {mayChange && isUnderWay && (
        <Button icon="stop" onClick={() => ask('CANCEL')}>
          {texts.cancel}
        </Button>
      )}
      {mayChange && isUnderWay && (
        <Button icon="edit" onClick={() => ask('CHANGE')}>
          {common.edit}
        </Button>
      )}
      {mayCreate && <CopyButton campaign={campaign} />}
      {mayRemove && started_at === null && (
        <Button icon="remove" onClick={() => ask('REMOVE')}>
          {common.remove}
        </Button>
      )}
      {asked !== null && <Question campaign={campaign} asked={asked} onClose={() => ask(null)} />}
    </>
  );
}

/** Makes a draft with the same contacts and messages, and opens it. */
function CopyButton({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(REPORT);
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  const copy = useMutation({
    mutationFn: () => parley.campaigns.create(copyCampaign(campaign, texts.copyOf(campaign.name))),
    onSuccess: (created) => {
      showCampaign(created);
      navigate(`/${created._id}`);
    },
    onError: showError,
  });
  return (
    <Button icon="copy" isBusy={copy.isPending} onClick={() => copy.mutate()}>
      {common.copy}
    </Button>
  );
}

/** As long as the API lets a name be. */
const MOST_LETTERS = 200;

/** Returns what a copy is made of: everything but the time, which has passed by then. */
function copyCampaign(campaign: Campaign, name: string): CampaignCreate {
  const { description, inbox, audience, agent, owner, messages_per_minute, time_zone } = campaign;
  const { sending_hours, error_threshold, stop_on_reply, send_to_active_conversations } = campaign;
  const options = { messages_per_minute, time_zone, sending_hours, error_threshold, stop_on_reply };
  const steps = listSteps(campaign);
  const rest = { description, inbox, audience, agent, owner, steps, ...options, send_to_active_conversations };
  return { name: name.slice(0, MOST_LETTERS), ...rest };
}

/** Pausing and resuming can be taken back, so they happen at once. */
function PauseButtons({ campaign: { _id, status, pause_reason } }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(REPORT);
  const change = useMutation({
    mutationFn: (verb: 'pause' | 'resume') => parley.campaigns[verb](_id),
    onSuccess: showCampaign,
    onError: showError,
  });
  const isPaused = status === 'PAUSED';
  // What waits for the network goes on by itself, unless somebody pauses it.
  const canPause = status === 'RUNNING' || status === 'SCHEDULED' || (isPaused && pause_reason === 'NETWORK_LIMIT');
  return (
    <>
      {isPaused && (
        <Button kind="primary" icon="play" isBusy={change.isPending} onClick={() => change.mutate('resume')}>
          {texts.resume}
        </Button>
      )}
      {canPause && (
        <Button icon="pause" isBusy={change.isPending} onClick={() => change.mutate('pause')}>
          {texts.pause}
        </Button>
      )}
    </>
  );
}

interface QuestionProps {
  campaign: Campaign;
  asked: Asked;
  onClose(): void;
}

function Question({ campaign, asked, onClose }: QuestionProps): ReactElement {
  const { _id, name } = campaign;
  const texts = useTexts(REPORT);
  const [, navigate] = useLocation();
  const onDone = (changed: Campaign): void => {
    showCampaign(changed);
    onClose();
  };
  if (asked === 'CHANGE') return <SettingsDialog campaign={campaign} onClose={onClose} />;
  if (asked === 'REMOVE') {
    const forget = (): void => {
      navigate('/');
      forgetCampaign(_id);
    };
    const lead = texts.removeLead;
    const remove = (): Promise<Campaign> => parley.campaigns.delete(_id);
    return <RemoveDialog title={texts.removeTitle(name)} onRemoved={forget} {...{ lead, remove, onClose }} />;
  }
  return asked === 'START' ? (
    <ConfirmDialog
      title={texts.startTitle(name)}
      lead={
        <>
          <p>{texts.startLead}</p>
          <StartLead campaign={{ ...campaign, scheduled_at: null }} />
        </>
      }
      action={texts.startNow}
      act={() => parley.campaigns.start(_id)}
      {...{ onDone, onClose }}
    />
  ) : (
    <ConfirmDialog
      title={texts.cancelTitle(name)}
      lead={texts.cancelLead}
      action={texts.cancel}
      isDangerous
      act={() => parley.campaigns.cancel(_id)}
      {...{ onDone, onClose }}
    />
  );
}
