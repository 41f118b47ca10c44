/** The child's side of an import: reads the sheet, and makes of each row what its record would hold, or says what is wrong with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '../../platform/child-work.ts';
import {
  beginSurvey,
  detectFormat,
  readHeader,
  readRows,
  surveyRows,
  type SheetFormat,
  type Survey,
} from '../../platform/sheets.ts';
import { sheetFault, type Cell, type SheetRow, type SheetSource } from '../../platform/sheets/sheet.ts';
import { MAX_SHEET_ROWS, type ImportColumn, type ImportKind } from './schemas.ts';

export interface ImportRow {
  /** 1 is the first row after the header. */
  number: number;
  /** By field; without what is empty. */
  cells: Map<string, Cell>;
}

export interface Fault {
  field: string | null;
  message: string;
}

/** A row, checked against what its values have to fit. */
export interface ReadRow<V = unknown> {
  number: number;
  /** Only as far as it is sound when there are faults; null when nothing of it could be read. */
  value: V | null;
  faults: Fault[];
}

/** Makes rows of a kind: `slots` is what their values have to fit, as the parent read it. */
export type Converter = (slots: never) => (row: ImportRow) => Omit<ReadRow, 'number'>;

/** Of one sheet, all with the same number in `sheet`. */
export type ReadingRequest = { sheet: number; bytes: number } & (
  | { do: 'head' }
  | { do: 'survey'; format: SheetFormat; columns: ImportColumn[] }
  /** `kind` null: only which rows these are. Without `slots` those of the last portion hold. */
  | { do: 'portion'; kind: ImportKind | null; slots?: unknown; from: number; most: number }
);

export interface Head {
  format: SheetFormat;
  titles: string[];
}

/** What the child answers when there is more to do than one may wait for; the parent asks the same again. */
export const MORE = 'MORE';

// Then others have their turn.
const SLICE_MS = 500;
// Longer titles are those of notes: no field is called so.
const MAX_TITLE = 200;
// What the parent reads, checks and stores in one go.
const PORTION_BYTES = 512 * 1024;
// Between two pieces of its source a reader stops when nobody asks it to go on. Inflated they are a hundred times as large.
const PIECE_BYTES = 64 * 1024;

interface State {
  sheet: number;
  source: SheetSource;
  /** Opened while somebody waits for an answer. */
  gate: Gate;
  /** The work under way. A second request with the same key waits for its result instead of starting it again. */
  task: { key: string; result: Promise<unknown> } | null;
  format: SheetFormat;
  columns: ImportColumn[];
  survey: Survey;
  rows: AsyncGenerator<SheetRow> | null;
  /** Rows that were read and may be asked for again, and the place of the first among all. */
  kept: SheetRow[];
  keptFrom: number;
  lastFrom: number;
  slots: unknown;
}

export function createReading(converters: Record<ImportKind, Converter>): Worker {
  let state: State | null = null;
  return async (given, supply) => {
    if ('forget' in given) return (state = null);
    const request = given as ReadingRequest;
    if (state?.sheet !== request.sheet) {
      // What was begun of another sheet stays at its gate, and is forgotten with it.
      state = begin(request, supply);
    }
    const current = state;
    if (request.do === 'head') return slice(current, 'head', () => readHead(current.source));
    if (request.do === 'survey') return slice(current, 'survey', () => surveyAll(current, request));
    const { kind, from, most } = request;
    current.slots = request.slots ?? current.slots;
    const rows = await slice(current, `portion ${from} ${most}`, () => readPortion(current, from, most));
    if (rows === MORE) return MORE;
    const convert = kind === null ? unread : converters[kind](current.slots as never);
    return rows.map((row) => ({ number: row.number, ...readRow(row, current.columns, convert) }));
  };
}

const unread = (): Omit<ReadRow, 'number'> => ({ value: null, faults: [] });

interface Gate {
  open(): void;
  close(): void;
  pass(): Promise<void>;
}

function createGate(): Gate {
  let isOpen = false;
  let waiting: (() => void)[] = [];
  return {
    open: () => {
      isOpen = true;
      for (const resume of waiting) resume();
      waiting = [];
    },
    close: () => (isOpen = false),
    pass: async () => {
      if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

/** Goes on with a task for a moment: answers its result, or MORE. */
async function slice<T>(state: State, key: string, begun: () => Promise<T>): Promise<T | typeof MORE> {
  state.gate.open();
  try {
    for (const untilMs = performance.now() + SLICE_MS; ;) {
      state.task ??= { key, result: begun() };
      const { task } = state;
      const ended = await Promise.race([
        task.result.then(
          () => true,
          // Failure policy: whoever asked for it is told, by the result itself.
          () => true,
        ),
        sleep(Math.max(1, untilMs - performance.now()), false),
      ]);
      if (!ended) return MORE;
      state.task = null;
      if (task.key === key) return (await task.result) as T;
      // What the parent asked for before it changed its mind: its rows are kept, and may be what is asked for now.
      await task.result.catch(() => undefined);
    }
  } finally {
    state.gate.close();
  }
}

function begin({ sheet, bytes }: ReadingRequest, supply: (question: object) => Promise<unknown>): State {
  const gate = createGate();
  const source: SheetSource = {
    bytes,
    async *read(start, end) {
      for (let at = start; at < end; at += PIECE_BYTES) {
        await gate.pass();
        yield (await supply({ start: at, end: Math.min(end, at + PIECE_BYTES) })) as Buffer;
      }
    },
  };
  return {
    sheet,
    source,
    gate,
    task: null,
    format: 'CSV',
    columns: [],
    survey: beginSurvey(null),
    rows: null,
    kept: [],
    keptFrom: 0,
    lastFrom: 0,
    slots: undefined,
  };
}

async function readHead(source: SheetSource): Promise<Head> {
  const format = await detectFormat(source);
  const { cells, fault } = await readHeader(source, format);
  if (fault) throw sheetFault('has titles that are larger than a row or a cell may be', 'TOO_LARGE');
  return { format, titles: cells.map((cell) => clip(String(cell ?? '').trim())) };
}

/** Half of a letter of two is no letter. */
export const clip = (title: string): string => title.slice(0, MAX_TITLE).replace(/[\ud800-\udbff]$/, '');

/** All of it is read: what is broken at the end is known before the beginning is stored. Answers how many rows have a value. */
async function surveyAll(
  state: State,
  { format, columns }: { format: SheetFormat; columns: ImportColumn[] },
): Promise<number> {
  const taken = columns.flatMap(({ field }, index) => (field === null ? [] : [index]));
  Object.assign(state, { format, columns, survey: beginSurvey(new Set(taken)) });
  let count = -1;
  for await (const _ of surveyRows(state.source, format, state.survey)) {
    count += 1;
    if (count > MAX_SHEET_ROWS) throw sheetFault(`has more than ${MAX_SHEET_ROWS} rows`, 'TOO_MANY_ROWS');
  }
  return count;
}

/** At most so many rows from a place on, as many as fit into a portion; those of the last portion can be asked for again. */
async function readPortion(state: State, from: number, most: number): Promise<SheetRow[]> {
  const drop = Math.min(from, state.lastFrom) - state.keptFrom;
  state.lastFrom = from;
  if (drop < 0) throw new Error('a portion was asked for that is not kept');
  state.keptFrom += state.kept.splice(0, drop).length;
  const rows: SheetRow[] = [];
  let bytes = 0;
  while (rows.length < most && bytes < PORTION_BYTES) {
    const row = await rowAt(state, from + rows.length);
    if (!row) break;
    rows.push(row);
    bytes += row.cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 16);
  }
  return rows;
}

/** Reads on up to this row, and keeps it; what stands before the rows that are kept is passed over. */
async function rowAt(state: State, place: number): Promise<SheetRow | undefined> {
  if (!state.rows) {
    state.rows = readRows(state.source, state.format, state.survey);
    // The header.
    await state.rows.next();
  }
  while (state.keptFrom + state.kept.length <= place) {
    const next = await state.rows.next();
    if (next.done) return undefined;
    if (state.kept.length === 0 && state.keptFrom < place) state.keptFrom += 1;
    else state.kept.push(next.value);
  }
  return state.kept[place - state.keptFrom];
}

function readRow(
  { number, cells, fault }: SheetRow,
  columns: ImportColumn[],
  convert: ReturnType<Converter>,
): Omit<ReadRow, 'number'> {
  if (fault) return { value: null, faults: [tooLarge(fault.column, columns)] };
  const taken = new Map<string, Cell>();
  for (const [index, { field }] of columns.entries()) {
    const cell = cells[index] ?? null;
    if (field !== null && cell !== null) taken.set(field, cell);
  }
  return convert({ number, cells: taken });
}

function tooLarge(column: number | null, columns: ImportColumn[]): Fault {
  if (column === null) return { field: null, message: 'the row is larger than 128 kB' };
  const { field, title } = columns[column] ?? { field: null, title: `column ${column + 1}` };
  return { field: field ?? title, message: 'is larger than 32 kB' };
}
