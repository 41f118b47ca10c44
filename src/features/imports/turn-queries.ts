/** Queries that decide which import is processed next and by which process, over all companies. */
import { exec, maybeOne, one } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { ImportKind } from './schemas.ts';

// The time until which a claim holds: a process that has not renewed its claim for so long counts as dead; it renews the claim every few
// seconds.
const HELD = `now() + interval '20 seconds'`;

/** An SQL condition that is true when no process works on the import or on another import of its company. */
const FREE = `finished_at is null and coalesce(held_until, '-infinity') < now() and not exists (
  select from imports other where other.company_id = mine.company_id and other.finished_at is null and other.held_until >= now())`;

/** Processes claim imports one after the other. Otherwise two of them could each claim an import of the same company. */
export function lockImportTurns(tx: SystemTx): Promise<number> {
  return exec(tx, { name: 'imports.lockTurns', text: 'select pg_advisory_xact_lock(724113005)', values: [] });
}

export interface ClaimedImport {
  company: string;
  _id: string;
  kind: ImportKind;
  /** The number of times that the import was started without progress, including this time. */
  attempts: number;
}

/** Claims the import whose turn it is, and counts the attempt before the work begins. An import that ends at this moment stays ended. */
export function claimImport(tx: SystemTx, holder: string): Promise<ClaimedImport | null> {
  return maybeOne(tx, {
    name: 'imports.claim',
    text: `update imports set status = 'RUNNING', started_at = coalesce(started_at, now()), attempts = attempts + 1, held_by = $1,
        held_until = ${HELD}, updated_at = case when status = 'QUEUED' then now() else updated_at end
      where finished_at is null
        and (company_id, _id) = (select company_id, _id from imports mine where ${FREE} order by turn_at, company_id, _id limit 1)
      returning company_id as company, _id, kind, attempts`,
    values: [holder],
  });
}

/** An SQL condition that is true while an import may be started. */
export const IS_WAITING = `exists (select from imports mine where ${FREE})`;

export async function isSomebodyWaiting(tx: SystemTx): Promise<boolean> {
  const { waiting } = await one<{ waiting: boolean }>(tx, {
    name: 'imports.isSomebodyWaiting',
    text: `select ${IS_WAITING} as waiting`,
    values: [],
  });
  return waiting;
}

/** Renews the claims of a process that is still working. */
export function renewImportClaims(tx: SystemTx, holder: string): Promise<number> {
  return exec(tx, {
    name: 'imports.hold',
    text: `update imports set held_until = ${HELD} where finished_at is null and held_by = $1`,
    values: [holder],
  });
}

export interface ReleasedClaim {
  company: string;
  _id: string;
  holder: string;
  /** The seconds for which no process may claim the import again. */
  pauseSeconds: number;
  /** True when the work ended without a crash, so that it does not count as a failed attempt. */
  isOrderly: boolean;
}

/** Gives up the claim of an import, so that a process can claim it again. */
export function releaseImport(
  tx: SystemTx,
  { company, _id, holder, pauseSeconds, isOrderly }: ReleasedClaim,
): Promise<number> {
  return exec(tx, {
    name: 'imports.release',
    text: `update imports set held_by = null, held_until = now() + make_interval(secs => $4::int),
        attempts = case when $5::boolean then 0 else attempts end
      where company_id = $1 and _id = $2 and held_by = $3 and finished_at is null`,
    values: [company, _id, holder, pauseSeconds, isOrderly],
  });
}

/** Puts the imports of a company at the end of the queue, because the company had its turn. */
export function endCompanyTurn(tx: SystemTx, company: string): Promise<number> {
  return exec(tx, {
    name: 'imports.endTurn',
    text: 'update imports set turn_at = now() where company_id = $1 and finished_at is null',
    values: [company],
  });
}
