import { exec, many, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import { pageRangeBounds, IN_STRETCH, type PageRange } from '../../platform/store/retention.ts';
import type { PartitionSuffix } from '../../platform/store/partitions.ts';
import type { SystemTx, TenantRead } from '../../platform/store/tenant.ts';
import type { AuditLine } from './schemas.ts';

const COLUMNS = `_id, company_id as company, json_build_object('type', actor_type, '_id', actor_id, 'name', actor_name) as actor,
  action, resource, resource_id, fields, address, user_agent, request_id, via, ai, created_at as "createdAt", created_at as "updatedAt"`;

/** The shared list queries sort by `updated_at`; an audit line never changes, so the column repeats `created_at`. */
const LINES = '(select *, created_at as updated_at from audit_log) a';

export interface AuditFilter {
  actor: string | null;
  action: string | null;
  /** The kind of record, such as `inboxes`; the id of one record is in `resourceId`. */
  resource: string | null;
  resourceId: string | null;
  from: string | null;
  to: string | null;
}

/** The SQL condition of each part of a filter; `$` stands for the number of its parameter. The company is $1. */
const CONDITIONS: Record<keyof AuditFilter, string> = {
  actor: 'actor_id = $',
  action: 'action = $',
  resource: 'resource = $',
  resourceId: 'resource_id = $',
  from: 'created_at >= $::timestamptz',
  to: 'created_at < $::timestamptz',
};
const PARTS = Object.keys(CONDITIONS) as (keyof AuditFilter)[];

/**
 * Builds one SQL text for each combination of filters. With `$2 is null or …` PostgreSQL uses no index, and the page of a rare actor reads
 * the whole log.
 */
function buildConditions(filter: AuditFilter): { name: string; clause: string; values: string[] } {
  const asked = PARTS.filter((part) => filter[part] !== null);
  return {
    name: asked.join('-') || 'all',
    clause: asked.map((part, index) => ` and ${CONDITIONS[part].replace('$', () => `$${index + 2}`)}`).join(''),
    values: asked.map((part) => filter[part] ?? ''),
  };
}

export function listAudit(tx: TenantRead, filter: AuditFilter, window: Window): Promise<Page<AuditLine>> {
  const { name, clause, values } = buildConditions(filter);
  return listPage(tx, window, {
    name: 'audit',
    variant: `.${name}`,
    columns: COLUMNS,
    from: LINES,
    filter: `company_id = $1${clause}`,
    values: [tx.companyId, ...values],
  });
}

/** The newest lines that belong to no company: what was done with global keys. */
export function listInstallationAudit(tx: SystemTx, most: number): Promise<AuditLine[]> {
  return many(tx, {
    name: 'audit.listInstallation',
    text: `select ${COLUMNS} from audit_log where company_id is null order by created_at desc, _id desc limit $1`,
    values: [most],
  });
}

export function findFirstKeptLine(tx: SystemTx, days: number): Promise<string> {
  return oneValue(tx, {
    name: 'audit.findFirstKept',
    text: 'select first_id(now() - make_interval(days => $1))',
    values: [days],
  });
}

export function deleteOldAudit(
  tx: SystemTx,
  days: number,
  suffix: PartitionSuffix,
  stretch: PageRange,
): Promise<number> {
  return exec(tx, {
    name: `audit.deleteOld.${suffix}`,
    text: `delete from audit_log_${suffix} where ${IN_STRETCH} and created_at < now() - make_interval(days => $1)`,
    values: [days, ...pageRangeBounds(stretch)],
  });
}
