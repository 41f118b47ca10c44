/** The entries of the list: many missed SLA targets in a row are one, so that they do not push the others out of sight. */
import type { Notification } from '@parley/sdk';

/** So many stand for themselves. */
const MOST_SINGLE = 3;

const isUnreadMiss = ({ kind, read_at }: Notification): boolean => kind === 'SLA_BREACHED' && read_at === null;

/** Returns the notifications of each entry, in their order. */
export function groupMisses(notifications: readonly Notification[]): (readonly Notification[])[] {
  const runs: Notification[][] = [];
  for (const each of notifications) {
    const run = runs.at(-1);
    if (run?.every(isUnreadMiss) && isUnreadMiss(each)) run.push(each);
    else runs.push([each]);
  }
  return runs.flatMap((run) => (run.length > MOST_SINGLE ? [run] : run.map((each) => [each])));
}
