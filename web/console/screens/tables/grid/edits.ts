/** What was written into cells and is not saved. */
import { useRef, useState } from 'react';
import type { CellValue } from './values.ts';

export interface Edit {
  value: CellValue;
  /** Why it was refused; null while it is on its way. */
  problem: string | null;
}

/** The edits of a row, by the keys of their columns. */
export type RowEdits = ReadonlyMap<string, Edit>;

export interface Edits {
  find(line: string, key: string): Edit | undefined;
  /** Lists what the platform has not been told, as it is at this moment. */
  listUnsaved(line: string): RowEdits;
  write(line: string, data: Readonly<Record<string, CellValue>>): void;
  /** Forgets edits that were saved, unless something else was written into their cells meanwhile. */
  forget(line: string, saved: RowEdits): void;
  /** Notes why edits were refused. */
  refuse(line: string, refused: ReadonlyMap<string, { edit: Edit; problem: string }>): void;
  takeBack(line: string, key: string): void;
}

const NONE: RowEdits = new Map();

export function useEdits(): Edits {
  const [shown, show] = useState<ReadonlyMap<string, RowEdits>>(new Map());
  // What is saved behind the page reads the newest edits, not those of the moment when it began.
  const latest = useRef(shown);
  const change = (line: string, next: (row: Map<string, Edit>) => void): void => {
    const row = new Map(latest.current.get(line));
    next(row);
    latest.current = new Map(latest.current).set(line, row);
    show(latest.current);
  };
  return {
    find: (line, key) => shown.get(line)?.get(key),
    listUnsaved: (line) =>
      new Map([...(latest.current.get(line) ?? NONE)].filter(([, { problem }]) => problem === null)),
    write: (line, data) =>
      change(line, (row) => {
        for (const [key, value] of Object.entries(data)) row.set(key, { value, problem: null });
      }),
    forget: (line, saved) =>
      change(line, (row) => {
        for (const [key, edit] of saved) if (row.get(key) === edit) row.delete(key);
      }),
    refuse: (line, refused) =>
      change(line, (row) => {
        for (const [key, { edit, problem }] of refused) if (row.get(key) === edit) row.set(key, { ...edit, problem });
      }),
    takeBack: (line, key) =>
      change(line, (row) => {
        if (row.get(key)?.problem) row.delete(key);
      }),
  };
}
