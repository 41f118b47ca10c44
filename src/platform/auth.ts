/**
 * Turns a bearer token into a principal. tokens.ts checks whether the platform issued the token; the database decides whether it is still
 * valid. The result is cached for one second, so that a revocation takes effect in every process well within five.
 */
import { createHash } from 'node:crypto';
import { AppError } from './errors.ts';
import { ROLE_SCOPES, USER_ROLES, type UserRole } from './scopes.ts';
import { createKeyring, openToken, type KeyClaims, type TokenSecrets, type UserClaims } from './tokens.ts';

interface KeyPrincipal {
  id: string;
  scopes: readonly string[];
  name: string;
  /** The end of the validity in ISO 8601; null for a key that never expires. A key that this key creates must not expire later. */
  expiresAt: string | null;
}

export type Principal =
  | ({ type: 'company'; companyId: string } & KeyPrincipal)
  | ({ type: 'global' } & KeyPrincipal)
  | { type: 'user'; id: string; companyId: string; scopes: readonly string[]; role: UserRole; name: string };

export interface StoredKey {
  _id: string;
  company: string | null;
  type: 'company' | 'global';
  name: string;
  scopes: string[];
  expires_at: string | null;
}

export interface StoredUser {
  _id: string;
  company: string;
  name: string;
  role: UserRole;
  session_version: number;
}

/** Looks up valid keys and users. src/boot/access.ts connects it with the features that store them. */
export interface PrincipalSource {
  findKey(tokenHash: Buffer): Promise<StoredKey | null>;
  findUser(companyId: string, userId: string): Promise<StoredUser | null>;
  /** Called when a valid key is used, at most once a minute for each key and process. No request waits for the result. */
  noteUse?(key: StoredKey): Promise<unknown>;
}

const REMEMBER_MS = 1_000;
// The pause between two updates of last_used_at of a key: the time of its last use is stored to the minute, which is exact enough.
const NOTE_MS = 60_000;
// The number of remembered tokens and keys, some 5 MB of them. When there are more, all are forgotten.
const REMEMBERED_MAX = 10_000;

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface Authenticator {
  /** Returns the principal of a valid token; throws UNAUTHORIZED for any other text. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** Empties the cache, so that a revocation takes effect in this process at once. */
  forget(): void;
}

interface Found {
  principal: Principal;
  /** The time at which the token expires, in milliseconds since 1970. */
  diesAt: number;
}

interface Remembered extends Found {
  /**
   * The time at which the cached entry expires, by performance.now(): if the entry used the wall clock and the clock was set back, it would
   * keep a revoked key valid.
   */
  until: number;
}

interface Memory {
  found: Map<string, Remembered>;
  running: Map<string, Promise<Found>>;
}

const emptyMemory = (): Memory => ({ found: new Map(), running: new Map() });

export function createAuthenticator(secrets: TokenSecrets, source: PrincipalSource): Authenticator {
  const keyring = createKeyring(secrets);
  const noteUse = throttleNoteUse(source);
  let remembered = emptyMemory();

  async function find(token: string): Promise<Found> {
    const claims = await openToken(token, keyring);
    if (!claims) throw makeUnauthorized();
    if (claims.type === 'user') return userPrincipal(claims, source);
    const key = await source.findKey(hashToken(token));
    if (!key || !matchesClaims(key, claims)) throw makeUnauthorized();
    const found = keyPrincipal(key, claims);
    if (found.diesAt <= Date.now()) throw makeUnauthorized();
    noteUse(key);
    return found;
  }

  /**
   * Looks up a token and stores the result in the cache that was current when the look-up began. If forget() replaced the cache meanwhile,
   * the result is not kept.
   */
  async function findAndRemember(token: string, { found, running }: Memory, now: number): Promise<Found> {
    try {
      const looked = await find(token);
      if (found.size >= REMEMBERED_MAX) found.clear();
      found.set(token, { ...looked, until: now + REMEMBER_MS });
      return looked;
    } finally {
      running.delete(token);
    }
  }

  return {
    async authenticate(authorization) {
      const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
      if (!token) throw makeUnauthorized();
      const now = performance.now();
      const hit = remembered.found.get(token);
      if (hit && hit.until > now && hit.diesAt > Date.now()) return hit.principal;
      // Requests with the same token at the same moment share one look-up.
      const { running } = remembered;
      const lookUp = running.get(token) ?? findAndRemember(token, remembered, now);
      running.set(token, lookUp);
      return (await lookUp).principal;
    },
    forget: () => void (remembered = emptyMemory()),
  };
}

function makeUnauthorized(): AppError {
  return new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
}

const matchesClaims = (key: StoredKey, claims: KeyClaims): boolean =>
  key._id === claims.sub &&
  key.type === claims.type &&
  key.company === (claims.type === 'company' ? claims.company : null);

/** Makes the principal of a key. Its scopes come from the stored record, not from the token. */
function keyPrincipal(key: StoredKey, { exp }: KeyClaims): Found {
  const shared = { id: key._id, scopes: key.scopes, name: key.name, expiresAt: key.expires_at };
  return {
    principal:
      key.company === null ? { type: 'global', ...shared } : { type: 'company', companyId: key.company, ...shared },
    diesAt: Math.min(
      key.expires_at === null ? Infinity : Date.parse(key.expires_at),
      exp === undefined ? Infinity : exp * 1_000,
    ),
  };
}

async function userPrincipal({ sub, company, sv, exp }: UserClaims, source: PrincipalSource): Promise<Found> {
  const user = await source.findUser(company, sub);
  if (!user || user.session_version !== sv || !USER_ROLES.includes(user.role)) throw makeUnauthorized();
  const principal: Principal = {
    type: 'user',
    id: user._id,
    companyId: user.company,
    // The scopes come from the stored role, so that a changed role takes effect at once.
    scopes: ROLE_SCOPES[user.role],
    role: user.role,
    name: user.name,
  };
  return { principal, diesAt: exp * 1_000 };
}

function throttleNoteUse(source: PrincipalSource): (key: StoredKey) => void {
  const noted = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if (!source.noteUse || now - (noted.get(key._id) ?? -Infinity) < NOTE_MS) return;
    if (noted.size >= REMEMBERED_MAX) noted.clear();
    noted.set(key._id, now);
    // Failure policy: a failure to store the last use is no reason to refuse a request. The next use after a minute stores it.
    source.noteUse(key).catch(() => undefined);
  };
}
