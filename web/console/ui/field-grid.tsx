import type { ReactElement, ReactNode } from 'react';
import styles from './field-grid.module.css';

/** The fields of a long form, side by side where there is room. */
export function FieldGrid({ children }: { children: ReactNode }): ReactElement {
  return <div className={styles['grid']}>{children}</div>;
}
