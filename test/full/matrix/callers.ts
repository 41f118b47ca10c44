/** Everybody who can ask: those who may, and each way of not being allowed to. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signToken } from '../../../src/platform/auth.ts';
import { newId } from '../../../src/platform/ids.ts';
import { allows, ROLE_SCOPES, type Scope } from '../../../src/platform/scopes.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { Side } from './companies.ts';

export interface Caller {
  name: string;
  token: string | null;
  headers?: Record<string, string>;
  /** What everything is answered with; null for those who may ask. */
  refusal: { status: number; code: string } | null;
}

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' };
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' };
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const NO_COMPANY = { status: 400, code: 'COMPANY_ID_REQUIRED' };
const PAST_SECONDS = 60;

export interface Callers {
  /** Who may ask for `own`; the first is its key with every scope. */
  allowed: Caller[];
  /** Who may not, whatever the operation. */
  strangers: Caller[];
  /** Who may not because of this scope, and who may by this one alone. */
  forScope(scope: Scope): Promise<{ lacking: Caller[]; barely: Caller }>;
}

export async function createCallers(platform: Platform, own: Side, other: Side): Promise<Callers> {
  const user = await platform.createUser(own._id, 'OWNER');
  const viewer = await platform.createUser(own._id, 'VIEWER');
  const allowed: Caller[] = [
    { name: 'company key', token: own.key, refusal: null },
    { name: 'company key that names another company', token: own.key, headers: naming(other._id), refusal: null },
    { name: 'user', token: user.token, refusal: null },
    { name: 'user who names another company', token: user.token, headers: naming(other._id), refusal: null },
    { name: 'global key', token: platform.globalKey, headers: naming(own._id), refusal: null },
  ];
  const known = new Map<Scope, { lacking: Caller[]; barely: Caller }>();
  const forScope = async (scope: Scope) => {
    const made = known.get(scope) ?? (await createScoped(platform, own, scope));
    known.set(scope, made);
    const weak: Caller = { name: 'viewer', token: viewer.token, refusal: FORBIDDEN };
    return { ...made, lacking: allows(ROLE_SCOPES.VIEWER, scope) ? made.lacking : [...made.lacking, weak] };
  };
  return { allowed, strangers: await createStrangers(platform, own, user._id), forScope };
}

/** Those who may ask, alone: what strangers are told does not depend on the walls around the data. */
export function insiders(callers: Callers): Callers {
  const forScope = async (scope: Scope) => ({ ...(await callers.forScope(scope)), lacking: [] });
  return { ...callers, strangers: [], forScope };
}

const naming = (company: string): Record<string, string> => ({ 'x-company-id': company });

async function createStrangers(platform: Platform, own: Side, user: string): Promise<Caller[]> {
  const { jwtSecret } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
  const global = platform.globalKey;
  const seconds = Math.floor(Date.now() / 1000);
  const session = { type: 'user', company: own._id, role: 'OWNER', sv: 0, jti: newId(), exp: seconds + 3_600 };
  const claims = { type: 'company', company: own._id, scopes: ['*'], jti: newId() };
  const unauthorized: Record<string, string | null> = {
    'no token': null,
    'a token that is none': 'garbage',
    'three parts of nothing': 'a.b.c',
    'a key of another installation': await signToken('another secret', own.records.key, claims),
    'a key that was never stored': await signToken(jwtSecret, newId(), claims),
    'a global key that was never stored': await signToken(jwtSecret, newId(), { type: 'global', jti: newId() }),
    'a revoked key': await endedKey(platform, own, 'revoked_at = now()'),
    'an expired key': await endedKey(platform, own, `expires_at = now() - interval '1 second'`),
    'an expired session': await signToken(jwtSecret, user, { ...session, exp: seconds - PAST_SECONDS }),
    'an ended session': await signToken(jwtSecret, user, { ...session, sv: 1 }),
    'a dismissed user': await dismissedUser(platform, own),
  };
  return [
    { name: 'global key without a company', token: global, refusal: NO_COMPANY },
    { name: 'global key for an unknown company', token: global, headers: naming(newId()), refusal: NOT_FOUND },
    { name: 'global key for no company id', token: global, headers: naming('nonsense'), refusal: NOT_FOUND },
    ...Object.entries(unauthorized).map(([name, token]) => ({ name, token, refusal: UNAUTHORIZED })),
  ];
}

async function endedKey(platform: Platform, own: Side, end: string): Promise<string> {
  const { _id, token } = await platform.createKey(own._id, ['*']);
  await platform.database.sql(`update api_keys set ${end} where _id = $1`, [_id]);
  return token;
}

async function dismissedUser(platform: Platform, own: Side): Promise<string> {
  const { _id, token } = await platform.createUser(own._id, 'OWNER');
  await platform.database.sql(`update users set status = 'INACTIVE' where _id = $1`, [_id]);
  return token;
}

/** Every scope there is, spelled out: ADMIN names each resource. */
const RESOURCES = [...new Set(ROLE_SCOPES.ADMIN.map((scope) => scope.split(':')[0]))];
const SCOPES = RESOURCES.flatMap((resource) =>
  ['create', 'read', 'update', 'delete'].map((action) => `${resource}:${action}`),
);

async function createScoped(platform: Platform, own: Side, scope: Scope) {
  const others = SCOPES.filter((other) => other !== scope);
  const key = await platform.createKey(own._id, others);
  const global = await platform.createKey(null, others);
  const barely = await platform.createKey(own._id, [scope]);
  const lacking: Caller[] = [
    { name: `key without ${scope}`, token: key.token, refusal: FORBIDDEN },
    { name: `global key without ${scope}`, token: global.token, headers: naming(own._id), refusal: FORBIDDEN },
  ];
  return { lacking, barely: { name: `key with ${scope} alone`, token: barely.token, refusal: null } };
}
