/** A browser that is registered at a push service, and a push service of the test. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import type { Json } from './platform.ts';

export interface TestBrowser {
  keys: { p256dh: string; auth: string };
  /** Decrypts a message (RFC 8188, RFC 8291). */
  read(body: Buffer): Json;
}

export function makeBrowser(): TestBrowser {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    read: (body) => {
      const salt = body.subarray(0, 16);
      const idLength = body[20] ?? 0;
      const sender = body.subarray(21, 21 + idLength);
      const content = body.subarray(21 + idLength);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
      const shared = hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32);
      const derive = (name: string, length: number): Buffer =>
        Buffer.from(hkdfSync('sha256', Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, length));
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
      decipher.setAuthTag(content.subarray(-16));
      const plain = Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()]);
      // The last record ends with this delimiter, after which there is only padding.
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as Json;
    },
  };
}

interface TakenPush {
  path: string;
  headers: Record<string, unknown>;
  body: Buffer;
}

export interface PushService {
  url: string;
  taken: TakenPush[];
  /** The status of the next answers; by default 201. */
  answer(status: number): void;
}

export async function startPushService(): Promise<PushService> {
  const taken: TakenPush[] = [];
  let status = 201;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      taken.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, taken, answer: (next) => void (status = next) };
}

/** Checks by whom a push is: returns what its token says, which the key of the installation must have signed (RFC 8292). */
export function readSender(authorization: string, publicKey: string): Json {
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }, format: 'jwk' });
  const [head = '', claims = '', signature = ''] = token.split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: signer, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || key !== publicKey) throw new Error('The push is not signed with the key of the installation');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Json;
}
