import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { Id } from '../../platform/values/schema.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { mailAway, sendAwayMail } from './mails/away.ts';
import { purgeNotifications } from './upkeep.ts';

const PurgeNotifications = defineJob({
  name: 'notifications.purge',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '53 3 * * *',
});

export function purgeNotificationsJob(kit: Kit): JobWork<typeof PurgeNotifications.data> {
  return { job: PurgeNotifications, handle: () => purgeNotifications(kit) };
}

const MailAway = defineJob({
  name: 'notifications.mail-away',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '*/5 * * * *',
});

/**
 * The mail to one user who is away. It is retried for some minutes; after that it counts as mailed. All go to the mail server of the operator,
 * which accepts few connections at once, and a mailbox of one company may make it answer slowly.
 */
const SendAwayMail = defineJob({
  name: 'notifications.send-away-mail',
  data: Type.Object({ company: Id, user: Id }),
  retries: 5,
  retryDelaySeconds: 5,
  waitsSeconds: 3_600,
  isByCompany: true,
  slots: declareLimit(10, {
    topic: 'Accounts',
    what: 'E-mails about notifications that are sent at the same time, per process',
    beyond: 'the next one waits',
  }),
});

export function mailAwayJob(kit: Kit): JobWork<typeof MailAway.data> {
  return {
    job: MailAway,
    handle: () =>
      mailAway(kit, (tx, away) => kit.enqueue(tx, SendAwayMail, away, { key: `${away.company}:${away.user}` })),
  };
}

export function sendAwayMailJob(kit: Kit): JobWork<typeof SendAwayMail.data> {
  return { job: SendAwayMail, handle: (away, retry) => sendAwayMail(kit, away, retry === SendAwayMail.retries) };
}
