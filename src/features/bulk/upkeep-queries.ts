/** Statements that delete old rows of all companies, a range of pages at a time. */
import { exec } from '../../platform/store/db.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../platform/store/retention.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export function deleteOldRuns(
  tx: SystemTx,
  { days, most }: { days: number; most: number },
  range: PageRange,
): Promise<number> {
  return exec(tx, {
    name: 'bulk.deleteOldRuns',
    text: `delete from bulk_runs where ctid = any(array(
        select ctid from bulk_runs where ${IN_STRETCH} and updated_at < now() - make_interval(days => $1) limit $4))`,
    values: [days, ...pageRangeBounds(range), most],
  });
}

// Entries of the daily limit are certainly out of date after an hour more than a day.
const DAY_SECONDS = 25 * 3_600;

export function deleteOldPeople(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'bulk.deleteOldPeople',
    text: `delete from portfolio_people where ${IN_STRETCH} and reached_at < now() - make_interval(secs => $1)`,
    values: [DAY_SECONDS, ...pageRangeBounds(range)],
  });
}

export function deleteOldPlaces(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'bulk.deleteOldPlaces',
    text: `delete from message_places where ${IN_STRETCH} and reached_at < now() - make_interval(secs => $1)`,
    values: [DAY_SECONDS, ...pageRangeBounds(range)],
  });
}

export function deleteOldMinutes(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'bulk.deleteOldMinutes',
    text: `delete from portfolio_minutes where ${IN_STRETCH} and minute < now() - make_interval(secs => $1)`,
    values: [DAY_SECONDS, ...pageRangeBounds(range)],
  });
}

// The longest pause of a pair is 64 seconds.
const PAIR_SECONDS = 300;

export function deleteOldPairs(tx: SystemTx, range: PageRange): Promise<number> {
  return exec(tx, {
    name: 'bulk.deleteOldPairs',
    text: `delete from send_pairs where ${IN_STRETCH} and next_at < now() - make_interval(secs => $1)`,
    values: [PAIR_SECONDS, ...pageRangeBounds(range)],
  });
}
