/** Accounts at the doors: log-in and mailed links, before a company is known. */
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
  type Ended,
} from './account-queries.ts';
import { SendReset } from './jobs.ts';
import type { User } from './schemas.ts';

export type { Account, Ended } from './account-queries.ts';

/** Whatever its status is; without a company the one that was used last; null for nobody. */
export function accountOf(tx: SystemTx, email: string, company: string | null): Promise<Account | null> {
  return findAccountByEmail(tx, email, company);
}

/** Null when the account was deactivated, or its password changed, since it was read. */
export function noteLoginOf(tx: SystemTx, account: Account): Promise<User | null> {
  return noteLogin(tx, account);
}

/** Of any number who come with the same token, one gets the account. */
export async function takeAccountByLink(tx: SystemTx, tokenHash: Buffer): Promise<Account | null> {
  const link = await findLinkEmail(tx, tokenHash);
  if (!link) return null;
  await holdAddress(tx, link.email);
  return takeLink(tx, tokenHash, link.email);
}

/** Makes an invited person one of the company; the password stays as it is. */
export function joinCompany(tx: SystemTx, { company, _id }: Account): Promise<void> {
  return acceptInvitation(tx, company, _id);
}

/** Ends all sessions and links in all companies of the person; answers whose. */
export function setPassword(tx: SystemTx, { email }: Account, passwordHash: string): Promise<Ended[]> {
  return writePassword(tx, email, passwordHash);
}

/** Leaves the rest to a job: one waiting mail per address, however often it is asked for. */
export function askForReset(kit: Kit, tx: SystemTx, email: string): Promise<void> {
  return kit.enqueue(tx, SendReset, { email }, { key: hashToken(email.toLowerCase()).toString('hex') });
}
