/** Lists the audit of a company, and deletes what is too old. platform/trail.ts writes the lines. */
import type { Kit } from '../../kit.ts';
import { purgeAttempts } from '../../platform/idempotency.ts';
import { isId } from '../../platform/ids.ts';
import { purgeBuckets } from '../../platform/limits.ts';
import { pageFrom, pageWindow, type Page } from '../../platform/paging.ts';
import { inPortions } from '../../platform/portions.ts';
import { purgeByPages } from '../../platform/retention.ts';
import type { SystemTx, Tenant } from '../../platform/tenant.ts';
import { countAudit, deleteOldAudit, listAudit, listInstallationAudit } from './queries.ts';
import type { AuditEntry, AuditQuery } from './schemas.ts';

export async function pageAudit(tenant: Tenant, query: AuditQuery): Promise<Page<AuditEntry>> {
  const { resource = null } = query;
  const names = resource !== null && isId(resource);
  const filter = {
    actor: query.actor ?? null,
    action: query.action ?? null,
    resource: names ? null : resource,
    resourceId: names ? resource : null,
    from: query.from ?? null,
    to: query.to ?? null,
  };
  const window = pageWindow('audit', query);
  const rows = await listAudit(tenant.read, filter, window);
  return pageFrom(query, window, rows, () => countAudit(tenant.read, filter, window));
}

// More lines than an operator looks through.
const SHOWN = 1_000;

/** The lines about global keys, which no company may read, for the operator's command line. */
export function listInstallation(tx: SystemTx): Promise<AuditEntry[]> {
  return listInstallationAudit(tx, SHOWN);
}

// Deleting this many rows takes far less than the time-out of a statement.
const PORTION = 5_000;

/** Deletes what requests leave behind: old lines of the audit, Idempotency-Keys after a day, and rate limits that are full again. */
export async function purgeTrails(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  const days = kit.config.AUDIT_RETENTION_DAYS;
  await Promise.all([
    inPortions(() => purgeAttempts(system, PORTION)),
    purgeByPages(system, 'audit_log', (stretch) => deleteOldAudit(system, days, stretch)),
    purgeBuckets(system),
  ]);
}
