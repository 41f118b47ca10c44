/** The webhooks that clients of other systems have set. They are changed there; here they can be stopped and removed. */
import type { DoorWebhook } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useInbox } from '../../records/inboxes.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Details } from '../../ui/details.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';
import { showError } from '../../ui/toast.tsx';
import { forgetDoorWebhook, showDoorWebhook, useDoorWebhooks } from './door-records.ts';
import { DOOR_WEBHOOKS } from './door-texts.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

export function DoorWebhooks(): ReactElement | null {
  const texts = useTexts(DOOR_WEBHOOKS);
  const { data: webhooks = [] } = useDoorWebhooks();
  if (webhooks.length === 0) return null;
  return (
    <section className={styles['doors']} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className={styles['hint']}>{texts.lead}</p>
      {webhooks.map((webhook) => (
        <DoorWebhookCard key={webhook._id} webhook={webhook} />
      ))}
    </section>
  );
}

function DoorWebhookCard({ webhook }: { webhook: DoorWebhook }): ReactElement {
  const texts = useTexts(DOOR_WEBHOOKS);
  const words = useTexts(WEBHOOK);
  const { _id, door, inbox, url, events, status } = webhook;
  return (
    <article className={styles['summary']} aria-label={`${texts[door]}: ${url}`}>
      <Details
        layout="lines"
        items={[
          [texts.system, texts[door]],
          [texts.inbox, inbox === null ? texts.allInboxes : <InboxName id={inbox} />],
          [
            words.address,
            <>
              <span className={styles['address']}>{url}</span>{' '}
              <Badge tone={status === 'ACTIVE' ? 'good' : 'warning'}>{words[status]}</Badge>
            </>,
          ],
          [words.events, events.join(', ') || words.nothing],
        ]}
      />
      <DoorWebhookActions id={_id} isActive={status === 'ACTIVE'} />
    </article>
  );
}

function InboxName({ id }: { id: string }): ReactElement {
  const { data: inbox } = useInbox(id);
  return <>{inbox?.name ?? id}</>;
}

function DoorWebhookActions({ id, isActive }: { id: string; isActive: boolean }): ReactElement {
  const texts = useTexts(DOOR_WEBHOOKS);
  const mayUpdate = useMay('webhooks:update');
  const mayDelete = useMay('webhooks:delete');
  const change = useMutation({
    mutationFn: () => parley.doorWebhooks.update(id, { status: isActive ? 'INACTIVE' : 'ACTIVE' }),
    onSuccess: showDoorWebhook,
    onError: showError,
  });
  return (
    <div className={styles['line']}>
      {mayUpdate && (
        <Button isBusy={change.isPending} onClick={() => change.mutate()}>
          {isActive ? texts.stop : texts.resume}
        </Button>
      )}
      {mayDelete && (
        <RemoveButton
          confirmation={texts.reallyRemove}
          remove={() => parley.doorWebhooks.delete(id)}
          onRemoved={() => forgetDoorWebhook(id)}
        />
      )}
    </div>
  );
}
