/** What is known of a record: names and values. */
import type { ReactElement, ReactNode } from 'react';
import styles from './details.module.css';

/** Null is shown as a dash, and false leaves the value out. Values whose names may be the same have a key. */
export type Detail = readonly [name: string, value: ReactNode, key?: string] | false;

interface DetailsProps {
  items: readonly Detail[];
  /** In a grid, each value stands below its name; in lines, beside it. */
  layout?: 'grid' | 'lines';
}

export function Details({ items, layout = 'grid' }: DetailsProps): ReactElement {
  return (
    <dl className={styles[layout]}>
      {items.map(
        (item) =>
          item && (
            <div key={item[2] ?? item[0]}>
              <dt className={styles['name']} dir="auto">
                {item[0]}
              </dt>
              <dd className={styles['value']} dir="auto">
                {item[1] ?? '–'}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
