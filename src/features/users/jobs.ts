import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type JobWork } from '../../platform/work/jobs.ts';
import { Id } from '../../platform/values/schema.ts';
import { PAUSE_SECONDS, purgeExpiredLinks, sendFactorMail, sendInvitation, sendReset } from './send-links.ts';

// The job is retried for some five minutes, because an operator notices a mail server that is away for longer.
const RETRIES = 5;
const RETRY_SECONDS = 5;

/** Sends an invitation. The queue holds no token, because the job makes one when it writes the mail. */
export const SendInvitation = defineJob({
  name: 'users.send-invitation',
  data: Type.Object({ company: Id, user: Id }),
  retries: RETRIES,
  retryDelaySeconds: RETRY_SECONDS,
});

/**
 * Sends the mail for a forgotten password. Only this job looks whether an account has the address,
 * so that no caller can measure how long the look-up takes. Anybody can put any text into this
 * queue, so finished jobs are soon deleted; and after an hour no one waits for the mail.
 */
export const SendReset = defineJob({
  name: 'users.send-reset',
  data: Type.Object({ email: Type.String() }),
  retries: RETRIES,
  retryDelaySeconds: RETRY_SECONDS,
  keptSeconds: 60,
  waitsSeconds: 3_600,
});

/** RESET: by an administrator · the others: by the user */
const FACTOR_CHANGES = ['ON', 'OFF', 'RESET', 'PASSKEY_ADDED', 'PASSKEY_REMOVED'] as const;

/** Tells a user that two-factor log-in was turned on or off for their account. */
export const SendFactorMail = defineJob({
  name: 'users.send-factor-mail',
  data: Type.Object({ company: Id, user: Id, change: Type.Enum(FACTOR_CHANGES) }),
  retries: RETRIES,
  retryDelaySeconds: RETRY_SECONDS,
});

/**
 * Removes a deleted or deactivated user from the records that still name the user. The folder `departures` does the work, because it knows
 * these records.
 */
export const ReleaseUser = defineJob({
  name: 'users.release',
  data: Type.Object({ company: Id, user: Id }),
  // The job is retried for some four hours, because until it succeeds records show an owner who can no longer be found.
  retries: 12,
  retryDelaySeconds: 5,
  // A hundred thousand records take a minute. A worker that takes over the job continues with the records that are left.
  heartbeatSeconds: 30,
});

const PurgeLinks = defineJob({
  name: 'users.purge-links',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '41 3 * * *',
});

export function sendInvitationJob(kit: Kit): JobWork<typeof SendInvitation.data> {
  return {
    job: SendInvitation,
    handle: async (data) => {
      if (await sendInvitation(kit, data)) return;
      // The company sent an invitation to this address less than PAUSE_SECONDS ago, so this invitation is sent after the pause.
      const later = { key: data.user, delaySeconds: PAUSE_SECONDS };
      await kit.enqueue(kit.database.system(`company:${data.company}`), SendInvitation, data, later);
    },
  };
}

export function sendResetJob(kit: Kit): JobWork<typeof SendReset.data> {
  return { job: SendReset, handle: (data) => sendReset(kit, data.email) };
}

export function sendFactorMailJob(kit: Kit): JobWork<typeof SendFactorMail.data> {
  return { job: SendFactorMail, handle: (data) => sendFactorMail(kit, data) };
}

export function purgeLinksJob(kit: Kit): JobWork<typeof PurgeLinks.data> {
  return { job: PurgeLinks, handle: () => purgeExpiredLinks(kit) };
}
