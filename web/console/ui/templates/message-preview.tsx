import type { ReactElement } from 'react';
import styles from './templates.module.css';

/** A message as its contact will read it. */
export function MessagePreview({ text }: { text: string }): ReactElement {
  return (
    <p className={styles['preview']} dir="auto">
      {text}
    </p>
  );
}
