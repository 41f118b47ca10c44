/** Protects tenants' secrets: encrypted with AES-256-GCM in the database, and masked in answers. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const MASK = '••••';
const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
// The mask shows the last four characters of a secret, but only of a secret with at least this many characters.
const SHORTEST_WITH_TAIL = 12;

/** Returns a short hash that identifies a secret without revealing the secret. */
export const fingerprintSecret = (encryptionKey: string): string =>
  createHash('sha256').update(`fingerprint:${encryptionKey}`).digest('hex').slice(0, 16);

export interface Secrets {
  /**
   * Encrypts a text. `context` (company and field) is authenticated, so that the value cannot be decrypted after it was copied to another
   * record or field.
   */
  seal(plain: string, context: string): string;
  /** Decrypts a value. Throws when it was changed, has another context, or was encrypted with another key. */
  open(sealed: string, context: string): string;
  /**
   * Derives a token from the key and a context: 256 bits, always the same for one context, and unpredictable without the key. Base64url.
   */
  derive(context: string): string;
}

export function createSecrets(encryptionKey: string): Secrets {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'parley secrets', 32));
  const deriving = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'parley derived tokens', 32));
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${FORMAT}:${Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64')}`;
    },
    open(sealed, context) {
      const [format, data] = sealed.split(':');
      if (format !== FORMAT || !data) throw new Error('a sealed value has an unknown format');
      const bytes = Buffer.from(data, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    },
    derive: (context) => createHmac('sha256', deriving).update(context).digest('base64url'),
  };
}

/** Masks a secret as `••••1234`; of a short secret nothing is shown. */
export function maskSecret(plain: string): string {
  return plain.length < SHORTEST_WITH_TAIL ? MASK : MASK + plain.slice(-4);
}

/** Returns true for a masked secret. A caller that sends a masked secret back wants to keep the stored value. */
export function isMaskedSecret(given: string): boolean {
  return given.startsWith(MASK);
}

/** Compares two texts in constant time, so that the duration reveals nothing. Without an expected text the result is false. */
export function isSameSecret(given: string | undefined, expected: string | null): boolean {
  if (given === undefined || !expected) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
