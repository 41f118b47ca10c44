/**
 * Adds to the first transaction of a writing request its audit entry and the record that its Idempotency-Key stands for. This happens here
 * for all operations, so that none can forget it.
 */
import type { FastifyRequest } from 'fastify';
import { readRequestOrigin } from './access.ts';
import { toLoggedActor, recordAudit, type Origin } from './audit.ts';
import type { Principal } from './auth.ts';
import { findAuditAction } from './description.ts';
import { bindKeyToRecord, type KeyAttempt } from './idempotency.ts';
import type { AiUse } from '../values/ai-use.ts';
import { actAs, type Database, type SystemTx, type Tenant, type TenantTx, type Sight } from '../store/tenant.ts';

interface TrailEntry {
  principal: Principal;
  /** The company of the audit entry; null when the operation belongs to no company, or only to the company that it creates or changes. */
  company: string | null;
  /** The name of the operation in the audit log, such as `inboxes.update`. */
  action: string;
  /** The id of the record that the path names. An operation that creates a record names it by `tx.created()`. */
  resourceId: string | null;
  fields: string[];
  origin: Origin;
  /** What the request has used of a model; null when it asked none. */
  ai: AiUse | null;
  /** The attempt of a request with an Idempotency-Key. */
  attempt: KeyAttempt | null;
}

export interface RequestTrail {
  /** Runs the work of a transaction. The first one that commits also stores the trail. */
  follow<X extends TenantTx | SystemTx, T>(tx: X, work: (tx: X) => Promise<T>): Promise<T>;
}

/** Opens the trail of a request whose operation has a name in the audit log. */
export function openRequestTrail(
  declaration: Parameters<typeof findAuditAction>[0],
  { principal, companyId }: { principal: Principal; companyId: string | null },
  request: FastifyRequest,
  attempt: KeyAttempt | null,
): RequestTrail {
  const action = findAuditAction(declaration);
  if (!action) throw new Error(`${request.url}: the audit has no name for it`);
  // The last id in the path is the id of the record.
  const named = Object.values((request.params ?? {}) as Record<string, string>).at(-1) ?? null;
  const fields = typeof request.body === 'object' ? Object.keys(request.body ?? {}) : [];
  const origin = readRequestOrigin(request);
  let left = false;
  return {
    async follow(tx, work) {
      if (left) return work(tx);
      let [resourceId, company] = [named, companyId];
      let ai: AiUse | null = null;
      const created = (id: string, whose = company): void => void ([resourceId, company] = [id, whose]);
      const result = await work({ ...tx, created, usedAi: (use) => void (ai = use) });
      await storeTrail(tx, { principal, company, action, resourceId, fields, origin, ai, attempt });
      tx.afterCommit(() => void (left = true));
      return result;
    },
  };
}

async function storeTrail(
  tx: TenantTx | SystemTx,
  { principal, company, action, resourceId, fields, origin, ai, attempt }: TrailEntry,
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
    ai,
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
  const make = (sight: Sight): Tenant => {
    const tenant: Tenant = {
      ...actAs(database, companyId, principal, sight),
      principal,
      ...(trail && {
        tx: (work) => database.tenantTx(companyId, (tx) => trail.follow(tx, work), principal, sight),
      }),
      whole: () => (sight === null ? tenant : make(null)),
    };
    return tenant;
  };
  const { id: user } = principal;
  return make(principal.type === 'user' && principal.inboxes ? { user, inboxes: principal.inboxes } : null);
}
