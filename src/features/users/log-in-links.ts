/** Links that log a browser in, and the tokens of all links. */
import { randomBytes } from 'node:crypto';
import { hashToken } from '../../platform/http/auth.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findAccountByEmail } from './account-queries.ts';
import { insertLink } from './link-queries.ts';

const TOKEN_BYTES = 32;

/** Returns the token of a new link, which no one can guess. Only its hash is stored. */
export const newLinkToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

// No random token contains a dot.
const SHOWN = 'shown.';

/** Returns the token of a link that is shown to the user who invites. The mark is part of what is hashed, so it cannot be removed. */
export const newShownToken = (): string => `${SHOWN}${newLinkToken()}`;

/** True for a link that someone other than its person has seen. */
export const isShownToken = (token: string): boolean => token.startsWith(SHOWN);

/**
 * Stores a link that logs a browser in as this user, and returns its token. Returns null when the address belongs to no active user of the
 * company, or to one with a second factor.
 */
export async function createLogInLink(
  tx: SystemTx,
  { company, email, seconds }: { company: string; email: string; seconds: number },
): Promise<string | null> {
  const account = await findAccountByEmail(tx, email, company);
  if (account?.status !== 'ACTIVE' || account.second_factor) return null;
  const token = newLinkToken();
  const link = {
    tokenHash: hashToken(token),
    purpose: 'LOG_IN',
    company,
    user: account._id,
    email: account.email,
  } as const;
  return (await insertLink(tx, { ...link, seconds })) === 1 ? token : null;
}
