/**
 * The rows of a table while somebody edits them. A change shows at once and is saved behind it, one after the other; what the platform
 * refuses stays in its cell with the reason. A new row is a line of its own until the platform takes it.
 */
import { getOwnProperty } from '../../../../browser/own-property.ts';
import type { Row, Table } from '@parley/sdk';
import { useMemo, useRef, useState } from 'react';
import { parley } from '../../../client.ts';
import type { FeedView } from '../../../records/feeds.ts';
import { addRow, showRow } from '../../../records/tables.ts';
import { explainError, explainField } from '../../../ui/problem.ts';
import { useEdits, type Edits, type RowEdits } from './edits.ts';
import { isEmpty, type CellValue } from './values.ts';

/** A line of the grid. */
export interface Line {
  /** Stays the same when the platform takes a new row. */
  _id: string;
  /** Null for a row that is not stored yet. */
  row: Row | null;
}

interface Cell {
  value: CellValue;
  isSaved: boolean;
  /** Why the value was refused. */
  problem: string | null;
}

export interface Sheet extends Pick<Edits, 'takeBack'> {
  lines: readonly Line[];
  /** The new row that is not stored yet; null when there is none. */
  draft: string | null;
  read(line: Line, key: string): Cell;
  write(line: Line, data: Readonly<Record<string, CellValue>>): void;
  /** Begins a new row. */
  begin(): void;
  discard(): void;
}

let begun = 0;

export function useSheet(table: Table, feed: FeedView<Row>): Sheet {
  const [draft, setDraft] = useState<string | null>(null);
  // The lines of the rows that were written here, by the rows' ids.
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map());
  const stored = useRef(new Map<string, Row>());
  const edits = useEdits();
  const queue = useRef(Promise.resolve());
  const lines = useMemo(() => {
    const all = feed.items.map((row): Line => ({ _id: written.get(row._id) ?? row._id, row }));
    return draft === null ? all : [{ _id: draft, row: null }, ...all];
  }, [feed.items, draft, written]);
  const store = async (line: Line, data: Row['data']): Promise<void> => {
    const row = line.row ?? stored.current.get(line._id);
    if (row) return showRow(await parley.tables.updateRow(table._id, row._id, { data }));
    const created = await parley.tables.createRow(table._id, { data });
    stored.current.set(line._id, created);
    setWritten((all) => new Map(all).set(created._id, line._id));
    setDraft(null);
    return addRow(created);
  };
  const save = async (line: Line): Promise<void> => {
    const unsaved = edits.listUnsaved(line._id);
    const data = Object.fromEntries([...unsaved].map(([key, { value }]) => [key, value]));
    const isNew = !line.row && !stored.current.has(line._id);
    const lacks = table.columns.some(({ key, required }) => required && isEmpty(unsaved.get(key)?.value ?? null));
    if (unsaved.size === 0 || (isNew && lacks)) return;
    try {
      await store(line, data);
      edits.forget(line._id, unsaved);
    } catch (error) {
      edits.refuse(line._id, findRefused(error, unsaved));
      // The values beside a refused one are saved without it.
      await save(line);
    }
  };
  return {
    lines,
    draft,
    takeBack: edits.takeBack,
    read: (line, key) => {
      const edit = edits.find(line._id, key);
      if (edit) return { ...edit, isSaved: false };
      return { value: getOwnProperty(line.row?.data ?? {}, key) ?? null, isSaved: true, problem: null };
    },
    write: (line, data) => {
      edits.write(line._id, data);
      queue.current = queue.current.then(() => save(line));
    },
    begin: () => setDraft((present) => present ?? `new-${(begun += 1)}`),
    discard: () => setDraft(null),
  };
}

/** Returns the edits that an error is about; all of them when it names none. */
function findRefused(error: unknown, unsaved: RowEdits): Parameters<Edits['refuse']>[1] {
  const all = [...unsaved].map(([key, edit]) => [key, { edit, problem: explainField(error, `data.${key}`) }] as const);
  const isNamed = all.some(([, { problem }]) => problem !== null);
  return new Map(
    all.flatMap(([key, { edit, problem }]) => {
      const reason = isNamed ? problem : explainError(error);
      return reason === null ? [] : [[key, { edit, problem: reason }] as const];
    }),
  );
}
