/**
 * The token with which the network proves itself at the first call to an inbox's own webhook_url. The owner of that address sees it, so
 * it must not be the installation's. It names its inbox and is derived from the encryption key: nothing of it is stored, and a forged
 * one is refused without a look into the database. All that it opens is this handshake: every notification is signed besides.
 */
import type { Kit } from '../../kit.ts';
import { sameText } from '../../platform/secrets.ts';
import { findInbox } from './queries.ts';

// Company, inbox, and 256 bits.
const FORM = /^([0-9a-f]{24})([0-9a-f]{24})[\w-]{43}$/;

export const verifyTokenFor = (kit: Kit, company: string, inbox: string): string =>
  `${company}${inbox}${kit.secrets.derive(`${company}:inbox:${inbox}:verify_token`)}`;

/** True for the token of an ACTIVE inbox that is notified at an address of its own. */
export async function isVerifyToken(kit: Kit, token: string): Promise<boolean> {
  const [, company, inbox] = FORM.exec(token) ?? [];
  if (!company || !inbox || !sameText(token, verifyTokenFor(kit, company, inbox))) return false;
  const row = await findInbox(kit.database.read(company), inbox);
  return row?.status === 'ACTIVE' && row.webhook_url !== null;
}
