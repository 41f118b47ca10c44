/** How many contacts have got a message, and what became of the others. */
import type { CampaignAnalytics } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

const PARTS = ['sent', 'failed', 'skipped', 'cancelled', 'unknown', 'pending'] as const;
type Parts = Record<(typeof PARTS)[number], number>;

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

const ENDED: readonly CampaignAnalytics['status'][] = ['COMPLETED', 'CANCELLED', 'FAILED'];

/** Once a campaign is over nobody waits any more: the network has not said what became of their messages. */
function countParts(numbers: CampaignAnalytics): Parts {
  if ('unknown' in numbers) return numbers as CampaignAnalytics & Parts;
  const { pending, status } = numbers;
  return ENDED.includes(status) ? { ...numbers, unknown: pending, pending: 0 } : { ...numbers, unknown: 0 };
}
