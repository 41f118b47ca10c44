/** Where somebody is in the grid, and whether the value there is being changed. */
import { useEffect, useRef, useState } from 'react';
import type { Line } from './sheet.ts';

/** The column of the row's number stands before the first one. */
export const NUMBER_COLUMN = -1;

interface Place {
  line: string;
  column: number;
}

export interface Step {
  rows: number;
  columns: number;
}

export interface Cursor {
  /** The cell that the keys act on; the first one before somebody has chosen one. */
  place: Place;
  /** False as long as nobody has chosen a cell. */
  isChosen: boolean;
  /** The row of the cell among the lines. */
  index: number;
  /** A change that is under way; `typed` is the letter that began it. */
  change: { typed: string | null } | null;
  /** Moves, and takes the focus along. */
  step(step: Step): void;
  go(place: Place): void;
  edit(typed?: string): void;
  /** Ends a change; with the focus on the cell, unless the person has left it. */
  end(takesFocus: boolean): void;
}

/** Names the cell in the document. */
export const toElementId = (grid: string, { line, column }: Place): string => `${grid}-${line}-${column}`;

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

export function useCursor(
  grid: string,
  { lines, width, draft }: { lines: readonly Line[]; width: number; draft: string | null },
): Cursor {
  const [chosen, choose] = useState<Place | null>(null);
  const [change, setChange] = useState<Cursor['change']>(null);
  const wantsFocus = useRef(false);
  const found = chosen === null ? -1 : lines.findIndex(({ _id }) => _id === chosen.line);
  const index = Math.max(found, 0);
  const place = found < 0 || !chosen ? { line: lines[0]?._id ?? '', column: 0 } : chosen;
  const go = (next: Place): void => {
    wantsFocus.current = true;
    setChange(null);
    choose(next);
  };
  useEffect(() => {
    if (draft === null) return;
    choose({ line: draft, column: 0 });
    setChange({ typed: null });
  }, [draft]);
  useEffect(() => {
    if (!wantsFocus.current || change) return;
    const element = document.getElementById(toElementId(grid, place));
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    wantsFocus.current = element === null;
  });
  return {
    place,
    isChosen: found >= 0,
    index,
    change,
    go,
    step: ({ rows, columns }) => {
      const line = lines[within(index + rows, 0, lines.length - 1)]?._id ?? place.line;
      go({ line, column: within(place.column + columns, NUMBER_COLUMN, width - 1) });
    },
    edit: (typed) => {
      choose(place);
      setChange({ typed: typed ?? null });
    },
    end: (takesFocus) => {
      wantsFocus.current = takesFocus;
      setChange(null);
    },
  };
}
