/** Keys of integrators: a signed token, shown once and stored as its hash. */
import type { Kit } from '../../kit.ts';
import { hashToken, type Principal } from '../../platform/auth.ts';
import { signToken } from '../../platform/tokens.ts';
import { AppError, forbidden, invalid, notFound, unknownReference } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { newest, pageFrom, pageWindow, type Page } from '../../platform/paging.ts';
import type { Caller } from '../../platform/route.ts';
import { covers } from '../../platform/scopes.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/tenant.ts';
import { countKeys, findKey, isMaker, listKeys, revokeKey } from './key-queries.ts';
import { insertKey } from './queries.ts';
import type { ApiKey, ApiKeyCreate, ApiKeyMade, ApiKeyQuery } from './schemas.ts';

export { findLivingKey, touchKey } from './queries.ts';

// The head of every token is the same, so its last characters are what tells keys apart.
const SHOWN_CHARACTERS = 4;

export interface KeyInput {
  /** Null makes a global key. */
  company: string | null;
  name: string;
  scopes: string[];
  /** The user or key in whose name it is made; nobody by default. */
  createdBy?: string | null;
  /** ISO 8601; none by default. */
  expires_at?: string | null | undefined;
}

/** Returns the token; nothing else ever holds it again. */
export async function createKey(
  tx: TenantTx | SystemTx,
  tokenSecret: string,
  input: KeyInput,
): Promise<ApiKey & { token: string }> {
  const _id = newId();
  const token = await signToken(tokenSecret, _id, {
    jti: _id,
    type: input.company ? 'company' : 'global',
    ...(input.company ? { company: input.company } : {}),
    scopes: input.scopes,
  });
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

/** The company's keys are managed under its own walls; global keys, which have no company, by the system. */
interface Sphere {
  company: string | null;
  read: TenantRead | SystemTx;
  tx<T>(work: (tx: TenantTx | SystemTx) => Promise<T>): Promise<T>;
}

function sphereOf({ tenant, read, tx }: Caller): Sphere {
  return tenant ? { company: tenant.companyId, read: tenant.read, tx: tenant.tx } : { company: null, read, tx };
}

export async function createKeyOf(kit: Kit, caller: Caller, input: ApiKeyCreate): Promise<ApiKeyMade> {
  const { type, ...rest } = input;
  refuseGrant(caller.principal, input);
  if (type === 'company' && !caller.tenant) throw new AppError('COMPANY_ID_REQUIRED');
  const sphere: Sphere = type === 'global' ? { company: null, read: caller.read, tx: caller.tx } : sphereOf(caller);
  return sphere.tx(async (tx) => {
    const createdBy = makerOf(caller.principal, sphere.company);
    const key = await createKey(tx, kit.tokenSecret, { ...rest, createdBy, company: sphere.company });
    tx.makes(key._id, sphere.company);
    return key;
  });
}

/** No company is shown a global key, so what one makes for a company names nobody. */
function makerOf(principal: Principal, company: string | null): string | null {
  return principal.type === 'global' && company !== null ? null : principal.id;
}

/** What a repeat is told: the token was shown once, and is not known any more. */
export async function readMadeKey(caller: Caller, id: string): Promise<ApiKeyMade> {
  const sphere = sphereOf(caller);
  const key = (await findKey(sphere.read, sphere.company, id)) ?? (await findGlobalKey(caller, id));
  if (!key) throw notFound();
  return { ...key, token: null };
}

/** A global key that names a company may still have made a global key. */
async function findGlobalKey({ principal, read }: Caller, id: string): Promise<ApiKey | null> {
  return principal.type === 'global' ? findKey(read, null, id) : null;
}

/** For whoever has the server. The newest first, as many as anybody looks through. */
export function listKeysOf(tx: SystemTx, company: string | null): Promise<ApiKey[]> {
  return listKeys(tx, { company, createdBy: null }, newest(1_000));
}

/** Null when there is no such key. */
export function revokeKeyOf(tx: SystemTx, company: string | null, id: string): Promise<ApiKey | null> {
  return revokeKey(tx, company, id);
}

export async function pageKeys(caller: Caller, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  const { read, company } = sphereOf(caller);
  const filter = { company, createdBy: query.created_by ?? null };
  if (query.created_by !== undefined && !(await isMaker(read, company, query.created_by)))
    throw unknownReference('created_by');
  const window = pageWindow('api-keys', query);
  const rows = await listKeys(read, filter, window);
  return pageFrom(query, window, rows, () => countKeys(read, filter, window));
}

/** At once in this process; in every other one within a second. */
export async function revokeKeyById(kit: Kit, caller: Caller, id: string): Promise<ApiKey> {
  const sphere = sphereOf(caller);
  const key = await sphere.tx(async (tx) => {
    const revoked = await revokeKey(tx, sphere.company, id);
    if (!revoked) throw notFound();
    return revoked;
  });
  kit.access.auth.forget();
  return key;
}

/** A key never grants more, nor for longer, than what made it. */
function refuseGrant(principal: Principal, { type, scopes, expires_at: expiresAt = null }: ApiKeyCreate): void {
  if (type === 'global' && principal.type !== 'global') throw forbidden('type', 'A global key is made by a global key');
  for (const [index, scope] of scopes.entries()) {
    if (!covers(principal.scopes, scope))
      throw forbidden(`scopes[${index}]`, `The scope ${scope} is not yours to give`);
  }
  if (expiresAt !== null && !(Date.parse(expiresAt) > Date.now())) throw invalid('expires_at', 'is in the past');
  const end = principal.type === 'user' ? null : principal.expiresAt;
  if (end !== null && (expiresAt === null || !(Date.parse(expiresAt) <= Date.parse(end)))) {
    throw forbidden('expires_at', `This token ends at ${end}; what it makes ends no later`);
  }
}
