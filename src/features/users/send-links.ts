/** Sends mails about accounts; most have a link to the page that sets a password. Only the mail contains the token; the database contains its hash. */
import type { Kit } from '../../kit.ts';
import { hashToken } from '../../platform/http/auth.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findAccount, findAccountByEmail, purgePeople, type Account } from './account-queries.ts';
import {
  claimMailing,
  deleteLink,
  insertLink,
  purgeLinks,
  purgeMailings,
  releaseMailing,
  type LinkMailing,
} from './link-queries.ts';
import { newLinkToken, newShownToken } from './log-in-links.ts';
import { purgeChallenges } from './passkey-queries.ts';
import { purgeSessions } from './session-queries.ts';
import { factorMail, invitationMail, joinMail, resetMail } from './mails.ts';
import type { FactorChange } from './factor-mails.ts';
import type { User } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// The lifetime of links: an invitation can still be accepted after a weekend; a reset of the password is used at once.
const INVITATION_SECONDS = declareLimit(72 * 3_600, {
  topic: 'Accounts',
  what: 'Link: invitation',
  unit: 'seconds',
  beyond: 'send another one',
});
const RESET_SECONDS = declareLimit(3_600, {
  topic: 'Accounts',
  what: 'Link: forgotten password',
  unit: 'seconds',
  beyond: 'ask for another one',
});
// The pause between two mails to an address. A person who asks again within the pause has the first mail or is about to get it, and
// no one's mailbox can be flooded.
export const PAUSE_SECONDS = declareLimit(60, {
  topic: 'Accounts',
  what: 'Pause between two e-mails with a link, per company and address',
  unit: 'seconds',
  beyond: 'sent later, or not at all',
});

/**
 * Sends an invitation. Returns false when the company had a mail sent to this address within the pause, so that the invitation has to wait.
 */
export async function sendInvitation(kit: Kit, to: { company: string; user: string }): Promise<boolean> {
  const account = await findAccount(kit.database.system(`company:${to.company}`), to.company, to.user);
  return account?.status !== 'INVITED' || sendLink(kit, account, [makeInvitationMailing(account)]);
}

/**
 * Sends the mail for a forgotten password, but none to an unknown address, to an inactive user, or within the pause after the last mail. An
 * invited user gets the invitation again.
 */
export async function sendReset(kit: Kit, email: string): Promise<void> {
  const account = await findAccountByEmail(kit.database.system('upkeep'), email, null);
  if (!account || account.status === 'INACTIVE') return;
  const asked: LinkMailing = { company: null, email: account.email };
  await sendLink(kit, account, account.accepted ? [asked] : [asked, makeInvitationMailing(account)]);
}

/** Tells a user that two-factor log-in was turned on or off for their account. */
export async function sendFactorMail(
  kit: Kit,
  { company, user, change }: { company: string; user: string; change: FactorChange },
): Promise<void> {
  const account = await findAccount(kit.database.system(`company:${company}`), company, user);
  if (account?.status !== 'ACTIVE') return;
  const { name, language, company_name, email } = account;
  const link = `${kit.config.PUBLIC_URL}/console/profile`;
  await kit.mailer.send({ to: email, ...factorMail(change, { name, language, company: company_name, link }) });
}

const makeInvitationMailing = ({ company, email }: Account): LinkMailing => ({ company, email });

/** Stores a link and sends its mail. Returns false when one of `mailings` had a mail sent to the address within the pause. */
async function sendLink(kit: Kit, account: Account, mailings: LinkMailing[]): Promise<boolean> {
  const system = kit.database.system(`company:${account.company}`);
  for (const mailing of mailings) {
    if ((await claimMailing(system, mailing, PAUSE_SECONDS)) === 0) return false;
  }
  const token = newLinkToken();
  const tokenHash = hashToken(token);
  const { company, _id: user, email } = account;
  const seconds = account.accepted ? RESET_SECONDS : INVITATION_SECONDS;
  const link = { tokenHash, purpose: 'PASSWORD', company, user, email, seconds } as const;
  try {
    const inserted = await insertLink(system, link);
    // No link was stored when the address has changed since the account was read; the new address gets its own invitation.
    if (inserted === 1) await kit.mailer.send({ to: email, ...composeMail(kit, account, token) });
  } catch (error) {
    // Failure policy: the job decides whether to try again. The link and the claims are deleted, so that they do not stop the next try.
    await deleteLink(system, company, tokenHash);
    for (const mailing of mailings) await releaseMailing(system, mailing);
    throw error;
  }
  return true;
}

function composeMail(kit: Kit, account: Account, token: string) {
  const { name, language, company_name: company } = account;
  const link = linkToPage(kit, token);
  if (account.accepted) return resetMail({ name, language, link });
  // A person who already has a password keeps it and is not asked for one.
  return account.password_hash === null
    ? invitationMail({ name, company, language, link })
    : joinMail({ name, company, language, link: `${link}&accept` });
}

/**
 * Stores a link to an invitation for the user who invites, where the platform cannot send mails. Nothing else contains the link, and it looks
 * alike for every person. Returns nothing for a user who is not invited.
 */
export async function makeShownInvitation(kit: Kit, tx: TenantTx, user: User): Promise<{ invitation_link?: string }> {
  if (kit.config.SMTP_URL !== null || user.status !== 'INVITED') return {};
  const token = newShownToken();
  const { _id, company, email } = user;
  const link = { tokenHash: hashToken(token), purpose: 'PASSWORD', company, user: _id, email } as const;
  await insertLink(tx, { ...link, seconds: INVITATION_SECONDS });
  return { invitation_link: `${linkToPage(kit, token)}&accept` };
}

// The fragment of the link contains the token, because browsers send the fragment to no server, so no log contains it.
const linkToPage = ({ config }: Kit, token: string): string => `${config.PUBLIC_URL}/set-password#token=${token}`;

export async function purgeExpiredLinks(kit: Kit): Promise<void> {
  const system = kit.database.system('upkeep');
  await purgeLinks(system);
  await purgeMailings(system);
  await purgePeople(system);
  await purgeSessions(system);
  await purgeChallenges(system);
}
