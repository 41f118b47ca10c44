/** Mails with a link to the page that sets a password. The token stands in the mail alone; stored is its hash. */
import { randomBytes } from 'node:crypto';
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/auth.ts';
import { findAccount, findAccountByEmail, purgePeople, type Account } from './account-queries.ts';
import {
  claimMail,
  dropLink,
  insertLink,
  purgeLinks,
  purgeMailings,
  returnMail,
  type Mailing,
} from './link-queries.ts';
import { invitationMail, joinMail, resetMail } from './mails.ts';

const TOKEN_BYTES = 32;
// People read an invitation after the weekend; a reset they have just asked for.
const INVITATION_HOURS = 72;
const RESET_HOURS = 1;
// Whoever asks for another mail sooner has one, or will have it in a moment; nobody's mailbox is flooded by asking.
export const PAUSE_SECONDS = 60;

/** False when the company has had this address mailed within the pause: the invitation has to wait. */
export async function sendInvitation(kit: Kit, to: { company: string; user: string }): Promise<boolean> {
  const account = await findAccount(kit.database.system(`company:${to.company}`), to.company, to.user);
  return account?.status !== 'INVITED' || mailLink(kit, account, [invitationTo(account)]);
}

/** Nobody's address gets no mail. Who was invited and never came gets the invitation again. One that comes too soon is not sent. */
export async function sendReset(kit: Kit, email: string): Promise<void> {
  const account = await findAccountByEmail(kit.database.system('upkeep'), email, null);
  if (!account || account.status === 'INACTIVE') return;
  const asked: Mailing = { company: null, email: account.email };
  await mailLink(kit, account, account.status === 'INVITED' ? [asked, invitationTo(account)] : [asked]);
}

const invitationTo = ({ company, email }: Account): Mailing => ({ company, email });

/** False when one of these has had the address mailed within the pause. */
async function mailLink(kit: Kit, account: Account, mailings: Mailing[]): Promise<boolean> {
  const system = kit.database.system(`company:${account.company}`);
  for (const mailing of mailings) {
    if ((await claimMail(system, mailing, PAUSE_SECONDS)) === 0) return false;
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const tokenHash = hashToken(token);
  const { company, _id: user, email } = account;
  const hours = account.status === 'INVITED' ? INVITATION_HOURS : RESET_HOURS;
  try {
    const inserted = await insertLink(system, { tokenHash, company, user, email, hours });
    // None: the address has changed since it was read, and an invitation to the new one is on its way.
    if (inserted === 1) await kit.mailer.send({ to: email, ...composeMail(kit, account, token) });
  } catch (error) {
    // Failure policy: the job's. What was not sent must not keep the next try from being sent.
    await dropLink(system, company, tokenHash);
    for (const mailing of mailings) await returnMail(system, mailing);
    throw error;
  }
  return true;
}

function composeMail(kit: Kit, account: Account, token: string) {
  const { name, language, company_name: company } = account;
  // In the fragment, which no server, log or referrer ever sees.
  const link = `${kit.config.PUBLIC_URL}/set-password#token=${token}`;
  if (account.status !== 'INVITED') return resetMail({ name, language, link });
  // Who has a password keeps it, and is asked for none.
  return account.password_hash === null
    ? invitationMail({ name, company, language, link })
    : joinMail({ name, company, language, link: `${link}&accept` });
}

export async function purgeExpiredLinks(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeLinks(system);
  await purgeMailings(system);
  await purgePeople(system);
}
