/**
 * What a request that writes leaves behind, in the transaction of its first change: a line of the audit, and what its
 * Idempotency-Key stands for. Written here once, so that no operation can forget it.
 */
import { toActor, recordAudit, type Origin } from './audit.ts';
import type { Principal } from './auth.ts';
import { bindEffect, type Attempt } from './idempotency.ts';
import type { SystemTx, TenantTx } from './tenant.ts';

export interface TrailOptions {
  principal: Principal;
  /** Null: the operation belongs to no company but the one it may make or change. */
  company: string | null;
  /** `inboxes.update` */
  action: string;
  /** The record that the path names; what the operation makes itself it says by `tx.makes()`. */
  resourceId: string | null;
  fields: string[];
  origin: Origin;
  /** Of a request that carries an Idempotency-Key. */
  attempt: Attempt | null;
}

export interface Trail {
  /** Runs a transaction's work; the first that commits carries the trail. */
  follow<X extends TenantTx | SystemTx, T>(tx: X, work: (tx: X) => Promise<T>): Promise<T>;
}

export function openTrail(options: TrailOptions): Trail {
  let left = false;
  return {
    async follow(tx, work) {
      if (left) return work(tx);
      let { resourceId, company } = options;
      const makes = (id: string, whose = company): void => void ([resourceId, company] = [id, whose]);
      const result = await work({ ...tx, makes });
      await leave(tx, { ...options, resourceId, company });
      tx.afterCommit(() => void (left = true));
      return result;
    },
  };
}

async function leave(
  tx: TenantTx | SystemTx,
  { principal, company, action, resourceId, fields, origin, attempt }: TrailOptions,
): Promise<void> {
  if (resourceId === null) throw new Error(`${action}: the transaction names no record`);
  const [resource = ''] = action.split('.');
  await recordAudit(tx, {
    // What happens to a company is told to that company, whichever one the caller named.
    company: resource === 'companies' ? resourceId : company,
    actor: toActor(principal),
    action,
    resource,
    resourceId,
    fields,
    origin,
  });
  if (attempt) await bindEffect(tx, attempt, resourceId);
}
