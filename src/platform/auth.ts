/**
 * From a bearer token to a principal. A token is a JWT, HS256 and nothing else; the database has the last word on whether
 * it still lives. What it said is remembered for two seconds, so a revocation reaches every process well within five.
 */
import { createHash } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { AppError } from './errors.ts';
import { isId } from './ids.ts';
import { ROLE_SCOPES, USER_ROLES, type UserRole } from './scopes.ts';

export type Principal =
  | { type: 'company'; id: string; companyId: string; scopes: readonly string[] }
  | { type: 'global'; id: string; scopes: readonly string[] }
  | { type: 'user'; id: string; companyId: string; scopes: readonly string[]; role: UserRole; name: string };

export interface StoredKey {
  _id: string;
  company: string | null;
  type: 'company' | 'global';
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

/** Where living keys and users are looked up; api.ts joins the rooms that own them. */
export interface PrincipalSource {
  findKey(tokenHash: Buffer): Promise<StoredKey | null>;
  findUser(companyId: string, userId: string): Promise<StoredUser | null>;
}

export interface TokenSecrets {
  current: string;
  previous: string | null;
}

const ISSUER = 'parley';
// A key with 200 scopes has some 3 kB; anything longer is not ours.
const MAX_TOKEN_LENGTH = 8_192;
const REMEMBER_MS = 2_000;
const REMEMBERED_MAX = 10_000;

const secretBytes = (secret: string): Uint8Array => new TextEncoder().encode(secret);
const keyId = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8);

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Signs with the current secret. `subject` is the key's or user's id. */
export function signToken(secret: string, subject: string, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keyId(secret) })
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setSubject(subject)
    .setIssuedAt()
    .sign(secretBytes(secret));
}

export interface Authenticator {
  /** Throws UNAUTHORIZED for anything but a living token. */
  authenticate(authorization: string | undefined): Promise<Principal>;
  /** Forgets what this process remembers, so that a revocation holds here at once. */
  forget(): void;
}

interface Remembered {
  principal: Principal;
  /** Milliseconds of the epoch. */
  until: number;
}

export function createAuthenticator(secrets: TokenSecrets, source: PrincipalSource): Authenticator {
  const known = new Map<string, Uint8Array>();
  if (secrets.previous) known.set(keyId(secrets.previous), secretBytes(secrets.previous));
  known.set(keyId(secrets.current), secretBytes(secrets.current));
  let remembered = new Map<string, Remembered>();

  return {
    async authenticate(authorization) {
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
      if (!token || token.length > MAX_TOKEN_LENGTH) throw unauthorized();
      const now = Date.now();
      const hit = remembered.get(token);
      if (hit && hit.until > now) return hit.principal;
      const found = await principalOf(token, known, source);
      if (remembered.size >= REMEMBERED_MAX) remembered = new Map();
      remembered.set(token, { principal: found.principal, until: Math.min(now + REMEMBER_MS, found.diesAt) });
      return found.principal;
    },
    forget: () => remembered.clear(),
  };
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
}

async function verifiedClaims(token: string, known: Map<string, Uint8Array>): Promise<JWTPayload> {
  try {
    const secret = known.get(decodeProtectedHeader(token).kid ?? '');
    if (!secret) throw unauthorized();
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: ISSUER,
      requiredClaims: ['sub', 'iat', 'jti'],
    });
    return payload;
  } catch {
    // Failure policy: fail closed, and never say which part was wrong.
    throw unauthorized();
  }
}

async function principalOf(token: string, known: Map<string, Uint8Array>, source: PrincipalSource) {
  const claims = await verifiedClaims(token, known);
  if (claims['type'] === 'user') return userPrincipal(claims, source);
  const key = await source.findKey(hashToken(token));
  if (!key || key.type !== claims['type'] || key._id !== claims.sub) throw unauthorized();
  const diesAt = key.expires_at ? Date.parse(key.expires_at) : Number.POSITIVE_INFINITY;
  if (diesAt <= Date.now()) throw unauthorized();
  const principal: Principal = key.company
    ? { type: 'company', id: key._id, companyId: key.company, scopes: key.scopes }
    : { type: 'global', id: key._id, scopes: key.scopes };
  return { principal, diesAt };
}

async function userPrincipal(claims: JWTPayload, source: PrincipalSource) {
  const { sub, exp, sv, company } = claims as JWTPayload & { sv?: unknown; company?: unknown };
  if (typeof company !== 'string' || !isId(company) || !sub || !isId(sub) || !exp) throw unauthorized();
  const user = await source.findUser(company, sub);
  if (!user || user.session_version !== sv || !USER_ROLES.includes(user.role)) throw unauthorized();
  const principal: Principal = {
    type: 'user',
    id: user._id,
    companyId: user.company,
    scopes: ROLE_SCOPES[user.role],
    role: user.role,
    name: user.name,
  };
  return { principal, diesAt: exp * 1000 };
}
