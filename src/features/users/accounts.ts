/** Finds and changes accounts at log-in and behind mailed links, before the company is known. */
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/http/auth.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import {
  acceptInvitation,
  findAccount,
  findAccountByEmail,
  findAccountBySubject,
  findLinkAccount,
  linkIdentity,
  lockAddress,
  storeLogin,
  unlinkIdentity,
  deleteValidLink,
  writePassword,
  type Account,
  type LinkPurpose,
  type SingleSignOnIdentity,
  type UserOfReset,
} from './account-queries.ts';
import { SendReset } from './jobs.ts';
import type { User } from './schemas.ts';

export type { Account, UserOfReset } from './account-queries.ts';

/** Finds an account of any status; without a company, the account that was used last. Returns null when no user has the address. */
export function findLoginAccount(tx: SystemTx, email: string, company: string | null): Promise<Account | null> {
  return findAccountByEmail(tx, email, company);
}

/** Stores the time of a log-in. Returns null when the account was deactivated, or its password changed, since the account was read. */
export function recordLogin(tx: SystemTx, account: Account): Promise<User | null> {
  return storeLogin(tx, account);
}

export interface ProvenPerson extends SingleSignOnIdentity {
  company: string;
  /** The address, if the provider may say whose it is. */
  email: string | null;
}

/**
 * Finds the user whom a provider has logged in: by the account at the provider, or else by the address. The address is locked, so that
 * nothing else changes the user meanwhile.
 */
export async function findProvenAccount(tx: SystemTx, person: ProvenPerson): Promise<Account | null> {
  const { company, email } = person;
  const known = await findAccountBySubject(tx, company, person);
  const address = known?.email ?? email;
  if (address === null) return null;
  await lockAddress(tx, address.toLowerCase());
  return (await findAccountBySubject(tx, company, person)) ?? (await findAccountByEmail(tx, address, company));
}

/** Finds the same user without a lock, before the transaction of the log-in. */
export const readProvenAccount = async (tx: SystemTx, person: ProvenPerson): Promise<Account | null> =>
  (await findAccountBySubject(tx, person.company, person)) ??
  (person.email === null ? null : await findAccountByEmail(tx, person.email, person.company));

/** Links a user with the account at the provider that has logged the user in. */
export function linkAccount(tx: SystemTx, account: Account, identity: SingleSignOnIdentity): Promise<number> {
  return linkIdentity(tx, account, identity);
}

/** Finds a user of a company, and locks the address of the user. */
export async function lockAccount(tx: SystemTx, company: string, id: string): Promise<Account | null> {
  const known = await findAccount(tx, company, id);
  if (!known) return null;
  await lockAddress(tx, known.email.toLowerCase());
  return findAccount(tx, company, id);
}

/** Removes the link with the account at the provider, and ends the sessions that the provider has opened. */
export function unlinkAccount(tx: SystemTx, account: Account): Promise<number> {
  return unlinkIdentity(tx, account);
}

/** Finds the account of a link, which stays valid. */
export const readLink = (tx: SystemTx, token: string, purpose: LinkPurpose): Promise<Account | null> =>
  findLinkAccount(tx, { tokenHash: hashToken(token), purpose });

/** Deletes a link and returns its account; of several requests with the same token only one gets the account. */
export async function consumeLink(tx: SystemTx, token: string, purpose: LinkPurpose): Promise<Account | null> {
  const link = { tokenHash: hashToken(token), purpose };
  const owner = await findLinkAccount(tx, link);
  if (!owner) return null;
  const email = owner.email.toLowerCase();
  await lockAddress(tx, email);
  return deleteValidLink(tx, link, email);
}

/** Makes an invited person a member of the company; the password of the person stays the same. */
export function joinCompany(tx: SystemTx, { company, _id }: Account): Promise<void> {
  return acceptInvitation(tx, company, _id);
}

/**
 * Sets the password of a person, ends all sessions and links in all companies of the person, and returns the users whose sessions ended.
 */
export function setPassword(tx: SystemTx, { email }: Account, passwordHash: string): Promise<UserOfReset[]> {
  return writePassword(tx, email, passwordHash);
}

/** Enqueues the mail for a forgotten password. There is one waiting job per address, however many requests come for it. */
export function enqueueReset(kit: Kit, tx: SystemTx, email: string): Promise<void> {
  return kit.enqueue(tx, SendReset, { email }, { key: hashToken(email.toLowerCase()).toString('hex') });
}
