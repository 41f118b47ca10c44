/** Why contacts got nothing: why messages failed, and why contacts were skipped. */
import type { CampaignAnalytics } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Card } from '../../../ui/page.tsx';
import { SKIP_REASONS } from '../texts.ts';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

export function Causes({ numbers: { failures, skip_reasons } }: { numbers: CampaignAnalytics }): ReactElement {
  const texts = useTexts(REPORT);
  const reasons = new Map(Object.entries(useTexts(SKIP_REASONS)));
  return (
    <>
      {failures.length > 0 && (
        <Card title={texts.failures}>
          <CauseTable
            rows={failures.map(({ code, message, count }) => ({
              key: `${code}`,
              cause: message,
              code: `${code}`,
              count,
            }))}
          />
        </Card>
      )}
      {skip_reasons.length > 0 && (
        <Card title={texts.skippedContacts}>
          <CauseTable
            rows={skip_reasons.map(({ reason, count }) => ({
              key: reason,
              cause: reasons.get(reason) ?? reason,
              count,
            }))}
          />
        </Card>
      )}
    </>
  );
}

interface CauseRow {
  key: string;
  cause: string;
  code?: string;
  count: number;
}

function CauseTable({ rows }: { rows: readonly CauseRow[] }): ReactElement {
  const texts = useTexts(REPORT);
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{texts.cause}</th>
          <th scope="col">{texts.count}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cause, code, count }) => (
          <tr key={key}>
            <td>
              {cause} {code !== undefined && <span className={styles['code']}>({code})</span>}
            </td>
            <td>{formatNumber(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
