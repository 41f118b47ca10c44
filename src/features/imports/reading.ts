/** The child process of an import: it reads the sheet and converts each row to the values of a record, or says what is wrong with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteSource } from '../../platform/store/byte-source.ts';
import type { Supply } from '../../platform/work/child.ts';
import { suppliedSource, type Worker } from '../../platform/work/child-work.ts';
import { fileFault } from '../../platform/work/file-fault.ts';
import {
  beginSurvey,
  detectFormat,
  isSmallSheet,
  readHeader,
  readRows,
  readSmallSheet,
  surveyRows,
  type SheetFormat,
  type SheetSurvey,
} from '../../platform/work/sheets.ts';
import type { Cell, SheetRow } from '../../platform/work/sheets/sheet.ts';
import { clipText } from '../../platform/values/words.ts';
import { MAX_SHEET_ROWS, type ImportColumn, type SheetKind } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export interface ImportRow {
  /** The number of the row; row 1 is the first row after the header. */
  number: number;
  /** The cells of the row by field; empty cells are left out. */
  cells: Map<string, Cell>;
}

export interface Fault {
  field: string | null;
  message: string;
  /** The beginning of the cell that is refused; absent where the fault is not that of a cell. */
  value?: string;
}

/** A row whose values have been checked. */
export interface ReadRow<V = unknown> {
  number: number;
  /** The number by which a spreadsheet program shows the row; absent for what came in a request. */
  line?: number;
  /** The values of the row; with faults only the valid ones, and null when no value could be read. */
  value: V | null;
  faults: Fault[];
  /** What is wrong with cells without which the row is stored. */
  warnings?: Fault[];
}

type ConvertedRow = Omit<ReadRow, 'number' | 'line'>;

/** Makes a function that converts rows of one kind. `slots` describes which values are valid, as the main process loaded it. */
export type RowConverter = (slots: never) => (row: ImportRow) => ConvertedRow;

/** A request to the child. All requests for one sheet have the same number in `sheet`. */
export type ReadingRequest = { sheet: number; bytes: number } & (
  | { do: 'head' }
  | { do: 'survey'; format: SheetFormat; columns: ImportColumn[] }
  /** With `kind` null only the numbers of the rows are answered. Without `slots` those of the last portion are used. */
  | { do: 'portion'; kind: SheetKind | null; slots?: unknown; from: number; most: number }
);

export interface SheetHead {
  format: SheetFormat;
  titles: string[];
}

/** The child's answer when it needs more time; the main process then sends the same request again. */
export const MORE = 'MORE';

// The time that the child works on one request before it answers MORE.
const SLICE_MS = 500;
// The longest column title that is kept: no field has a longer name.
const MAX_TITLE = declareLimit(200, {
  topic: 'Contacts',
  what: 'Sheet: column title',
  unit: 'characters',
  beyond: 'cut',
});
// The bytes of rows that the main process reads, checks and stores at once.
const PORTION_BYTES = 512 * 1024;

interface ReadingState {
  sheet: number;
  source: ByteSource;
  /** Pauses the reading of the sheet while no request of the parent process waits for an answer. */
  gate: TaskGate;
  /** The work under way. A second request with the same key waits for its result instead of starting it again. */
  task: { key: string; result: Promise<unknown> } | null;
  format: SheetFormat;
  columns: ImportColumn[];
  survey: SheetSurvey;
  rows: AsyncGenerator<SheetRow> | null;
  /** Rows that were read and may be requested again, and the position of the first of them. */
  kept: SheetRow[];
  keptFrom: number;
  lastFrom: number;
  slots: unknown;
}

export function createReading(converters: Record<SheetKind, RowConverter>): Worker {
  let state: ReadingState | null = null;
  return async (given, supply) => {
    if ('forget' in given) return (state = null);
    const request = given as ReadingRequest;
    if (state?.sheet !== request.sheet) {
      // Unfinished work on another sheet stays paused and is dropped with its state.
      state = createState(request, supply);
    }
    const current = state;
    if (request.do === 'head') return continueTask(current, 'head', () => readHead(current.source));
    if (request.do === 'survey') return continueTask(current, 'survey', () => surveySheet(current, request));
    const { kind, from, most } = request;
    current.slots = request.slots ?? current.slots;
    const rows = await continueTask(current, `portion ${from} ${most}`, () => readPortion(current, from, most));
    if (rows === MORE) return MORE;
    const convert = kind === null ? makeEmptyRow : converters[kind](current.slots as never);
    return rows.map((row) => ({ number: row.number, line: row.line, ...readRow(row, current.columns, convert) }));
  };
}

const makeEmptyRow = (): ConvertedRow => ({ value: null, faults: [] });

interface TaskGate {
  open(): void;
  close(): void;
  pass(): Promise<void>;
}

function createTaskGate(): TaskGate {
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

/** Continues a task for a short time, and returns its result or MORE. */
async function continueTask<T>(state: ReadingState, key: string, begun: () => Promise<T>): Promise<T | typeof MORE> {
  state.gate.open();
  try {
    for (const untilMs = performance.now() + SLICE_MS; ;) {
      state.task ??= { key, result: begun() };
      const { task } = state;
      const ended = await Promise.race([
        task.result.then(
          () => true,
          // Failure policy: an error of the task is thrown where its result is awaited.
          () => true,
        ),
        sleep(Math.max(1, untilMs - performance.now()), false),
      ]);
      if (!ended) return MORE;
      state.task = null;
      if (task.key === key) return (await task.result) as T;
      // This task was started for an earlier request. The rows that it reads are kept, because the current request may need them.
      await task.result.catch(() => undefined);
    }
  } finally {
    state.gate.close();
  }
}

function createState({ sheet, bytes }: ReadingRequest, supply: Supply): ReadingState {
  const gate = createTaskGate();
  return {
    sheet,
    // The child pauses between two pieces when no request waits.
    source: suppliedSource(bytes, supply, gate.pass),
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

async function readHead(source: ByteSource): Promise<SheetHead> {
  const format = await detectFormat(source);
  const { cells, fault } = await readHeader(source, format);
  if (fault) throw fileFault('has titles that are larger than the limit of a row or a cell', 'TOO_LARGE');
  return { format, titles: cells.map((cell) => clipTitle(String(cell ?? '').trim())) };
}

/** Shortens a title without cutting a character that consists of two code units. */
export const clipTitle = (title: string): string => clipText(title, MAX_TITLE);

/**
 * Reads the whole sheet, so that an error at its end is found before its first rows are stored. Returns how many rows have a value. The rows
 * of a small sheet are kept; those of another one are read again, so that it does not need the memory for all of them.
 */
async function surveySheet(
  state: ReadingState,
  { format, columns }: { format: SheetFormat; columns: ImportColumn[] },
): Promise<number> {
  const taken = new Set(columns.flatMap(({ field }, index) => (field === null ? [] : [index])));
  Object.assign(state, { format, columns, survey: beginSurvey(taken) });
  const isSmall = await isSmallSheet(state.source, format);
  const rows = isSmall ? readSmallSheet(state.source, format, taken) : surveyRows(state.source, format, state.survey);
  let count = -1;
  for await (const row of rows) {
    count += 1;
    if (count > MAX_SHEET_ROWS) throw fileFault(`has more than ${MAX_SHEET_ROWS} rows`, 'TOO_MANY_ROWS');
    if (isSmall && count > 0) state.kept.push(row);
  }
  if (isSmall) state.rows = rows;
  return count;
}

/** Reads at most `most` rows from a position on, as many as fit into a portion. The rows of the last portion can be requested again. */
async function readPortion(state: ReadingState, from: number, most: number): Promise<SheetRow[]> {
  const drop = Math.min(from, state.lastFrom) - state.keptFrom;
  state.lastFrom = from;
  if (drop < 0) throw new Error('a portion was asked for that is not kept');
  state.keptFrom += state.kept.splice(0, drop).length;
  const rows: SheetRow[] = [];
  let bytes = 0;
  while (rows.length < most && bytes < PORTION_BYTES) {
    const row = await readRowAt(state, from + rows.length);
    if (!row) break;
    rows.push(row);
    bytes += row.cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 16);
  }
  return rows;
}

/** Reads on up to this row and keeps it. Rows before the first kept one are dropped. */
async function readRowAt(state: ReadingState, place: number): Promise<SheetRow | undefined> {
  if (!state.rows) {
    state.rows = readRows(state.source, state.format, state.survey);
    // Skips the header.
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
  convert: ReturnType<RowConverter>,
): ConvertedRow {
  if (fault) return { value: null, faults: [makeTooLargeFault(fault.column, columns)] };
  const taken = new Map<string, Cell>();
  for (const [index, { field }] of columns.entries()) {
    const cell = cells[index] ?? null;
    if (field !== null && cell !== null) taken.set(field, cell);
  }
  const { value, faults, warnings = [] } = convert({ number, cells: taken });
  const show = (each: Fault): Fault => showCell(each, taken);
  return { value, faults: faults.map(show), warnings: warnings.map(show) };
}

// The letters of a refused cell that are shown.
const MAX_SHOWN = 100;

function showCell(fault: Fault, cells: Map<string, Cell>): Fault {
  const cell = fault.field === null ? null : (cells.get(fault.field) ?? null);
  return cell === null ? fault : { ...fault, value: clipText(String(cell), MAX_SHOWN) };
}

function makeTooLargeFault(column: number | null, columns: ImportColumn[]): Fault {
  if (column === null) return { field: null, message: 'the row is larger than 80 kB' };
  const { field, title } = columns[column] ?? { field: null, title: `column ${column + 1}` };
  return { field: field ?? title, message: 'is larger than 32 kB' };
}
