import type { ReactElement, ReactNode } from 'react';
import styles from './list-screen.module.css';

interface ListScreenProps {
  /** What stands above the list: its search and its filters. */
  tools: ReactNode;
  children: ReactNode;
}

/** A list that fills the screen, below its search and its filters. */
export function ListScreen({ tools, children }: ListScreenProps): ReactElement {
  return (
    <div className={styles['screen']}>
      <div className={styles['tools']}>{tools}</div>
      <div className={styles['list']}>{children}</div>
    </div>
  );
}
