/** Keys of integrators: a signed token, shown once and stored as its hash. */
import { hashToken, signToken } from '../../platform/auth.ts';
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { insertKey } from './queries.ts';

export { findLivingKey } from './queries.ts';

// The head of every token is the same, so its last characters are what tells keys apart.
const SHOWN_CHARACTERS = 4;

export interface KeyInput {
  /** Null makes a global key. */
  company: string | null;
  name: string;
  scopes: string[];
}

/** Returns the token; nothing else ever holds it again. */
export async function createKey(
  tx: SystemTx,
  jwtSecret: string,
  input: KeyInput,
): Promise<{ _id: string; token: string }> {
  const _id = newId();
  const token = await signToken(jwtSecret, _id, {
    jti: _id,
    type: input.company ? 'company' : 'global',
    ...(input.company ? { company: input.company } : {}),
    scopes: input.scopes,
  });
  await insertKey(tx, { ...input, _id, prefix: `…${token.slice(-SHOWN_CHARACTERS)}`, tokenHash: hashToken(token) });
  return { _id, token };
}
