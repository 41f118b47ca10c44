/** The rows of a table as a grid whose cells are changed in their place. Only the rows that can be seen are in the document. */
import type { Column, Row, Table } from '@parley/sdk';
import { useId, useRef, type ReactElement, type SyntheticEvent } from 'react';
import type { FeedView } from '../../../records/feeds.ts';
import { useMay } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { useFeedRows } from '../../../ui/feed-rows.ts';
import { Empty, Failure, Loading } from '../../../ui/state.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { GRID } from '../texts.ts';
import { useCursor } from './cursor.ts';
import { GridRow } from './grid-row.tsx';
import styles from './grid.module.css';
import { copyCell, pasteCells, pressKey, type Scene } from './keys.ts';
import type { Sheet } from './sheet.ts';

const ROW_HEIGHT = 40;
const NUMBER_WIDTH = 64;
/** The least width of a column by the kind of its values; all grow with the page. */
const WIDTHS: Record<Column['type'], number> = {
  TEXT: 190,
  NUMBER: 110,
  BOOLEAN: 100,
  DATE: 165,
  SELECT: 140,
  LIST: 180,
  URL: 190,
};

interface GridProps {
  table: Table;
  feed: FeedView<Row>;
  sheet: Sheet;
  isFiltered: boolean;
}

export function Grid({ table, feed, sheet, isFiltered }: GridProps): ReactElement {
  const texts = useTexts(GRID);
  const common = useTexts(COMMON);
  if (feed.isLoading) return <Loading />;
  if (feed.error) return <Failure error={feed.error} />;
  if (table.columns.length === 0) return <Empty icon="table" title={texts.noColumn} />;
  if (sheet.lines.length === 0) return <Empty icon="table" title={isFiltered ? common.nothingFound : texts.noRow} />;
  return <Lines table={table} feed={feed} sheet={sheet} />;
}

/** False for what happens in a dialog of the grid, which React passes on although it lies beside the grid. */
const isInside = ({ currentTarget, target }: SyntheticEvent): boolean =>
  target instanceof Node && currentTarget.contains(target);

function Lines({ table: { name, columns }, feed, sheet }: Omit<GridProps, 'isFiltered'>): ReactElement {
  const texts = useTexts(GRID);
  const id = useId();
  const mayUpdate = useMay('tables:update');
  const scroller = useRef<HTMLDivElement>(null);
  const { lines, draft } = sheet;
  const cursor = useCursor(id, { lines, width: columns.length, draft });
  const rows = useFeedRows({ ...feed, items: lines }, scroller, ROW_HEIGHT, cursor.index);
  const scene: Scene = { columns, sheet, cursor, mayWrite: ({ row }) => row === null || mayUpdate };
  const widths = columns.map(({ type }) => WIDTHS[type]);
  const width = `${widths.reduce((sum, each) => sum + each, NUMBER_WIDTH)}px`;
  const tracks = widths.map((each) => `minmax(${each}px, ${each}fr)`);
  const grid = { gridTemplateColumns: `${NUMBER_WIDTH}px ${tracks.join(' ')}`, minWidth: width };
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={name}
      aria-description={texts.keys}
      aria-rowcount={-1}
      aria-colcount={columns.length + 1}
      className={styles['grid']}
      onKeyDown={(event) => isInside(event) && pressKey(event, scene)}
      onCopy={(event) => isInside(event) && copyCell(event, scene)}
      onPaste={(event) => isInside(event) && pasteCells(event, scene)}
    >
      <div role="row" className={styles['head']} style={grid}>
        <span role="columnheader" className={styles['number']}>
          {texts.rowNumber}
        </span>
        {columns.map(({ key, title, type }) => (
          <span key={key} role="columnheader" className={styles['title']} data-type={type} title={title}>
            {title}
          </span>
        ))}
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: rows.getTotalSize(), minWidth: width }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index];
          const style = { ...grid, transform: `translateY(${start}px)` };
          return line && <GridRow key={key} grid={id} {...{ line, index, scene, style }} />;
        })}
      </div>
    </div>
  );
}
