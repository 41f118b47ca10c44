/**
 * Short tokens of API keys: `pk_` and 43 characters, for clients that have no room for a signed token. Their last eight bytes are signed, so
 * one that somebody makes up is refused without a look into the database.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keyring } from './tokens.ts';

const PREFIX = 'pk_';
const SHAPE = /^pk_[\w-]{43}$/;
const RANDOM_BYTES = 24;
const SIGNED_BYTES = 8;

export const isShortKey = (token: string): boolean => SHAPE.test(token);

export function makeShortKey(secret: string): string {
  const random = randomBytes(RANDOM_BYTES);
  return PREFIX + Buffer.concat([random, sign(random, secret)]).toString('base64url');
}

/** Returns whether a short key is one of this platform. */
export function isOwnShortKey(token: string, keyring: Keyring): boolean {
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  const [random, signature] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
  return [...keyring.values()].some((secret) => timingSafeEqual(sign(random, secret), signature));
}

const sign = (random: Buffer, secret: string | Uint8Array): Buffer =>
  createHmac('sha256', secret).update('short key').update(random).digest().subarray(0, SIGNED_BYTES);
