/** Mails users who are away what they have not read: one mail that lists it, and no further one until they return or an hour has passed. */
import type { Kit } from '../../../kit.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { MailError } from '../../../platform/outside/mail.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { composeAwayMail } from './away-mail.ts';
import { claimMail, findReceiver, listAway, releaseMail, type AwayUser, type Patience } from './away-queries.ts';

const PATIENCE: Patience = {
  away: declareLimit(15, {
    topic: 'Accounts',
    what: 'Time away from the console until unread notifications are mailed',
    unit: 'minutes',
    beyond: 'mailed',
  }),
  between: declareLimit(60, {
    topic: 'Accounts',
    what: 'Pause between two e-mails about notifications to a user who stays away',
    unit: 'minutes',
    beyond: 'sent later',
  }),
  // Nobody is mailed what happened before the mail server was set up, or before it came back.
  oldest: 24 * 60,
};
const USERS_AT_ONCE = 500;

/** Finds users to whom a mail is due. Without a mail server there are none. */
export async function mailAway(kit: Kit, mail: (tx: SystemTx, user: AwayUser) => Promise<void>): Promise<void> {
  if (kit.config.SMTP_URL === null) return;
  const system = kit.database.system('upkeep');
  for (const away of await listAway(system, PATIENCE, USERS_AT_ONCE)) await mail(system, away);
}

/** Sends the mail, unless the user has returned meanwhile or has had one. It is claimed first, so a worker that dies never sends it twice. */
export async function sendAwayMail(kit: Kit, away: AwayUser, isLastTry: boolean): Promise<void> {
  const system = kit.database.system(`company:${away.company}`);
  const receiver = await findReceiver(system, away);
  if (!receiver || kit.config.SMTP_URL === null) return;
  const notifications = await claimMail(system, away, PATIENCE);
  if (notifications.length === 0) return;
  const consoleUrl = `${kit.config.PUBLIC_URL}/console`;
  try {
    await kit.mailer.send({ to: receiver.email, ...composeAwayMail(receiver, { consoleUrl, notifications }) });
  } catch (error) {
    // Failure policy: what was claimed is released for a retry of the job, if the mail certainly was not sent. After the last one it counts as
    // mailed: a mailbox that takes no mails is tried again in an hour, with what is new then. If the server sends no mail at all, nothing counts.
    if (error instanceof MailError && error.canRetry && (error.isServerFailure || !isLastTry)) {
      const ids = notifications.map(({ _id }) => _id);
      await releaseMail(system, away, ids);
    }
    throw error;
  }
}
