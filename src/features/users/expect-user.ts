import { forbidden } from '../../platform/values/errors.ts';
import type { Tenant } from '../../platform/store/tenant.ts';

/** Returns the calling user. Throws FORBIDDEN for a key; `words` say what only users have. */
export function expectUser({ principal }: Tenant, words: string): string {
  if (principal.type !== 'user') throw forbidden('authorization', `${words}, not API keys`);
  return principal.id;
}
