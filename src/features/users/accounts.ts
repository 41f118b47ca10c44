/** Accounts at the doors: log-in and mailed links, before a company is known. */
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/auth.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { findAccountByEmail, noteLogin, takeLink, writePassword, type Account } from './account-queries.ts';
import { SendReset } from './jobs.ts';
import type { User } from './schemas.ts';

export type { Account } from './account-queries.ts';

/** Whatever its status is; null for nobody. */
export function accountOf(tx: SystemTx, email: string): Promise<Account | null> {
  return findAccountByEmail(tx, email);
}

/** Null when the account was deactivated, or its password changed, since it was read. */
export function noteLoginOf(tx: SystemTx, account: Account): Promise<User | null> {
  return noteLogin(tx, account);
}

/** Of any number who come with the same token, one gets the account. */
export function takeAccountByLink(tx: SystemTx, tokenHash: Buffer): Promise<Account | null> {
  return takeLink(tx, tokenHash);
}

/** Ends all sessions and all other links; who was invited has come. */
export function setPassword(tx: SystemTx, account: Account, passwordHash: string): Promise<void> {
  return writePassword(tx, account.company, account._id, passwordHash);
}

/** Leaves the rest to a job: one waiting mail per address, however often it is asked for. */
export function askForReset(kit: Kit, tx: SystemTx, email: string): Promise<void> {
  return kit.enqueue(tx, SendReset, { email }, { key: hashToken(email.toLowerCase()).toString('hex') });
}
