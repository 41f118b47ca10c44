/** Signs mails by a key of the company's domain (DKIM, RFC 6376), where a server that sends for it does not. */
import { createPrivateKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { isMaskedSecret } from '../../platform/store/secrets.ts';
import type { SettingsFault } from '../settings.ts';

/** The settings of an inbox that a signature needs. */
interface DkimConfig {
  address: string;
  dkim_domain?: string | null;
  dkim_selector?: string | null;
  dkim_private_key?: string | null;
}

/** Receivers take no shorter key (RFC 8301). */
const LEAST_BITS = 1_024;

/** Returns what is wrong with the three settings, which belong together; the key may be a mask. */
export function findDkimFault(config: DkimConfig): SettingsFault | null {
  const { address, dkim_domain: domain, dkim_selector: selector, dkim_private_key: key } = config;
  const given = { dkim_domain: domain, dkim_selector: selector, dkim_private_key: key };
  const [missing] = Object.entries(given).find(([, value]) => value === undefined || value === null) ?? [];
  if (missing !== undefined) {
    const isUnset = Object.values(given).every((value) => value === undefined || value === null);
    return isUnset ? null : { path: missing, message: 'is required with the other settings of the signature' };
  }
  const sender = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  if (`.${sender}`.endsWith(`.${domain?.toLowerCase()}`)) return key && !isMaskedSecret(key) ? findKeyFault(key) : null;
  // Receivers ignore the signature of another domain (DMARC, RFC 7489).
  return { path: 'dkim_domain', message: 'must be the domain of the address, or a parent domain' };
}

function findKeyFault(pem: string): SettingsFault | null {
  const fault = (message: string): SettingsFault => ({ path: 'dkim_private_key', message });
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType !== 'rsa') return fault('must be an RSA key: receivers understand no other kind reliably');
    const isLong = (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_BITS;
    return isLong ? null : fault(`must have ${LEAST_BITS} bits or more`);
  } catch {
    // Failure policy: the message of the library may quote the key.
    return fault('must be a private key in PEM format, without a password');
  }
}

/** What List-Unsubscribe-Post asks for counts only when it is signed (RFC 8058); the others are what the library signs by itself. */
const SIGNED = [
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding',
  'In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post',
].join(':');

export type SignMail = (mail: Readable) => Readable;

/** Returns the function that signs a composed mail; null without the settings for it. */
export async function openSigner(config: DkimConfig): Promise<SignMail | null> {
  const { dkim_domain: domainName, dkim_selector: keySelector, dkim_private_key: privateKey } = config;
  if (!domainName || !keySelector || !privateKey) return null;
  const { default: DKIM } = await import('nodemailer/lib/dkim');
  // The signature stands before the mail, so all of a mail is read first. A large one waits on the disk.
  const options = { domainName, keySelector, privateKey, headerFieldNames: SIGNED, cacheDir: tmpdir() };
  return (mail) => new DKIM(options).sign(mail);
}
