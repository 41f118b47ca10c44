/** One cell: its value, what was refused in it, or the editor. */
import type { Column } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { formatValue } from '../../../ui/custom-fields.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { GRID } from '../texts.ts';
import { CellEditor } from './cell-editor.tsx';
import { toElementId } from './cursor.ts';
import styles from './grid.module.css';
import type { Scene } from './keys.ts';
import type { Line } from './sheet.ts';
import { isEmpty, type CellValue } from './values.ts';

interface GridCellProps {
  grid: string;
  line: Line;
  column: Column;
  /** The place of the column, from 0. */
  place: number;
  scene: Scene;
}

export function GridCell({ grid, line, column, place, scene }: GridCellProps): ReactElement {
  const { sheet, cursor, mayWrite } = scene;
  const { value, isSaved, problem } = sheet.read(line, column.key);
  const here = { line: line._id, column: place };
  const isHere = cursor.place.line === line._id && cursor.place.column === place;
  const change = isHere ? cursor.change : null;
  const click = (): void => {
    if (change) return;
    if (isHere && cursor.isChosen && mayWrite(line)) cursor.edit();
    else cursor.go(here);
  };
  return (
    <div
      id={toElementId(grid, here)}
      role="gridcell"
      aria-colindex={place + 2}
      aria-invalid={problem !== null}
      aria-readonly={!mayWrite(line)}
      tabIndex={isHere ? 0 : -1}
      className={styles['cell']}
      data-type={column.type}
      data-saved={isSaved}
      onClick={click}
    >
      {change ? (
        <CellEditor
          column={column}
          value={value}
          typed={change.typed}
          onLeave={() => cursor.end(true)}
          onTake={(next, step) => {
            if (JSON.stringify(next) !== JSON.stringify(value)) sheet.write(line, { [column.key]: next });
            if (step) cursor.step(step);
            else cursor.end(false);
          }}
        />
      ) : (
        <Value column={column} value={value} isNew={line.row === null} />
      )}
      {problem !== null && !change && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Value({ column, value, isNew }: { column: Column; value: CellValue; isNew: boolean }): ReactElement {
  const texts = useTexts(GRID);
  if (isNew && column.required && isEmpty(value)) return <span className={styles['wanted']}>{texts.required}</span>;
  const text = formatValue(column.type, value) ?? '';
  return (
    <>
      <span className={styles['value']} title={text.length > 20 ? text : undefined}>
        {text}
      </span>
      {column.type === 'URL' && /^https?:/.test(text) && (
        <a
          href={text}
          target="_blank"
          rel="noreferrer"
          className={styles['link']}
          aria-label={texts.open(text)}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          <Icon name="link" size={14} />
        </a>
      )}
    </>
  );
}
