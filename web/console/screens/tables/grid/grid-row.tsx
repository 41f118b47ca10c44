/** One row of the grid: its number, which has a menu, and its cells. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { GRID } from '../texts.ts';
import { NUMBER_COLUMN, toElementId } from './cursor.ts';
import { GridCell } from './grid-cell.tsx';
import styles from './grid.module.css';
import type { Scene } from './keys.ts';
import { RowMenu } from './row-menu.tsx';
import type { Line } from './sheet.ts';

interface GridRowProps {
  grid: string;
  line: Line;
  /** The place of the row, from 0. */
  index: number;
  scene: Scene;
  style: Record<string, string>;
}

export function GridRow({ grid, line, index, scene, style }: GridRowProps): ReactElement {
  const isHere = scene.cursor.place.line === line._id;
  return (
    <div role="row" aria-rowindex={index + 2} className={styles['row']} data-here={isHere} style={style}>
      <RowNumber grid={grid} line={line} scene={scene} />
      {scene.columns.map((column, place) => (
        <GridCell key={column.key} {...{ grid, line, column, place, scene }} />
      ))}
    </div>
  );
}

function RowNumber({
  grid,
  line,
  scene: { sheet, cursor },
}: Pick<GridRowProps, 'grid' | 'line' | 'scene'>): ReactElement {
  const texts = useTexts(GRID);
  const { row } = line;
  const here = { line: line._id, column: NUMBER_COLUMN };
  const about = {
    id: toElementId(grid, here),
    tabIndex: cursor.place.line === line._id && cursor.place.column === NUMBER_COLUMN ? 0 : -1,
  };
  const leave = (): void => cursor.step({ rows: cursor.index === sheet.lines.length - 1 ? -1 : 1, columns: 0 });
  return (
    <div role="rowheader" className={styles['number']}>
      {row ? (
        <RowMenu row={row} about={about} onRemove={leave} />
      ) : (
        <button
          {...about}
          type="button"
          className={styles['act']}
          aria-label={texts.discard}
          title={texts.discard}
          onClick={() => sheet.discard()}
        >
          <span>{texts.fresh}</span>
          <Icon name="remove" size={15} />
        </button>
      )}
    </div>
  );
}
