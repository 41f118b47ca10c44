/** Makes a certificate for a loopback server at run time: a stored one would expire. */
import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const SEQUENCE = 0x30;
const time = (ms: number): Buffer => {
  const [digits = ''] = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').split('.');
  return der(0x18, Buffer.from(`${digits}Z`));
};

/** Makes a self-signed certificate for localhost and 127.0.0.1 as PEM, valid for an hour. */
export function makeCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = der(SEQUENCE, hex('06082a8648ce3d040302'));
  const commonName = der(SEQUENCE, hex('0603550403'), der(0x0c, Buffer.from('localhost')));
  const name = der(SEQUENCE, der(0x31, commonName));
  // The extension subjectAltName, with a DNS name and an address.
  const names = der(SEQUENCE, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = der(0xa3, der(SEQUENCE, der(SEQUENCE, hex('0603551d11'), der(0x04, names))));
  const content = der(
    SEQUENCE,
    hex('a003020102'),
    hex('020101'),
    ecdsaWithSha256,
    name,
    der(SEQUENCE, time(Date.now() - 60_000), time(Date.now() + 3_600_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = der(0x03, hex('00'), sign('sha256', content, privateKey));
  const body = der(SEQUENCE, content, ecdsaWithSha256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${body.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  };
}
