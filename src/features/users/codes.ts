/** The codes of a second factor: those of an authenticator app (RFC 6238), and recovery codes. */
import { Secret, TOTP } from 'otpauth';
import { hashToken } from '../../platform/http/auth.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// RFC 4226 recommends a secret of 160 bits.
const SECRET_BYTES = 20;
// 80 bits, which no one can guess, even from the hash.
const RECOVERY_BYTES = 10;
const RECOVERY_CODES = declareLimit(10, {
  topic: 'Accounts',
  what: 'Recovery codes of a second factor',
  beyond: 'create new ones',
});
// A code is accepted for one step before and after its own, because the clocks of phones are not exact.
const WINDOW = 1;

export const makeSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const openApp = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Parley', label, secret: Secret.fromBase32(secret) });

/** Returns the address that an authenticator app reads from a QR code. */
export const makeAppAddress = (secret: string, email: string): string => openApp(secret, email).toString();

/** Returns the time step of a code of the app; null for a wrong one. */
export function findStep(secret: string, code: string): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const app = openApp(secret, '');
  const timestamp = Date.now();
  const delta = app.validate({ token, timestamp, window: WINDOW });
  return delta === null ? null : app.counter({ timestamp }) + delta;
}

/** Returns new recovery codes, such as `k3fp-7qza-m2xw-6bnd`. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-'),
  );

/** Hashes a recovery code, however the user has typed it. */
export const hashRecoveryCode = (code: string): Buffer =>
  hashToken(`recovery:${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`);
