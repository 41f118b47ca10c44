/** One row of the grid: its number, by which it can be removed, and its cells. */
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { forgetRow } from '../../../records/tables.ts';
import { useMay } from '../../../session/session.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { RemoveDialog } from '../../../ui/remove-dialog.tsx';
import { GRID } from '../texts.ts';
import { NUMBER_COLUMN, toElementId } from './cursor.ts';
import { GridCell } from './grid-cell.tsx';
import styles from './grid.module.css';
import type { Scene } from './keys.ts';
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
  const mayRemove = useMay('tables:delete');
  const [isAsked, ask] = useState(false);
  const { row } = line;
  const here = { line: line._id, column: NUMBER_COLUMN };
  const number = row ? formatNumber(row.row_index) : texts.fresh;
  const about = {
    id: toElementId(grid, here),
    tabIndex: cursor.place.line === line._id && cursor.place.column === NUMBER_COLUMN ? 0 : -1,
  };
  return (
    <div role="rowheader" className={styles['number']}>
      {row && !mayRemove ? (
        <span {...about}>{number}</span>
      ) : (
        <button
          {...about}
          type="button"
          className={styles['remove']}
          aria-label={row ? texts.removeRow(number) : texts.discard}
          title={row ? texts.removeRow(number) : texts.discard}
          onClick={() => (row ? ask(true) : sheet.discard())}
        >
          <span>{number}</span>
          <Icon name="remove" size={15} />
        </button>
      )}
      {row && isAsked && (
        <RemoveDialog
          title={texts.removeRow(number)}
          lead={texts.removeLead}
          remove={() => parley.tables.deleteRow(row.table, row._id)}
          onRemoved={() => {
            cursor.step({ rows: cursor.index === sheet.lines.length - 1 ? -1 : 1, columns: 0 });
            forgetRow(row);
          }}
          onClose={() => ask(false)}
        />
      )}
    </div>
  );
}
