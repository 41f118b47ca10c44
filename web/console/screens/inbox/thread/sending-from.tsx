/** Names the inbox that a reply is sent from, and the time until which the network accepts one. */
import type { Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useInboxes } from '../../../records/company.ts';
import { formatShortDuration, formatWeekdayTime } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { MINUTE_MS, useMinute } from '../../../ui/minute.ts';
import { isWindowClosed } from '../window.ts';
import styles from './composer.module.css';
import { SENDING } from './sending-texts.ts';

/** With less time left than this, the time is amber. */
const SHORT_MINUTES = 120;

export function SendingFrom({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(SENDING);
  const inbox = useInboxes().find(({ _id }) => _id === conversation.inbox);
  const address = inbox && (inbox.number || inbox.email_config?.address || '');
  return (
    <div className={styles['from']}>
      {inbox && (
        <span className={styles['inbox']} title={texts.from(`${inbox.name} ${address}`.trim())}>
          <bdi>{inbox.name}</bdi>
          {address && <bdi className={styles['address']}>{address}</bdi>}
        </span>
      )}
      <WindowLeft conversation={conversation} />
    </div>
  );
}

/** The time left in which the network accepts replies. Nothing on channels without such a window. */
function WindowLeft({ conversation }: { conversation: Conversation }): ReactElement | null {
  const texts = useTexts(SENDING);
  const now = useMinute();
  const { window_expires_at } = conversation;
  if (isWindowClosed(conversation))
    return (
      <span className={styles['left']} data-level="closed">
        <Icon name="clock" size={12} />
        {texts.onlyTemplate}
      </span>
    );
  if (window_expires_at === null) return null;
  const minutes = Math.max(0, Math.floor((Date.parse(window_expires_at) - now) / MINUTE_MS));
  return (
    <span className={styles['left']} data-level={minutes < SHORT_MINUTES ? 'short' : 'long'}>
      <Icon name="clock" size={12} />
      {texts.repliesUntil(formatWeekdayTime(window_expires_at), formatShortDuration(minutes))}
    </span>
  );
}
