import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import styles from './stars.module.css';
import { COMMON } from './texts.ts';

const MOST = 5;

/** A rating from 1 to 5. */
export function Stars({ score }: { score: number }): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <span className={styles['stars']} role="img" aria-label={texts.ofFive(score)} title={texts.ofFive(score)}>
      {'★'.repeat(score)}
      <span className={styles['rest']}>{'★'.repeat(MOST - score)}</span>
    </span>
  );
}
