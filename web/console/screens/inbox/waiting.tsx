/** How long the contact of a conversation has waited for an answer. */
import type { ReactElement } from 'react';
import { formatMoment, formatShortDuration } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { MINUTE_MS, useMinute } from '../../ui/minute.ts';
import { INBOX } from './texts.ts';
import styles from './waiting.module.css';

/** From here on, the waiting time is amber, and then red. */
const LONG_MINUTES = 30;
const TOO_LONG_MINUTES = 120;

const findLevel = (minutes: number): string => {
  if (minutes < LONG_MINUTES) return 'short';
  return minutes < TOO_LONG_MINUTES ? 'long' : 'too-long';
};

export function Waiting({ since }: { since: string }): ReactElement {
  const texts = useTexts(INBOX);
  const minutes = Math.max(0, Math.floor((useMinute() - Date.parse(since)) / MINUTE_MS));
  return (
    <span className={styles['waiting']} data-level={findLevel(minutes)} title={texts.waitingSince(formatMoment(since))}>
      <Icon name="clock" size={12} />
      <span className="unseen">{texts.waiting} </span>
      <time dateTime={since}>{formatShortDuration(minutes)}</time>
    </span>
  );
}
