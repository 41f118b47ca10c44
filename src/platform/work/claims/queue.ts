/** The types that describe a queue table to a claim loop, and the values that the loop gives to the statements of the queue. */

/** A row that this process has claimed. */
export interface ClaimedRow {
  company: string;
  _id: string;
}

/** The outcome of the work on a row. */
export interface RowOutcome {
  _id: string;
}

export interface ClaimCapacity {
  /** The number of rows to claim. */
  slots: number;
  /** How many rows may be claimed of a company from which this process holds no claimed row. */
  first: number;
  /** How many more rows may be claimed of each company from which this process holds claimed rows. */
  free: Map<string, number>;
  /** The company that was served last; the round goes on after it. */
  after: string;
}

/** Claims that end when they are not renewed, because their worker must have died; their rows are then worked on again. */
export interface Lease<Row> {
  /** The time for which a claim holds. The loop renews the claims of rows in progress several times within it. */
  leaseSeconds: number;
  renew(rows: Row[]): Promise<unknown>;
  /** Returns rows to the queue that are due, or whose claim has ended. The loop calls it before each claim. */
  requeue?(): Promise<unknown>;
}

/** A queue table, and what is done with its rows. A queue without a lease never works on a row twice. */
export interface ClaimQueue<Row extends ClaimedRow, Outcome extends RowOutcome> extends Partial<Lease<Row>> {
  /** The queue's name in the log, and for transactions that wake its loop. */
  name: string;
  /** An SQL condition that holds while a row waits; it has to be answered from an index. */
  waiting: string;
  /** How many rows this process works on at once, and how many of one company. */
  slots: number;
  slotsPerCompany: number;
  /** A company whose work takes longer than this gets fewer slots; a second when absent. */
  slowMs?: number;
  /** True where outcomes decide what may be claimed: the slot of a row is then free only when its outcome is stored. */
  outcomesDecide?: boolean;
  /** Claims rows as `pickInTurn` picks them and commits that. `dismissed` counts rows that left the queue without work. */
  claim(capacity: ClaimCapacity): Promise<{ claimed: Row[]; dismissed: number }>;
  /** Works on a row. Never throws: every failure is an outcome. Takes at most `actMs`, and ends early when `stopping` aborts. */
  act(row: Row, stopping: AbortSignal): Promise<Outcome>;
  actMs: number;
  /** Stores outcomes in one statement. */
  record(outcomes: Outcome[]): Promise<unknown>;
  /** Settles every five seconds what processes that died have left. Never throws. */
  sweep?(): Promise<void>;
}

/** A queue as the loop sees it, without the columns that only its own functions know. */
export type AnyQueue = ClaimQueue<ClaimedRow, RowOutcome>;
