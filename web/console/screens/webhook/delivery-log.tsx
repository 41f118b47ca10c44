/** What was delivered and what was not, with filters. */
import type { WebhookDelivery } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useMay } from '../../session/session.ts';
import { formatListed, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { RecordList, type Column } from '../../ui/record-list.tsx';
import { Empty } from '../../ui/state.tsx';
import { rereadDeliveries, useDeliveries, type DeliveryStatus, type EventName } from './deliveries.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DELIVERY_ERRORS, explainDelivery } from './delivery-texts.ts';
import { DOOR_WEBHOOKS } from './door-texts.ts';
import { EVENT_NAMES, EVENT_TITLES } from './event-texts.ts';
import { WebhookField } from './webhook-field.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { REPLAY } from './replay-texts.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

const STATUSES = ['QUEUED', 'SENDING', 'DELIVERED', 'FAILED', 'UNKNOWN'] as const;

export function DeliveryLog(): ReactElement {
  const texts = useTexts(WEBHOOK);
  const titles = useTexts(EVENT_TITLES);
  const [event, setEvent] = useState<EventName | ''>('');
  const [status, setStatus] = useState<DeliveryStatus | ''>('');
  const replayTexts = useTexts(REPLAY);
  const mayReplay = useMay('webhooks:update');
  const [isReplaying, replay] = useState(false);
  const [open, setOpen] = useState<WebhookDelivery | null>(null);
  const [webhook, setWebhook] = useState('');
  const feed = useDeliveries({
    event: event || undefined,
    status: status || undefined,
    webhook: webhook || undefined,
  });
  const columns = useColumns();
  return (
    <>
      <div className={styles['filters']}>
        <h2>{texts.log}</h2>
        <SelectField
          label={texts.event}
          value={event}
          options={[
            { value: '', label: texts.allEvents },
            ...EVENT_NAMES.map((value) => ({ value, label: titles[value] })),
          ]}
          onChange={setEvent}
        />
        <SelectField
          label={texts.status}
          value={status}
          options={[
            { value: '', label: texts.allStatuses },
            ...STATUSES.map((value) => ({ value, label: texts[value] })),
          ]}
          onChange={setStatus}
        />
        <WebhookField webhook={webhook} onChange={setWebhook} />
        <Button icon="refresh" onClick={rereadDeliveries}>
          {texts.refresh}
        </Button>
        {mayReplay && (
          <Button icon="send" onClick={() => replay(true)}>
            {replayTexts.title}
          </Button>
        )}
      </div>
      <div className={styles['log']}>
        <RecordList
          label={texts.log}
          feed={feed}
          columns={columns}
          below={({ queued_at }) => formatListed(queued_at)}
          empty={<Empty icon="send" title={texts.nothingDelivered} />}
          onOpen={setOpen}
        />
      </div>
      {isReplaying && <ReplayDialog onClose={() => replay(false)} />}
      {open && <DeliveryDialog delivery={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const TONES: Record<DeliveryStatus, Tone> = {
  QUEUED: 'plain',
  SENDING: 'plain',
  DELIVERED: 'good',
  FAILED: 'danger',
  UNKNOWN: 'warning',
};

function useColumns(): Column<WebhookDelivery>[] {
  const texts = useTexts(WEBHOOK);
  const titles = useTexts(EVENT_TITLES);
  const errors = useTexts(DELIVERY_ERRORS);
  const doors = useTexts(DOOR_WEBHOOKS);
  return [
    {
      key: 'event',
      title: texts.event,
      width: 'minmax(150px, 2fr)',
      render: ({ event, form, replay_of }) =>
        [titles[event], form && ` · ${form}`, replay_of && ` (${texts.replay})`].filter(Boolean).join(''),
    },
    {
      key: 'at',
      title: texts.queuedAt,
      width: '180px',
      isSecondary: true,
      render: ({ queued_at }) => formatListed(queued_at),
    },
    {
      key: 'answer',
      title: texts.answer,
      width: 'minmax(120px, 2fr)',
      isSecondary: true,
      render: (delivery) =>
        explainDelivery(delivery, errors) ??
        delivery.response_status ??
        (delivery.status === 'DELIVERED' ? doors.nothingSent : '–'),
    },
    {
      key: 'took',
      title: texts.took,
      width: '90px',
      isSecondary: true,
      render: ({ response_ms }) => (response_ms === null ? '–' : `${formatNumber(response_ms)} ms`),
    },
    {
      key: 'status',
      title: texts.status,
      width: '120px',
      render: ({ status }) => <Badge tone={TONES[status]}>{texts[status]}</Badge>,
    },
  ];
}
