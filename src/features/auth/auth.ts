/** Log-in, reset of a forgotten password, acceptance of an invitation, and the facts that a token holds about its user or key. */
import type { Kit } from '../../kit.ts';
import { recordAudit, type LoggedActor } from '../../platform/audit.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { hashNow, inTurn, NOBODYS_HASH, verifyPassword } from '../../platform/passwords.ts';
import type { Anonymous, Caller } from '../../platform/route.ts';
import { hashToken } from '../../platform/auth.ts';
import { SESSION_SECONDS, signToken } from '../../platform/tokens.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import {
  enqueueReset,
  findLoginAccount,
  joinCompany,
  recordLogin,
  setPassword,
  useLink,
  type Account,
  type EndedUser,
} from '../users/accounts.ts';
import type { User } from '../users/schemas.ts';
import { readUser } from '../users/users.ts';
import type { AcceptInvitation, Done, Login, Me, ResetPassword, Session } from './schemas.ts';

/**
 * Logs a user in. Every refusal has the same answer and takes the same time, whether the account is
 * unknown, inactive, without a password or of another company than the given one, or the password is wrong.
 */
export async function logIn(kit: Kit, anonymous: Anonymous, { email, password, company }: Login): Promise<Session> {
  const account = await findLoginAccount(anonymous.read, email, company ?? null);
  const matches = await verifyPassword(password, account?.password_hash ?? NOBODYS_HASH);
  if (!account || !matches || account.status !== 'ACTIVE') {
    // The audit entry is written without waiting, because the time of a write would reveal that the account
    // exists. Failure policy: the log-in is refused even when its audit entry could not be written. A company that
    // only invited an address gets no entry, because it must not learn that the person uses Parley elsewhere.
    if (account?.accepted) void recordRefusal(anonymous, account).catch(() => undefined);
    throw makeRefusal();
  }
  const note = async (tx: SystemTx): Promise<User | null> => {
    const known = await recordLogin(tx, account);
    if (known) await recordAccountAudit(anonymous, account, { tx, action: 'auth.login' });
    return known;
  };
  // On a full disk a log-in may use the reserved space, so that users can still log in and read; its rate limits bound how much it writes.
  const user = await anonymous.tx(note, { fromReserve: true });
  // The user was deactivated, or the password changed, while the given password was checked.
  if (!user) throw makeRefusal();
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

function makeRefusal(): AppError {
  return new AppError('INVALID_CREDENTIALS', undefined, [], { 'www-authenticate': 'Bearer' });
}

/**
 * Enqueues the mail for a forgotten password. No account is looked up here, so that neither the answer nor its time reveals whether the
 * account exists.
 */
export async function forgetPassword(kit: Kit, anonymous: Anonymous, email: string): Promise<Done> {
  await anonymous.tx((tx) => enqueueReset(kit, tx, email));
  return { ok: true };
}

/**
 * Sets a new password. The password is hashed only after the token was found, so a request with an invalid token
 * is cheap. The request waits for its turn to hash before the transaction begins, because a waiting transaction
 * would hold a connection. The token of an invitation also makes the person a member of the company.
 */
export async function resetPassword(kit: Kit, anonymous: Anonymous, input: ResetPassword): Promise<Done> {
  const hash = hashToken(input.token);
  await inTurn(() =>
    anonymous.tx(async (tx) => {
      const account = await useLink(tx, hash);
      if (!account) throw new AppError('INVALID_RESET_TOKEN');
      if (!account.accepted) await joinCompany(tx, account);
      const ended = await setPassword(tx, account, await hashNow(input.new_password));
      for (const user of ended)
        await recordAccountAudit(anonymous, user, { tx, action: chooseAuditAction(account, user) });
    }),
  );
  kit.access.auth.forget();
  return { ok: true };
}

/**
 * Returns the action of the audit entry. A reset ends sessions in each company of the person, so
 * each company gets an entry; a company that the person just joined gets an entry about that.
 */
function chooseAuditAction(account: Account, user: EndedUser): string {
  return user._id === account._id && !account.accepted ? 'auth.accept-invitation' : 'auth.reset-password';
}

/** Accepts an invitation for a person who already has a password and keeps it. */
export async function acceptInvitation(anonymous: Anonymous, { token }: AcceptInvitation): Promise<Done> {
  await anonymous.tx(async (tx) => {
    const account = await useLink(tx, hashToken(token));
    if (!account || account.accepted) throw new AppError('INVALID_RESET_TOKEN');
    if (account.password_hash === null) throw new AppError('PASSWORD_REQUIRED');
    await joinCompany(tx, account);
    await recordAccountAudit(anonymous, account, { tx, action: 'auth.accept-invitation' });
  });
  return { ok: true };
}

/** The actor of a refused log-in. A refused caller may be anybody, so the audit entry only contains their address. */
const SOMEBODY: LoggedActor = { type: 'SYSTEM', _id: null, name: 'Somebody without a token' };

function recordRefusal(anonymous: Anonymous, account: Account): Promise<void> {
  return recordAccountAudit(anonymous, account, { tx: anonymous.read, action: 'auth.login-refused', actor: SOMEBODY });
}

function recordAccountAudit(
  { origin }: Anonymous,
  account: EndedUser,
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

export async function readMe({ principal, tenant }: Caller): Promise<Me> {
  const scopes = [...principal.scopes];
  if (principal.type === 'user' && tenant) {
    const user = await readUser(tenant, principal.id);
    return { type: 'user', company: principal.companyId, scopes, role: principal.role, user };
  }
  if (principal.type === 'user') throw new Error('a user without a company');
  const key = { _id: principal.id, name: principal.name, expires_at: principal.expiresAt };
  return { type: principal.type, company: tenant?.companyId ?? null, scopes, key };
}
