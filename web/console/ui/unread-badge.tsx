import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import styles from './unread-badge.module.css';

/** More are not counted for people. */
const MOST = 99;

/** How many messages of a conversation nobody has read; nothing when there is none. */
export function UnreadBadge({ count }: { count: number }): ReactElement | null {
  const texts = useTexts(COMMON);
  if (count === 0) return null;
  return (
    <span className={styles['unread']} aria-label={texts.unread(count)}>
      {count > MOST ? `${MOST}+` : count}
    </span>
  );
}
