/** The views with their counts. */
import { useEffect, useRef, type ReactElement } from 'react';
import { Link } from 'wouter';
import { useInboxes, usePipelines, useTeams } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { useSavedCounts, useViews } from '../../records/views.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { INBOX } from './texts.ts';
import styles from './view-list.module.css';
import { VIEWS } from './view-texts.ts';
import {
  countOf,
  FIXED_VIEWS,
  groupSavedViews,
  listInboxViews,
  listStepViews,
  listTeamViews,
  VIEW_ICONS,
} from './views.ts';

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
  const teams = useTeams();
  const savedTexts = useTexts(VIEWS);
  const views = useViews();
  const saved = groupSavedViews(views);
  const hasCounts = useCounts().data !== undefined;
  const hasSavedCounts = useSavedCounts() !== undefined;
  const row = useRef<HTMLElement>(null);
  // What comes later, such as the counts, moves the views that are behind it.
  useEffect(() => {
    scrollIntoSight(row.current?.querySelector('[aria-current]'));
  }, [current, isFolded, hasCounts, hasSavedCounts, views.length, teams.length, inboxes.length, pipelines.length]);
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
      <ViewLinks current={current} views={saved.own} title={savedTexts.own} />
      <ViewLinks current={current} views={saved.shared} title={savedTexts.shared} />
      <ViewLinks current={current} views={listTeamViews(teams)} title={texts.teams} />
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
    ...Object.values(groupSavedViews(useViews())).flat(),
    ...listTeamViews(useTeams()),
    ...listInboxViews(useInboxes()),
    ...usePipelines().flatMap(listStepViews),
  ];
  return views.find((view) => view.key === key)?.name ?? '';
}

/** A saved view is not counted further; its count is then the least number that it has. */
const MOST_COUNTED = 1_000;

/** Returns the count of a view as it is shown; null while it is not known, and for none. */
export function useViewCount(key: string): string | null {
  const { data: counts } = useCounts();
  const saved = useSavedCounts();
  if (!key.startsWith('view-')) return countOf(key, counts) ? formatNumber(countOf(key, counts) ?? 0) : null;
  const count = saved?.get(key) ?? 0;
  return count === 0 ? null : `${formatNumber(count)}${count >= MOST_COUNTED ? '+' : ''}`;
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
    <section>
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
  const count = useViewCount(view.key);
  return (
    <Link href={`/${view.key}`} className={styles['view']} aria-current={isCurrent ? 'page' : undefined}>
      {view.icon && <Icon name={view.icon} />}
      <span className={styles['name']} dir="auto">
        {view.name}
      </span>
      {count !== null && <span className={styles['count']}>{count}</span>}
    </Link>
  );
}
