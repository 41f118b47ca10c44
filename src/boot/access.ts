/**
 * Builds the access control of this process: it gives token checks and rate limits access to the features that store keys, users and
 * companies.
 */
import type { Config } from '../config.ts';
import { findValidKey, storeLastUse } from '../features/api-keys/api-keys.ts';
import { areOwnUploads } from '../features/attachments/uploads.ts';
import { findLivingApp, storeAppUse } from '../features/connected-apps/connected-apps.ts';
import { companyIsActive, companyIsKnown } from '../features/companies/companies.ts';
import { findSession, renewSession } from '../features/users/sessions.ts';
import { findActiveUser } from '../features/users/users.ts';
import type { Access } from '../platform/http/access.ts';
import { createAnswerPace } from '../platform/http/answer-pace.ts';
import { createAuthenticator } from '../platform/http/auth.ts';
import { createLimiter } from '../platform/http/limits.ts';
import { callerShareOwner } from '../platform/store/connection-shares.ts';
import type { Database } from '../platform/store/tenant.ts';
import type { TokenSecrets } from '../platform/http/tokens.ts';

export function openAccess(config: Config, secrets: TokenSecrets, database: Database): Access {
  const door = database.system('admission');
  return {
    auth: createAuthenticator(secrets, {
      findKey: (hash) => findValidKey(door, hash),
      findUser: (companyId, userId) => findActiveUser(door, companyId, userId),
      findSession: (hash) => findSession(door, hash),
      findApp: (companyId, appId) => findLivingApp(door, companyId, appId),
      noteUse: (key) => storeLastUse(database.system(callerShareOwner(key.company, key._id)), key),
      noteAppUse: (app) => storeAppUse(database.system(`company:${app.company}`), app),
      renewSession: ({ company }, hash) => renewSession(database.system(`company:${company}`), hash),
    }),
    database,
    limits: createLimiter(door),
    answers: createAnswerPace(config.RATE_LIMIT_ANSWERS),
    rates: {
      perKey: config.RATE_LIMIT_PER_KEY,
      perCompany: config.RATE_LIMIT_PER_COMPANY,
      signIn: config.RATE_LIMIT_LOGIN,
      page: config.RATE_LIMIT_PAGES,
    },
    companyExists: (companyId) => companyIsActive(door, companyId),
    isCompany: (companyId) => companyIsKnown(door, companyId),
    areOwnUploads,
  };
}
