import type { ReactElement, ReactNode } from 'react';
import styles from './badge.module.css';

/** `ai` is for what an agent wrote or does. */
export type Tone = 'plain' | 'good' | 'warning' | 'danger' | 'ai';

/** A word about the state of a record. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }): ReactElement {
  return (
    <span className={`${styles['badge']} ${styles[tone]}`} dir="auto">
      {children}
    </span>
  );
}
