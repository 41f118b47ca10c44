/** Whether the old messages of the phone that shares its number with the inbox are coming. */
import type { Inbox } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatMoment, formatShare } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import styles from '../inboxes.module.css';
import { HISTORY_STATES, PHONE_HISTORY } from './texts.ts';

type History = NonNullable<Inbox['history']>;

const TONES: Record<History['status'], Tone> = {
  REQUESTED: 'plain',
  RECEIVING: 'plain',
  COMPLETE: 'good',
  DECLINED: 'warning',
  NONE: 'warning',
  FAILED: 'danger',
};

export function PhoneHistory({ history }: { history: History }): ReactElement {
  const texts = useTexts(PHONE_HISTORY);
  const states = useTexts(HISTORY_STATES);
  const { status, progress, error, requested_at, updated_at } = history;
  const shown = status === 'REQUESTED' && requested_at === null ? 'REQUESTING' : status;
  return (
    <section className={styles['check']} aria-label={texts.title}>
      <p>
        <strong>{texts.title}</strong> <Badge tone={TONES[status]}>{states[shown]}</Badge>
      </p>
      <p>
        {shown === 'RECEIVING' ? texts.RECEIVING(formatShare(progress / 100)) : texts[shown]} {error}
      </p>
      {status === 'RECEIVING' && (
        <progress className={styles['progress']} aria-label={texts.title} max={100} value={progress} />
      )}
      <p className={styles['hint']}>{texts.since(formatMoment(updated_at))}</p>
    </section>
  );
}
