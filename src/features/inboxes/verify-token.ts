/**
 * The verification token that the network sends in its first call to an inbox's own webhook_url. The owner of that address sees the token,
 * so each inbox has its own instead of the installation's. The token contains the ids of its company and inbox and is derived from the
 * encryption key: it is not stored, and a forged token is refused without a query. Where all inboxes share one path it is accepted for this
 * handshake only, and notifications are verified by their signature.
 */
import type { Kit } from '../../kit.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';
import { findInbox } from './queries.ts';

// The format of a token: the id of the company, the id of the inbox, and 256 bits in base64url.
const FORM = /^([0-9a-f]{24})([0-9a-f]{24})[\w-]{43}$/;

export const verifyTokenFor = (kit: Kit, company: string, inbox: string): string =>
  `${company}${inbox}${kit.secrets.derive(`${company}:inbox:${inbox}:verify_token`)}`;

/** Returns true for the token of an ACTIVE inbox that has its own webhook_url. */
export async function isVerifyToken(kit: Kit, token: string): Promise<boolean> {
  const [, company, inbox] = FORM.exec(token) ?? [];
  if (!company || !inbox || !isSameSecret(token, verifyTokenFor(kit, company, inbox))) return false;
  const row = await findInbox(kit.database.read(company), inbox);
  return row?.status === 'ACTIVE' && row.webhook_url !== null;
}
