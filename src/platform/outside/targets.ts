/** Checks addresses that a tenant chooses before they are stored. */
import { AppError } from '../values/errors.ts';
import type { Outbound } from './outbound.ts';

/** Throws TARGET_NOT_ALLOWED naming `path` unless the platform may call the address. */
export async function expectTarget(outbound: Pick<Outbound, 'refuse'>, path: string, url: string): Promise<void> {
  const message = await outbound.refuse(url);
  if (message !== null)
    throw new AppError('TARGET_NOT_ALLOWED', `${path}: ${message}`, [{ path, code: 'TARGET_NOT_ALLOWED', message }]);
}
