/** What the webhook is set to. */
import type { Webhook } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Details } from '../../ui/details.tsx';
import { EVENT_NAMES, EVENT_TITLES } from './event-texts.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

export function WebhookSummary({ webhook }: { webhook: Webhook }): ReactElement {
  const texts = useTexts(WEBHOOK);
  const titles = useTexts(EVENT_TITLES);
  const { url, status, events, custom_headers } = webhook;
  const headers = Object.keys(custom_headers);
  return (
    <section className={styles['summary']} aria-label={texts.settings}>
      <Details
        layout="lines"
        items={[
          [
            texts.address,
            <>
              <span className={styles['address']}>{url}</span>{' '}
              <Badge tone={status === 'ACTIVE' ? 'good' : 'warning'}>{texts[status]}</Badge>
            </>,
          ],
          [
            texts.events,
            events.length === EVENT_NAMES.length ? texts.all : events.map((event) => titles[event]).join(', '),
          ],
          headers.length > 0 && [texts.headers, headers.map((name) => `${name}: ••••••`).join(', ')],
        ]}
      />
    </section>
  );
}
