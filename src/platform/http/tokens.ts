/**
 * Signs and checks tokens: JWTs with HS256 and no other algorithm. A token with unknown claims is refused. Whether a token has been
 * revoked is checked in the database (auth.ts).
 */
import { createHash } from 'node:crypto';
import { compactVerify, SignJWT, type JWTPayload } from 'jose';
import { Type, type Static } from 'typebox';
import { createChecker } from './compilers.ts';
import { Id, nullable, oneOf, strict } from '../values/schema.ts';
import { USER_ROLES } from '../values/scopes.ts';
import { declareLimit } from '../values/limits.ts';

export interface TokenSecrets {
  current: string;
  /** The secret that was replaced: tokens signed with it are accepted, but no new ones are signed with it. */
  previous: string | null;
}

/** Secrets by their `kid`, the id in a token's header. */
export type Keyring = ReadonlyMap<string, Uint8Array>;

const ISSUER = 'parley';
/** How long a user's token is valid: a long working day. */
export const SESSION_SECONDS = declareLimit(12 * 3_600, {
  topic: 'Accounts',
  what: 'Token: validity after a log-in',
  unit: 'seconds',
  beyond: '401; log in again',
});
// The longest token. A token that lists every scope has some 2.5 kB, so a longer one is not from this platform.
const MAX_TOKEN_LENGTH = declareLimit(4_096, {
  topic: 'Accounts',
  what: 'Token: length',
  unit: 'characters',
  beyond: '401',
});
// The seconds by which the clocks of two machines may differ.
const SKEW_SECONDS = 30;
// The second 9999-12-31T23:59:59Z, the last that the timestamps of the platform can represent.
const LAST_SECOND = 253_402_300_799;

const Seconds = Type.Integer({ minimum: 0, maximum: LAST_SECOND });
const registeredClaims = {
  iss: Type.Literal(ISSUER),
  aud: Type.Literal(ISSUER),
  sub: Id,
  jti: Type.String({ minLength: 1, maxLength: 64 }),
  iat: Seconds,
  nbf: Type.Optional(Seconds),
};
const scopes = Type.Array(Type.String());
const UserClaims = strict({
  ...registeredClaims,
  type: Type.Literal('user'),
  exp: Seconds,
  company: Id,
  role: oneOf(USER_ROLES),
  /** The session version. Raising it in the database ends all sessions of the user. */
  sv: Type.Integer({ minimum: 0 }),
});
const CompanyClaims = strict({
  ...registeredClaims,
  type: Type.Literal('company'),
  exp: Type.Optional(Seconds),
  company: Id,
  scopes,
});
const GlobalClaims = strict({ ...registeredClaims, type: Type.Literal('global'), exp: Type.Optional(Seconds), scopes });

/** A visitor of a web chat. Only the visitor API (features/web-chat) accepts such a token. */
const VisitorClaims = strict({
  ...registeredClaims,
  type: Type.Literal('visitor'),
  exp: Seconds,
  company: Id,
  inbox: Id,
  /** The visitor's id in the system of the site, which has proven it; null for an anonymous visitor. */
  external_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
});

/** What a client of a connected app shows: the code of a consent, or the tokens that it got for that code. */
const AppClaims = strict({
  ...registeredClaims,
  /** The address for which the token is: only there it is accepted. */
  aud: Type.String({ minLength: 1 }),
  type: Type.Literal('app'),
  use: oneOf(['CODE', 'ACCESS', 'REFRESH']),
  exp: Seconds,
  company: Id,
  app: Id,
});

export type AppClaims = Static<typeof AppClaims>;
export type VisitorClaims = Static<typeof VisitorClaims>;
export type UserClaims = Static<typeof UserClaims>;
export type KeyClaims = Static<typeof CompanyClaims> | Static<typeof GlobalClaims>;
type BearerClaims = UserClaims | KeyClaims | AppClaims;

const CHECKERS = new Map([
  ['user', createChecker(UserClaims)],
  ['company', createChecker(CompanyClaims)],
  ['global', createChecker(GlobalClaims)],
  ['app', createChecker(AppClaims)],
]);

const visitorChecker = createChecker(VisitorClaims);

function areClaims(claims: Record<string, unknown>): claims is BearerClaims {
  const checker = CHECKERS.get(String(claims['type']));
  return checker !== undefined && checker.findFailures(claims).length === 0;
}

const encoder = new TextEncoder();
const keyId = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8);

export function createKeyring({ current, previous }: TokenSecrets): Keyring {
  const secrets = previous === null ? [current] : [previous, current];
  return new Map(secrets.map((secret) => [keyId(secret), encoder.encode(secret)]));
}

/** Signs a token. `subject` is the id of the key or user. Throws when the token would be too long to be accepted. */
export async function signToken(
  secret: string,
  subject: string,
  claims: JWTPayload,
  audience = ISSUER,
): Promise<string> {
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keyId(secret) })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt()
    .sign(encoder.encode(secret));
  if (token.length > MAX_TOKEN_LENGTH) throw new Error(`a token of ${token.length} characters is too long`);
  return token;
}

/** Returns the claims of a token; null when the platform did not issue it, or when it is expired or not yet valid. */
export async function verifyToken(token: string, keyring: Keyring): Promise<BearerClaims | null> {
  const claims = await readClaims(token, keyring);
  if (!claims || !areClaims(claims) || !isValidNow(claims)) return null;
  return claims.type === 'user' && claims.exp - claims.iat > SESSION_SECONDS ? null : claims;
}

/** Returns the claims of a visitor's token; null when the platform did not issue it, or when it is expired. */
export async function verifyVisitorToken(token: string, keyring: Keyring): Promise<VisitorClaims | null> {
  const claims = await readClaims(token, keyring);
  const isVisitor = claims !== null && visitorChecker.findFailures(claims).length === 0;
  return isVisitor && isValidNow(claims as VisitorClaims) ? (claims as VisitorClaims) : null;
}

/** Returns the claims of a code or token of a connected app; null when the platform did not issue it, or when it is expired. */
export async function verifyAppToken(token: string, keyring: Keyring): Promise<AppClaims | null> {
  const claims = await verifyToken(token, keyring);
  return claims?.type === 'app' ? claims : null;
}

async function readClaims(token: string, keyring: Keyring): Promise<Record<string, unknown> | null> {
  const signed = await checkSignature(token, keyring);
  return signed && readCanonical(signed.header)?.['typ'] === 'JWT' ? readCanonical(signed.payload) : null;
}

/** Checks the validity period. `iat` is ignored: after a clock was set back, all keys created before would otherwise be refused. */
function isValidNow({ nbf = 0, exp }: { nbf?: number; exp?: number }): boolean {
  const now = Date.now() / 1_000;
  // No tolerance is added to the expiry time.
  return nbf <= now + SKEW_SECONDS && (exp === undefined || exp > now);
}

/**
 * Returns header and payload of a token whose signature is valid with the secret that its `kid` names; null for any other text. The header
 * is checked before jose reads it, so that nothing but `kid` can select a key or an algorithm.
 */
export async function checkSignature(
  token: string,
  keyring: Keyring,
): Promise<{ header: Buffer; payload: Buffer } | null> {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const [header, payload, signature, ...surplus] = token.split('.').map(decodeStrictly);
  if (!header || !payload || !signature || surplus.length > 0) return null;
  const secret = selectSecret(header, keyring);
  if (!secret) return null;
  try {
    await compactVerify(token, secret, { algorithms: ['HS256'] });
    return { header, payload };
  } catch {
    // Failure policy: any error of jose means that the token is refused.
    return null;
  }
}

/** Decodes base64url and accepts only the canonical spelling: no padding, no spaces, no other characters, no unused bits. */
function decodeStrictly(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : null;
}

function selectSecret(bytes: Buffer, keyring: Keyring): Uint8Array | undefined {
  const { alg, kid, typ = 'JWT', ...surplus } = readObject(bytes) ?? {};
  // A header with any other member (jwk, jku, x5u, x5c, crit, b64, zip, …) is refused.
  const isKnown = alg === 'HS256' && typ === 'JWT' && Object.keys(surplus).length === 0;
  return isKnown && typeof kid === 'string' ? keyring.get(kid) : undefined;
}

function readObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // Failure policy: a text that is not JSON is no valid token.
    return null;
  }
}

/**
 * Parses an object, but only from the exact bytes that JSON.stringify writes for it, as in signToken. This refuses duplicate members, of
 * which JSON.parse uses the last and another parser perhaps the first, and every other alternative spelling.
 */
function readCanonical(bytes: Buffer): Record<string, unknown> | null {
  const value = readObject(bytes);
  return value && Buffer.from(JSON.stringify(value)).equals(bytes) ? value : null;
}
