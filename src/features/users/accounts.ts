/** Accounts at log-in and behind mailed links, before the company is known. */
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/auth.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import {
  acceptInvitation,
  findAccountByEmail,
  findLinkEmail,
  holdAddress,
  noteLogin,
  takeLink,
  writePassword,
  type Account,
  type EndedUser,
} from './account-queries.ts';
import { SendReset } from './jobs.ts';
import type { User } from './schemas.ts';

export type { Account, EndedUser } from './account-queries.ts';

/** Finds an account of any status; without a company the one that was used last. Null when nobody has the address. */
export function findLoginAccount(tx: SystemTx, email: string, company: string | null): Promise<Account | null> {
  return findAccountByEmail(tx, email, company);
}

/** Stores the time of a log-in. Null when the account was deactivated, or its password changed, since it was read. */
export function recordLogin(tx: SystemTx, account: Account): Promise<User | null> {
  return noteLogin(tx, account);
}

/** Uses up a link and returns its account; of several requests with the same token only one gets the account. */
export async function takeAccountByLink(tx: SystemTx, tokenHash: Buffer): Promise<Account | null> {
  const link = await findLinkEmail(tx, tokenHash);
  if (!link) return null;
  await holdAddress(tx, link.email);
  return takeLink(tx, tokenHash, link.email);
}

/** Makes an invited person a member of the company and keeps the password. */
export function joinCompany(tx: SystemTx, { company, _id }: Account): Promise<void> {
  return acceptInvitation(tx, company, _id);
}

/** Ends all sessions and links in all companies of the person, and returns the users whose sessions ended. */
export function setPassword(tx: SystemTx, { email }: Account, passwordHash: string): Promise<EndedUser[]> {
  return writePassword(tx, email, passwordHash);
}

/** Enqueues the mail for a forgotten password: one waiting job per address, however often it is asked for. */
export function askForReset(kit: Kit, tx: SystemTx, email: string): Promise<void> {
  return kit.enqueue(tx, SendReset, { email }, { key: hashToken(email.toLowerCase()).toString('hex') });
}
