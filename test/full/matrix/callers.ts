/** All callers of the matrix: callers who may send a request, and callers of each kind who may not. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signToken } from '../../../src/platform/http/tokens.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import { allows, GRANTABLE, ROLE_SCOPES, type Scope } from '../../../src/platform/values/scopes.ts';
import type { Json, Platform } from '../../support/platform.ts';
import { findId, type FullCompany } from './companies.ts';
import type { Operation } from './document.ts';
import { SAMPLES } from './samples.ts';

export interface Caller {
  name: string;
  token: string | null;
  headers?: Record<string, string>;
  /** The answer to all of this caller's requests; null for a caller who may send them. */
  refusal: Refusal | null;
  /** A global key, which acts for a company only when it names one. */
  global?: true;
}

export interface Refusal {
  status: number;
  code: string;
}

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' };
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' };
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const NO_COMPANY = { status: 400, code: 'COMPANY_ID_REQUIRED' };
const PAST_SECONDS = 60;

/** The callers for one operation. */
export interface CallerCast {
  /** Callers who may send requests for `own`'s records; the first has every scope. */
  allowed: Caller[];
  /** Callers whose requests are always refused. */
  refused: Caller[];
}

export interface Callers {
  chooseCast(operation: Operation): Promise<CallerCast>;
  /** True when these callers send only requests that reach records, and none that are refused earlier. */
  brief?: true;
  /**
   * True when only one refused caller tries each place of an id, another one for each place. Every refused caller still tries each
   * operation.
   */
  takesTurns?: true;
}

interface ScopedCallers {
  lacking: Caller[];
  barely: Caller;
  barelyGlobal: Caller;
}

/** All callers that exist, before they are assigned to an operation. */
interface AllCallers {
  company: Caller[];
  global: Caller;
  homeless: Caller;
  viewer: Caller;
  unauthorized: Caller[];
  lost: Caller[];
  visitors: Caller[];
}

export async function createCallers(platform: Platform, own: FullCompany, other: FullCompany): Promise<Callers> {
  const people = await createPeople(platform, own, other);
  const known = new Map<string, ScopedCallers>();
  const cachedScoped = async (scope: Scope, also: readonly string[]): Promise<ScopedCallers> => {
    const name = [scope, ...also].join();
    const made = known.get(name) ?? (await createScopedCallers(platform, own, scope, also));
    known.set(name, made);
    return made;
  };
  return {
    chooseCast: async (operation) => {
      if (!operation.secured) return { allowed: people.visitors, refused: [] };
      const strangers = [...people.lost, ...people.unauthorized];
      const homeless = chooseHomelessCast(operation, people.homeless);
      const scope = operation.scope as Scope | null;
      if (scope === null && SAMPLES[operation.name]?.onlyUsers) {
        const users = people.company.filter(isUser);
        const keys = [...people.company.filter((caller) => !isUser(caller)), people.global];
        const mere = keys.map((caller) => ({ ...caller, refusal: FORBIDDEN }));
        return { allowed: [...users, ...homeless.allowed], refused: [...mere, ...homeless.refused, ...strangers] };
      }
      if (scope === null)
        return { allowed: [...people.company, people.global, ...homeless.allowed], refused: strangers };
      const also = [...operation.needs, ...(SAMPLES[operation.name]?.also ?? [])];
      const { lacking, barely, barelyGlobal } = await cachedScoped(scope, also);
      const weak = allows(ROLE_SCOPES.VIEWER, scope) ? [] : [people.viewer];
      const refused = [...lacking, ...weak, ...homeless.refused, ...strangers];
      if (!operation.globalOnly)
        return { allowed: [...people.company, people.global, barely, ...homeless.allowed], refused };
      const mere = [...people.company, barely].map((caller) => ({ ...caller, refusal: FORBIDDEN }));
      return { allowed: [people.global, barelyGlobal, ...homeless.allowed], refused: [...mere, ...refused] };
    },
  };
}

const isUser = ({ name }: Caller): boolean => name.startsWith('user');

/** Assigns a global key that names no company. It may use only operations on records without a company. */
function chooseHomelessCast({ name, codes }: Operation, caller: Caller): CallerCast {
  const { homeless } = SAMPLES[name] ?? {};
  if (homeless === 'apart') return { allowed: [], refused: [] };
  const refusal = homeless === 'NOT_FOUND' ? NOT_FOUND : codes.has(NO_COMPANY.code) ? NO_COMPANY : null;
  return refusal ? { allowed: [], refused: [{ ...caller, refusal }] } : { allowed: [caller], refused: [] };
}

/** Keeps only the callers who may send requests, because refused callers never reach the data that is protected. */
export function keepAllowedCallers(callers: Callers): Callers {
  return { brief: true, chooseCast: async (operation) => ({ ...(await callers.chooseCast(operation)), refused: [] }) };
}

/** Keeps one caller of each kind, because the other differences between callers are checked before any data is reached. */
export function keepOneOfEachKind(callers: Callers): Callers {
  const KINDS = ['company key', 'user', 'global key'];
  return {
    ...callers,
    takesTurns: true,
    chooseCast: async (operation) => {
      const { allowed, refused } = await callers.chooseCast(operation);
      const few = allowed.filter(({ name }) => KINDS.includes(name));
      return { allowed: few.length > 0 ? few : allowed, refused };
    },
  };
}

/** Keeps one caller who may send the request and one who may not, others for each operation. */
export function keepOneInTurn(callers: Callers): Callers {
  let turn = 0;
  const pick = (some: Caller[]): Caller[] => (some.length > 0 ? [some[turn % some.length] as Caller] : []);
  return {
    ...callers,
    chooseCast: async (operation) => {
      const { allowed, refused } = await callers.chooseCast(operation);
      turn += 1;
      return { allowed: pick(allowed), refused: pick(refused) };
    },
  };
}

/** Keeps a global key that names a company. Its requests are not limited to that company where global keys see all companies. */
export function keepGlobalKeys(callers: Callers): Callers {
  return {
    chooseCast: async (operation) => {
      const { allowed } = await callers.chooseCast(operation);
      const [global] = allowed.filter((caller) => caller.global);
      // An operation for users alone refuses every key.
      if (!global) return { allowed: [], refused: [] };
      const { name, token, headers = {}, refusal } = global;
      return { allowed: [{ name, token, headers, refusal }], refused: [] };
    },
  };
}

async function createPeople(platform: Platform, own: FullCompany, other: FullCompany): Promise<AllCallers> {
  const user = await platform.createUser(own._id, 'OWNER');
  const viewer = await platform.createUser(own._id, 'VIEWER');
  const company: Caller[] = [
    { name: 'company key', token: own.key, refusal: null },
    {
      name: 'company key that names another company',
      token: own.key,
      headers: companyHeader(other._id),
      refusal: null,
    },
    { name: 'user', token: user.token, refusal: null },
    { name: 'user who names another company', token: user.token, headers: companyHeader(other._id), refusal: null },
  ];
  const token = platform.globalKey;
  const global: Caller = { name: 'global key', token, headers: companyHeader(own._id), refusal: null, global: true };
  const homeless: Caller = { name: 'global key without a company', token, refusal: null, global: true };
  const unauthorized = await createUnauthorizedCallers(platform, own, user._id);
  const lost: Caller[] = [
    { name: 'global key for an unknown company', token, headers: companyHeader(newId()), refusal: NOT_FOUND },
    { name: 'global key for no company id', token, headers: companyHeader('nonsense'), refusal: NOT_FOUND },
  ];
  const neighbour: Caller = { name: 'key of another company', token: other.key, refusal: null };
  // An operation without a token accepts every caller, whatever token the caller sends.
  const visitors = [...company, neighbour, global, homeless, ...unauthorized, ...lost].map((one) => ({
    ...one,
    refusal: null,
  }));
  return {
    company,
    global,
    homeless,
    viewer: { name: 'viewer', token: viewer.token, refusal: FORBIDDEN },
    unauthorized,
    lost,
    visitors,
  };
}

const companyHeader = (company: string): Record<string, string> => ({ 'x-company-id': company });

async function createUnauthorizedCallers(platform: Platform, own: FullCompany, user: string): Promise<Caller[]> {
  const { jwtSecret } = JSON.parse(await readFile(join(platform.dataDir, 'secrets.json'), 'utf8')) as Json;
  const seconds = Math.floor(Date.now() / 1000);
  const session = { type: 'user', company: own._id, role: 'OWNER', sv: 0, jti: newId(), exp: seconds + 3_600 };
  const claims = { type: 'company', company: own._id, scopes: ['*'], jti: newId() };
  const unauthorized: Record<string, string | null> = {
    'no token': null,
    'a token that is none': 'garbage',
    'three parts of nothing': 'a.b.c',
    'a key of another installation': await signToken('another secret', findId(own, 'api-key'), claims),
    'a key that was never stored': await signToken(jwtSecret, newId(), claims),
    'a global key that was never stored': await signToken(jwtSecret, newId(), { type: 'global', jti: newId() }),
    'a revoked key': await createEndedKey(platform, own, 'revoked_at = now()'),
    'an expired key': await createEndedKey(platform, own, `expires_at = now() - interval '1 second'`),
    'an expired session': await signToken(jwtSecret, user, { ...session, exp: seconds - PAST_SECONDS }),
    'an ended session': await signToken(jwtSecret, user, { ...session, sv: 1 }),
    'a dismissed user': await createDismissedUser(platform, own),
  };
  return Object.entries(unauthorized).map(([name, token]) => ({ name, token, refusal: UNAUTHORIZED }));
}

async function createEndedKey(platform: Platform, own: FullCompany, end: string): Promise<string> {
  const { _id, token } = await platform.createKey(own._id, ['*']);
  await platform.database.sql(`update api_keys set ${end} where _id = $1`, [_id]);
  return token;
}

async function createDismissedUser(platform: Platform, own: FullCompany): Promise<string> {
  const { _id, token } = await platform.createUser(own._id, 'OWNER');
  await platform.database.sql(`update users set status = 'INACTIVE' where _id = $1`, [_id]);
  return token;
}

/** Every scope that grants one single right. */
const SCOPES = GRANTABLE.filter((scope) => !scope.endsWith('*'));

async function createScopedCallers(
  platform: Platform,
  own: FullCompany,
  scope: Scope,
  also: readonly string[],
): Promise<ScopedCallers> {
  const others = SCOPES.filter((other) => !allows([other], scope));
  const key = await platform.createKey(own._id, others);
  const global = await platform.createKey(null, others);
  const barely = await platform.createKey(own._id, [scope, ...also]);
  const barelyGlobal = await platform.createKey(null, [scope, ...also]);
  const lacking: Caller[] = [
    { name: `key without ${scope}`, token: key.token, refusal: FORBIDDEN },
    { name: `global key without ${scope}`, token: global.token, headers: companyHeader(own._id), refusal: FORBIDDEN },
  ];
  const name = `key with ${scope} alone`;
  return {
    lacking,
    barely: { name, token: barely.token, refusal: null },
    barelyGlobal: {
      name: `global ${name}`,
      token: barelyGlobal.token,
      headers: companyHeader(own._id),
      refusal: null,
      global: true,
    },
  };
}
