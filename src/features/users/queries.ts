import type { StoredUser } from '../../platform/http/auth.ts';
import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { UserRole } from '../../platform/values/scopes.ts';
import type { SystemTx, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { Language, User } from './schemas.ts';
import { LACKS_SECOND_FACTOR } from './second-factor-sql.ts';

export interface NewUser {
  _id: string;
  company: string;
  name: string;
  email: string;
  role: UserRole;
  language: Language;
  /** Whether the user is a member from the start; otherwise the user is invited. */
  accepted: boolean;
}

const COLUMNS = `_id, company_id as company, name, email, role, status, language, availability, avatar_url, signature, last_login_at,
  accepted_at is not null and has_second_factor(email) as second_factor, single_sign_on_subject is not null as single_sign_on, created_at as "createdAt", updated_at as "updatedAt"`;

export function insertUser(tx: TenantTx | SystemTx, user: NewUser): Promise<User> {
  return one(tx, {
    name: 'users.insert',
    text: `insert into users (company_id, _id, name, email, role, language, accepted_at, status)
      values ($1, $2, $3, $4, $5, $6, case when $7 then now() end, case when $7 then 'ACTIVE' else 'INVITED' end)
      returning ${COLUMNS}`,
    values: [user.company, user._id, user.name, user.email, user.role, user.language, user.accepted],
  });
}

export function findActiveUser(tx: SystemTx, companyId: string, userId: string): Promise<StoredUser | null> {
  return maybeOne(tx, {
    name: 'users.findActive',
    text: `select u._id, u.company_id as company, u.name, u.role, u.session_version, visible_inboxes(u) as inboxes, ${LACKS_SECOND_FACTOR}
      from users u join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE'`,
    values: [companyId, userId],
  });
}

export function findUser(tx: TenantRead, id: string): Promise<User | null> {
  return maybeOne(tx, {
    name: 'users.find',
    text: `select ${COLUMNS} from users where company_id = $1 and _id = $2 and removed_at is null`,
    values: [tx.companyId, id],
  });
}

/** Returns the language of the user, or that of the company where the id is no user's, or else English. */
export function findLanguage(tx: TenantTx | SystemTx, companyId: string, userId: string): Promise<Language> {
  return oneValue(tx, {
    name: 'users.findLanguage',
    text: `select coalesce(
        (select language from users where company_id = $1 and _id = $2),
        (select general_config ->> 'language' from companies where _id = $1),
        'en') as language`,
    values: [companyId, userId],
  });
}

export interface UserFilter {
  status: string | null;
  role: string | null;
}

/** Finds users who are not being removed, and whether they see an inbox; without one, they do. */
export function findUnremoved(
  tx: TenantRead,
  ids: string[],
  inbox: string | null,
): Promise<(Pick<User, '_id' | 'status'> & { sees: boolean })[]> {
  return many(tx, {
    name: 'users.findLiving',
    text: `select _id, status, $3::text is null or $3 = any(coalesce(visible_inboxes(u), array[$3])) as sees
      from users u where company_id = $1 and _id = any($2) and removed_at is null`,
    values: [tx.companyId, ids, inbox],
  });
}

const FILTER =
  'company_id = $1 and removed_at is null and ($2::text is null or status = $2) and ($3::text is null or role = $3)';

export function listUsers(tx: TenantRead, { status, role }: UserFilter, window: Window): Promise<Page<User>> {
  return listPage(tx, window, {
    name: 'users',
    columns: COLUMNS,
    from: 'users',
    filter: FILTER,
    values: [tx.companyId, status, role],
  });
}

export interface CompanyOwner {
  _id: string;
  status: User['status'];
}

/**
 * Locks the owners, so that two owners cannot remove each other at the same moment; always in the same order, so that
 * there is no deadlock. This is the weakest lock that suffices: records that name the owners can still be written.
 */
export function lockOwners(tx: TenantTx): Promise<CompanyOwner[]> {
  return many(tx, {
    name: 'users.lockOwners',
    text: `select _id, status from users where company_id = $1 and role = 'OWNER' and status <> 'INACTIVE' order by _id for no key update`,
    values: [tx.companyId],
  });
}

export function lockUser(tx: TenantTx, id: string): Promise<(User & { accepted: boolean }) | null> {
  return maybeOne(tx, {
    name: 'users.lock',
    text: `select ${COLUMNS}, accepted_at is not null as accepted from users
      where company_id = $1 and _id = $2 and removed_at is null for no key update`,
    values: [tx.companyId, id],
  });
}

/**
 * Writes the fields of a user. `picture` is the attachment that a new `avatar_url` shows; null for an address elsewhere. A deactivated user
 * is logged out of this company, because sessions contain session_version. So is a user who was `moved` to another address, because the
 * person at that address has not accepted yet.
 */
export function updateUser(
  tx: TenantTx,
  user: User,
  { moved, picture }: { moved: boolean; picture: string | null },
): Promise<User> {
  return one(tx, {
    name: 'users.update',
    text: `update users set name = $3, email = $4, role = $5, status = $6, language = $7, avatar_url = $9, availability = $11, signature = $12, updated_at = now(),
        picture_id = coalesce($10, case when avatar_url is distinct from $9 then null else picture_id end),
        accepted_at = case when $8 then null else accepted_at end,
        single_sign_on_issuer = case when not $8 then single_sign_on_issuer end,
        single_sign_on_subject = case when not $8 then single_sign_on_subject end,
        session_version = session_version + case when $8 or $6 = 'INACTIVE' and status <> 'INACTIVE' then 1 else 0 end
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [
      tx.companyId,
      user._id,
      user.name,
      user.email,
      user.role,
      user.status,
      user.language,
      moved,
      user.avatar_url,
      picture,
      user.availability,
      user.signature,
    ],
  });
}

/**
 * Hides a removed user and ends the sessions of the user, while records still name the user. The picture goes. The address becomes free: the id, which is no
 * address, replaces it.
 */
export function markRemoved(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'users.markRemoved',
    text: `update users set removed_at = now(), status = 'INACTIVE', email = _id, accepted_at = null, avatar_url = null, picture_id = null, signature = null,
        single_sign_on_issuer = null, single_sign_on_subject = null, session_version = session_version + 1, updated_at = now()
      where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** Deletes links that may be on their way to an address that the user no longer has. */
export function deleteLinks(tx: TenantTx, userId: string): Promise<number> {
  return exec(tx, {
    name: 'users.deleteLinks',
    text: 'delete from password_tokens where company_id = $1 and user_id = $2',
    values: [tx.companyId, userId],
  });
}

/** Reads what stands below the mails of a user; null for the signature of the inbox. */
export async function findSignature(tx: TenantTx, id: string): Promise<string | null> {
  const row = await maybeOne<{ signature: string | null }>(tx, {
    name: 'users.findSignature',
    text: 'select signature from users where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
  return row?.signature ?? null;
}
