/** Makes a certificate for a loopback server at run time, because a stored one would expire, and its key would be known to everybody. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const encodeDer = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const SEQUENCE = 0x30;
const encodeTime = (ms: number): Buffer => {
  const [digits = ''] = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').split('.');
  return encodeDer(0x18, Buffer.from(`${digits}Z`));
};

const VALID_MS = 365 * 86_400_000;

/** Makes a self-signed certificate for localhost and 127.0.0.1 as PEM, valid for a year. It can vouch for no other certificate. */
export function makeCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = encodeDer(SEQUENCE, hex('06082a8648ce3d040302'));
  // Of several trusted certificates with one name, OpenSSL would compare with the first one alone.
  const ownName = `localhost ${randomBytes(8).toString('hex')}`;
  const commonName = encodeDer(SEQUENCE, hex('0603550403'), encodeDer(0x0c, Buffer.from(ownName)));
  const name = encodeDer(SEQUENCE, encodeDer(0x31, commonName));
  // The extension subjectAltName, with a DNS name and an address.
  const names = encodeDer(
    SEQUENCE,
    encodeDer(0x82, Buffer.from('localhost')),
    encodeDer(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = encodeDer(
    0xa3,
    encodeDer(SEQUENCE, encodeDer(SEQUENCE, hex('0603551d11'), encodeDer(0x04, names))),
  );
  const content = encodeDer(
    SEQUENCE,
    hex('a003020102'),
    hex('020101'),
    ecdsaWithSha256,
    name,
    encodeDer(SEQUENCE, encodeTime(Date.now() - 60_000), encodeTime(Date.now() + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = encodeDer(0x03, hex('00'), sign('sha256', content, privateKey));
  const body = encodeDer(SEQUENCE, content, ecdsaWithSha256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${body.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  };
}
