/**
 * Tables that are partitioned by id, and so by time; sql/platform.sql has the functions. What is too old is dropped with its partition. Rows
 * for which there is no partition are stored in `<table>_rest`, and those from before the table was partitioned in `<table>_earlier`.
 */
import { many, oneValue } from './db.ts';
import { purgeByPages, type PageRange } from './retention.ts';
import { repeatWhileLocked } from './schema-change.ts';
import type { SystemTx } from './tenant.ts';

export interface PartitionedTable {
  name: string;
  /** The days of a partition at least. */
  days: number;
}

/** What follows the name of the table in that of a partition: a day, `rest` or `earlier`. */
export type PartitionSuffix = string;

// A statement that cannot exclude partitions needs a microsecond for each, so they become longer where rows are kept for long.
const PARTITIONS = 30;
const AHEAD_DAYS = 3;

/** What of a partitioned table goes: everything below the id `before`. `purge` deletes it from a range of pages. */
export interface Expiry {
  before: string;
  purge: (suffix: PartitionSuffix, range: PageRange) => Promise<unknown>;
}

/**
 * Makes the partitions of today and the next days, and drops those that are too old; from others, old rows are deleted. That happens also when
 * no partition can be made. `keptDays` is how long rows are kept.
 */
export async function renewPartitions(
  system: SystemTx,
  table: PartitionedTable,
  keptDays: number,
  expiry: Expiry,
): Promise<void> {
  try {
    await makePartitions(system, table, keptDays);
  } finally {
    await purgePartitions(system, table, expiry);
  }
}

/** Makes the partitions of today and the next days. Without `keptDays` rows are kept for ever. */
export const makePartitions = (system: SystemTx, { name, days }: PartitionedTable, keptDays = 0): Promise<number> =>
  repeatWhileLocked(() =>
    oneValue(system, {
      name: 'partitions.make',
      text: 'select make_partitions($1, $2, $3)',
      values: [name, Math.max(days, Math.ceil(keptDays / PARTITIONS)), AHEAD_DAYS],
    }),
  );

async function purgePartitions(system: SystemTx, { name }: PartitionedTable, { before, purge }: Expiry): Promise<void> {
  while ((await repeatWhileLocked(() => dropPartition(system, name, before))) !== null);
  for (const partition of await listPartitions(system, name, before))
    await purgeByPages(system, partition.name, (range) => purge(partition.name.slice(name.length + 1), range));
}

const dropPartition = (system: SystemTx, table: string, before: string): Promise<string | null> =>
  oneValue(system, { name: 'partitions.drop', text: 'select drop_partition($1, $2)', values: [table, before] });

const listPartitions = (system: SystemTx, table: string, before: string): Promise<{ name: string }[]> =>
  many(system, {
    name: 'partitions.list',
    text: 'select name from partitions_of($1) where lower is null or lower < $2 order by name',
    values: [table, before],
  });
