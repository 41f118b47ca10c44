/** Mails with a link to the page that sets a password. The token stands in the mail alone; stored is its hash. */
import { randomBytes } from 'node:crypto';
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/auth.ts';
import { findAccount, dropLink, findAccountByEmail, insertLink, purgeLinks, type Account } from './account-queries.ts';
import { invitationMail, resetMail } from './mails.ts';

const TOKEN_BYTES = 32;
// People read an invitation after the weekend; a reset they have just asked for.
const INVITATION_HOURS = 72;
const RESET_HOURS = 1;
// Whoever asks for another reset sooner has the mail, or will have it in a moment; nobody's mailbox is flooded by asking.
const RESET_PAUSE_SECONDS = 60;

export async function sendInvitation(kit: Kit, to: { company: string; user: string }): Promise<void> {
  const account = await findAccount(kit.database.system, to.company, to.user);
  if (account?.status === 'INVITED') await mailLink(kit, account);
}

/** Nobody's address gets no mail. Who was invited and never came gets the invitation again. */
export async function sendReset(kit: Kit, email: string): Promise<void> {
  const account = await findAccountByEmail(kit.database.system, email);
  if (account && account.status !== 'INACTIVE') await mailLink(kit, account);
}

async function mailLink(kit: Kit, account: Account): Promise<void> {
  const isInvitation = account.status === 'INVITED';
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const tokenHash = hashToken(token);
  const inserted = await insertLink(kit.database.system, {
    tokenHash,
    company: account.company,
    user: account._id,
    email: account.email,
    hours: isInvitation ? INVITATION_HOURS : RESET_HOURS,
    pauseSeconds: isInvitation ? 0 : RESET_PAUSE_SECONDS,
  });
  // One has just been sent; or the address has changed since it was read, and an invitation to the new one is on its way.
  if (inserted === 0) return;
  // In the fragment, which no server, log or referrer ever sees.
  const link = `${kit.config.PUBLIC_URL}/set-password#token=${token}`;
  const { name, language, company_name: company } = account;
  const mail = isInvitation ? invitationMail({ name, company, language, link }) : resetMail({ name, language, link });
  try {
    await kit.mailer.send({ to: account.email, ...mail });
  } catch (error) {
    // Failure policy: the job's. What was not sent must not keep the next try from being sent.
    await dropLink(kit.database.system, account.company, tokenHash);
    throw error;
  }
}

export async function purgeExpiredLinks(kit: Kit): Promise<void> {
  await purgeLinks(kit.database.system);
}
