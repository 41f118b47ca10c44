/** What became of the messages of each step: how many were sent, delivered, read and answered. */
import type { Campaign, CampaignAnalytics } from '@parley/sdk';
import type { ReactElement } from 'react';
import { formatNumber, formatShare } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Card } from '../../../ui/page.tsx';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

export const COUNTS = ['sent', 'delivered', 'read', 'replied', 'failed'] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

interface FunnelProps {
  campaign: Campaign;
  numbers: CampaignAnalytics;
}

export function Funnel({ campaign, numbers }: FunnelProps): ReactElement {
  const texts = useTexts(REPORT);
  const { steps } = campaign;
  const isSequence = steps.length > 1;
  return (
    <Card title={texts.funnel}>
      {isSequence && <p className={styles['note']}>{texts.contactsOnce}</p>}
      <div className={styles['steps']}>
        {isSequence && <StepTable title={texts.allSteps} counts={numbers} />}
        {steps.map(({ index, template: { name, language } }) => {
          const counts = numbers.steps.find((step) => step.index === index);
          const title = texts.step(index + 1, `${name} · ${language}`);
          return <StepTable key={index} title={title} counts={counts ?? NOTHING} />;
        })}
      </div>
    </Card>
  );
}

const NOTHING: Counts = { sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 };

/** Each count with its share of the sent messages, also as a bar. */
function StepTable({ title, counts }: { title: string; counts: Counts }): ReactElement {
  const texts = useTexts(REPORT);
  const share = (count: number): number => (counts.sent > 0 ? Math.min(1, count / counts.sent) : 0);
  return (
    <table className={styles['funnel']}>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.state}</th>
          <th scope="col">{texts.count}</th>
          <th scope="col">{texts.share}</th>
        </tr>
      </thead>
      <tbody>
        {COUNTS.map((key) => (
          <tr key={key}>
            <th scope="row">{texts[key]}</th>
            <td>{formatNumber(counts[key])}</td>
            <td>
              <span className={styles['share']}>
                <span className={styles['track']} aria-hidden="true">
                  <span data-count={key} style={{ width: `${share(counts[key]) * 100}%` }} />
                </span>
                {counts.sent > 0 ? formatShare(share(counts[key])) : '–'}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
