/** Accounts as the doors see them: by e-mail or by a mailed token, before a company is known. */
import { exec, maybeOne } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { UserRole } from '../../platform/scopes.ts';
import type { User } from './schemas.ts';

export interface Account extends User {
  role: UserRole;
  company_name: string;
  password_hash: string | null;
  session_version: number;
}

const USER = `u._id, u.company_id as company, u.name, u.email, u.role, u.status, u.language, u.last_login_at,
  u.created_at as "createdAt", u.updated_at as "updatedAt"`;
const COLUMNS = `${USER}, u.password_hash, u.session_version, c.name as company_name`;
const LIVING = `join companies c on c._id = u.company_id and c.status = 'ACTIVE'`;

/**
 * Of a company that is not suspended; whatever the account's own status is. Stored addresses are ASCII: what the capitals of another
 * alphabet become here would only be a second spelling of one of them.
 */
export function findAccountByEmail(tx: SystemTx, email: string): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccountByEmail',
    text: `select ${COLUMNS} from users u ${LIVING}
      where lower(u.email) = lower($1) and octet_length($1) = char_length($1)`,
    values: [email],
  });
}

export function findAccount(tx: SystemTx, companyId: string, userId: string): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccount',
    text: `select ${COLUMNS} from users u ${LIVING} where u.company_id = $1 and u._id = $2`,
    values: [companyId, userId],
  });
}

/** Null when the account was deactivated, or its password changed, since it was read. */
export function noteLogin(tx: SystemTx, account: Account): Promise<User | null> {
  return maybeOne(tx, {
    name: 'users.noteLogin',
    text: `update users u set last_login_at = now()
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE' and u.session_version = $3 returning ${USER}`,
    values: [account.company, account._id, account.session_version],
  });
}

export interface Link {
  tokenHash: Buffer;
  company: string;
  user: string;
  /** Where the mail goes. */
  email: string;
  hours: number;
  /** None when the user was given one so lately. */
  pauseSeconds: number;
}

/**
 * None for an address that is not the user's any more: whoever changes it holds the row, and deletes the links to the old one
 * that came before.
 */
export function insertLink(tx: SystemTx, link: Link): Promise<number> {
  return exec(tx, {
    name: 'users.insertLink',
    text: `insert into password_tokens (token_hash, company_id, user_id, expires_at)
      select $1, company_id, _id, now() + make_interval(hours => $5) from users
      where company_id = $2 and _id = $3 and email = $4 and not exists (
        select 1 from password_tokens
        where company_id = $2 and user_id = $3 and created_at > now() - make_interval(secs => $6)
      ) for share`,
    values: [link.tokenHash, link.company, link.user, link.email, link.hours, link.pauseSeconds],
  });
}

/**
 * Single use is decided here: of any number who come with the same token, one deletes the row. The user is locked first, as by
 * whoever changes or removes one: in another order the two would wait for each other.
 */
export function takeLink(tx: SystemTx, tokenHash: Buffer): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.takeLink',
    text: `with account as (
        select ${COLUMNS} from password_tokens t join users u on u.company_id = t.company_id and u._id = t.user_id ${LIVING}
        where t.token_hash = $1 and t.expires_at > now() and u.status <> 'INACTIVE' for no key update of u
      )
      delete from password_tokens t using account where t.token_hash = $1 returning account.*`,
    values: [tokenHash],
  });
}

/** A link whose mail did not leave. */
export function dropLink(tx: SystemTx, companyId: string, tokenHash: Buffer): Promise<number> {
  return exec(tx, {
    name: 'users.dropLink',
    text: 'delete from password_tokens where company_id = $1 and token_hash = $2',
    values: [companyId, tokenHash],
  });
}

/** Sessions of before end, and so do other links. */
export async function writePassword(tx: SystemTx, companyId: string, userId: string, hash: string): Promise<void> {
  await exec(tx, {
    name: 'users.writePassword',
    text: `update users set password_hash = $3, status = 'ACTIVE', session_version = session_version + 1, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [companyId, userId, hash],
  });
  await exec(tx, {
    name: 'users.deleteOtherLinks',
    text: 'delete from password_tokens where company_id = $1 and user_id = $2',
    values: [companyId, userId],
  });
}

export function purgeLinks(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgeLinks',
    text: 'delete from password_tokens where expires_at < now()',
    values: [],
  });
}
