/** The scopes that a request needs in addition to the scope of its operation, because of what it asks for. */
import { forbidden, scopeMissing } from '../values/errors.ts';
import { allows, type Scope } from '../values/scopes.ts';
import type { Tenant } from '../store/tenant.ts';

/** The part of a need that the document shows. */
export interface DescribedNeed {
  scopes: readonly Scope[];
  /** When a request needs the scopes: `if the body names a table`. Absent when every request does. */
  when?: string;
}

/** Scopes that some requests of an operation need. */
export interface Need<A> extends DescribedNeed {
  /** Whether this request needs the scopes; asked only for a caller without one of them. An unknown record needs none: its error follows. */
  arises?(tenant: Tenant, asked: A): boolean | Promise<boolean>;
  /** The flag of the request that needs the scopes. The refusal names it, and it has to be false without them. */
  flag?: string;
}

interface NeedyOperation<A, R> {
  needs?: readonly Need<A>[];
  handler(tenant: Tenant, asked: A): Promise<R>;
}

/** Returns the declaration with a handler that refuses a caller without the scopes that the request needs. */
export function withNeeds<A, R, D extends NeedyOperation<A, R>>(declaration: D): D {
  const { needs = [] } = declaration;
  if (needs.length === 0) return declaration;
  const handler = async (tenant: Tenant, asked: A): Promise<R> => {
    for (const need of needs) await expectScopes(need, tenant, asked);
    return declaration.handler(tenant, asked);
  };
  return { ...declaration, handler };
}

async function expectScopes<A>({ scopes, flag, arises }: Need<A>, tenant: Tenant, asked: A): Promise<void> {
  const missing = scopes.find((scope) => !allows(tenant.principal.scopes, scope));
  if (missing === undefined || (arises && !(await arises(tenant, asked)))) return;
  if (flag === undefined) throw scopeMissing(missing);
  throw forbidden(flag, `The scope ${missing} is missing; without it ${flag} has to be false`, 'SCOPE_MISSING');
}
