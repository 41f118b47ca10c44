/** The views with their counts. */
import { useEffect, useRef, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useInboxes, usePipelines, useTeams } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { MOST_COUNTED } from '../../records/saved.ts';
import { useSavedCounts, useViews } from '../../records/views.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { INBOX } from './texts.ts';
import styles from './view-list.module.css';
import { useViewDrag } from './view-order.ts';
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

/** The views in their groups; the first group has no title. */
interface ViewGroup {
  key: string;
  title?: string;
  views: readonly View[];
}

function useViewGroups(): readonly ViewGroup[] {
  const texts = useTexts(INBOX);
  const savedTexts = useTexts(VIEWS);
  const pipelines = usePipelines();
  const saved = groupSavedViews(useViews());
  return [
    { key: 'fixed', views: FIXED_VIEWS.map((key) => ({ key, name: texts[key], icon: VIEW_ICONS[key] })) },
    { key: 'own', title: savedTexts.own, views: saved.own },
    { key: 'shared', title: savedTexts.shared, views: saved.shared },
    { key: 'teams', title: texts.teams, views: listTeamViews(useTeams()) },
    { key: 'inboxes', title: texts.inboxes, views: listInboxViews(useInboxes()) },
    ...pipelines.map((pipeline) => ({
      key: pipeline._id,
      title: pipelines.length > 1 ? pipeline.name : texts.steps,
      views: listStepViews(pipeline),
    })),
  ].filter(({ views }) => views.length > 0);
}

export function ViewList({ current }: { current: string }): ReactElement {
  const texts = useTexts(INBOX);
  const names = useTexts(SCREEN_NAMES);
  const groups = useViewGroups();
  const list = useRef<HTMLElement>(null);
  const length = groups.flatMap(({ views }) => views).length;
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current, length]);
  return (
    <nav ref={list} className={styles['views']} aria-label={texts.views}>
      <p className={styles['head']}>{names.inbox}</p>
      {groups.map(({ key, ...group }) => (
        <ViewLinks key={key} current={current} {...group} />
      ))}
    </nav>
  );
}

/** The name of a view, from which the others open where there is no room for their column. */
export function ViewMenu({ current, count }: { current: string; count: string | null }): ReactElement {
  const texts = useTexts(INBOX);
  const name = useViewName(current);
  const countView = useCountView();
  const [, navigate] = useLocation();
  const items = useViewGroups().flatMap(({ title, views }) =>
    views.map((view, index) => ({
      ...view,
      label: view.name,
      count: countView(view.key),
      isChosen: view.key === current,
      ...(index === 0 && title !== undefined && { heading: title }),
      onSelect: () => navigate(`/${view.key}`),
    })),
  );
  return (
    <Menu
      items={items}
      trigger={
        <button type="button" className={styles['switch']} title={texts.views}>
          <span className={styles['chosen']} dir="auto">
            {name}
          </span>{' '}
          {count !== null && <span className={styles['total']}>{count}</span>}
          <Icon name="down" size={16} />
        </button>
      }
    />
  );
}

/** Returns the name of a view; an empty text while it is not known. */
export function useViewName(key: string): string {
  const views = useViewGroups().flatMap((group) => group.views);
  return views.find((view) => view.key === key)?.name ?? '';
}

/** Returns what tells the count of a view as it is shown; null while it is not known, and for none. */
export function useCountView(): (key: string) => string | null {
  const { data: counts } = useCounts();
  const saved = useSavedCounts();
  return (key) => {
    if (!key.startsWith('view-')) return countOf(key, counts) ? formatNumber(countOf(key, counts) ?? 0) : null;
    const count = saved?.get(key.slice('view-'.length)) ?? 0;
    return count === 0 ? null : `${formatNumber(count)}${count >= MOST_COUNTED ? '+' : ''}`;
  };
}

interface View {
  key: string;
  name: string;
  icon?: IconName;
}

function ViewLinks({ current, views, title }: Omit<ViewGroup, 'key'> & { current: string }): ReactElement {
  return (
    <section>
      {title && (
        <h2 className={styles['title']} dir="auto">
          {title}
        </h2>
      )}
      <ul className={styles['list']}>
        {views.map((view) => (
          <ViewLink key={view.key} view={view} isCurrent={view.key === current} />
        ))}
      </ul>
    </section>
  );
}

function ViewLink({ view, isCurrent }: { view: View; isCurrent: boolean }): ReactElement {
  const count = useCountView()(view.key);
  const { row, edge } = useViewDrag(view.key);
  return (
    <li ref={row} className={styles['place']} data-edge={edge}>
      <Link
        href={`/${view.key}`}
        className={styles['view']}
        aria-current={isCurrent ? 'page' : undefined}
        draggable={false}
      >
        {view.icon && <Icon name={view.icon} />}
        <span className={styles['name']} dir="auto">
          {view.name}
        </span>
        {count !== null && <span className={styles['count']}>{count}</span>}
      </Link>
    </li>
  );
}
