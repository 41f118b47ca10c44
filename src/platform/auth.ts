/**
 * From a bearer token to a principal. tokens.ts says whether it is one of ours; the database has the last word on whether it
 * still lives. What it said is remembered for a second, so a revocation reaches every process well within five.
 */
import { createHash } from 'node:crypto';
import { AppError } from './errors.ts';
import { ROLE_SCOPES, USER_ROLES, type UserRole } from './scopes.ts';
import { createKeyring, openToken, type KeyClaims, type TokenSecrets, type UserClaims } from './tokens.ts';

interface KeyPrincipal {
  id: string;
  scopes: readonly string[];
  name: string;
  /** ISO 8601; null for a key without an end. What a key makes must not outlive it. */
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

/** Where living keys and users are looked up; boot joins the rooms that own them. */
export interface PrincipalSource {
  findKey(tokenHash: Buffer): Promise<StoredKey | null>;
  findUser(companyId: string, userId: string): Promise<StoredUser | null>;
  /** Told of a living key in use, once a minute per key and process; no request waits for it. */
  noteUse?(key: StoredKey): Promise<unknown>;
}

const REMEMBER_MS = 1_000;
// A minute is as exact as anybody wants to know when a key was last used.
const NOTE_MS = 60_000;
// Tokens, and keys: some 5 MB of the usual length. A process that meets more begins anew.
const REMEMBERED_MAX = 10_000;

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface Authenticator {
  /** Throws UNAUTHORIZED for anything but a living token. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** Forgets what this process remembers, so that a revocation holds here at once. */
  forget(): void;
}

interface Found {
  principal: Principal;
  /** Milliseconds of the epoch. */
  diesAt: number;
}

interface Remembered extends Found {
  /** By the clock that is never set: a wall clock that goes back would keep a revoked key alive. */
  until: number;
}

interface Memory {
  found: Map<string, Remembered>;
  running: Map<string, Promise<Found>>;
}

const emptyMemory = (): Memory => ({ found: new Map(), running: new Map() });

export function createAuthenticator(secrets: TokenSecrets, source: PrincipalSource): Authenticator {
  const keyring = createKeyring(secrets);
  const noteUse = seldom(source);
  let remembered = emptyMemory();

  async function find(token: string): Promise<Found> {
    const claims = await openToken(token, keyring);
    if (!claims) throw unauthorized();
    if (claims.type === 'user') return userPrincipal(claims, source);
    const key = await source.findKey(hashToken(token));
    if (!key || !isOf(key, claims)) throw unauthorized();
    const found = keyPrincipal(key, claims);
    if (found.diesAt <= Date.now()) throw unauthorized();
    noteUse(key);
    return found;
  }

  /** What is found goes where it would have gone when it was looked up: if all is forgotten meanwhile, so is this. */
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
      if (!token) throw unauthorized();
      const now = performance.now();
      const hit = remembered.found.get(token);
      if (hit && hit.until > now && hit.diesAt > Date.now()) return hit.principal;
      // Whoever asks with the same token at this moment waits for the same answer.
      const { running } = remembered;
      const lookUp = running.get(token) ?? findAndRemember(token, remembered, now);
      running.set(token, lookUp);
      return (await lookUp).principal;
    },
    forget: () => void (remembered = emptyMemory()),
  };
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
}

const isOf = (key: StoredKey, claims: KeyClaims): boolean =>
  key._id === claims.sub &&
  key.type === claims.type &&
  key.company === (claims.type === 'company' ? claims.company : null);

/** What a key may do is what its record says, and not what its token says. */
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
  if (!user || user.session_version !== sv || !USER_ROLES.includes(user.role)) throw unauthorized();
  const principal: Principal = {
    type: 'user',
    id: user._id,
    companyId: user.company,
    // A role that was changed since counts at once.
    scopes: ROLE_SCOPES[user.role],
    role: user.role,
    name: user.name,
  };
  return { principal, diesAt: exp * 1_000 };
}

function seldom(source: PrincipalSource): (key: StoredKey) => void {
  const noted = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if (!source.noteUse || now - (noted.get(key._id) ?? -Infinity) < NOTE_MS) return;
    if (noted.size >= REMEMBERED_MAX) noted.clear();
    noted.set(key._id, now);
    // Failure policy: when a key was last used is good to know, and no reason to refuse a request. A minute later it is
    // told again.
    source.noteUse(key).catch(() => undefined);
  };
}
