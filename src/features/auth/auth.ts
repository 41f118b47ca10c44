/** Log-in, sessions of browsers, and the facts that a token holds about its user or key. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit.ts';
import { recordAudit, type LoggedActor } from '../../platform/http/audit.ts';
import { AppError, forbidden } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { NOBODYS_HASH, verifyPassword } from '../../platform/http/passwords.ts';
import type { Anonymous, Caller } from '../../platform/http/route.ts';
import { isSameOrigin, isSecure, makeSessionCookie, readSessionCookie } from '../../platform/http/session-cookie.ts';
import { SESSION_SECONDS, signToken } from '../../platform/http/tokens.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findLoginAccount, recordLogin, consumeLink, type Account, type UserOfReset } from '../users/accounts.ts';
import type { User } from '../users/schemas.ts';
import { endSession, LONGEST_SESSION_SECONDS, openSession } from '../users/sessions.ts';
import { provePasskey } from '../users/passkeys.ts';
import { admitSecondFactor, refusePasskey, type ProvenPasskey } from '../users/second-factor.ts';
import { readUser } from '../users/users.ts';
import type { BrowserLogin, BrowserSession, Done, Login, Me, PasskeyLogin, Session, SessionLink } from './schemas.ts';

/** Logs a user in by a bearer token. */
export async function logIn(kit: Kit, anonymous: Anonymous, login: Login): Promise<Session> {
  const { account, user } = await admitLogin(kit, anonymous, login, () => Promise.resolve(null));
  const access_token = await signToken(kit.tokenSecret, account._id, {
    jti: newId(),
    type: 'user',
    company: account.company,
    role: account.role,
    sv: account.session_version,
    exp: Math.floor(Date.now() / 1_000) + SESSION_SECONDS,
  });
  return { access_token, token_type: 'Bearer', expires_in: SESSION_SECONDS, user };
}

/** A new session of a browser, and the cookie that has its token. */
export interface OpenedSession {
  session: BrowserSession;
  cookie: { token: string; seconds: number };
}

/** Logs a user in by a cookie, for pages of the platform's own origin. */
export async function logInBrowser(
  kit: Kit,
  anonymous: Anonymous,
  login: BrowserLogin,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<OpenedSession> {
  requireSameOrigin(headers);
  const { passkey: answer, ...given } = login;
  const passkey = answer && (await provePasskey(kit, anonymous.read, { answer, headers, refuse: refusePasskey }));
  const { user, opened } = await admitLogin(kit, anonymous, { ...given, passkey }, openSession);
  return toOpenedSession(user, opened);
}

/** Logs a browser in with a passkey alone. Refusals are those of a wrong password, unless the company allows only single sign-on. */
export async function logInByPasskey(
  kit: Kit,
  anonymous: Anonymous,
  { passkey: answer, company }: PasskeyLogin,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<OpenedSession> {
  requireSameOrigin(headers);
  const passkey = await provePasskey(kit, anonymous.read, { answer, headers, refuse: makeLoginRefusal });
  const account = await findLoginAccount(anonymous.read, passkey.email, company ?? null);
  if (!account?.accepted || account.status !== 'ACTIVE') throw makeLoginRefusal();
  if (account.password_refused) throw refusePassword();
  return anonymous.tx(
    async (tx) => {
      const user = await recordLogin(tx, account);
      if (!user) throw makeLoginRefusal();
      await passkey.accept(tx);
      await recordAccountAudit(anonymous, account, { tx, action: 'auth.login' });
      return toOpenedSession(user, await openSession(tx, account));
    },
    { fromReserve: true },
  );
}

export function requireSameOrigin(headers: FastifyRequest['headers']): void {
  if (!isSameOrigin(headers))
    throw forbidden('cookie', "Only a page of the platform's own origin can have a session", 'CROSS_ORIGIN');
}

/** Makes the answer to a log-in of a browser. */
export const toOpenedSession = (
  user: User,
  { expires_at, token }: { expires_at: string; token: string },
): OpenedSession => ({
  session: { expires_at, user },
  cookie: { token, seconds: LONGEST_SESSION_SECONDS },
});

/** Gives the browser the cookie of its session. */
export function giveSession(kit: Kit, reply: FastifyReply, { session, cookie }: OpenedSession): BrowserSession {
  reply.header('set-cookie', makeSessionCookie(cookie.token, { secure: isSecure(kit), seconds: cookie.seconds }));
  return session;
}

/** Ends the session of the cookie that the request has. */
export async function logOutBrowser(
  kit: Kit,
  anonymous: Anonymous,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<Done> {
  const token = readSessionCookie(headers);
  const ended =
    token !== null && (await anonymous.tx((tx) => endAndRecord(anonymous, tx, token), { fromReserve: true }));
  if (!ended) throw new AppError('UNAUTHORIZED', undefined, [], { 'www-authenticate': 'Bearer' });
  kit.access.auth.forget();
  return { ok: true };
}

async function endAndRecord(anonymous: Anonymous, tx: SystemTx, token: string): Promise<boolean> {
  const user = await endSession(tx, token);
  if (user) await recordAccountAudit(anonymous, user, { tx, action: 'auth.logout' });
  return user !== null;
}

/**
 * Logs a browser in with the token of a link that the platform has printed. Every refusal is the same, whether the link is unknown, used
 * or expired, or its user may no longer log in. A user with a second factor cannot log in by a link, because it would be a way around.
 */
export async function logInByLink(
  anonymous: Anonymous,
  { token }: SessionLink,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<OpenedSession> {
  requireSameOrigin(headers);
  // On a full disk users can still log in.
  return anonymous.tx(
    async (tx) => {
      const account = await consumeLink(tx, token, 'LOG_IN');
      const user = account && !account.second_factor && (await recordLogin(tx, account));
      if (!user) throw new AppError('INVALID_RESET_TOKEN');
      await recordAccountAudit(anonymous, account, { tx, action: 'auth.login' });
      return toOpenedSession(user, await openSession(tx, account));
    },
    { fromReserve: true },
  );
}

/**
 * Checks a log-in, and runs `open` in the transaction that stores it. Every refusal has the same answer and takes the same time, whether the
 * account is unknown, inactive, without a password or of another company than the given one, or the password is wrong. Only after the right
 * password the code of a second factor matters.
 */
async function admitLogin<T>(
  kit: Kit,
  anonymous: Anonymous,
  { email, password, code, company, passkey }: Login & { passkey?: ProvenPasskey | undefined },
  open: (tx: SystemTx, account: Account) => Promise<T>,
): Promise<{ account: Account; user: User; opened: T }> {
  const account = await findLoginAccount(anonymous.read, email, company ?? null);
  const matches = await verifyPassword(password, account?.password_hash ?? NOBODYS_HASH);
  if (!account || !matches || account.status !== 'ACTIVE' || !account.accepted) {
    // The audit entry is written without waiting, because the time of a write would reveal that the account
    // exists. Failure policy: the log-in is refused even when its audit entry could not be written. A company that
    // only invited an address gets no entry, because it must not learn that the person uses Parley elsewhere.
    if (account?.accepted) void recordLoginRefusal(anonymous, account).catch(() => undefined);
    throw makeLoginRefusal();
  }
  if (account.password_refused) throw refusePassword();
  const acceptCode = await admitSecondFactor(kit, account, { code, passkey: passkey ?? null });
  const store = async (tx: SystemTx): Promise<{ user: User; opened: T } | null> => {
    const user = await recordLogin(tx, account);
    if (!user) return null;
    await acceptCode(tx);
    await recordAccountAudit(anonymous, account, { tx, action: 'auth.login' });
    return { user, opened: await open(tx, account) };
  };
  // On a full disk a log-in may use the reserved space, so that users can still log in and read; its rate limits bound how much it writes.
  const stored = await anonymous.tx(store, { fromReserve: true }).catch((error: unknown) => {
    // Failure policy: the error is thrown on. The audit entry is written as for a wrong password.
    if (isWrongCode(error)) void recordLoginRefusal(anonymous, account).catch(() => undefined);
    throw error;
  });
  // The user was deactivated, or the password changed, while the given password was checked.
  if (!stored) throw makeLoginRefusal();
  return { account, ...stored };
}

const refusePassword = (): AppError =>
  forbidden('password', 'Your company only allows single sign-on', 'SINGLE_SIGN_ON_ONLY');

export const isWrongCode = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'SECOND_FACTOR_REQUIRED';

function makeLoginRefusal(): AppError {
  return new AppError('INVALID_CREDENTIALS', undefined, [], { 'www-authenticate': 'Bearer' });
}

/** The actor of a refused log-in. A refused caller may be anybody, so the audit entry only contains their address. */
const SOMEBODY: LoggedActor = { type: 'SYSTEM', _id: null, name: 'Someone without a token' };

export function recordLoginRefusal(anonymous: Anonymous, account: Account): Promise<void> {
  return recordAccountAudit(anonymous, account, { tx: anonymous.read, action: 'auth.login-refused', actor: SOMEBODY });
}

/** Writes an audit entry about a log-in, by the user unless another actor is named. */
export function recordAccountAudit(
  { origin }: Anonymous,
  account: UserOfReset,
  { tx, action, actor }: { tx: SystemTx; action: string; actor?: LoggedActor },
): Promise<void> {
  const { _id, name, company } = account;
  return recordAudit(tx, {
    company,
    actor: actor ?? { type: 'USER', _id, name },
    action,
    resource: 'auth',
    resourceId: _id,
    fields: [],
    origin,
  });
}

export async function readMe({ sandboxUrl }: Kit, { principal, tenant }: Caller): Promise<Me> {
  const shared = { scopes: [...principal.scopes], ...(sandboxUrl === null ? {} : { sandbox_url: sandboxUrl }) };
  if (principal.type === 'user' && tenant) {
    const user = await readUser(tenant, principal.id);
    const lacks = principal.lacksSecondFactor ? { lacks_second_factor: true } : {};
    const { companyId, role } = principal;
    const inboxes = principal.inboxes && [...principal.inboxes];
    return { type: 'user', company: companyId, ...shared, role, user, inboxes, ...lacks };
  }
  if (principal.type === 'user') throw new Error('a user without a company');
  const key = { _id: principal.id, name: principal.name, expires_at: principal.expiresAt };
  return { type: principal.type, company: tenant?.companyId ?? null, ...shared, key };
}
