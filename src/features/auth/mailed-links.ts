/** What mailed links are for: a new password after a forgotten one, and the acceptance of an invitation. */
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { hashInTurn, hashWithoutWaiting } from '../../platform/http/passwords.ts';
import type { Anonymous } from '../../platform/http/route.ts';
import {
  consumeLink,
  enqueueReset,
  joinCompany,
  readLink,
  setPassword,
  type Account,
  type UserOfReset,
} from '../users/accounts.ts';
import { isShownToken } from '../users/log-in-links.ts';
import { recordAccountAudit } from './auth.ts';
import type { AcceptInvitation, Done, ForgottenPassword, PasswordLink, ReadLink, ResetPassword } from './schemas.ts';

/**
 * Enqueues the mail for a forgotten password. No account is looked up here, so that neither the answer nor its time reveals whether the
 * account exists.
 */
export async function forgetPassword(kit: Kit, anonymous: Anonymous, email: string): Promise<ForgottenPassword> {
  await anonymous.tx((tx) => enqueueReset(kit, tx, email));
  return { ok: true, mail_server: kit.config.SMTP_URL !== null };
}

/**
 * Sets a new password. The password is hashed only after the token was found, so a request with an invalid token
 * is cheap. The request waits for its turn to hash before the transaction begins, because a waiting transaction
 * would hold a connection. The token of an invitation also makes the person a member of the company.
 */
export async function resetPassword(kit: Kit, anonymous: Anonymous, input: ResetPassword): Promise<Done> {
  await hashInTurn(() =>
    anonymous.tx(async (tx) => {
      const account = await consumeLink(tx, input.token, 'PASSWORD');
      // A link that the inviting user has seen sets no password of a person who has one already in another company.
      if (!account || (isShownToken(input.token) && account.password_hash !== null))
        throw new AppError('INVALID_RESET_TOKEN');
      if (!account.accepted) await joinCompany(tx, account);
      const ended = await setPassword(tx, account, await hashWithoutWaiting(input.new_password));
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
function chooseAuditAction(account: Account, user: UserOfReset): string {
  return user._id === account._id && !account.accepted ? 'auth.accept-invitation' : 'auth.reset-password';
}

/** Returns whom a mailed link is for. The link stays valid, because mail programs open links by themselves. */
export async function readPasswordLink(anonymous: Anonymous, { token }: ReadLink): Promise<PasswordLink> {
  const account = await readLink(anonymous.read, token, 'PASSWORD');
  if (!account) throw new AppError('INVALID_RESET_TOKEN');
  const { accepted, company, company_name, name, email, password_hash } = account;
  const known = isShownToken(token) ? {} : { has_password: password_hash !== null };
  return { invitation: !accepted, company, company_name, name, email, ...known };
}

/** Accepts an invitation for a person who already has a password and keeps it. */
export async function acceptInvitation(anonymous: Anonymous, { token }: AcceptInvitation): Promise<Done> {
  await anonymous.tx(async (tx) => {
    const account = await consumeLink(tx, token, 'PASSWORD');
    if (!account || account.accepted) throw new AppError('INVALID_RESET_TOKEN');
    if (account.password_hash === null) throw new AppError('PASSWORD_REQUIRED');
    await joinCompany(tx, account);
    await recordAccountAudit(anonymous, account, { tx, action: 'auth.accept-invitation' });
  });
  return { ok: true };
}
