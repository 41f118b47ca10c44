/** Makes the key by which mails are signed. It is made in the browser, so that nobody has to handle its file. */

export interface DkimKey {
  selector: string;
  privateKey: string;
  /** What the TXT record says. */
  record: string;
}

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2_048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};

/** Each key has a name of its own, so that the record of the one before can stay until its mails have arrived. */
export async function makeDkimKey(now = new Date()): Promise<DkimKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [inner, outer] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', privateKey),
    crypto.subtle.exportKey('spki', publicKey),
  ]);
  const lines = toBase64(inner).replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    selector: `parley-${now.toISOString().slice(0, 16).replaceAll(/\D/g, '')}`,
    privateKey: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----`,
    record: `v=DKIM1; k=rsa; p=${toBase64(outer)}`,
  };
}

const toBase64 = (bytes: ArrayBuffer): string => btoa(String.fromCodePoint(...new Uint8Array(bytes)));
