import type { StoredUser } from '../../platform/auth.ts';
import { exec, maybeOne } from '../../platform/db.ts';
import type { UserRole } from '../../platform/scopes.ts';
import type { SystemTx } from '../../platform/tenant.ts';

export interface NewUser {
  _id: string;
  company: string;
  name: string;
  email: string;
  role: UserRole;
  passwordHash: string;
}

export function insertUser(tx: SystemTx, user: NewUser): Promise<number> {
  return exec(tx, {
    name: 'users.insert',
    text: `insert into users (company_id, _id, name, email, role, password_hash) values ($1, $2, $3, $4, $5, $6)`,
    values: [user.company, user._id, user.name, user.email, user.role, user.passwordHash],
  });
}

export function findActiveUser(tx: SystemTx, companyId: string, userId: string): Promise<StoredUser | null> {
  return maybeOne(tx, {
    name: 'users.findActive',
    text: `select u._id, u.company_id as company, u.name, u.role, u.session_version
      from users u join companies c on c._id = u.company_id and c.status = 'ACTIVE'
      where u.company_id = $1 and u._id = $2 and u.status = 'ACTIVE'`,
    values: [companyId, userId],
  });
}
