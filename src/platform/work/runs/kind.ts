/** What a kind of run declares: how its records are shown, and how many of them may be open. */
import type { TUnsafe } from 'typebox';
import type { TenantTx } from '../../store/tenant.ts';
import type { AppError } from '../../values/errors.ts';

/** A run of the kind as answers show it. */
export interface ShownRun {
  _id: string;
  createdAt: string;
  updatedAt: string;
}

export interface RunError {
  code: string;
  message: string;
}

export interface RunKind<R extends ShownRun = ShownRun> {
  /** The value of the column `kind`, and the name of its queue and of the lock of its limit. */
  name: 'CONVERSATIONS' | 'CONTACT_CHANGES' | 'REPLAY' | 'IMPORT';
  schema: TUnsafe<R>;
  statuses: readonly string[];
  /** The name of its list in cursors, and an SQL condition of the runs that the list shows; all of the kind when absent. */
  list: string;
  listed?: string;
  /** The SQL of what its record shows in addition to the columns of all runs. */
  columns: string;
  /** The most runs of a company that wait or are worked on, and the error of a request for one more; `open` are the ids of those runs. */
  mostOpen: number;
  refuse(open: string[]): AppError;
  /** The error of a run that is given up because it has ended its worker's process twice. */
  crashed: RunError;
  /** Deletes what only a run that has not ended needs. */
  clean?(tx: TenantTx, id: string): Promise<unknown>;
}
