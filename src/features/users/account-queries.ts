/** Queries that find accounts at log-in, by e-mail or by the token of a mailed link, before the company is known. */
import { exec, many, maybeOne } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { UserRole } from '../../platform/values/scopes.ts';
import type { User } from './schemas.ts';

/** A user of one company, with the password of the person, who has the same password in all companies. */
export interface Account extends User {
  role: UserRole;
  company_name: string;
  /** Null when the person has never set a password. */
  password_hash: string | null;
  session_version: number;
  /** Whether the person has agreed to belong to this company. A user whom only single sign-on logs in has not, as far as we know. */
  accepted: boolean;
  /** The user logs in by single sign-on only: the company has turned passwords off, or the person has not accepted an invitation. */
  password_refused: boolean;
  /** The account at the provider of the company that logs in as this user. */
  single_sign_on_issuer: string | null;
  single_sign_on_subject: string | null;
}

const USER = `u._id, u.company_id as company, u.name, u.email, u.role, u.status, u.language, u.availability, u.avatar_url, u.signature, u.last_login_at,
  u.accepted_at is not null and has_second_factor(u.email) as second_factor, u.single_sign_on_subject is not null as single_sign_on, u.created_at as "createdAt", u.updated_at as "updatedAt"`;
const COLUMNS = `${USER}, u.session_version, u.accepted_at is not null as accepted, p.password_hash, c.name as company_name,
  c.single_sign_on_only and u.role <> 'OWNER' as password_refused, u.single_sign_on_issuer, u.single_sign_on_subject`;
const LIVING = `join companies c on c._id = u.company_id and c.status = 'ACTIVE'`;
// The company's provider alone has logged this user in, so the person may not know of the company.
const KNOWN_STATUS = `case when u.accepted_at is null and u.status = 'ACTIVE' then 'INVITED' else u.status end`;
const PERSON = 'left join people p on p.email = lower(u.email)';

/**
 * Finds an account by e-mail, only in active companies; without a company it prefers the one where the person logged in
 * last. An account that can log in is preferred to one that cannot, whichever company invited the latter. Stored
 * addresses are ASCII, so an address with other letters is not looked up: the database could convert it to a stored one.
 */
export function findAccountByEmail(tx: SystemTx, email: string, company: string | null): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccountByEmail',
    text: `select ${COLUMNS} from users u ${LIVING} ${PERSON}
      where lower(u.email) = lower($1) and octet_length($1) = char_length($1) and ($2::text is null or u.company_id = $2)
      order by array_position(array['ACTIVE', 'INVITED', 'INACTIVE'], ${KNOWN_STATUS}), password_refused,
        u.last_login_at desc nulls last, u.created_at desc, u._id desc
      limit 1`,
    values: [email, company],
  });
}

export function findAccount(tx: SystemTx, companyId: string, userId: string): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccount',
    text: `select ${COLUMNS} from users u ${LIVING} ${PERSON} where u.company_id = $1 and u._id = $2`,
    values: [companyId, userId],
  });
}

/** Stores the time of a log-in. Returns null when the account was deactivated, or its password changed, since the account was read. */
export function storeLogin(tx: SystemTx, account: Account): Promise<User | null> {
  return maybeOne(tx, {
    name: 'users.noteLogin',
    text: `update users u set last_login_at = now()
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE' and u.session_version = $3 returning ${USER}`,
    values: [account.company, account._id, account.session_version],
  });
}

/** What a link is for: a link for one purpose is unknown to the other. */
export type LinkPurpose = 'PASSWORD' | 'LOG_IN';

export interface StoredLink {
  tokenHash: Buffer;
  purpose: LinkPurpose;
}

/** Finds the account to which a valid link belongs, and leaves the link as it is; null for any other link. */
export function findLinkAccount(tx: SystemTx, { tokenHash, purpose }: StoredLink): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findLinkAccount',
    text: `select ${COLUMNS}
      from password_tokens t join users u on u.company_id = t.company_id and u._id = t.user_id ${LIVING} ${PERSON}
      where t.token_hash = $1 and t.purpose = $2 and t.expires_at > now() and u.status <> 'INACTIVE'`,
    values: [tokenHash, purpose],
  });
}

/**
 * Locks an address, even if it has no user yet, and then its users in the order of their companies. Every transaction that changes a
 * password or a membership of a person does this first, because in any other order two such transactions could wait for each other.
 */
export async function lockAddress(tx: SystemTx, email: string): Promise<void> {
  await exec(tx, {
    name: 'users.holdAddress',
    text: `select pg_advisory_xact_lock(hashtextextended('person:' || $1::text, 0))`,
    values: [email],
  });
  await exec(tx, {
    name: 'users.lockPerson',
    text: 'select 1 from users where lower(email) = $1 order by company_id, _id for no key update',
    values: [email],
  });
}

/**
 * Deletes a link and returns its account: of several requests with the same token only one deletes the row. The user must still have the
 * address that was locked.
 */
export function deleteValidLink(
  tx: SystemTx,
  { tokenHash, purpose }: StoredLink,
  email: string,
): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.takeLink',
    text: `with account as (
        select ${COLUMNS}
        from password_tokens t join users u on u.company_id = t.company_id and u._id = t.user_id ${LIVING} ${PERSON}
        where t.token_hash = $1 and t.purpose = $3 and t.expires_at > now() and u.status <> 'INACTIVE' and lower(u.email) = $2
        for no key update of u
      )
      delete from password_tokens t using account where t.token_hash = $1 returning account.*`,
    values: [tokenHash, email, purpose],
  });
}

/** Makes the invited person a member of the company, and deletes the other links of the invitation. */
export async function acceptInvitation(tx: SystemTx, companyId: string, userId: string): Promise<void> {
  await exec(tx, {
    name: 'users.accept',
    text: `update users set status = 'ACTIVE', accepted_at = now(), updated_at = now() where company_id = $1 and _id = $2`,
    values: [companyId, userId],
  });
  await exec(tx, {
    name: 'users.deleteLinksOf',
    text: 'delete from password_tokens where company_id = $1 and user_id = $2',
    values: [companyId, userId],
  });
}

/** Finds the user of a company to whom an account at its provider belongs. */
export function findAccountBySubject(
  tx: SystemTx,
  companyId: string,
  { issuer, subject }: SingleSignOnIdentity,
): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccountBySubject',
    text: `select ${COLUMNS} from users u ${LIVING} ${PERSON}
      where u.company_id = $1 and u.single_sign_on_issuer = $2 and u.single_sign_on_subject = $3 and u.removed_at is null`,
    values: [companyId, issuer, subject],
  });
}

/** An account at a provider of single sign-on. */
export interface SingleSignOnIdentity {
  issuer: string;
  subject: string;
}

/** Links a user with an account at the provider. An invited user becomes active; the links of the invitation stay valid. */
export function linkIdentity(
  tx: SystemTx,
  { company, _id }: Account,
  { issuer, subject }: SingleSignOnIdentity,
): Promise<number> {
  return exec(tx, {
    name: 'users.linkIdentity',
    text: `update users set single_sign_on_issuer = $3, single_sign_on_subject = $4, status = 'ACTIVE', updated_at = now()
      where company_id = $1 and _id = $2 and status <> 'INACTIVE'`,
    values: [company, _id, issuer, subject],
  });
}

/** Removes the link with the account at the provider, and ends the sessions that the provider has opened. Returns zero without a link. */
export function unlinkIdentity(tx: SystemTx, { company, _id }: Account): Promise<number> {
  return exec(tx, {
    name: 'users.unlinkIdentity',
    text: `with ended as (delete from browser_sessions where company_id = $1 and user_id = $2 and single_sign_on)
      update users set single_sign_on_issuer = null, single_sign_on_subject = null, updated_at = now()
      where company_id = $1 and _id = $2 and single_sign_on_subject is not null`,
    values: [company, _id],
  });
}

/** A user whose sessions ended, because the person has a new password. */
export type UserOfReset = Pick<User, '_id' | 'company' | 'name'>;

/**
 * Writes the password of a person, and in every company of the person ends the sessions and deletes
 * the links for passwords. Links of invitations that the person has not accepted stay valid.
 */
export async function writePassword(tx: SystemTx, email: string, hash: string): Promise<UserOfReset[]> {
  await exec(tx, {
    name: 'users.writePassword',
    text: `insert into people (email, password_hash) values (lower($1), $2)
      on conflict (email) do update set password_hash = excluded.password_hash, updated_at = now()`,
    values: [email, hash],
  });
  await exec(tx, {
    name: 'users.deletePersonsLinks',
    text: `delete from password_tokens t using users u
      where lower(u.email) = lower($1) and u.accepted_at is not null and t.company_id = u.company_id and t.user_id = u._id`,
    values: [email],
  });
  return endSessions(tx, email);
}

/** Ends the sessions of a person in all companies, and returns the users whose sessions ended. */
export function endSessions(tx: SystemTx, email: string): Promise<UserOfReset[]> {
  return many(tx, {
    name: 'users.endSessions',
    text: `update users set session_version = session_version + 1, updated_at = now()
      where lower(email) = lower($1) and accepted_at is not null returning _id, company_id as company, name`,
    values: [email],
  });
}

/** Deletes the passwords of addresses that no user of any company has any more. */
export function purgePeople(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgePeople',
    text: 'delete from people p where not exists (select 1 from users u where lower(u.email) = p.email)',
    values: [],
  });
}
