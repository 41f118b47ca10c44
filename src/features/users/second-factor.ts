/**
 * Two-factor log-in: after the password, a person gives a code of an authenticator app, or one of the recovery codes. The second factor
 * belongs to the person, like the password, and so to the person's users in all companies.
 */
import type { Kit } from '../../kit.ts';
import { admitAccount, admitCode } from '../../platform/http/access.ts';
import { NOBODYS_HASH, verifyPassword } from '../../platform/http/passwords.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { SystemTx, Tenant } from '../../platform/store/tenant.ts';
import { AppError, expectFound, forbidden, invalid, notFound } from '../../platform/values/errors.ts';
import { endSessions, findAccount, lockAddress, type Account } from './account-queries.ts';
import { findStep, hashRecoveryCode, makeAppAddress, makeRecoveryCodes, makeSecret } from './codes.ts';
import { expectUser } from './expect-user.ts';
import type { FactorChange } from './factor-mails.ts';
import { SendFactorMail } from './jobs.ts';
import { deletePasskeys, hasPasskey } from './passkey-queries.ts';
import type { FactorBegun, FactorCode, FactorProof, RecoveryCodes, SecondFactor, User } from './schemas.ts';
import {
  belongsElsewhere,
  deleteFactor,
  enableFactor,
  findFactorState,
  lockFactor,
  lockPending,
  storeFactor,
  storePending,
  type StoredFactor,
} from './second-factor-queries.ts';
import { readUser, refuseRole } from './users.ts';

/** A passkey that has answered the challenge of this browser. It counts once it is accepted in a transaction. */
export interface ProvenPasskey {
  email: string;
  accept(tx: SystemTx): Promise<void>;
}

/** What a person gives in addition to the password. */
export interface GivenFactor {
  code?: string | undefined;
  passkey?: ProvenPasskey | null | undefined;
}

/**
 * Checks the code of a log-in whose password is right. Returns a function that accepts the code in the transaction of the log-in, which
 * throws SECOND_FACTOR_REQUIRED when the person has a second factor and the code is missing, wrong or used.
 */
export async function admitSecondFactor(
  kit: Kit,
  { email, second_factor }: Pick<Account, 'email' | 'second_factor'>,
  given: GivenFactor,
): Promise<(tx: SystemTx) => Promise<void>> {
  if (second_factor && given.code !== undefined) await admitCode(kit.access, email.toLowerCase());
  return (tx) => acceptSecondFactor(kit, tx, email, given);
}

/**
 * Accepts the second factor of a log-in. Throws SECOND_FACTOR_REQUIRED when the person has one and it is missing, wrong or used; `errors`
 * name what the person can give.
 */
export async function acceptSecondFactor(
  kit: Kit,
  tx: SystemTx,
  email: string,
  { code, passkey }: GivenFactor,
): Promise<void> {
  const factor = await lockFactor(tx, email);
  const kinds = [...(factor ? ['code'] : []), ...((await hasPasskey(tx, email)) ? ['passkey'] : [])];
  if (kinds.length === 0) return;
  if (passkey && passkey.email !== email.toLowerCase()) throw refuseFactor(['passkey'], 'INVALID', WRONG_PASSKEY);
  if (passkey) return passkey.accept(tx);
  if (code === undefined) throw refuseFactor(kinds, 'REQUIRED', 'is required');
  if (!factor || !(await useCode(kit, tx, { email, factor, code })))
    throw refuseFactor(['code'], 'INVALID', WRONG_CODE);
}

const WRONG_PASSKEY = 'is wrong, or was used before';

/** Returns the error for a passkey that is not accepted as the second factor. */
export const refusePasskey = (): AppError => refuseFactor(['passkey'], 'INVALID', WRONG_PASSKEY);

const WRONG_CODE = 'is wrong, or was used before';

function refuseFactor(kinds: string[], code: string, message: string): AppError {
  const errors = kinds.map((path) => ({ path, code, message }));
  const words = `${kinds.join(' or ')} ${message}`;
  return new AppError('SECOND_FACTOR_REQUIRED', words, errors, { 'www-authenticate': 'Bearer' });
}

interface GivenCode {
  email: string;
  factor: StoredFactor;
  code: string;
}

/** Accepts a code, which cannot be used again. Returns false for a wrong one, and for one that was used before. */
async function useCode(kit: Kit, tx: SystemTx, { email, factor, code }: GivenCode): Promise<boolean> {
  const step = findStep(kit.secrets.open(factor.secret, secretContext(email)), code);
  const hash = hashRecoveryCode(code);
  const recovery = factor.recovery.filter((each) => !each.equals(hash));
  const isNew = step === null ? recovery.length < factor.recovery.length : step > factor.step;
  if (isNew) await storeFactor(tx, email, { step: step ?? factor.step, recovery });
  return isNew;
}

const secretContext = (email: string): string => `people:${email.toLowerCase()}:totp`;

/**
 * The calling user, whose person has accepted to belong to the company. A second factor belongs to the person, and not to somebody whom the
 * provider of a company has logged in at this address.
 */
export async function expectAccount(caller: Caller): Promise<Account> {
  const account = await readAccount(caller);
  if (!account.accepted) throw forbidden('authorization', NOT_ACCEPTED, 'NOT_ACCEPTED');
  return account;
}

const NOT_ACCEPTED =
  'Set a password first: request a link by POST /v1/auth/forgot-password, and open it to accept the invitation';

async function readAccount({ principal, tenant, read }: Caller): Promise<Account> {
  if (!tenant) throw new AppError('COMPANY_ID_REQUIRED');
  const user = expectUser(tenant, 'Only users have ways to log in');
  if (principal.type === 'user' && principal.app)
    throw forbidden('authorization', 'A connected app does not change how its user logs in');
  return expectFound(await findAccount(read, tenant.companyId, user));
}

/** Reads whether the calling user has a second factor, and needs one. */
export async function readSecondFactor(caller: Caller): Promise<SecondFactor> {
  const { company, _id } = await readAccount(caller);
  return expectFound(await findFactorState(caller.read, company, _id));
}

/** Makes a secret for an authenticator app. It counts only after the first code. */
export async function beginSecondFactor(kit: Kit, caller: Caller): Promise<FactorBegun> {
  const { email } = await expectAccount(caller);
  const secret = makeSecret();
  const sealed = kit.secrets.seal(secret, secretContext(email));
  await caller.tx(async (tx) => {
    if ((await storePending(tx, email, sealed)) === 0) throw new AppError('SECOND_FACTOR_EXISTS');
  });
  return { secret, uri: makeAppAddress(secret, email) };
}

/**
 * Turns two-factor log-in on with the first code of the authenticator app, and with the password: otherwise an unattended session would be
 * enough to lock out its user.
 */
export async function enableSecondFactor(
  kit: Kit,
  caller: Caller,
  { code, password }: FactorCode,
  passkey: ProvenPasskey | null,
): Promise<RecoveryCodes> {
  const account = await expectAccount(caller);
  const { _id, email } = account;
  if ((await readSecondFactor(caller)).enabled) throw new AppError('SECOND_FACTOR_EXISTS');
  await expectPassword(kit, account, password);
  const codes = makeRecoveryCodes();
  await caller.tx(async (tx) => {
    tx.created(_id);
    await acceptOwnFactor(kit, tx, email, { passkey });
    const begun = await lockPending(tx, email);
    const step = begun && findStep(kit.secrets.open(begun.pending, secretContext(email)), code);
    if (step === null) throw invalid('code', 'is wrong or has expired');
    await enableFactor(tx, email, { step, recovery: codes.map(hashRecoveryCode) });
    await mailChange(kit, tx, account, 'ON');
  });
  kit.access.auth.forget();
  return { recovery_codes: codes };
}

/** Replaces the recovery codes; the earlier ones no longer work. */
export async function renewRecoveryCodes(kit: Kit, caller: Caller, proof: FactorProof): Promise<RecoveryCodes> {
  const codes = makeRecoveryCodes();
  await withProof(kit, caller, proof, async (tx, { email }) => {
    const { step } = expectFound(await lockFactor(tx, email));
    await storeFactor(tx, email, { step, recovery: codes.map(hashRecoveryCode) });
  });
  return { recovery_codes: codes };
}

/** Turns two-factor log-in off. */
export async function disableSecondFactor(kit: Kit, caller: Caller, proof: FactorProof): Promise<SecondFactor> {
  await withProof(kit, caller, proof, async (tx, account) => {
    await deleteFactor(tx, account.email);
    await mailChange(kit, tx, account, 'OFF');
  });
  kit.access.auth.forget();
  return readSecondFactor(caller);
}

/** Mails the person what has changed, so that they notice a change by somebody else. */
export const mailChange = (
  kit: Kit,
  tx: SystemTx,
  { company, _id: user }: Account,
  change: FactorChange,
): Promise<void> => kit.enqueue(tx, SendFactorMail, { company, user, change }, { key: `${user}:${change}` });

export async function expectPassword(kit: Kit, account: Account, password: string): Promise<void> {
  await admitAccount(kit.access, account.email.toLowerCase());
  if (!(await verifyPassword(password, account.password_hash ?? NOBODYS_HASH))) throw invalid('password', 'is wrong');
}

/** Accepts the second factor of a user who changes their second factors. A person without one needs none. */
export async function acceptOwnFactor(kit: Kit, tx: SystemTx, email: string, given: GivenFactor): Promise<void> {
  await acceptSecondFactor(kit, tx, email, given).catch(refuseProof);
}

/** Throws for a proof that is missing or wrong what other fields of a request get. The session itself is valid. */
export function refuseProof(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'SECOND_FACTOR_REQUIRED') throw error;
  throw new AppError('VALIDATION_FAILED', error.message, error.errors);
}

/** Runs a change of the second factor for a user who has given the password and a code, so that an unattended session does not suffice. */
async function withProof(
  kit: Kit,
  caller: Caller,
  { password, code }: FactorProof,
  work: (tx: SystemTx, account: Account) => Promise<unknown>,
): Promise<void> {
  const account = await expectAccount(caller);
  const email = account.email.toLowerCase();
  await expectPassword(kit, account, password);
  await admitCode(kit.access, email);
  await caller.tx(async (tx) => {
    tx.created(account._id);
    const factor = await lockFactor(tx, email);
    if (!factor) throw notFound();
    if (!(await useCode(kit, tx, { email, factor, code }))) throw invalid('code', WRONG_CODE);
    await work(tx, account);
  });
}

/**
 * Removes the second factor of another user, such as one who has lost the phone and the recovery codes. It ends the sessions of the user, who
 * gets a mail. A person who belongs to other companies has the second factor there, too, so only the operator removes it.
 */
export async function resetSecondFactor(kit: Kit, caller: Caller, id: string): Promise<User> {
  const { tenant, principal } = caller;
  if (!tenant) throw new AppError('COMPANY_ID_REQUIRED');
  await caller.tx(async (tx) => {
    const account = await expectResettable(tx, tenant, id);
    await lockAddress(tx, account.email.toLowerCase());
    if (principal.type !== 'global' && (await belongsElsewhere(tx, tenant.companyId, account.email)))
      throw forbidden('id', 'The person also belongs to another company, so only the operator can reset this');
    const removed = (await deleteFactor(tx, account.email)) + (await deletePasskeys(tx, account.email));
    if (removed === 0) throw notFound();
    await endSessions(tx, account.email);
    await mailChange(kit, tx, account, 'RESET');
  });
  kit.access.auth.forget();
  return readUser(tenant, id);
}

async function expectResettable(tx: SystemTx, tenant: Tenant, id: string): Promise<Account> {
  const account = expectFound(await findAccount(tx, tenant.companyId, id));
  if (!account.second_factor) throw notFound();
  refuseRole(tenant, account.role);
  if (tenant.principal.id === id)
    throw forbidden('id', 'Turn off your own two-factor log-in with your password and a code');
  return account;
}
