/** Queries of the second factor of a person. A person has one for all companies, like the password. */
import { exec, maybeOne, oneValue } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { SecondFactor } from './schemas.ts';

/** What is stored about the second factor of a person who has one. */
export interface StoredFactor {
  /** The sealed secret of the authenticator app. */
  secret: string;
  /** The time step of the last code that was accepted. */
  step: number;
  /** The hashes of the recovery codes that have not been used. */
  recovery: Buffer[];
}

/** Finds the second factor of a person and locks it, so that two log-ins cannot use the same code. Returns null when the person has none. */
export function lockFactor(tx: SystemTx, email: string): Promise<StoredFactor | null> {
  return maybeOne(tx, {
    name: 'users.lockFactor',
    text: `select totp_secret as secret, totp_step::float8 as step, recovery_hashes as recovery from people
      where email = lower($1) and totp_secret is not null for update`,
    values: [email],
  });
}

export function storeFactor(tx: SystemTx, email: string, { step, recovery }: Omit<StoredFactor, 'secret'>) {
  return exec(tx, {
    name: 'users.storeFactor',
    text: `update people set totp_step = $2, recovery_hashes = $3, updated_at = now() where email = lower($1)`,
    values: [email, step, recovery],
  });
}

/** Stores the secret of an authenticator app that is being set up. Returns zero when the person has a second factor already. */
export function storePending(tx: SystemTx, email: string, pending: string): Promise<number> {
  return exec(tx, {
    name: 'users.storePending',
    text: 'update people set totp_pending = $2, updated_at = now() where email = lower($1) and totp_secret is null',
    values: [email, pending],
  });
}

/** Finds and locks the sealed secret of the authenticator app that is being set up; null when there is none. */
export function lockPending(tx: SystemTx, email: string): Promise<{ pending: string } | null> {
  return maybeOne(tx, {
    name: 'users.lockPending',
    text: `select totp_pending as pending from people
      where email = lower($1) and totp_secret is null and totp_pending is not null for update`,
    values: [email],
  });
}

/** Makes the authenticator app that is being set up the second factor of the person. */
export async function enableFactor(
  tx: SystemTx,
  email: string,
  { step, recovery }: Omit<StoredFactor, 'secret'>,
): Promise<void> {
  await exec(tx, {
    name: 'users.enableFactor',
    text: `update people set totp_secret = totp_pending, totp_pending = null, totp_step = $2, recovery_hashes = $3, updated_at = now()
      where email = lower($1)`,
    values: [email, step, recovery],
  });
  await exec(tx, {
    name: 'users.deleteLogInLinks',
    text: `delete from password_tokens t using users u
      where lower(u.email) = lower($1) and t.purpose = 'LOG_IN' and t.company_id = u.company_id and t.user_id = u._id`,
    values: [email],
  });
}

/** Removes the second factor of a person. Returns zero when the person has none. */
export function deleteFactor(tx: SystemTx, email: string): Promise<number> {
  return exec(tx, {
    name: 'users.deleteFactor',
    text: `update people set totp_secret = null, totp_pending = null, totp_step = null, recovery_hashes = '{}', updated_at = now()
      where email = lower($1) and totp_secret is not null`,
    values: [email],
  });
}

/** Whether the person also belongs to another company. */
export function belongsElsewhere(tx: SystemTx, companyId: string, email: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'users.belongsElsewhere',
    text: `select exists (select 1 from users
      where lower(email) = lower($2) and company_id <> $1 and accepted_at is not null) as found`,
    values: [companyId, email],
  });
}

/** How many recovery codes the person has left, whether the user has a password, and whether the company requires a second factor. */
export function findFactorState(tx: SystemTx, companyId: string, userId: string): Promise<SecondFactor | null> {
  return maybeOne(tx, {
    name: 'users.findFactorState',
    text: `select p.totp_secret is not null as enabled, c.second_factor_required as required,
        coalesce(cardinality(p.recovery_hashes), 0) as recovery_codes_left, p.password_hash is not null as has_password
      from users u left join people p on p.email = lower(u.email) and u.accepted_at is not null join companies c on c._id = u.company_id
      where u.company_id = $1 and u._id = $2`,
    values: [companyId, userId],
  });
}
