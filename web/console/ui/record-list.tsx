/** A table of records. Only the rows that can be seen are in the document, so that a list may have any length. */
import { useFeedRows } from './feed-rows.ts';
import { useRef, type CSSProperties, type ReactElement, type ReactNode } from 'react';
import type { FeedView } from '../records/feeds.ts';
import styles from './record-list.module.css';
import { followMedia } from './narrow.ts';
import { Failure, Loading } from './state.tsx';

export interface Column<T> {
  key: string;
  title: string;
  /** The width as a track of a CSS grid, such as `2fr` or `120px`. */
  width: string;
  render(record: T): ReactNode;
  /** Left out where the page is as narrow as a phone. */
  isSecondary?: boolean;
}

interface RecordListProps<T> {
  label: string;
  feed: FeedView<T>;
  columns: readonly Column<T>[];
  /** The second line of a row where the page is as narrow as a phone. */
  below?: ((record: T) => ReactNode) | undefined;
  /** What is shown when there is no record. */
  empty: ReactNode;
  onOpen?: ((record: T) => void) | undefined;
  /** The id of the record that is shown next to the list. */
  current?: string | null | undefined;
}

const ROW_HEIGHT = 40;
const TWO_LINES_HEIGHT = 60;

const useIsPhone = followMedia('(max-width: 800px)');

export function RecordList<T extends { _id: string }>(props: RecordListProps<T>): ReactElement {
  const { label, feed, columns, empty, onOpen, current } = props;
  const below = useIsPhone() ? props.below : undefined;
  const height = below ? TWO_LINES_HEIGHT : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useFeedRows(feed, scroller, height);
  const shown = rows.getVirtualItems();

  if (feed.isLoading) return <Loading />;
  if (feed.error) return <Failure error={feed.error} />;
  if (feed.items.length === 0) return <>{empty}</>;
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div ref={scroller} className={styles['scroller']} role="table" aria-label={label} aria-rowcount={-1}>
      <div className={styles['head']} role="row" style={grid}>
        {columns.map(({ key, title, isSecondary }) => (
          <span key={key} role="columnheader" data-secondary={isSecondary}>
            {title}
          </span>
        ))}
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const record = feed.items[index];
          return (
            record && (
              <Row
                key={key}
                {...{ record, columns, below, onOpen, index }}
                isCurrent={record._id === current}
                style={{ ...grid, height, transform: `translateY(${start}px)` }}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface RowProps<T> {
  record: T;
  index: number;
  columns: readonly Column<T>[];
  below: RecordListProps<T>['below'];
  onOpen: ((record: T) => void) | undefined;
  isCurrent: boolean;
  style: CSSProperties;
}

function Row<T>({ record, index, columns, below, onOpen, isCurrent, style }: RowProps<T>): ReactElement {
  const open = onOpen && (() => onOpen(record));
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`${styles['row']} ${open ? styles['open'] : ''}`}
      style={style}
      aria-current={isCurrent || undefined}
      tabIndex={open ? 0 : undefined}
      onClick={open}
      onKeyDown={({ key, target, currentTarget }) => key === 'Enter' && target === currentTarget && open?.()}
    >
      {columns.map(({ key, render, isSecondary }) => (
        <span key={key} role="cell" className={styles['cell']} data-secondary={isSecondary} dir="auto">
          {render(record)}
        </span>
      ))}
      {below && (
        <span role="cell" className={styles['below']} dir="auto">
          {below(record)}
        </span>
      )}
    </div>
  );
}
