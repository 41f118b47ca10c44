/** How many contacts have got a message, and what became of the others. */
import type { CampaignAnalytics } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { countParts, PARTS } from './parts.ts';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

export function Progress({ numbers }: { numbers: CampaignAnalytics }): ReactElement {
  const texts = useTexts(REPORT);
  const { total_contacts: total, sent } = numbers;
  const parts = countParts(numbers);
  return (
    <>
      <p className={styles['words']} role="status">
        {texts.sentTo(formatNumber(sent), formatNumber(total))}
      </p>
      <div className={styles['bar']} aria-hidden="true">
        {PARTS.map((part) => (
          <span key={part} data-part={part} style={{ flexGrow: parts[part] }} />
        ))}
      </div>
      <ul className={styles['legend']}>
        {PARTS.filter((part) => part === 'sent' || parts[part] > 0).map((part) => (
          <li key={part}>
            <span className={styles['spot']} data-part={part} aria-hidden="true" />
            {texts[part]}: {formatNumber(parts[part])}
          </li>
        ))}
      </ul>
      {parts.unknown > 0 && <p className={styles['note']}>{texts.unknownHint}</p>}
    </>
  );
}
