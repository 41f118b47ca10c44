/** What happened in the conversations: what is open now, figures of a time, their course, and who did it. */
import type { ReactElement } from 'react';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useTexts } from '../../texts/texts.ts';
import { Page } from '../../ui/page.tsx';
import { Breakdown } from './breakdown.tsx';
import { Charts } from './charts.tsx';
import { Now } from './now.tsx';
import { useReportParams } from './period.ts';
import { Ratings } from './ratings.tsx';
import styles from './reports.module.css';
import { Tiles } from './tiles.tsx';
import { Tools } from './tools.tsx';

export function ReportsScreen(): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const params = useReportParams();
  return (
    <Page title={names.reports} actions={<Tools {...params} />}>
      <div className={styles['parts']}>
        <Now />
        <Tiles query={params.query} />
        <Charts {...params} />
        <Breakdown {...params} />
        <Ratings {...params} />
      </div>
    </Page>
  );
}
