import type { GivenComponent } from '../../channels/templates/given.ts';
import type { ApprovedTemplate } from '../../channels/templates/compose.ts';
import type { Actor } from '../../platform/values/actor.ts';
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { BulkRun } from './schemas.ts';

// A process that has not renewed its hold for this long counts as dead.
const HOLD_SECONDS = 20;

const COLUMNS = `_id, company_id as company, inbox_id as inbox,
  json_build_object('name', template->>'name', 'language', template->>'language') as template,
  case when completed_at is not null then 'COMPLETED' when held_until > now() then 'RUNNING' else 'INTERRUPTED' end as status,
  total, sent_count + error_count as "totalProcessed", sent_count as "sentCount", error_count as "errorCount",
  created_at as "createdAt", updated_at as "updatedAt", completed_at as "completedAt"`;

/** A run as it is listed; its record always has an id and times. */
export type RunRow = BulkRun & { _id: string; createdAt: string; updatedAt: string };

/** Whom the conversations of a run are assigned to, and which contacts it may write to. */
export interface RunOptions {
  owner: string | null;
  agent: string | null;
  attendant: string | null;
  keeps: boolean;
  writesToActive: boolean;
  /** The category of the template; runs of an older version have none. */
  category?: string;
}

/** What a process needs to work on a run. */
export interface RunWork {
  _id: string;
  inbox: string;
  template: ApprovedTemplate;
  time_zone: string | null;
  components: GivenComponent[];
  options: RunOptions;
  actor: Actor;
}

export function insertRun(
  tx: TenantTx,
  run: RunWork & { total: number; errors: number; holder: string },
): Promise<number> {
  return exec(tx, {
    name: 'bulk.insertRun',
    text: `insert into bulk_runs (company_id, _id, inbox_id, template, components, options, actor, total, error_count, held_by, held_until)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11))`,
    values: [
      tx.companyId,
      run._id,
      run.inbox,
      JSON.stringify(run.template),
      JSON.stringify(run.components),
      JSON.stringify({ ...run.options, time_zone: run.time_zone }),
      JSON.stringify(run.actor),
      run.total,
      run.errors,
      run.holder,
      HOLD_SECONDS,
    ],
  });
}

export function findRun(tx: TenantRead, id: string): Promise<RunRow | null> {
  return maybeOne(tx, {
    name: 'bulk.findRun',
    text: `select ${COLUMNS} from bulk_runs where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function findRuns(tx: TenantRead, ids: string[]): Promise<RunRow[]> {
  return many(tx, {
    name: 'bulk.findRunsByIds',
    text: `select ${COLUMNS} from bulk_runs where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

export function listRuns(tx: TenantRead, inbox: string | null, window: Window): Promise<Page<RunRow>> {
  return listPage(tx, window, {
    name: 'bulk',
    columns: COLUMNS,
    from: 'bulk_runs',
    filter: 'company_id = $1 and ($2::text is null or inbox_id = $2)',
    values: [tx.companyId, inbox],
  });
}

/** Takes over a run whose process has ended. Returns null when the run has ended, or when another process works on it. */
export function takeRun(tx: TenantTx, id: string, holder: string): Promise<RunWork | null> {
  return maybeOne(tx, {
    name: 'bulk.takeRun',
    text: `update bulk_runs set held_by = $3, held_until = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2 and completed_at is null and (held_until is null or held_until < now())
      returning _id, inbox_id as inbox, template, components, options, options->>'time_zone' as time_zone, actor`,
    values: [tx.companyId, id, holder, HOLD_SECONDS],
  });
}

/** Returns 0 when another process has taken the run over, or the company is suspended. */
export function renewHold(tx: TenantTx, id: string, holder: string): Promise<number> {
  return exec(tx, {
    name: 'bulk.renewHold',
    text: `update bulk_runs set held_until = now() + make_interval(secs => $4)
      where company_id = $1 and _id = $2 and held_by = $3 and completed_at is null
        and exists (select from companies where _id = $1 and status = 'ACTIVE')`,
    values: [tx.companyId, id, holder, HOLD_SECONDS],
  });
}

/** Gives up the run before its end, so that a repeated request can continue it at once. */
export function releaseRun(tx: TenantTx, { _id, holder }: { _id: string; holder: string }): Promise<number> {
  return exec(tx, {
    name: 'bulk.releaseRun',
    text: 'update bulk_runs set held_until = now() where company_id = $1 and _id = $2 and held_by = $3 and completed_at is null',
    values: [tx.companyId, _id, holder],
  });
}

export function addCounts(
  tx: TenantTx,
  run: string,
  { sent, errors }: { sent: number; errors: number },
): Promise<number> {
  return exec(tx, {
    name: 'bulk.addCounts',
    text: `update bulk_runs set sent_count = sent_count + $3, error_count = error_count + $4, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, run, sent, errors],
  });
}

/** Ends the run. Rows that were erased with their contact count as errors, so that the totals include all contacts. */
export function completeRun(tx: TenantTx, { _id, holder }: { _id: string; holder: string }): Promise<number> {
  return exec(tx, {
    name: 'bulk.completeRun',
    text: `update bulk_runs set completed_at = now(), updated_at = now(), held_until = null, error_count = total - sent_count
      where company_id = $1 and _id = $2 and held_by = $3 and completed_at is null`,
    values: [tx.companyId, _id, holder],
  });
}

/** The agent, if the company has it. */
export function findAgent(tx: TenantRead, id: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'bulk.findAgent',
    text: 'select _id from agents where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}
