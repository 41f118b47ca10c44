/**
 * Tokens: JWTs signed with HS256 and nothing else. What may be inside is written down here, and whatever else is inside makes
 * it somebody else's. Whether a token still lives is the database's word (auth.ts).
 */
import { createHash } from 'node:crypto';
import { compactVerify, SignJWT, type JWTPayload } from 'jose';
import { Type, type Static } from 'typebox';
import { createChecker } from './compilers.ts';
import { Id, oneOf, strict } from './schema.ts';
import { USER_ROLES } from './scopes.ts';

export interface TokenSecrets {
  current: string;
  /** Accepted, never signed with: what the current one replaced. */
  previous: string | null;
}

/** Secrets by the `kid` that selects them. */
export type Keyring = ReadonlyMap<string, Uint8Array>;

const ISSUER = 'parley';
/** The life of a user's token: a working day and what comes late. */
export const SESSION_SECONDS = 12 * 3_600;
// A key with every scope spelled out has some 2.5 kB; anything longer is not ours.
const MAX_TOKEN_LENGTH = 4_096;
// How far the clocks of two of our machines may be apart.
const SKEW_SECONDS = 30;
// 9999-12-31T23:59:59Z: no clock, and no timestamp of ours, goes further.
const LAST_SECOND = 253_402_300_799;

const Seconds = Type.Integer({ minimum: 0, maximum: LAST_SECOND });
const registered = {
  iss: Type.Literal(ISSUER),
  aud: Type.Literal(ISSUER),
  sub: Id,
  jti: Type.String({ minLength: 1, maxLength: 64 }),
  iat: Seconds,
  nbf: Type.Optional(Seconds),
};
const scopes = Type.Array(Type.String());
const UserClaims = strict({
  ...registered,
  type: Type.Literal('user'),
  exp: Seconds,
  company: Id,
  role: oneOf(USER_ROLES),
  /** The session version: raised, it ends all sessions of the user. */
  sv: Type.Integer({ minimum: 0 }),
});
const CompanyClaims = strict({
  ...registered,
  type: Type.Literal('company'),
  exp: Type.Optional(Seconds),
  company: Id,
  scopes,
});
const GlobalClaims = strict({ ...registered, type: Type.Literal('global'), exp: Type.Optional(Seconds), scopes });

export type UserClaims = Static<typeof UserClaims>;
export type KeyClaims = Static<typeof CompanyClaims> | Static<typeof GlobalClaims>;

const CHECKERS = new Map([
  ['user', createChecker(UserClaims)],
  ['company', createChecker(CompanyClaims)],
  ['global', createChecker(GlobalClaims)],
]);

function areClaims(claims: Record<string, unknown>): claims is UserClaims | KeyClaims {
  const checker = CHECKERS.get(String(claims['type']));
  return checker !== undefined && checker.findFailures(claims).length === 0;
}

const encoder = new TextEncoder();
const keyId = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8);

export function createKeyring({ current, previous }: TokenSecrets): Keyring {
  const secrets = previous === null ? [current] : [previous, current];
  return new Map(secrets.map((secret) => [keyId(secret), encoder.encode(secret)]));
}

/** Signs with the current secret. `subject` is the key's or user's id. Throws for a token too long to be opened again. */
export async function signToken(secret: string, subject: string, claims: JWTPayload): Promise<string> {
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keyId(secret) })
    .setIssuer(ISSUER)
    .setAudience(ISSUER)
    .setSubject(subject)
    .setIssuedAt()
    .sign(encoder.encode(secret));
  if (token.length > MAX_TOKEN_LENGTH) throw new Error(`a token of ${token.length} characters is too long`);
  return token;
}

/** What a token says; null for whatever is not exactly a token of ours, or not of this time. */
export async function openToken(token: string, keyring: Keyring): Promise<UserClaims | KeyClaims | null> {
  const signed = await checkSignature(token, keyring);
  const claims = signed && readCanonical(signed.payload);
  if (!claims || readCanonical(signed.header)?.['typ'] !== 'JWT') return null;
  if (!areClaims(claims) || !isOfNow(claims)) return null;
  return claims.type === 'user' && claims.exp - claims.iat > SESSION_SECONDS ? null : claims;
}

/** `iat` tells nothing here: a clock that was set back must not refuse every key that was made since. */
function isOfNow({ nbf = 0, exp }: { nbf?: number; exp?: number }): boolean {
  const now = Date.now() / 1_000;
  // The end is not stretched: what has expired here has expired.
  return nbf <= now + SKEW_SECONDS && (exp === undefined || exp > now);
}

/**
 * Header and payload of a compact JWS whose signature holds under the secret that its `kid` names; null for any other text.
 * What a header may say is decided before jose sees it, so that nothing in it selects a key or an algorithm but `kid`.
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
    // Failure policy: fail closed. Whatever a forger can make jose say is the same refusal.
    return null;
  }
}

/** Base64url has one spelling per text: no padding, no space, no foreign character, no bits that are thrown away. */
function decodeStrictly(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : null;
}

function selectSecret(bytes: Buffer, keyring: Keyring): Uint8Array | undefined {
  const { alg, kid, typ = 'JWT', ...surplus } = readObject(bytes) ?? {};
  // jwk, jku, x5u, x5c, crit, b64, zip, … : a header that says anything more is refused unread.
  const isKnown = alg === 'HS256' && typ === 'JWT' && Object.keys(surplus).length === 0;
  return isKnown && typeof kid === 'string' ? keyring.get(kid) : undefined;
}

function readObject(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // Failure policy: what is not JSON is no token.
    return null;
  }
}

/**
 * The object, if these bytes are what JSON.stringify writes for it, as signToken does. A member that stands there twice, of which
 * JSON.parse keeps the last and another reader perhaps the first, is thereby seen; so is every other second spelling.
 */
function readCanonical(bytes: Buffer): Record<string, unknown> | null {
  const value = readObject(bytes);
  return value && Buffer.from(JSON.stringify(value)).equals(bytes) ? value : null;
}
