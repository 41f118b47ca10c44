/** A section of the panel. Its content is loaded when it is first unfolded. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { hasNothing, type FeedView } from '../../../../records/feeds.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Button } from '../../../../ui/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { explainError } from '../../../../ui/problem.ts';
import { COMMON } from '../../../../ui/texts.ts';
import { fold, useIsUnfolded } from './folds.ts';
import styles from './panel.module.css';

interface SectionProps {
  /** The browser remembers under this name whether the section is unfolded. */
  name: string;
  title: string;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}

export function Section({ name, title, isOpenAtFirst = false, children }: SectionProps): ReactElement {
  const isOpen = useIsUnfolded(name, isOpenAtFirst);
  return (
    <section className={styles['section']}>
      <h3>
        <button type="button" className={styles['fold']} aria-expanded={isOpen} onClick={() => fold(name, !isOpen)}>
          <Icon name="forward" size={12} />
          {title}
        </button>
      </h3>
      {isOpen && <div className={styles['body']}>{children}</div>}
    </section>
  );
}

/** Shown until the content of a section is loaded. */
export function NotLoaded({ error }: { error: Error | null }): ReactElement {
  const texts = useTexts(COMMON);
  return error ? <p role="alert">{explainError(error)}</p> : <p className={styles['soft']}>{texts.loading}</p>;
}

/** The name of a record that is read by itself; what went wrong when it cannot be read. */
export const nameLoaded = ({ data, error }: Pick<UseQueryResult<{ name: string }>, 'data' | 'error'>): string =>
  data?.name ?? (error ? explainError(error) : '…');

interface RecordLinkProps {
  href: string;
  name: ReactNode;
  /** A line below the name. */
  about: string;
}

/** A link to a record of a list. */
export function RecordLink({ href, name, about }: RecordLinkProps): ReactElement {
  return (
    <Link href={href} className={styles['record']}>
      <span className={styles['text']} dir="auto">
        {name}
      </span>
      <span className={styles['soft']} dir="auto">
        {about}
      </span>
    </Link>
  );
}

interface SectionListProps<T> {
  feed: FeedView<T>;
  /** Shown when the list is empty. */
  empty: string;
  render(item: T): ReactNode;
}

/** A list in a section, with a button that loads the next page. */
export function SectionList<T extends { _id: string }>({ feed, empty, render }: SectionListProps<T>): ReactElement {
  const common = useTexts(COMMON);
  return (
    <>
      {(feed.isLoading || feed.error) && <NotLoaded error={feed.error} />}
      {hasNothing(feed) && <p className={styles['soft']}>{empty}</p>}
      {feed.items.length > 0 && (
        <ul className={styles['items']}>
          {feed.items.map((item) => (
            <li key={item._id}>{render(item)}</li>
          ))}
        </ul>
      )}
      {feed.hasMore && (
        <Button kind="quiet" isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
          {common.loadMore}
        </Button>
      )}
    </>
  );
}
