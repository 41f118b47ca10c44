/** The tokens of visitors, and the proofs by which a site names its visitor. */
import { createHash } from 'node:crypto';
import { jwtVerify, type JWTPayload } from 'jose';
import type { Kit } from '../../kit.ts';
import { createChecker } from '../../platform/http/compilers.ts';
import { AppError } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { signToken, verifyVisitorToken } from '../../platform/http/tokens.ts';
import { Identity } from './schemas.ts';
import type { Site } from './sites.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** Someone who chats from a browser: the caller of the visitor API. */
export interface Visitor {
  /** For an anonymous visitor the id of the browser, by which the contact is found. */
  _id: string;
  /** The id in the system of the site, which has proven it; null for an anonymous visitor. */
  externalId: string | null;
}

// A browser remembers its chat for half a year after the last visit. What a site has proven holds for a day, and is proven again at each visit.
const ANONYMOUS_SECONDS = declareLimit(180 * 24 * 3_600, {
  topic: 'Web chat',
  what: 'Visitor token: anonymous',
  unit: 'seconds',
  beyond: 'a new chat begins',
});
const KNOWN_SECONDS = declareLimit(24 * 3_600, {
  topic: 'Web chat',
  what: 'Visitor token: identified',
  unit: 'seconds',
  beyond: '401; send the identity again',
});

export const newAnonymous = (): Visitor => ({ _id: newId(), externalId: null });

/** The same person has the same id at each visit and in each browser. */
export function toKnownVisitor({ inbox }: Site, externalId: string): Visitor {
  const digest = createHash('sha256').update(`${inbox}:${externalId}`).digest('hex');
  return { _id: digest.slice(0, 24), externalId };
}

export async function signVisitor(kit: Kit, site: Site, visitor: Visitor): Promise<{ token: string; expiresAt: Date }> {
  const seconds = visitor.externalId === null ? ANONYMOUS_SECONDS : KNOWN_SECONDS;
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  const claims = { type: 'visitor', company: site.company, inbox: site.inbox, external_id: visitor.externalId };
  const token = await signToken(kit.tokenSecret, visitor._id, { ...claims, jti: newId(), exp });
  return { token, expiresAt: new Date(exp * 1_000) };
}

/** Reads the token of a visitor of this chat. Throws UNAUTHORIZED for any other token. */
export async function readVisitor(kit: Kit, site: Site, authorization: string | undefined): Promise<Visitor> {
  const token = /^Bearer ([\w.-]+)$/.exec(authorization ?? '')?.[1];
  const claims = token === undefined ? null : await verifyVisitorToken(token, kit.tokenKeyring);
  if (claims?.inbox !== site.inbox || claims.company !== site.company) throw new AppError('UNAUTHORIZED');
  return { _id: claims.sub, externalId: claims.external_id };
}

const identityChecker = createChecker(Identity);

const MAX_IDENTITY_LENGTH = declareLimit(8_192, {
  topic: 'Web chat',
  what: 'Identity token: length',
  unit: 'characters',
  beyond: '401',
});
// A proof that lasts longer could be used by someone else who found it.
const LONGEST_IDENTITY_SECONDS = declareLimit(3_600, {
  topic: 'Web chat',
  what: 'Identity token: validity',
  unit: 'seconds',
  beyond: '401',
});
const SKEW_SECONDS = 30;

/**
 * Reads the JWT by which the site names its visitor (HS256, RFC 7519), signed with the secret of the inbox. Throws IDENTITY_REFUSED, which
 * names what is wrong.
 */
export async function readIdentity(site: Site, token: string): Promise<Identity> {
  const secret = site.config.identity_secret;
  if (secret === null) throw refuse('is not accepted: the inbox has no identity_secret');
  if (token.length > MAX_IDENTITY_LENGTH) throw refuse(`is longer than ${MAX_IDENTITY_LENGTH} characters`);
  const payload = await verifyIdentity(site, token, secret);
  const [failure] = identityChecker.findFailures(payload);
  if (failure) throw refuse(`has an invalid claim: ${failure.instancePath.slice(1) || 'sub or exp is missing'}`);
  const identity = payload as Identity;
  if (identity.exp - Date.now() / 1_000 > LONGEST_IDENTITY_SECONDS + SKEW_SECONDS)
    throw refuse('must expire within an hour');
  return identity;
}

async function verifyIdentity({ inbox }: Site, token: string, secret: string): Promise<JWTPayload> {
  try {
    const key = new TextEncoder().encode(secret);
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: SKEW_SECONDS });
    // A site with several chats may name the one that the proof is for.
    if (payload.aud === undefined || [payload.aud].flat().includes(inbox)) return payload;
  } catch {
    // Failure policy: a proof is refused whatever is wrong with it.
    throw refuse('is not signed with the identity_secret of the inbox, or has expired');
  }
  throw refuse('is for another inbox');
}

const refuse = (message: string): AppError =>
  new AppError('IDENTITY_REFUSED', `identity ${message}`, [{ path: 'identity', code: 'IDENTITY_REFUSED', message }]);
