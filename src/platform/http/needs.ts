/** The scopes that a request needs in addition to the scope of its operation, because of what it asks for. */
import { forbidden, scopeMissing } from '../values/errors.ts';
import { isId } from '../values/ids.ts';
import { canNameRecord, listNamedRecords } from '../values/schema.ts';
import { allows, type Scope } from '../values/scopes.ts';
import type { Tenant } from '../store/tenant.ts';
import type { Access } from './access.ts';

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
  /** The flag of the request that needs the scopes. The refusal names it, and it must be false without them. */
  flag?: string;
}

interface NeedyOperation<A, R> {
  body?: unknown;
  needs?: readonly Need<A>[];
  handler(tenant: Tenant, asked: A): Promise<R>;
}

/** Returns the declaration with all its needs, and with a handler that refuses a caller without the scopes that the request needs. */
export function withNeeds<A extends { body: unknown }, R, D extends NeedyOperation<A, R>>(
  access: Access,
  declaration: D,
): D {
  const needs = [...(declaration.needs ?? []), ...needAttachments<A>(access, declaration.body)];
  if (needs.length === 0) return declaration;
  const handler = async (tenant: Tenant, asked: A): Promise<R> => {
    for (const need of needs) await expectScopes(need, tenant, asked);
    return declaration.handler(tenant, asked);
  };
  return { ...declaration, needs, handler };
}

async function expectScopes<A>({ scopes, flag, arises }: Need<A>, tenant: Tenant, asked: A): Promise<void> {
  const missing = scopes.find((scope) => !allows(tenant.principal.scopes, scope));
  if (missing === undefined || (arises && !(await arises(tenant, asked)))) return;
  if (flag === undefined) throw scopeMissing(missing);
  throw forbidden(flag, `The scope ${missing} is missing; without it ${flag} must be false`, 'SCOPE_MISSING');
}

/** Every body that can name attachments has this need, because answers, networks and agents show the files that it names. */
function needAttachments<A extends { body: unknown }>(access: Access, schema: unknown): Need<A>[] {
  if (!canNameRecord(schema, 'attachment')) return [];
  const arises = async (tenant: Tenant, { body }: A): Promise<boolean> => {
    // Other texts are the names of files at the network.
    const ids = listNamedRecords(schema, body, 'attachment').filter(isId);
    return ids.length > 0 && !(await access.areOwnUploads(tenant, ids));
  };
  return [{ scopes: ['attachments:read'], when: 'if the body names a file that the caller has not uploaded', arises }];
}
