/** The webhook: where the platform reports what happens, and the log of its deliveries. */
import { useState, type ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { DoorWebhooks } from './door-webhooks.tsx';
import { WEBHOOK } from './texts.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useWebhook } from './webhook-record.ts';
import { WebhookSummary } from './webhook-summary.tsx';
import styles from './webhook.module.css';

export function WebhookScreen(): ReactElement {
  const texts = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const names = useTexts(SCREEN_NAMES);
  const mayCreate = useMay('webhooks:create');
  const mayUpdate = useMay('webhooks:update');
  const [isEdited, edit] = useState(false);
  const { data: webhook, error, isPending, refetch } = useWebhook();
  const may = webhook ? mayUpdate : mayCreate;
  const change = may && (
    <Button kind="primary" icon={webhook ? 'edit' : 'plus'} onClick={() => edit(true)}>
      {webhook ? common.edit : texts.setUp}
    </Button>
  );
  return (
    <Page title={names.webhook} lead={texts.lead} actions={webhook && change}>
      {isPending && <Loading />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {webhook !== undefined && (
        <div className={styles['screen']}>
          <div className={styles['settings']}>
            {webhook ? (
              <WebhookSummary webhook={webhook} />
            ) : (
              <Empty icon="webhook" title={texts.none}>
                {change}
              </Empty>
            )}
            <DoorWebhooks />
          </div>
          <DeliveryLog />
        </div>
      )}
      {isEdited && <WebhookDialog webhook={webhook ?? null} onClose={() => edit(false)} />}
    </Page>
  );
}
