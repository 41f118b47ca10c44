import type { ReactElement, ReactNode } from 'react';
import styles from './side-by-side.module.css';

/** A form with something beside it, or below it where there is no room. */
export function SideBySide({ children }: { children: ReactNode }): ReactElement {
  return <div className={styles['sides']}>{children}</div>;
}
