/** What became of a message that was sent: a clock, one tick, two ticks, coloured ticks, or a warning. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import styles from './message.module.css';
import { THREAD } from './texts.ts';

const TICKS = {
  SENT: 'M2 12l5 5L17 6',
  DELIVERED: 'M2 12l5 5L17 6M10 16l1 1L22 6',
  READ: 'M2 12l5 5L17 6M10 16l1 1L22 6',
};

export function MessageStatus({ message: { status } }: { message: Message }): ReactElement {
  const texts = useTexts(THREAD);
  return (
    <span className={styles['status']} data-status={status} title={texts[status]} role="img" aria-label={texts[status]}>
      {status in TICKS ? (
        <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
          <path d={TICKS[status as keyof typeof TICKS]} />
        </svg>
      ) : (
        <Icon name={status === 'FAILED' ? 'warning' : 'clock'} size={14} />
      )}
    </span>
  );
}
