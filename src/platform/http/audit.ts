/** The audit log: who did what to which record, and from which address. An entry contains the names of fields, never their values. */
import type { Actor } from '../values/actor.ts';
import type { AiUse } from '../values/ai-use.ts';
import { exec } from '../store/db.ts';
import { newId } from '../values/ids.ts';
import type { SystemTx, TenantTx } from '../store/tenant.ts';
import { declareLimit } from '../values/limits.ts';
import type { Via } from './via.ts';

/** The address and the client from which a request came. */
export interface Origin {
  address: string;
  userAgent: string | null;
  requestId: string;
  /** The protocol by which the request came; null for the API itself. */
  via: Via | null;
}

export const ACTOR_TYPES = ['USER', 'KEY', 'SYSTEM'] as const;

/** An actor as the log names it. */
export interface LoggedActor {
  type: (typeof ACTOR_TYPES)[number];
  _id: string | null;
  name: string;
}

export interface AuditEntry {
  /** The company of the entry; null for an action on the installation itself. */
  company: string | null;
  actor: LoggedActor;
  /** The name of the operation in the audit log, such as `inboxes.update`. */
  action: string;
  /** The kind of the record, such as `inboxes`. */
  resource: string;
  resourceId: string | null;
  /** Names of the fields that the request contained. */
  fields: string[];
  origin: Origin | null;
  ai?: AiUse | null;
}

export function toLoggedActor({ type, id, name }: Actor): LoggedActor {
  const isKey = type === 'company' || type === 'global';
  return { type: type === 'user' ? 'USER' : isKey ? 'KEY' : 'SYSTEM', _id: id, name };
}

// The most characters of a User-Agent header that are stored.
const MAX_USER_AGENT = declareLimit(300, {
  topic: 'Accounts',
  what: 'Audit: `User-Agent`',
  unit: 'characters',
  beyond: 'cut',
});
// The most field names that are stored. No record has more fields, and a body with invented property names must not fill the log.
const MAX_FIELDS = declareLimit(50, {
  topic: 'Accounts',
  what: 'Audit: changed fields per entry',
  beyond: 'the others are left out',
});

/** Writes an entry in the caller's transaction, so that the entry exists exactly when the change does. */
export function recordAudit(tx: TenantTx | SystemTx, entry: AuditEntry): Promise<void> {
  return recordAudits(tx, entry, [entry.resourceId]);
}

/** Writes an entry for each of several records. */
export async function recordAudits(
  tx: TenantTx | SystemTx,
  entry: Omit<AuditEntry, 'resourceId'>,
  resourceIds: (string | null)[],
): Promise<void> {
  const { origin } = entry;
  await exec(tx, {
    name: 'audit.insert',
    text: `insert into audit_log (_id, company_id, actor_type, actor_id, actor_name, action, resource, resource_id, fields,
        address, user_agent, request_id, via, ai)
      select line._id, $2, $3, $4, $5, $6, $7, line.resource_id, $9, $10, $11, $12, $13, $14
      from unnest($1::text[], $8::text[]) as line (_id, resource_id)`,
    values: [
      resourceIds.map(() => newId()),
      entry.company,
      entry.actor.type,
      entry.actor._id,
      entry.actor.name,
      entry.action,
      entry.resource,
      resourceIds,
      entry.fields.slice(0, MAX_FIELDS),
      origin?.address ?? null,
      origin?.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      origin?.requestId ?? null,
      origin?.via ?? null,
      entry.ai ? JSON.stringify(entry.ai) : null,
    ],
  });
}
