/** Who may come in: the token, the rate limits, the scope, and the company that a request acts for. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerPace } from './answer-pace.ts';
import type { Origin } from './audit.ts';
import type { Authenticator, Principal } from './auth.ts';
import { AppError, notFound, scopeMissing } from './errors.ts';
import { isId } from './ids.ts';
import { addressGroup, type Allowance, type Limiter, type Verdict } from './limits.ts';
import { allows, type Scope } from './scopes.ts';
import type { Database } from './tenant.ts';

export interface Access {
  auth: Authenticator;
  database: Database;
  limits: Limiter;
  answers: AnswerPace;
  rates: Rates;
  /** An active one. */
  companyExists(companyId: string): Promise<boolean>;
  /** A suspended one, too. */
  isCompany(companyId: string): Promise<boolean>;
}

export interface Rates {
  /** Requests per second. */
  perKey: number;
  perCompany: number;
  /** Log-in and reset tries per minute, per address and per account. */
  signIn: number;
  /** Public pages per second and address. */
  page: number;
}

// How much more than its rate a caller may ask for at once, after a pause.
const BURST_SECONDS = 2;
const PAGE_BURST_SECONDS = 5;

export const requestOrigin = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
  requestId: request.id,
});

/**
 * The principal behind a request and the company that it acts for. `scope` null: any living token will do. `needsCompany`
 * false: a global key may leave `x-company-id` out, and no company is what it then acts for.
 */
export async function enter(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, needsCompany }: { scope: Scope | null; needsCompany: boolean },
): Promise<{ principal: Principal; companyId: string | null }> {
  const principal = await access.auth.authenticate(request.headers.authorization);
  const own = atOnce(`principal:${principal.id}`, access.rates.perKey);
  const companyId = await companyOf(request, principal, access, needsCompany).catch(async (error: unknown) => {
    // Failure policy: the refusal goes on to the caller, and counts as a request.
    await admit(access, reply, [own]);
    throw error;
  });
  const company = companyId ? [atOnce(`company:${companyId}`, access.rates.perCompany)] : [];
  await admit(access, reply, [own, ...company]);
  if (companyId) access.answers.admit(companyId);
  if (scope && !allows(principal.scopes, scope)) throw scopeMissing(scope);
  return { principal, companyId };
}

const atOnce = (subject: string, perSecond: number): Allowance => ({
  subject,
  perSecond,
  burst: perSecond * BURST_SECONDS,
});

const perMinute = (access: Access, subject: string): Allowance => ({
  subject,
  perSecond: access.rates.signIn / 60,
  burst: access.rates.signIn,
});

export type CountVisit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Pages and documents that anybody may read, by the address that asks. Who looks at one asks for some ten files at once. */
export const countVisit =
  (access: Access): CountVisit =>
  (request, reply) => {
    const { page } = access.rates;
    const subject = `pages:${addressGroup(request.ip)}`;
    return admit(access, reply, [{ subject, perSecond: page, burst: page * PAGE_BURST_SECONDS }]);
  };

/** Log-in and reset tries, for which no token speaks, by the address that they come from. */
export function admitAddress(access: Access, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return admit(access, reply, [perMinute(access, `address:${addressGroup(request.ip)}`)]);
}

/** The same by the account that they are for; `account` is whatever tells the accounts apart. */
export function admitAccount(access: Access, account: string): Promise<void> {
  const subject = createHash('sha256').update(account).digest('base64url');
  return admitQuietly(access, perMinute(access, `account:${subject}`));
}

/** Mails to addresses of the caller's choice. */
export function admitMail(access: Access, companyId: string): Promise<void> {
  return admitQuietly(access, perMinute(access, `mails:${companyId}`));
}

/** The headers speak of what everybody is counted by, until this is what refuses. */
async function admitQuietly(access: Access, allowance: Allowance): Promise<void> {
  const verdict = await access.limits.admit([allowance]);
  if (!verdict.admitted) throw rateLimited(verdict);
}

/** Every answer says what is left; a refusal also when to come back. */
async function admit(access: Access, reply: FastifyReply, allowances: Allowance[]): Promise<void> {
  const verdict = await access.limits.admit(allowances);
  if (!verdict.admitted) throw rateLimited(verdict);
  reply.headers(headersOf(verdict));
}

/** draft-ietf-httpapi-ratelimit-headers. */
const headersOf = ({ limit, remaining, resetSeconds }: Verdict): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
});

function rateLimited(verdict: Verdict): AppError {
  const headers = { ...headersOf(verdict), 'retry-after': String(verdict.retryAfterSeconds) };
  return new AppError('RATE_LIMITED', undefined, [], headers);
}

/** `x-company-id` counts for global keys only; everybody else acts for the company of their token. */
async function companyOf(
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
  // What needs no company is managed for a suspended one, too.
  const exists = needsCompany ? access.companyExists : access.isCompany;
  if (!isId(given) || !(await exists(given))) throw notFound();
  return given;
}
