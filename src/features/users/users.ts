/** The users of a company. */
import type { Kit } from '../../kit.ts';
import { admitMail } from '../../platform/http/access.ts';
import type { Principal } from '../../platform/http/auth.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import { AppError, expectFound, forbidden } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import { hashPassword } from '../../platform/http/passwords.ts';
import { covers, ROLE_SCOPES, type UserRole } from '../../platform/values/scopes.ts';
import type { SystemTx, Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { revokeUserKeys, showKeysMadeBy } from '../api-keys/made-by.ts';
import type { ApiKey } from '../api-keys/schemas.ts';
import { writePassword } from './account-queries.ts';
import { ReleaseUser, SendInvitation } from './jobs.ts';
import {
  deleteLinks,
  findLanguage,
  findSignature,
  findUser,
  insertUser,
  listUsers,
  lockOwners,
  lockUser,
  markRemoved,
  updateUser,
} from './queries.ts';
import type { InvitedUser, Language, User, UserChanged, UserCreate, UserQuery, UserUpdate } from './schemas.ts';
import { makeShownInvitation } from './send-links.ts';

export { findActiveUser } from './queries.ts';

/** Creates an active user whom the provider of the company has logged in. It does not make the person a member: that takes an invitation. */
export async function createProvenUser(
  tx: SystemTx,
  person: Omit<NewPerson, 'language'> & { _id: string },
): Promise<User> {
  const language = await findLanguage(tx, person.company, person._id);
  return insertUser(tx, { ...person, language, accepted: false }).catch(refuseTakenEmail);
}

interface NewPerson {
  company: string;
  name: string;
  email: string;
  role: UserRole;
  language?: Language | undefined;
}

/** A person who gets a mail, in a language that is known. */
type InvitedPerson = NewPerson & { language: Language };

/** Creates a user with a password, such as the first owner of an installation. */
export async function createUser(
  tx: SystemTx,
  { password, ...person }: NewPerson & { password: string },
): Promise<User> {
  await writePassword(tx, person.email, await hashPassword(password));
  const { language = 'pt-BR' } = person;
  return insertUser(tx, { ...person, language, _id: newId(), accepted: true });
}

/**
 * Invites a person, who becomes a member of the company by the mailed link. Other companies are not searched for the address,
 * so neither the answer nor its time reveals whether they have it. Throws USER_EXISTS for an address that this company has.
 */
export async function inviteUser(kit: Kit, tx: TenantTx | SystemTx, person: InvitedPerson): Promise<User> {
  const user = await insertUser(tx, { ...person, _id: newId(), accepted: false }).catch(refuseTakenEmail);
  await kit.enqueue(tx, SendInvitation, { company: user.company, user: user._id }, { key: user._id });
  return user;
}

/** Invites a person in the given language, or else in that of the user who invites, or else in that of the company. */
export async function inviteUserForCaller(kit: Kit, tenant: Tenant, input: UserCreate): Promise<InvitedUser> {
  refuseRole(tenant, input.role);
  await admitMail(kit.access, tenant.companyId);
  return tenant.tx(async (tx) => {
    const language = input.language ?? (await findLanguage(tx, tenant.companyId, tenant.principal.id));
    const user = await inviteUser(kit, tx, { ...input, language, company: tenant.companyId });
    tx.created(user._id);
    return { ...user, ...(await makeShownInvitation(kit, tx, user)) };
  });
}

export async function readUser(tenant: Tenant, id: string): Promise<User> {
  return expectFound(await findUser(tenant.read, id));
}

export async function pageUsers(tenant: Tenant, query: UserQuery): Promise<Page<User>> {
  const filter = { status: query.status ?? null, role: query.role ?? null };
  return listUsers(tenant.read, filter, pageWindow('users', query));
}

interface UserUpdateRequest {
  input: UserUpdate;
  revokeKeys: boolean;
}

export async function updateUserById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  change: UserUpdateRequest,
): Promise<UserChanged> {
  const { input, revokeKeys } = change;
  if (input.email !== undefined || input.status === 'ACTIVE') await admitMail(kit.access, tenant.companyId);
  const user = await tenant.tx(async (tx) => {
    const owners = await lockOwners(tx);
    const before = expectFound(await lockUser(tx, id));
    // A caller who may not give a role may not change a user who has that role either, because a new e-mail would be a way to the password
    // of that user.
    for (const role of new Set([before.role, input.role ?? before.role])) refuseRole(tenant, role);
    const { accepted, ...record } = before;
    const moved = input.email !== undefined && input.email.toLowerCase() !== before.email.toLowerCase();
    const isOut = (input.status ?? before.status) === 'INACTIVE';
    // A user whom single sign-on has logged in is active without having accepted the invitation.
    const isMember = accepted || before.status === 'ACTIVE';
    const status = isOut ? 'INACTIVE' : isMember && !moved ? 'ACTIVE' : 'INVITED';
    const next: User = { ...record, ...input, status };
    if (next.role !== 'OWNER' || next.status !== 'ACTIVE') refuseLastOwner(before, owners);
    if (next.email !== before.email || isOut) await deleteLinks(tx, id);
    // A request that sets an invited user to ACTIVE sends the invitation again.
    const invite = next.status === 'INVITED' && (input.status === 'ACTIVE' || next.email !== before.email);
    if (invite) await kit.enqueue(tx, SendInvitation, { company: tenant.companyId, user: id }, { key: id });
    if (input.status === 'INACTIVE') await enqueueRelease(kit, tx, id);
    const changed = await updateUser(tx, next, { moved, picture: null }).catch(refuseTakenEmail);
    return {
      ...changed,
      ...(invite && covers(tenant.principal.scopes, 'users:create') ? await makeShownInvitation(kit, tx, changed) : {}),
      ...(losesScopes(input, before) || revokeKeys ? await showOrRevokeKeys(tenant, tx, id, revokeKeys) : {}),
    };
  });
  // The cache of callers and their rights is cleared only when the change may affect what a user may do.
  const { email, role, status } = input;
  if ([email, role, status].some((given) => given !== undefined) || revokeKeys) kit.access.auth.forget();
  return user;
}

/** `picture` is the attachment behind the `avatar_url`. */
export type OwnChange = Pick<UserUpdate, 'name' | 'avatar_url' | 'availability' | 'signature'> & {
  picture?: string | null;
};

/** Changes what users may change of their own record. None of it affects what a user may do. */
export async function changeOwnRecord(
  tx: TenantTx,
  id: string,
  { picture = null, ...change }: OwnChange,
): Promise<User> {
  const before = expectFound(await lockUser(tx, id));
  const { accepted: _accepted, ...record } = before;
  return updateUser(tx, { ...record, ...change }, { moved: false, picture });
}

/** Removes a user, who cannot be found any more from then on; a job removes the user from the records that name the user. */
export async function removeUser(kit: Kit, tenant: Tenant, id: string, revokeKeys: boolean): Promise<UserChanged> {
  const user = await tenant.tx(async (tx) => {
    const owners = await lockOwners(tx);
    const before = expectFound(await lockUser(tx, id));
    refuseRole(tenant, before.role);
    refuseLastOwner(before, owners);
    await deleteLinks(tx, id);
    await markRemoved(tx, id);
    await enqueueRelease(kit, tx, id);
    return { ...before, ...(await showOrRevokeKeys(tenant, tx, id, revokeKeys)) };
  });
  kit.access.auth.forget();
  return user;
}

const enqueueRelease = (kit: Kit, tx: TenantTx, user: string): Promise<void> =>
  kit.enqueue(tx, ReleaseUser, { company: tx.companyId, user }, { key: user });

/** Returns whether the change gives the user fewer rights. Then the answer shows the keys that the user made. */
function losesScopes(input: UserUpdate, before: User): boolean {
  if (input.status === 'INACTIVE') return true;
  const granted = ROLE_SCOPES[input.role ?? before.role];
  return !ROLE_SCOPES[before.role].every((scope) => covers(granted, scope));
}

const showOrRevokeKeys = (
  tenant: Tenant,
  tx: TenantTx,
  user: string,
  revokes: boolean,
): Promise<{ api_keys?: ApiKey[] }> => (revokes ? revokeUserKeys : showKeysMadeBy)(tenant, tx, user);

/** Locks the calling user, and reads whether the person has accepted to belong to the company. Returns null for a key. */
export const lockCaller = async ({ principal }: Tenant, tx: TenantTx): Promise<Awaited<ReturnType<typeof lockUser>>> =>
  principal.type === 'user' ? lockUser(tx, principal.id) : null;

/** Throws FORBIDDEN when the role has rights that the caller does not have. */
export function refuseRole({ principal }: Tenant, role: UserRole): void {
  refuseExpiringKey(principal);
  if (ROLE_SCOPES[role].every((scope) => covers(principal.scopes, scope))) return;
  throw forbidden('role', `The role ${role} has more rights than this token`);
}

/** Refuses a caller whose key expires, because a user whom it creates does not expire and would keep the access. */
export function refuseExpiringKey(principal: Principal): void {
  if (principal.type === 'user' || principal.expiresAt === null) return;
  throw forbidden('authorization', 'A key that expires cannot manage users');
}

/** Throws LAST_OWNER when no other active owner would be left. An invited owner does not replace an active one. */
function refuseLastOwner(user: Pick<User, '_id' | 'role' | 'status'>, owners: Pick<User, '_id' | 'status'>[]): void {
  if (user.role !== 'OWNER' || user.status === 'INACTIVE') return;
  const others = owners.filter((owner) => owner._id !== user._id);
  if (!others.some((owner) => owner.status === 'ACTIVE' || user.status === 'INVITED')) throw new AppError('LAST_OWNER');
}

const refuseTakenEmail = whenTaken('users_company_email_key', async () => {
  const message = 'already belongs to a user of this company';
  throw new AppError('USER_EXISTS', undefined, [{ path: 'email', code: 'USER_EXISTS', message }]);
});

/** Reads what stands below the mails that a user writes; null for the signature of the inbox. */
export const readSignature = (tx: TenantTx, id: string): Promise<string | null> => findSignature(tx, id);
