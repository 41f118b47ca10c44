import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import styles from './unread-badge.module.css';

/** More are not counted for people. */
const MOST = 99;

/** How many messages of a conversation nobody has read; nothing when there is none. */
export function UnreadBadge({ count }: { count: number }): ReactElement | null {
  const texts = useTexts(COMMON);
  return <CountBadge count={count} label={texts.unread(count)} />;
}

/** A number that waits for the user; nothing when it is 0. */
export function CountBadge({ count, label }: { count: number; label: string }): ReactElement | null {
  if (count === 0) return null;
  return (
    <span className={styles['unread']} aria-label={label}>
      {count > MOST ? `${MOST}+` : count}
    </span>
  );
}
