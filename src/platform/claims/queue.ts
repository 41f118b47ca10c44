/** The types that describe a queue table to a claim loop, and the values that the loop gives to the statements of the queue. */

/** A row that this process has claimed. */
export interface ClaimedRow {
  company: string;
  /** The row's position in the queue, which no other row of the queue has. */
  seq: string;
  /** The worker that claimed the row ahead of its slots; null when its work begins at once. */
  claimed_by: string | null;
}

/** The outcome of the work on a row. */
export interface RowOutcome {
  _id: string;
  seq: string;
}

export interface ClaimCapacity {
  /** The number of rows whose work can begin at once. */
  slots: number;
  /** The number of rows to claim in addition, whose work begins later. */
  ahead: number;
  /** The worker that claims; null only when nothing is claimed ahead. */
  worker: string | null;
  /** How many rows may be claimed of a company from which this process holds no claimed row. */
  first: number;
  /** How many more rows may be claimed of each company from which this process holds claimed rows. */
  free: Map<string, number>;
  /** The company that was served last; the round goes on after it. */
  after: string;
}

/** A queue table, and what is done with its rows. */
export interface ClaimQueue<Row extends ClaimedRow, Outcome extends RowOutcome> {
  /** The queue's name in the log. */
  name: string;
  /** An SQL condition that holds while a row waits; it has to be answered from an index. */
  waiting: string;
  /** How many rows this process works on at once, and how many of one company. */
  slots: number;
  slotsPerCompany: number;
  /** A company whose work takes longer than this gets fewer slots; a second when absent. */
  slowMs?: number;
  /** Claims rows as `pickInTurn` picks them and commits that. `dismissed` counts rows that left the queue without work. */
  claim(capacity: ClaimCapacity): Promise<{ claimed: Row[]; dismissed: number }>;
  /** Works on a row. Never throws: every failure is an outcome. Takes at most `actMs`. */
  act(row: Row): Promise<Outcome>;
  actMs: number;
  /** Stores outcomes in one statement. */
  record(outcomes: Outcome[]): Promise<unknown>;
  /** Settles the rows of processes that died. Never throws. */
  sweep(): Promise<void>;
  /** The statements for claiming ahead of free slots; null when this queue claims only what can begin at once. */
  ahead: AheadStatements<Row> | null;
}

/** A queue as the loop sees it, without the columns that only its own functions know. */
export type AnyQueue = ClaimQueue<ClaimedRow, RowOutcome>;

/** What a worker stores before it begins rows that it has claimed ahead. */
export interface BeginRequest<Row> {
  worker: string;
  /** A number that rises with each call of this worker, so that a call which arrives late changes nothing. */
  turn: number;
  /** The seq of each row that the worker has begun or is about to begin, and whose outcome is not stored yet. */
  begun: string[];
  /** The rows that the worker is about to begin. */
  held: Row[];
}

/** The statements of a queue whose rows are claimed ahead. */
export interface AheadStatements<Row> {
  /** Registers a worker. Each id is used once. */
  register(worker: string): Promise<unknown>;
  /** Notes which rows a worker is about to begin, and returns the seq of each that may begin; null when the worker may begin nothing. */
  begin(beginning: BeginRequest<Row>): Promise<string[] | null>;
  /** Returns rows of this worker to the queue. Is called once only for each claim. */
  giveBack(worker: string, held: Row[]): Promise<unknown>;
}
