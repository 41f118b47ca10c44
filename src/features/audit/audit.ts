/** The audit as its company reads it, and its end. What is written into it stands in platform/trail.ts. */
import type { Kit } from '../../kit.ts';
import { purgeAttempts } from '../../platform/idempotency.ts';
import { isId } from '../../platform/ids.ts';
import { purgeBuckets } from '../../platform/limits.ts';
import { pageFrom, pageWindow, type Page } from '../../platform/paging.ts';
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

// As many as anybody looks through.
const SHOWN = 1_000;

/** For whoever has the server: no company may read what is done with global keys. */
export function listInstallation(tx: SystemTx): Promise<AuditEntry[]> {
  return listInstallationAudit(tx, SHOWN);
}

// A delete of this many takes far less than a statement may.
const PORTION = 5_000;

/** What requests leave behind: the audit after its retention, Idempotency-Keys after a day, full rate limits. */
export async function purgeTrails(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  const days = kit.config.AUDIT_RETENTION_DAYS;
  await Promise.all([
    purgeKeys(system),
    purgeByPages(system, 'audit_log', (stretch) => deleteOldAudit(system, days, stretch)),
    purgeBuckets(system),
  ]);
}

async function purgeKeys(system: SystemTx): Promise<void> {
  while ((await purgeAttempts(system, PORTION)) === PORTION);
}
