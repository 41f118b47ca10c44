/** Secrets of tenants: AES-256-GCM at rest, a mask on the wire. */
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
// A tail that helps to recognise a key must not be half of it.
const SHORTEST_WITH_TAIL = 12;

/** Tells keys apart without telling anything of them. */
export const fingerprintSecret = (encryptionKey: string): string =>
  createHash('sha256').update(`fingerprint:${encryptionKey}`).digest('hex').slice(0, 16);

export interface Secrets {
  /** `context` (company and field) is authenticated: a value copied to another place does not open there. */
  seal(plain: string, context: string): string;
  /** Throws when the value was changed, moved, or sealed under another key. */
  open(sealed: string, context: string): string;
  /** 256 bits that nobody without the key can tell: always the same for a context. Letters, digits, - and _. */
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

/** `••••1234`; a short secret shows nothing of itself. */
export function mask(plain: string): string {
  return plain.length < SHORTEST_WITH_TAIL ? MASK : MASK + plain.slice(-4);
}

/** A caller that sends a record back as it read it means the stored value. */
export function isMask(given: string): boolean {
  return given.startsWith(MASK);
}

/** Compares in a time that tells nothing; what is not expected at all is never the same. */
export function sameText(given: string | undefined, expected: string | null): boolean {
  if (given === undefined || !expected) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
