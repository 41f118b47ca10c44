/** A passkey in software: it answers what a browser would answer, and can also answer wrongly. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Json } from './platform.ts';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const encode = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

/** Writes the head of a value in CBOR (RFC 8949). */
function head(kind: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(kind << 5) | size]);
  return size < 256 ? Buffer.from([(kind << 5) | 24, size]) : Buffer.from([(kind << 5) | 25, size >> 8, size & 255]);
}

const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (data: Buffer): Buffer => Buffer.concat([head(2, data.length), data]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (pairs: Buffer[][]): Buffer => Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface Answering {
  counter?: number;
  isVerified?: boolean;
  origin?: string;
}

export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  const cose = map([
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  ]);
  const makeData = (rpId: string, flags: number, counter: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  };
  const makeClientData = (type: string, challenge: string, at: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }));
  const shared = { id: encode(id), rawId: encode(id), type: 'public-key', clientExtensionResults: {} };
  return {
    id: encode(id),
    publicKey: cose,
    /** Answers the options of a registration. */
    create({ challenge, rp }: Json, { isVerified = true, origin: at = origin }: Answering = {}): Json {
      const flags = PRESENT | ATTESTED | (isVerified ? VERIFIED : 0);
      const length = Buffer.from([0, id.length]);
      const authData = Buffer.concat([makeData(rp.id, flags, 0), Buffer.alloc(16), length, id, cose]);
      const attestation = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(authData)],
      ]);
      const clientDataJSON = encode(makeClientData('webauthn.create', challenge, at));
      return {
        ...shared,
        response: { clientDataJSON, attestationObject: encode(attestation), transports: ['internal'] },
      };
    },
    /** Answers the options of a log-in. */
    get({ challenge, rpId }: Json, { counter = 0, isVerified = true, origin: at = origin }: Answering = {}): Json {
      const data = makeData(rpId, PRESENT | (isVerified ? VERIFIED : 0), counter);
      const client = makeClientData('webauthn.get', challenge, at);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = {
        clientDataJSON: encode(client),
        authenticatorData: encode(data),
        signature: encode(signature),
      };
      return { ...shared, response };
    },
  };
}
