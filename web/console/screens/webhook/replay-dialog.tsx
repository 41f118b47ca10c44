/** Sends the deliveries of a period once more, and shows how far that is. */
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { findBrowserZone, toMoment, toZonedTime } from '../../texts/zoned-time.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { rereadDeliveries, type EventName } from './deliveries.ts';
import { EVENT_NAMES, EVENT_TITLES } from './event-texts.ts';
import { WebhookField } from './webhook-field.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { REPLAY } from './replay-texts.ts';
import { showReplayRun, useReplay } from './replays.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

export function ReplayDialog({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(REPLAY);
  const { data: replay, error } = useReplay();
  const close = (): void => {
    rereadDeliveries();
    onClose();
  };
  if (replay) return <ReplayProgress replay={replay} onClose={close} />;
  if (replay === null) return <ReplayForm onClose={close} />;
  return (
    <Dialog title={texts.title} onClose={close}>
      {error ? <Failure error={error} /> : <Loading />}
    </Dialog>
  );
}

const STATUSES = ['FAILED', 'UNKNOWN', 'DELIVERED'] as const;
const DAY_MS = 86_400_000;

function ReplayForm({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(REPLAY);
  const words = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const titles = useTexts(EVENT_TITLES);
  const zone = findBrowserZone();
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('FAILED');
  const [event, setEvent] = useState<EventName | ''>('');
  const [webhook, setWebhook] = useState('');
  const [from, setFrom] = useState(() => toZonedTime(new Date(Date.now() - DAY_MS).toISOString(), zone));
  // The period ends after the minute that has begun, so that a delivery that has just failed is in it.
  const [to, setTo] = useState(() => toZonedTime(new Date(Date.now() + 60_000).toISOString(), zone));
  const period = { from: toMoment(from, zone), to: toMoment(to, zone) };
  const start = useMutation({
    mutationFn: () =>
      parley.webhooks.replayDeliveries({
        status,
        ...(event && { event }),
        ...(webhook && { webhook }),
        from: period.from ?? '',
        to: period.to ?? '',
      }),
    onSuccess: showReplayRun,
  });
  const { error } = start;
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            isBusy={start.isPending}
            disabled={period.from === null || period.to === null}
            onClick={() => start.mutate()}
          >
            {words.sendAgain}
          </Button>
        </>
      }
    >
      <p className={styles['hint']}>{texts.lead}</p>
      <FormProblem error={error} fields={['from', 'to']} />
      <FieldGrid>
        <SelectField
          label={words.status}
          value={status}
          options={STATUSES.map((value) => ({ value, label: words[value] }))}
          onChange={setStatus}
        />
        <SelectField
          label={words.event}
          value={event}
          options={[
            { value: '', label: words.allEvents },
            ...EVENT_NAMES.map((value) => ({ value, label: titles[value] })),
          ]}
          onChange={setEvent}
        />
        <WebhookField isOfDoor webhook={webhook} onChange={setWebhook} />
        <TextField
          label={texts.from}
          type="datetime-local"
          value={from}
          onChange={setFrom}
          error={explainField(error, 'from')}
        />
        <TextField
          label={texts.to}
          type="datetime-local"
          value={to}
          onChange={setTo}
          error={explainField(error, 'to')}
        />
      </FieldGrid>
    </Dialog>
  );
}
