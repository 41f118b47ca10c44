/** How many records are selected, and what can be done with them. */
import type { ReactElement, ReactNode } from 'react';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { IconButton } from '../button.tsx';
import styles from './bulk.module.css';
import type { Selection } from './selection.ts';
import { BULK } from './texts.ts';

interface SelectionFrameProps {
  selection: Selection<{ _id: string }>;
  /** How many records match; null while that is not known. */
  total: number | null;
  /** The buttons. */
  actions: ReactNode;
  children?: ReactNode;
}

export function SelectionFrame({ selection, total, actions, children }: SelectionFrameProps): ReactElement {
  const texts = useTexts(BULK);
  const { items, isAll, clear, selectAll } = selection;
  const count = isAll ? total : items.length;
  const selected = count === null ? texts.uncounted : texts.selected(formatNumber(count));
  return (
    <section className={styles['bar']} aria-label={selected} data-bulk>
      <div className={styles['selection']}>
        <span role="status">{selected}</span>
        {!isAll && total !== null && total > items.length && (
          <button type="button" className={styles['all']} onClick={selectAll}>
            {texts.selectAll(formatNumber(total))}
          </button>
        )}
        <div className={styles['actions']}>{actions}</div>
        <span className={styles['end']}>
          <IconButton icon="close" label={texts.clear} onClick={clear} />
        </span>
      </div>
      {children}
    </section>
  );
}
