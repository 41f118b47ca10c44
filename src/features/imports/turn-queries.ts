/** Whose import is worked on next, and by whom; over all companies. */
import { exec, maybeOne, one } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { ImportKind } from './schemas.ts';

// A process that says nothing for so long has died; it says something every few seconds.
const HELD = `now() + interval '20 seconds'`;

/** Nobody works on it, or on another one of its company. */
const FREE = `finished_at is null and coalesce(held_until, '-infinity') < now() and not exists (
  select from imports other where other.company_id = mine.company_id and other.finished_at is null and other.held_until >= now())`;

/** Two processes that look at the same moment would each take one of the same company: they look one after the other. */
export function lockTurns(tx: SystemTx): Promise<number> {
  return exec(tx, { name: 'imports.lockTurns', text: 'select pg_advisory_xact_lock(724113005)', values: [] });
}

export interface ClaimedImport {
  company: string;
  _id: string;
  kind: ImportKind;
  /** How often it was begun without coming further, this time included. */
  attempts: number;
}

/** The import whose turn it is; counted as begun before the work begins. One that ends at this moment stays ended. */
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

/** Whether an import may be begun. */
export const IS_WAITING = `exists (select from imports mine where ${FREE})`;

export async function isSomebodyWaiting(tx: SystemTx): Promise<boolean> {
  const { waiting } = await one<{ waiting: boolean }>(tx, {
    name: 'imports.isSomebodyWaiting',
    text: `select ${IS_WAITING} as waiting`,
    values: [],
  });
  return waiting;
}

/** A process that works says so. */
export function holdImports(tx: SystemTx, holder: string): Promise<number> {
  return exec(tx, {
    name: 'imports.hold',
    text: `update imports set held_until = ${HELD} where finished_at is null and held_by = $1`,
    values: [holder],
  });
}

export interface Release {
  company: string;
  _id: string;
  holder: string;
  /** Nobody takes it up before. */
  pauseSeconds: number;
  /** The work ended as it should, and is not held against the import. */
  isOrderly: boolean;
}

/** Gives an import back. */
export function releaseImport(
  tx: SystemTx,
  { company, _id, holder, pauseSeconds, isOrderly }: Release,
): Promise<number> {
  return exec(tx, {
    name: 'imports.release',
    text: `update imports set held_by = null, held_until = now() + make_interval(secs => $4::int),
        attempts = case when $5::boolean then 0 else attempts end
      where company_id = $1 and _id = $2 and held_by = $3 and finished_at is null`,
    values: [company, _id, holder, pauseSeconds, isOrderly],
  });
}

/** The imports of a company stand at the end: it had its turn. */
export function endTurn(tx: SystemTx, company: string): Promise<number> {
  return exec(tx, {
    name: 'imports.endTurn',
    text: 'update imports set turn_at = now() where company_id = $1 and finished_at is null',
    values: [company],
  });
}
