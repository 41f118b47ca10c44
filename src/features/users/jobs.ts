import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { defineJob, type Worked } from '../../platform/jobs.ts';
import { Id } from '../../platform/schema.ts';
import { PAUSE_SECONDS, purgeExpiredLinks, sendInvitation, sendReset } from './send-links.ts';

// Some five minutes in all: a mail server that is away longer is one that its operator sees.
const RETRIES = 5;
const RETRY_SECONDS = 5;

/** The queue holds no token: the job makes one when it writes the mail. */
export const SendInvitation = defineJob({
  name: 'users.send-invitation',
  data: Type.Object({ company: Id, user: Id }),
  retries: RETRIES,
  retryDelaySeconds: RETRY_SECONDS,
});

/**
 * Whether the address belongs to anybody is found out here, where nobody can measure how long it takes. Anybody can put any
 * text into this queue, so it keeps none; and an hour later nobody waits for the mail.
 */
export const SendReset = defineJob({
  name: 'users.send-reset',
  data: Type.Object({ email: Type.String() }),
  retries: RETRIES,
  retryDelaySeconds: RETRY_SECONDS,
  keptSeconds: 60,
  waitsSeconds: 3_600,
});

/** Takes a removed or deactivated user out of the records that still name them; the room of departures does it, which knows these. */
export const ReleaseUser = defineJob({
  name: 'users.release',
  data: Type.Object({ company: Id, user: Id }),
  // Some four hours: until then records show an owner whom nobody finds.
  retries: 12,
  retryDelaySeconds: 5,
  // A hundred thousand records take a minute; whoever takes over goes on where they end.
  heartbeatSeconds: 30,
});

const PurgeLinks = defineJob({
  name: 'users.purge-links',
  data: Type.Object({}),
  retries: 0,
  retryDelaySeconds: 1,
  cron: '41 3 * * *',
});

export function sendInvitationJob(kit: Kit): Worked<typeof SendInvitation.data> {
  return {
    job: SendInvitation,
    handle: async (data) => {
      if (await sendInvitation(kit, data)) return;
      // A company may invite again, and the person may have some quiet: the invitation comes when the pause is over.
      const later = { key: data.user, delaySeconds: PAUSE_SECONDS };
      await kit.enqueue(kit.database.system(`company:${data.company}`), SendInvitation, data, later);
    },
  };
}

export function sendResetJob(kit: Kit): Worked<typeof SendReset.data> {
  return { job: SendReset, handle: (data) => sendReset(kit, data.email) };
}

export function purgeLinksJob(kit: Kit): Worked<typeof PurgeLinks.data> {
  return { job: PurgeLinks, handle: () => purgeExpiredLinks(kit) };
}
