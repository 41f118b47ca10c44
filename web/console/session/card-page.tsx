/** A page with a single card and no navigation, such as the log-in. */
import type { ReactElement, ReactNode } from 'react';
import styles from './card-page.module.css';

interface CardPageProps {
  /** The card has more than a short form. */
  isWide?: boolean;
  children: ReactNode;
}

export function CardPage({ isWide = false, children }: CardPageProps): ReactElement {
  return (
    <main className={styles['page']} data-wide={isWide}>
      <p className={styles['brand']}>
        <img src="icon.svg" width="32" height="32" alt="" /> Parley
      </p>
      <div className={styles['card']}>{children}</div>
    </main>
  );
}
