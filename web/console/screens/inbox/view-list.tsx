/** The views with their counts. */
import { useEffect, useRef, type ReactElement } from 'react';
import { Link } from 'wouter';
import { useInboxes, usePipelines } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { INBOX } from './texts.ts';
import styles from './view-list.module.css';
import { countOf, FIXED_VIEWS, listInboxViews, listStepViews, VIEW_ICONS } from './views.ts';

interface ViewListProps {
  current: string;
  /** The views are a row, which may be longer than the list is wide. */
  isFolded: boolean;
}

export function ViewList({ current, isFolded }: ViewListProps): ReactElement {
  const texts = useTexts(INBOX);
  const names = useTexts(SCREEN_NAMES);
  const pipelines = usePipelines();
  const inboxes = useInboxes();
  const hasCounts = useCounts().data !== undefined;
  const row = useRef<HTMLElement>(null);
  // What comes later, such as the counts, moves the views that are behind it.
  useEffect(() => {
    scrollIntoSight(row.current?.querySelector('[aria-current]'));
  }, [current, isFolded, hasCounts, inboxes.length, pipelines.length]);
  const fixed = FIXED_VIEWS.map((key) => ({ key, name: texts[key], icon: VIEW_ICONS[key] }));
  return (
    <nav
      ref={row}
      className={styles['views']}
      aria-label={texts.views}
      // Browsers leave a link where it is as soon as its edge is in sight.
      onFocus={({ target }) => scrollIntoSight(target)}
    >
      <p className={styles['head']}>{names.inbox}</p>
      <ViewLinks current={current} views={fixed} />
      <ViewLinks current={current} views={listInboxViews(inboxes)} title={texts.inboxes} />
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

/** Returns the name of a view; an empty text while it is not known. */
export function useViewName(key: string): string {
  const texts = useTexts(INBOX);
  const views = [
    ...FIXED_VIEWS.map((fixed): View => ({ key: fixed, name: texts[fixed] })),
    ...listInboxViews(useInboxes()),
    ...usePipelines().flatMap(listStepViews),
  ];
  return views.find((view) => view.key === key)?.name ?? '';
}

const scrollIntoSight = (link: Element | null | undefined): void =>
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

interface View {
  key: string;
  name: string;
  icon?: IconName;
}

interface ViewLinksProps {
  current: string;
  views: readonly View[];
  title?: string;
}

function ViewLinks({ current, views, title }: ViewLinksProps): ReactElement | null {
  if (views.length === 0) return null;
  return (
    <section className={styles['group']}>
      {title && (
        <h2 className={styles['title']} dir="auto">
          {title}
        </h2>
      )}
      <ul className={styles['list']}>
        {views.map((view) => (
          <li key={view.key}>
            <ViewLink view={view} isCurrent={view.key === current} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ViewLink({ view, isCurrent }: { view: View; isCurrent: boolean }): ReactElement {
  const { data: counts } = useCounts();
  const count = countOf(view.key, counts);
  return (
    <Link href={`/${view.key}`} className={styles['view']} aria-current={isCurrent ? 'page' : undefined}>
      {view.icon && <Icon name={view.icon} />}
      <span className={styles['name']} dir="auto">
        {view.name}
      </span>
      {count !== null && count > 0 && <span className={styles['count']}>{formatNumber(count)}</span>}
    </Link>
  );
}
