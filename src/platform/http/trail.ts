/**
 * Adds to the first transaction of a writing request its audit entry and the record that its Idempotency-Key stands for. This happens here
 * for all operations, so that none can forget it.
 */
import { toLoggedActor, recordAudit, type Origin } from './audit.ts';
import type { Principal } from './auth.ts';
import { bindKeyToRecord, type KeyAttempt } from './idempotency.ts';
import { actAs, type Database, type SystemTx, type Tenant, type TenantTx } from '../store/tenant.ts';

export interface RequestTrailOptions {
  principal: Principal;
  /** The company of the audit entry; null when the operation belongs to no company, or only to the company that it creates or changes. */
  company: string | null;
  /** The name of the operation in the audit log, such as `inboxes.update`. */
  action: string;
  /** The id of the record that the path names. An operation that creates a record names it by `tx.created()`. */
  resourceId: string | null;
  fields: string[];
  origin: Origin;
  /** The attempt of a request with an Idempotency-Key. */
  attempt: KeyAttempt | null;
}

export interface RequestTrail {
  /** Runs the work of a transaction. The first one that commits also stores the trail. */
  follow<X extends TenantTx | SystemTx, T>(tx: X, work: (tx: X) => Promise<T>): Promise<T>;
}

export function openRequestTrail(options: RequestTrailOptions): RequestTrail {
  let left = false;
  return {
    async follow(tx, work) {
      if (left) return work(tx);
      let { resourceId, company } = options;
      const created = (id: string, whose = company): void => void ([resourceId, company] = [id, whose]);
      const result = await work({ ...tx, created });
      await storeTrail(tx, { ...options, resourceId, company });
      tx.afterCommit(() => void (left = true));
      return result;
    },
  };
}

async function storeTrail(
  tx: TenantTx | SystemTx,
  { principal, company, action, resourceId, fields, origin, attempt }: RequestTrailOptions,
): Promise<void> {
  if (resourceId === null) throw new Error(`${action}: the transaction names no record`);
  const [resource = ''] = action.split('.');
  const audited = recordAudit(tx, {
    // A change to a company is recorded in the audit log of that company, whichever company the caller acts for.
    company: resource === 'companies' ? resourceId : company,
    actor: toLoggedActor(principal),
    action,
    resource,
    resourceId,
    fields,
    origin,
  });
  // Nothing may be committed before it is known that the key still belongs to this request; the audit entry alone can travel with COMMIT.
  if (attempt) await Promise.all([audited, bindKeyToRecord(tx, attempt, resourceId)]);
  else tx.awaitAtCommit(audited);
}

/** Returns the access with which a request acts for a company. Its transactions store the trail. */
export function makeTenant(
  database: Database,
  companyId: string,
  principal: Principal,
  trail: RequestTrail | null = null,
): Tenant {
  const tenant = { ...actAs(database, companyId, principal), principal };
  if (!trail) return tenant;
  return { ...tenant, tx: (work) => database.tenantTx(companyId, (tx) => trail.follow(tx, work), principal) };
}
