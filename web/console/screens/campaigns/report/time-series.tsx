/** What happened hour by hour: a chart of lines that rise, or the same as a table. */
import type { CampaignAnalytics } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { formatMoment, formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { ExportButton } from './export-button.tsx';
import { COUNTS } from './funnel.tsx';
import { drawLine, listHours, sumHours, type Hour } from './lines.ts';
import styles from './report.module.css';
import { REPORT } from './texts.ts';

export function TimeSeries({ campaign, series }: Pick<CampaignAnalytics, 'campaign' | 'series'>): ReactElement {
  const texts = useTexts(REPORT);
  const [isTable, showTable] = useState(false);
  return (
    <Card title={texts.overTime}>
      <div className={styles['tools']}>
        <Button icon={isTable ? 'board' : 'table'} onClick={() => showTable(!isTable)}>
          {isTable ? texts.asChart : texts.asTable}
        </Button>
        <ExportButton campaign={campaign} content="ANALYTICS" />
      </div>
      {isTable ? <Table series={series} /> : <Chart series={series} />}
    </Card>
  );
}

function Chart({ series }: { series: readonly Hour[] }): ReactElement {
  const texts = useTexts(REPORT);
  const { begin, end } = listHours(series);
  const sums = sumHours(series);
  const most = Math.max(1, ...COUNTS.map((key) => sums[key]));
  const words = COUNTS.map((key) => `${texts[key]}: ${formatNumber(sums[key])}`);
  return (
    <figure className={styles['figure']}>
      <span className={styles['most']}>{formatNumber(most)}</span>
      <svg
        className={styles['chart']}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${texts.overTime}. ${words.join(', ')}. ${texts.tableHint}`}
      >
        {[0, 25, 50, 75, 100].map((height) => (
          <path key={height} className={styles['rule']} d={`M0 ${height}H100`} />
        ))}
        {COUNTS.map((key) => (
          <path key={key} className={styles['line']} data-count={key} d={drawLine(series, key, most)} />
        ))}
      </svg>
      <div className={styles['axis']} aria-hidden="true">
        <span>{formatMoment(begin)}</span>
        <span>{formatMoment(end)}</span>
      </div>
      <figcaption>
        <ul className={styles['legend']}>
          {COUNTS.map((key, index) => (
            <li key={key}>
              <svg className={styles['sample']} viewBox="0 0 30 8" aria-hidden="true">
                <path className={styles['line']} data-count={key} d="M0 4H30" />
              </svg>
              {words[index]}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

function Table({ series }: { series: readonly Hour[] }): ReactElement {
  const texts = useTexts(REPORT);
  return (
    <div className={styles['scroller']} tabIndex={0} role="region" aria-label={texts.overTime}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{texts.hour}</th>
            {COUNTS.map((key) => (
              <th key={key} scope="col">
                {texts[key]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.map((hour) => (
            <tr key={hour.hour}>
              <th scope="row">{formatMoment(hour.hour)}</th>
              {COUNTS.map((key) => (
                <td key={key}>{formatNumber(hour[key])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
