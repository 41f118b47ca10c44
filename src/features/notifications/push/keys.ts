/** The key pair (VAPID, RFC 8292) by which push services know this installation. It is made once and stored sealed. */
import { createECDH, ECDH } from 'node:crypto';
import type { Kit } from '../../../kit.ts';
import { agreeOnPushKeys } from '../../../platform/store/installation.ts';
import { keepResult } from '../../../platform/work/keep-result.ts';

export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

const CURVE = 'prime256v1';
const CONTEXT = 'installation:push.keys';

/** Returns a function that reads the key pair, which the first process makes. */
export function openPushKeys({ database, secrets }: Pick<Kit, 'database' | 'secrets'>): () => Promise<PushKeys> {
  return keepResult(async () => {
    const sealed = secrets.seal(JSON.stringify(makeKeys()), CONTEXT);
    const stored = await agreeOnPushKeys(database.system('upkeep'), sealed);
    return JSON.parse(secrets.open(stored, CONTEXT)) as PushKeys;
  });
}

function makeKeys(): PushKeys {
  const pair = createECDH(CURVE);
  const publicKey = pair.generateKeys('base64url');
  // A key that begins with zeros is shorter than what push services expect.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
  return { publicKey, privateKey };
}

/** Returns true for a public key in base64url that is a point of the curve. */
export function isCurvePoint(key: string): boolean {
  try {
    ECDH.convertKey(key, CURVE, 'base64url');
    return true;
  } catch {
    // Failure policy: what cannot be read is no public key.
    return false;
  }
}
