/** The people of a company. */
import { newId } from '../../platform/ids.ts';
import { hashPassword } from '../../platform/passwords.ts';
import type { UserRole } from '../../platform/scopes.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { insertUser } from './queries.ts';

export { findActiveUser } from './queries.ts';

export interface UserInput {
  company: string;
  name: string;
  email: string;
  role: UserRole;
  password: string;
}

export async function createUser(tx: SystemTx, input: UserInput): Promise<{ _id: string }> {
  const { password, ...user } = input;
  const _id = newId();
  await insertUser(tx, { ...user, _id, passwordHash: await hashPassword(password) });
  return { _id };
}
