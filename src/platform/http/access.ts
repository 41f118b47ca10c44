/** Admits requests: checks the token, the rate limits and the scope, and finds the company that the request acts for. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerPace } from './answer-pace.ts';
import type { Origin } from './audit.ts';
import type { Authenticator, Credentials, Principal } from './auth.ts';
import { AppError, forbidden, notFound, scopeMissing } from '../values/errors.ts';
import { isId } from '../values/ids.ts';
import { addressGroup, type Allowance, type Limiter, type Verdict } from './limits.ts';
import { allows, type Scope } from '../values/scopes.ts';
import { readSessionCookie } from './session-cookie.ts';
import { readVia } from './via.ts';
import type { Database, Tenant } from '../store/tenant.ts';
import { declareSettingLimit } from '../values/limits.ts';

declareSettingLimit('RATE_LIMIT_PER_KEY', {
  topic: 'Requests',
  what: 'Requests per key or user',
  unit: 'perSecond',
  beyond: '429',
});
declareSettingLimit('RATE_LIMIT_PER_COMPANY', {
  topic: 'Requests',
  what: 'Requests per company',
  unit: 'perSecond',
  beyond: '429',
});
declareSettingLimit('RATE_LIMIT_LOGIN', {
  topic: 'Accounts',
  what: 'Log-ins and password resets per address and account',
  unit: 'perMinute',
  beyond: '429',
});
declareSettingLimit('RATE_LIMIT_PAGES', {
  topic: 'Requests',
  what: 'Requests for public pages and documents, per address',
  unit: 'perSecond',
  beyond: '429',
});

export interface Access {
  auth: Authenticator;
  database: Database;
  limits: Limiter;
  answers: AnswerPace;
  rates: RateLimitSettings;
  /** Resolves to true for the id of an active company. */
  companyExists(companyId: string): Promise<boolean>;
  /** Resolves to true for the id of any company, active or suspended. */
  isCompany(companyId: string): Promise<boolean>;
  /** Resolves to true when the caller has uploaded all of these attachments. */
  areOwnUploads(tenant: Tenant, ids: string[]): Promise<boolean>;
}

export interface RateLimitSettings {
  /** Requests per second of one API key or user. */
  perKey: number;
  perCompany: number;
  /** Attempts to log in or to reset a password, per minute, counted per address and per account. */
  signIn: number;
  /** Requests for public pages, per second and address. */
  page: number;
}

// The burst in seconds: after a pause a caller may send at once as many requests as its rate allows in this time.
const BURST_SECONDS = 2;
const PAGE_BURST_SECONDS = 5;

export const readRequestOrigin = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
  requestId: request.id,
  via: readVia(request.headers),
});

interface AdmissionRule extends Pick<Credentials, 'admitsApps'> {
  scope: Scope | null;
  needsCompany: boolean;
  globalOnly?: boolean | undefined;
  /** Admits users who lack the second factor that their company requires, so that they can set it up. */
  withoutSecondFactor?: boolean | undefined;
}

/**
 * Admits a request and returns its principal and the company that it acts for. With `scope` null every valid token is admitted. With
 * `needsCompany` false a global key may omit `x-company-id`, and the request then acts for no company. With `globalOnly` every other token
 * is refused. A user who lacks the second factor that the company requires is refused except `withoutSecondFactor`.
 */
export async function admitRequest(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, needsCompany, globalOnly, withoutSecondFactor, admitsApps }: AdmissionRule,
): Promise<{ principal: Principal; companyId: string | null }> {
  const { headers } = request;
  const principal = await access.auth.authenticate({
    authorization: headers.authorization,
    session: readSessionCookie(headers),
    // A request inside the process has the token with which /mcp has admitted it.
    admitsApps: admitsApps ?? (readVia(headers) === 'MCP' ? () => true : undefined),
  });
  const own = makeBurstAllowance(`principal:${principal.id}`, access.rates.perKey);
  const companyId = await findCompany(request, principal, access, needsCompany).catch(async (error: unknown) => {
    // Failure policy: the error is thrown to the caller, but the request still counts against its rate limit.
    await admitWithHeaders(access, reply, [own]);
    throw error;
  });
  const company = companyId ? [makeBurstAllowance(`company:${companyId}`, access.rates.perCompany)] : [];
  await admitWithHeaders(access, reply, [own, ...company]);
  if (companyId) access.answers.admit(companyId);
  if (principal.type === 'user' && principal.lacksSecondFactor && !withoutSecondFactor)
    throw new AppError('SECOND_FACTOR_MISSING');
  if (scope && !allows(principal.scopes, scope)) throw scopeMissing(scope);
  if (globalOnly && principal.type !== 'global')
    throw forbidden('authorization', 'This requires a global key', 'GLOBAL_KEY_REQUIRED');
  return { principal, companyId };
}

const makeBurstAllowance = (subject: string, refillPerSecond: number): Allowance => ({
  subject,
  refillPerSecond,
  capacity: refillPerSecond * BURST_SECONDS,
});

const makeSignInAllowance = (access: Access, subject: string): Allowance => ({
  subject,
  refillPerSecond: access.rates.signIn / 60,
  capacity: access.rates.signIn,
});

export type CountVisit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Counts a request for a public page against the rate limit of its address. The burst is large, because a browser requests some ten files
 * for one page.
 */
export const createVisitCounter =
  (access: Access): CountVisit =>
  (request, reply) => {
    const { page } = access.rates;
    const subject = `pages:${addressGroup(request.ip)}`;
    return admitWithHeaders(access, reply, [{ subject, refillPerSecond: page, capacity: page * PAGE_BURST_SECONDS }]);
  };

/**
 * Counts an attempt to log in or to reset a password against the rate limit of the address of the request, because such a request has no
 * token.
 */
export function admitAddress(access: Access, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return admitWithHeaders(access, reply, [makeSignInAllowance(access, `address:${addressGroup(request.ip)}`)]);
}

/**
 * Counts an attempt to log in or to reset a password against the rate limit of an account; `account` is any text that identifies the
 * account.
 */
export function admitAccount(access: Access, account: string): Promise<void> {
  return admitWithoutHeaders(access, makeSignInAllowance(access, `account:${hashSubject(account)}`));
}

const hashSubject = (account: string): string => createHash('sha256').update(account).digest('base64url');

// A code has six digits, and three of them are right at any moment, so codes are tried more slowly than passwords: with the default of
// RATE_LIMIT_LOGIN ten at once and then one a minute. A guesser who knows the password needs months.
const CODES_AT_ONCE = 1 / 3;
const CODES_AFTERWARDS = 1 / 30;

/** Counts a code of a second factor against the limit of the account. The password has been checked before. */
export function admitCode(access: Access, account: string): Promise<void> {
  const { signIn } = access.rates;
  return admitWithoutHeaders(access, {
    subject: `code:${hashSubject(account)}`,
    refillPerSecond: (signIn * CODES_AFTERWARDS) / 60,
    capacity: Math.max(1, signIn * CODES_AT_ONCE),
  });
}

/** Counts a mail to an address that the caller has chosen against the rate limit of the company. */
export function admitMail(access: Access, companyId: string): Promise<void> {
  return admitWithoutHeaders(access, makeSignInAllowance(access, `mails:${companyId}`));
}

/** Counts against an additional allowance. The rate-limit headers of the answer describe it only when it refuses the request. */
async function admitWithoutHeaders(access: Access, allowance: Allowance): Promise<void> {
  const verdict = await access.limits.admit([allowance]);
  if (!verdict.admitted) throw makeRateLimitError(verdict);
}

/** Counts a request and sets the rate-limit headers of its answer. Throws RATE_LIMITED. */
export async function admitWithHeaders(
  access: Pick<Access, 'limits'>,
  reply: FastifyReply,
  allowances: Allowance[],
): Promise<void> {
  const verdict = await access.limits.admit(allowances);
  if (!verdict.admitted) throw makeRateLimitError(verdict);
  reply.headers(makeRateHeaders(verdict));
}

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers. */
const makeRateHeaders = ({ limit, remaining, resetSeconds }: Verdict): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
});

function makeRateLimitError(verdict: Verdict): AppError {
  const headers = { ...makeRateHeaders(verdict), 'retry-after': String(verdict.retryAfterSeconds) };
  return new AppError('RATE_LIMITED', undefined, [], headers);
}

/**
 * Finds the company that a request acts for. Only global keys choose the company by `x-company-id`; all other callers act for the company
 * of their token.
 */
async function findCompany(
  request: FastifyRequest,
  principal: Principal,
  access: Access,
  needsCompany: boolean,
): Promise<string | null> {
  if (principal.type !== 'global') return principal.companyId;
  const given = request.headers['x-company-id'];
  if (typeof given !== 'string' || given === '') {
    if (!needsCompany) return null;
    throw new AppError('COMPANY_ID_REQUIRED');
  }
  // Operations that need no company, such as managing companies, also work for a suspended company.
  const exists = needsCompany ? access.companyExists : access.isCompany;
  if (!isId(given) || !(await exists(given))) throw notFound();
  return given;
}
