/** API keys: each key is a signed or a short token that is shown once and stored as its hash. */
import type { Kit } from '../../kit.ts';
import { hashToken, type Principal } from '../../platform/http/auth.ts';
import { makeShortKey } from '../../platform/http/short-keys.ts';
import { signToken } from '../../platform/http/tokens.ts';
import { AppError, expectFound, forbidden, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Caller } from '../../platform/http/route.ts';
import { covers } from '../../platform/values/scopes.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { findKey, isKnownMaker, listKeys, revokeKey } from './key-queries.ts';
import { insertKey } from './queries.ts';
import type { ApiKey, ApiKeyCreate, ApiKeyMade, ApiKeyQuery } from './schemas.ts';

export { findValidKey, storeLastUse } from './queries.ts';

// All tokens begin with the same characters, so a list shows the last characters to tell keys apart.
const SHOWN_CHARACTERS = 4;

export interface KeyInput {
  /** The company of the key; null creates a global key. */
  company: string | null;
  name: string;
  scopes: string[];
  /** The id of the user or key that creates the new key; null by default. */
  createdBy?: string | null;
  /** The time in ISO 8601 from which the key is refused; by default the key does not expire. */
  expires_at?: string | null | undefined;
  format?: ApiKeyCreate['format'];
}

/** Creates a key and returns its token, which is stored nowhere. */
export async function createKey(
  tx: TenantTx | SystemTx,
  tokenSecret: string,
  input: KeyInput,
): Promise<ApiKey & { token: string }> {
  const _id = newId();
  const token = input.format === 'SHORT' ? makeShortKey(tokenSecret) : await signKey(tokenSecret, _id, input);
  const prefix = `…${token.slice(-SHOWN_CHARACTERS)}`;
  const key = await insertKey(tx, {
    ...input,
    createdBy: input.createdBy ?? null,
    expires_at: input.expires_at ?? null,
    _id,
    prefix,
    tokenHash: hashToken(token),
  });
  return { ...key, token };
}

const signKey = (tokenSecret: string, _id: string, { company, scopes }: KeyInput): Promise<string> =>
  signToken(tokenSecret, _id, {
    jti: _id,
    type: company ? 'company' : 'global',
    ...(company ? { company } : {}),
    scopes,
  });

/**
 * The keys that a caller manages: those of their company, with the rights of that company, or the global keys, with the rights of the
 * system.
 */
interface KeyAccess {
  company: string | null;
  read: TenantRead | SystemTx;
  tx<T>(work: (tx: TenantTx | SystemTx) => Promise<T>): Promise<T>;
}

function findKeyAccess({ tenant, read, tx }: Caller): KeyAccess {
  return tenant ? { company: tenant.companyId, read: tenant.read, tx: tenant.tx } : { company: null, read, tx };
}

export async function createKeyForCaller(kit: Kit, caller: Caller, input: ApiKeyCreate): Promise<ApiKeyMade> {
  const { type, ...rest } = input;
  refuseUngrantable(caller.principal, input);
  if (type === 'company' && !caller.tenant) throw new AppError('COMPANY_ID_REQUIRED');
  const sphere: KeyAccess =
    type === 'global' ? { company: null, read: caller.read, tx: caller.tx } : findKeyAccess(caller);
  return sphere.tx(async (tx) => {
    const createdBy = chooseVisibleMaker(caller.principal, sphere.company);
    const key = await createKey(tx, kit.tokenSecret, { ...rest, createdBy, company: sphere.company });
    tx.created(key._id, sphere.company);
    return key;
  });
}

/**
 * Returns the id for `created_by`. A company is not shown global keys, so `created_by` is null for a key of a company that a global key
 * made.
 */
function chooseVisibleMaker(principal: Principal, company: string | null): string | null {
  return principal.type === 'global' && company !== null ? null : principal.id;
}

/** Answers a repeated create request with the current record, without the token, which is stored nowhere. */
export async function readMadeKey(caller: Caller, id: string): Promise<ApiKeyMade> {
  const sphere = findKeyAccess(caller);
  const key = (await findKey(sphere.read, sphere.company, id)) ?? (await findGlobalKey(caller, id));
  return { ...expectFound(key), token: null };
}

/** Finds a global key that a global key made in a request that named a company; such a key is not among the keys of the company. */
async function findGlobalKey({ principal, read }: Caller, id: string): Promise<ApiKey | null> {
  return principal.type === 'global' ? findKey(read, null, id) : null;
}

/** Lists the newest keys, at most 1,000, for the command line of the operator, which needs no permission. */
export async function listKeysForOperator(tx: SystemTx, company: string | null): Promise<ApiKey[]> {
  const window = pageWindow('api-keys', { limit: 1_000, skipCount: true, sort: '-createdAt' });
  return (await listKeys(tx, { company, createdBy: null }, window)).result;
}

/** Revokes a key for the operator's command line. Returns null when there is no such key. */
export function revokeKeyForOperator(tx: SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return revokeKey(tx, company, id);
}

export async function pageKeys(caller: Caller, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  const { read, company } = findKeyAccess(caller);
  const filter = { company, createdBy: query.created_by ?? null };
  if (query.created_by !== undefined && !(await isKnownMaker(read, company, query.created_by)))
    throw unknownReference('created_by');
  return listKeys(read, filter, pageWindow('api-keys', query));
}

/** Revokes a key. This process refuses the revoked key at once, every other process within a second. */
export async function revokeKeyById(kit: Kit, caller: Caller, id: string): Promise<ApiKey> {
  const sphere = findKeyAccess(caller);
  const key = await sphere.tx(async (tx) => {
    return expectFound(await revokeKey(tx, sphere.company, id));
  });
  kit.access.auth.forget();
  return key;
}

/** Refuses a new key that would have more scopes, or last longer, than the user or key that creates it. */
function refuseUngrantable(principal: Principal, { type, scopes, expires_at: expiresAt = null }: ApiKeyCreate): void {
  if (type === 'global' && principal.type !== 'global')
    throw forbidden('type', 'Only a global key can create a global key');
  for (const [index, scope] of scopes.entries()) {
    if (!covers(principal.scopes, scope))
      throw forbidden(`scopes[${index}]`, `The scope ${scope} cannot be granted, because you do not have it`);
  }
  if (expiresAt !== null && !(Date.parse(expiresAt) > Date.now()))
    throw invalid('expires_at', 'is in the past', 'PAST');
  const end = principal.type === 'user' ? null : principal.expiresAt;
  if (end !== null && (expiresAt === null || !(Date.parse(expiresAt) <= Date.parse(end)))) {
    throw forbidden('expires_at', `This token ends at ${end}; its keys cannot expire later`);
  }
}
