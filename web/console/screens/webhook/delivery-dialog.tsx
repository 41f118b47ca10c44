/** One delivery: what was sent, what came back, and the way to send it again. */
import type { WebhookDelivery } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { formatMoment, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { showReplay } from './deliveries.ts';
import { DELIVERY_ERRORS, explainDelivery } from './delivery-texts.ts';
import { useDoorWebhooks } from './door-records.ts';
import { DOOR_WEBHOOKS } from './door-texts.ts';
import { EVENT_TITLES } from './event-texts.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

interface DeliveryDialogProps {
  delivery: WebhookDelivery;
  onClose(): void;
}

export function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps): ReactElement {
  const texts = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const titles = useTexts(EVENT_TITLES);
  const mayReplay = useMay('webhooks:update');
  const replay = useMutation({
    mutationFn: () => parley.webhooks.replayDelivery(delivery._id),
    onSuccess: (repeated) => {
      showReplay(repeated);
      showNotice(texts.replayed);
      onClose();
    },
    onError: showError,
  });
  const { body, response_body } = delivery;
  const isErased = body['redacted'] === true;
  return (
    <Dialog
      title={titles[delivery.event]}
      width="wide"
      onClose={onClose}
      actions={
        <>
          {mayReplay && !isErased && (
            <Button icon="refresh" isBusy={replay.isPending} onClick={() => replay.mutate()}>
              {texts.sendAgain}
            </Button>
          )}
          <Button onClick={onClose}>{common.close}</Button>
        </>
      }
    >
      <DeliveryFacts delivery={delivery} />
      <h3>{texts.sent}</h3>
      {isErased && <p className={styles['hint']}>{texts.erased}</p>}
      <Code label={texts.sent} text={JSON.stringify(body, null, 2)} />
      {response_body !== null && response_body !== '' && (
        <>
          <h3>{texts.answer}</h3>
          <Code label={texts.answer} text={toReadable(response_body)} />
        </>
      )}
    </Dialog>
  );
}

function DeliveryFacts({ delivery }: { delivery: WebhookDelivery }): ReactElement {
  const texts = useTexts(WEBHOOK);
  const errors = useTexts(DELIVERY_ERRORS);
  const doors = useTexts(DOOR_WEBHOOKS);
  const { data: webhooks = [] } = useDoorWebhooks();
  const { form, webhook } = delivery;
  const { _id, event, status, queued_at, attempted_at, response_status, response_ms, replay_of, error } = delivery;
  const cause = explainDelivery(delivery, errors);
  return (
    <Details
      layout="lines"
      items={[
        [texts.status, texts[status]],
        cause !== null && [texts.cause, `${cause} (${error})`],
        response_status !== null && [texts.httpStatus, response_status],
        response_ms !== null && [texts.took, `${formatNumber(response_ms)} ms`],
        [texts.event, <code>{event}</code>],
        form !== null && [doors.form, <code>{form}</code>],
        form !== null && [doors.webhook, webhooks.find((each) => each._id === webhook)?.url ?? <code>{webhook}</code>],
        [texts.queuedAt, formatMoment(queued_at)],
        attempted_at !== null && [texts.attemptedAt, formatMoment(attempted_at)],
        [texts.delivery, <code>{_id}</code>],
        replay_of !== null && [texts.replayOf, <code>{replay_of}</code>],
      ]}
    />
  );
}

/** It can be scrolled, so it can be focused by the keyboard. */
function Code({ label, text }: { label: string; text: string }): ReactElement {
  return (
    <pre className={styles['code']} role="region" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

/** Indents an answer that is JSON; any other answer stays as it is. */
function toReadable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Failure policy: a receiver answers what it likes, and only the first 4 kB of it are kept.
    return text;
  }
}
