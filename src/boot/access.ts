/** The door of this process: tokens, limits, companies; the rooms that own them are joined here. */
import type { Config } from '../config.ts';
import { findLivingKey, touchKey } from '../features/api-keys/api-keys.ts';
import { companyExists, isCompany } from '../features/companies/companies.ts';
import { findActiveUser } from '../features/users/users.ts';
import type { Access } from '../platform/access.ts';
import { createAuthenticator } from '../platform/auth.ts';
import { createLimiter } from '../platform/limits.ts';
import type { Database } from '../platform/tenant.ts';
import type { InstallationSecrets } from './secrets-file.ts';

export function openAccess(config: Config, secrets: InstallationSecrets, database: Database): Access {
  return {
    auth: createAuthenticator(
      { current: secrets.jwtSecret, previous: config.JWT_SECRET_PREVIOUS },
      {
        findKey: (hash) => findLivingKey(database.system, hash),
        findUser: (companyId, userId) => findActiveUser(database.system, companyId, userId),
        noteUse: (key) => touchKey(database.system, key),
      },
    ),
    database,
    limits: createLimiter(database.system),
    rates: {
      perKey: config.RATE_LIMIT_PER_KEY,
      perCompany: config.RATE_LIMIT_PER_COMPANY,
      signIn: config.RATE_LIMIT_LOGIN,
    },
    companyExists: (companyId) => companyExists(database.system, companyId),
    isCompany: (companyId) => isCompany(database.system, companyId),
  };
}
