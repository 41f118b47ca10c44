/**
 * Removes the link between a user and an account at the provider of the company. The next log-in with the user's verified address links the
 * two again, so this is for users whose account at the provider was replaced, or who no longer log in with it.
 */
import type { Kit } from '../../kit.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { AppError, expectFound, forbidden, notFound } from '../../platform/values/errors.ts';
import { lockAccount, unlinkAccount, type Account } from '../users/accounts.ts';
import type { User } from '../users/schemas.ts';
import { expectAccount } from '../users/second-factor.ts';
import { readUser, refuseRole } from '../users/users.ts';

/** Unlinks the calling user, who must be able to log in with a password or a passkey. */
export async function unlinkOwnUser(kit: Kit, caller: Caller): Promise<User> {
  const { _id, password_refused } = await expectAccount(caller);
  if (password_refused)
    throw forbidden('authorization', 'Your company only allows single sign-on', 'SINGLE_SIGN_ON_ONLY');
  return unlink(kit, caller, _id, () => undefined);
}

/** Unlinks another user. The caller needs all rights of this user. */
export async function unlinkUser(kit: Kit, caller: Caller, id: string): Promise<User> {
  const { tenant, principal } = caller;
  if (!tenant) throw new AppError('COMPANY_ID_REQUIRED');
  if (principal.id === id) return unlinkOwnUser(kit, caller);
  return unlink(kit, caller, id, ({ role }) => refuseRole(tenant, role));
}

async function unlink(kit: Kit, caller: Caller, id: string, admit: (account: Account) => void): Promise<User> {
  const { tenant } = caller;
  if (!tenant) throw new AppError('COMPANY_ID_REQUIRED');
  await caller.tx(async (tx: SystemTx) => {
    tx.created(id);
    const account = expectFound(await lockAccount(tx, tenant.companyId, id));
    if (account.single_sign_on_subject === null) throw notFound();
    admit(account);
    await unlinkAccount(tx, account);
  });
  kit.access.auth.forget();
  return readUser(tenant, id);
}
