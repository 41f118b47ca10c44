/** Accounts as the doors see them: by e-mail or by a mailed token, before a company is known. */
import { exec, many, maybeOne } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import type { UserRole } from '../../platform/scopes.ts';
import type { User } from './schemas.ts';

/** A user of one company, with the password of the person, which is the same in all companies. */
export interface Account extends User {
  role: UserRole;
  company_name: string;
  /** Null: the person has never set one. */
  password_hash: string | null;
  session_version: number;
  /** The person has agreed to belong to this company. */
  accepted: boolean;
}

const USER = `u._id, u.company_id as company, u.name, u.email, u.role, u.status, u.language, u.last_login_at,
  u.created_at as "createdAt", u.updated_at as "updatedAt"`;
const COLUMNS = `${USER}, u.session_version, u.accepted_at is not null as accepted, p.password_hash, c.name as company_name`;
const LIVING = `join companies c on c._id = u.company_id and c.status = 'ACTIVE'`;
const PERSON = 'left join people p on p.email = lower(u.email)';

/**
 * Of companies that are not suspended; without a company the one where the person logged in last. Who can not log in comes after
 * who can, whoever invited them. Stored addresses are ASCII: what the capitals of another alphabet become here would only be a
 * second spelling of one of them.
 */
export function findAccountByEmail(tx: SystemTx, email: string, company: string | null): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.findAccountByEmail',
    text: `select ${COLUMNS} from users u ${LIVING} ${PERSON}
      where lower(u.email) = lower($1) and octet_length($1) = char_length($1) and ($2::text is null or u.company_id = $2)
      order by array_position(array['ACTIVE', 'INVITED', 'INACTIVE'], u.status), u.last_login_at desc nulls last,
        u.created_at desc, u._id desc
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

/** Null when the account was deactivated, or its password changed, since it was read. */
export function noteLogin(tx: SystemTx, account: Account): Promise<User | null> {
  return maybeOne(tx, {
    name: 'users.noteLogin',
    text: `update users u set last_login_at = now()
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE' and u.session_version = $3 returning ${USER}`,
    values: [account.company, account._id, account.session_version],
  });
}

/** The address behind a link that still works; null for any other. */
export function findLinkEmail(tx: SystemTx, tokenHash: Buffer): Promise<{ email: string } | null> {
  return maybeOne(tx, {
    name: 'users.findLinkEmail',
    text: `select lower(u.email) as email
      from password_tokens t join users u on u.company_id = t.company_id and u._id = t.user_id ${LIVING}
      where t.token_hash = $1 and t.expires_at > now() and u.status <> 'INACTIVE'`,
    values: [tokenHash],
  });
}

/**
 * Whoever changes what a person's password opens holds the address first, also of a person who has no row yet, and then the users
 * in the order of their companies: in another order two of them would wait for each other.
 */
export async function holdAddress(tx: SystemTx, email: string): Promise<void> {
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
 * Single use is decided here: of any number who come with the same token, one deletes the row. The user has to have the address
 * still that was held.
 */
export function takeLink(tx: SystemTx, tokenHash: Buffer, email: string): Promise<Account | null> {
  return maybeOne(tx, {
    name: 'users.takeLink',
    text: `with account as (
        select ${COLUMNS}
        from password_tokens t join users u on u.company_id = t.company_id and u._id = t.user_id ${LIVING} ${PERSON}
        where t.token_hash = $1 and t.expires_at > now() and u.status <> 'INACTIVE' and lower(u.email) = $2
        for no key update of u
      )
      delete from password_tokens t using account where t.token_hash = $1 returning account.*`,
    values: [tokenHash, email],
  });
}

/** The person belongs to the company from now on; other links of the invitation end. */
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

/** A user of a person whose sessions ended. */
export type Ended = Pick<User, '_id' | 'company' | 'name'>;

/**
 * In every company of the person the sessions of before end, and so do the links that would set a password. Invitations that
 * the person has not accepted stay.
 */
export async function writePassword(tx: SystemTx, email: string, hash: string): Promise<Ended[]> {
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
  return many(tx, {
    name: 'users.endSessions',
    text: `update users set session_version = session_version + 1, updated_at = now()
      where lower(email) = lower($1) and accepted_at is not null returning _id, company_id as company, name`,
    values: [email],
  });
}

/** Nobody is a person without a company: an address that no user has any more takes its password along. */
export function purgePeople(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgePeople',
    text: 'delete from people p where not exists (select 1 from users u where lower(u.email) = p.email)',
    values: [],
  });
}
