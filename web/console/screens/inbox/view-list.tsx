/** The views with their counts. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useInboxes, usePipelines } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { INBOX } from './texts.ts';
import styles from './view-list.module.css';
import { countOf, FIXED_VIEWS, listInboxViews, listStepViews } from './views.ts';

export function ViewList({ current }: { current: string }): ReactElement {
  const texts = useTexts(INBOX);
  const pipelines = usePipelines();
  const fixed = FIXED_VIEWS.map((key) => ({ key, name: texts[key] }));
  return (
    <nav className={styles['views']} aria-label={texts.views}>
      <ViewLinks current={current} views={fixed} />
      <ViewLinks current={current} views={listInboxViews(useInboxes())} title={texts.inboxes} />
      {pipelines.map((pipeline) => (
        <ViewLinks
          key={pipeline._id}
          current={current}
          views={listStepViews(pipeline)}
          title={pipelines.length > 1 ? pipeline.name : texts.steps}
        />
      ))}
    </nav>
  );
}

interface ViewLinksProps {
  current: string;
  views: readonly { key: string; name: string }[];
  title?: string;
}

function ViewLinks({ current, views, title }: ViewLinksProps): ReactElement | null {
  const { data: counts } = useCounts();
  if (views.length === 0) return null;
  return (
    <section className={styles['group']}>
      {title && <h2 className={styles['title']}>{title}</h2>}
      <ul className={styles['list']}>
        {views.map(({ key, name }) => {
          const count = countOf(key, counts);
          return (
            <li key={key}>
              <Link href={`/${key}`} className={styles['view']} aria-current={key === current ? 'page' : undefined}>
                <span className={styles['name']}>{name}</span>
                {count !== null && <span className={styles['count']}>{formatNumber(count)}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
