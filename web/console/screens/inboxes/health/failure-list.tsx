/** What failed in the last day, by cause. */
import type { InboxHealth } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatMoment, formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { FAILURE_CAUSES } from './failure-texts.ts';
import styles from './health.module.css';
import { HEALTH } from './texts.ts';

export function FailureList({ failures }: { failures: InboxHealth['failures'] }): ReactElement {
  const texts = useTexts(HEALTH);
  const words = useTexts(FAILURE_CAUSES);
  const { count, is_complete, causes } = failures;
  if (count === 0) return <>{texts.noFailures}</>;
  // The network has more causes than the console has words for; of the others it shows the network's own.
  const known = new Map<string, string>(Object.entries(words));
  return (
    <div className={styles['fact']}>
      {!is_complete && <p className={styles['advice']}>{texts.incomplete(formatNumber(count - 1))}</p>}
      <ul className={styles['causes']}>
        {causes.map(({ code, title, count: times, last_at }) => (
          <li key={code}>
            <span className={styles['count']}>{formatNumber(times)} ×</span>{' '}
            <span>
              {known.get(String(code)) ?? (title || texts.unknownCause)}{' '}
              <span className={styles['code']}>({code})</span>
              <span className={styles['code']}>, {texts.lastFailure(formatMoment(last_at))}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
