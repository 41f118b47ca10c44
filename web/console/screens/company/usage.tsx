/** How much of its storage the company uses. */
import type { Company } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatBytes, formatShare } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import styles from './company.module.css';
import { COMPANY } from './texts.ts';

/** From this share on the limit is near enough to act. */
const NEARLY_FULL = 0.9;

export function Usage({ usage: { stored_bytes: stored, allowed_bytes: allowed } }: Company): ReactElement {
  const texts = useTexts(COMPANY);
  if (allowed === null)
    return (
      <dl className={styles['usage']}>
        <dt>{texts.records}</dt>
        <dd>{texts.noLimit(formatBytes(stored))}</dd>
      </dl>
    );
  const share = allowed === 0 ? 1 : stored / allowed;
  const amount = texts.used(formatBytes(stored), formatBytes(allowed), formatShare(share));
  return (
    <div className={styles['usage']}>
      <p>{texts.records}</p>
      <p className={styles['amount']}>{amount}</p>
      <div
        className={styles['meter']}
        role="meter"
        aria-label={texts.records}
        aria-valuemin={0}
        aria-valuemax={allowed}
        aria-valuenow={Math.min(stored, allowed)}
        aria-valuetext={amount}
        data-state={share >= 1 ? 'full' : share >= NEARLY_FULL ? 'near' : 'free'}
      >
        <span style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </div>
      {share >= 1 && <p className={styles['problem']}>{texts.full}</p>}
      {share < 1 && share >= NEARLY_FULL && <p className={styles['advice']}>{texts.nearlyFull}</p>}
    </div>
  );
}
