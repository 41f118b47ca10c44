/** The orders of lists. */

/** Priorities, the least urgent first. A record without one comes before all of them. */
export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'URGENT'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The fields that lists can be sorted by, and their columns. Records with equal values are sorted by the id column. */
export const ORDERS = {
  createdAt: { at: 'created_at', id: '_id', type: 'timestamptz' },
  updatedAt: { at: 'updated_at', id: '_id', type: 'timestamptz' },
  // The columns of a separate activity table, because an index on contacts and conversations would make storing each message expensive.
  last_message_at: { at: 'active_at', id: 'record_id', type: 'timestamptz' },
  waiting_since: { at: 'awaited_at', id: 'record_id', type: 'timestamptz' },
  // A number that grows with the priority. Ids grow with time, so records of the same priority are in the order of their creation.
  priority: { at: 'priority', id: '_id', type: 'int' },
  // row_index is unique in a table, so no second column is needed.
  row_index: { at: 'row_index', id: null, type: 'int' },
} as const;
export type OrderField = keyof typeof ORDERS;

export type Sort = OrderField | `-${OrderField}`;
export const SORTS = ['createdAt', '-createdAt', '-updatedAt'] as const satisfies readonly Sort[];

/** The fields of a record that lists can be sorted by. */
export interface PlacedRecord {
  _id: string;
  createdAt: string;
  updatedAt?: string;
  last_message_at?: string | null;
  waiting_since?: string | null;
  priority?: Priority | null;
  row_index?: number;
}

/** Converts the sort value of a cursor to a PostgreSQL literal; null when it is invalid. */
export function readCursorPlace(at: string, field: OrderField): string | null {
  if (ORDERS[field].type === 'int') return /^\d{1,9}$/.test(at) ? at : null;
  // A record without a last message has an empty value and sorts after all others.
  if (at === '' && field === 'last_message_at') return '-infinity';
  const milliseconds = /^\d{1,15}$/.test(at) ? Number(at) : Number.NaN;
  // The number 253402300799999 is the end of the year 9999, the last that PostgreSQL and ISO 8601 write the same way.
  return milliseconds <= 253_402_300_799_999 ? new Date(milliseconds).toISOString() : null;
}

/** Returns the sort value of a record as its cursor has it. */
export function toCursorPlace(record: PlacedRecord, field: OrderField): number | '' {
  if (field === 'priority') return PRIORITIES.findIndex((name) => name === record.priority) + 1;
  const at = record[field];
  return typeof at === 'string' ? Date.parse(at) : (at ?? '');
}
