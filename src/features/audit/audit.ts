/** Lists the entries of a company's audit log, and deletes entries that are too old. platform/http/trail.ts writes them. */
import type { Kit } from '../../kit.ts';
import { purgeAttempts } from '../../platform/http/idempotency.ts';
import { isId } from '../../platform/values/ids.ts';
import { purgeBuckets } from '../../platform/http/limits.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { workInPortions } from '../../platform/store/portions.ts';
import { renewPartitions, type PartitionedTable } from '../../platform/store/partitions.ts';
import type { SystemTx, Tenant } from '../../platform/store/tenant.ts';
import { nameRecords } from './names.ts';
import { deleteOldAudit, findFirstKeptLine, listAudit, listInstallationAudit } from './queries.ts';
import type { AuditEntry, AuditLine, AuditQuery } from './schemas.ts';
import { declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('AUDIT_RETENTION_DAYS', {
  topic: 'Accounts',
  what: 'Audit: age of an entry',
  unit: 'days',
  beyond: 'deleted',
});

const LOG: PartitionedTable = { name: 'audit_log', days: 30 };

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
  const page = await listAudit(tenant.read, filter, pageWindow('audit', query));
  return { ...page, result: await nameRecords(tenant, page.result) };
}

// The number of newest lines that the operator's command shows; no one looks through more.
const SHOWN = 1_000;

/** The lines about global keys, which no company may read, for the operator's command line. */
export function listInstallationEntries(tx: SystemTx): Promise<AuditLine[]> {
  return listInstallationAudit(tx, SHOWN);
}

// Deleting this many rows takes far less than the time-out of a statement.
const PORTION = 5_000;

/** Deletes data that requests leave behind: old audit entries, Idempotency-Keys older than a day, and token buckets that are full again. */
export async function purgeRequestData(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await Promise.all([
    workInPortions(() => purgeAttempts(system, PORTION)),
    purgeLines(system, kit.config.AUDIT_RETENTION_DAYS),
    purgeBuckets(system),
  ]);
}

async function purgeLines(system: SystemTx, days: number): Promise<void> {
  await renewPartitions(system, LOG, days, {
    before: await findFirstKeptLine(system, days),
    purge: (suffix, range) => deleteOldAudit(system, days, suffix, range),
  });
}
