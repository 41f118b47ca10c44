/** The people of a company. */
import type { Kit } from '../../kit.ts';
import { violates } from '../../platform/db.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { pageFrom, windowOf, type Page } from '../../platform/paging.ts';
import { hashPassword } from '../../platform/passwords.ts';
import { covers, ROLE_SCOPES, type UserRole } from '../../platform/scopes.ts';
import type { SystemTx, Tenant, TenantTx } from '../../platform/tenant.ts';
import { SendInvitation } from './jobs.ts';
import {
  countUsers,
  deleteLinks,
  deleteUser,
  findUser,
  insertUser,
  listUsers,
  lockOwners,
  lockUser,
  updateUser,
} from './queries.ts';
import type { Language, User, UserCreate, UserQuery, UserUpdate } from './schemas.ts';

export { findActiveUser } from './queries.ts';

interface Person {
  company: string;
  name: string;
  email: string;
  role: UserRole;
  language?: Language | undefined;
}

/** With a password from the start: the first owner of an installation. */
export async function createUser(tx: SystemTx, { password, ...person }: Person & { password: string }): Promise<User> {
  const passwordHash = await hashPassword(password);
  const { language = 'pt-BR' } = person;
  return insertUser(tx, { ...person, language, _id: newId(), passwordHash });
}

/** Somebody who sets the password through the link that is mailed. Throws USER_EXISTS. */
export async function inviteUser(kit: Kit, tx: TenantTx | SystemTx, person: Person): Promise<User> {
  const { language = 'pt-BR' } = person;
  const user = await ownEmail(() => insertUser(tx, { ...person, language, _id: newId(), passwordHash: null }));
  await kit.enqueue(tx, SendInvitation, { company: user.company, user: user._id }, { key: user._id });
  return user;
}

export async function createUserOf(kit: Kit, tenant: Tenant, input: UserCreate): Promise<User> {
  refuseRole(tenant, input.role);
  return tenant.tx(async (tx) => {
    const user = await inviteUser(kit, tx, { ...input, company: tenant.companyId });
    tx.makes(user._id);
    return user;
  });
}

export async function readUser(tenant: Tenant, id: string): Promise<User> {
  const user = await findUser(tenant.read, id);
  if (!user) throw notFound();
  return user;
}

export async function pageUsers(tenant: Tenant, query: UserQuery): Promise<Page<User>> {
  const filter = { status: query.status ?? null, role: query.role ?? null };
  const rows = await listUsers(tenant.read, filter, windowOf(query));
  return pageFrom(query, rows, () => countUsers(tenant.read, filter));
}

export async function updateUserById(kit: Kit, tenant: Tenant, id: string, input: UserUpdate): Promise<User> {
  const user = await tenant.tx(async (tx) => {
    const owners = await lockOwners(tx);
    const before = await lockUser(tx, id);
    if (!before) throw notFound();
    // Who may not give a role may not touch who has it, either: a new e-mail would be a way to their password.
    for (const role of new Set([before.role, input.role ?? before.role])) refuseRole(tenant, role);
    const { has_password: hasPassword, ...record } = before;
    const status = input.status === 'ACTIVE' && !hasPassword ? 'INVITED' : (input.status ?? before.status);
    const next: User = { ...record, ...input, status };
    if (next.role !== 'OWNER' || next.status === 'INACTIVE') refuseLastOwner(before, owners);
    if (next.email !== before.email || next.status === 'INACTIVE') await deleteLinks(tx, id);
    const invite = next.status === 'INVITED' && (before.status === 'INACTIVE' || next.email !== before.email);
    if (invite) await kit.enqueue(tx, SendInvitation, { company: tenant.companyId, user: id }, { key: id });
    return ownEmail(() => updateUser(tx, next));
  });
  kit.access.auth.forget();
  return user;
}

/** What was theirs belongs to nobody afterwards; deactivating keeps it. */
export async function removeUser(kit: Kit, tenant: Tenant, id: string): Promise<User> {
  const user = await tenant.tx(async (tx) => {
    const owners = await lockOwners(tx);
    const before = await lockUser(tx, id);
    if (!before) throw notFound();
    refuseRole(tenant, before.role);
    refuseLastOwner(before, owners);
    await deleteUser(tx, id);
    return before;
  });
  kit.access.auth.forget();
  return user;
}

function refuseRole(tenant: Tenant, role: UserRole): void {
  if (ROLE_SCOPES[role].every((scope) => covers(tenant.principal.scopes, scope))) return;
  const message = `The role ${role} may do more than this token`;
  throw new AppError('FORBIDDEN', message, [{ path: 'role', code: 'FORBIDDEN', message }]);
}

/** An invitation that nobody has followed yet does not stand in for an owner who is there. */
function refuseLastOwner(user: Pick<User, '_id' | 'role' | 'status'>, owners: Pick<User, '_id' | 'status'>[]): void {
  if (user.role !== 'OWNER' || user.status === 'INACTIVE') return;
  const others = owners.filter((owner) => owner._id !== user._id);
  if (!others.some((owner) => owner.status === 'ACTIVE' || user.status === 'INVITED')) throw new AppError('LAST_OWNER');
}

async function ownEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // Failure policy: the unique index decides whose e-mail it is; everything else goes on to the caller.
    if (!violates(error, 'users_email_key')) throw error;
    const message = 'already belongs to a user';
    throw new AppError('USER_EXISTS', undefined, [{ path: 'email', code: 'USER_EXISTS', message }]);
  }
}
