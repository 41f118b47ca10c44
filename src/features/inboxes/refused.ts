/** Handles an inbox whose network refuses its credentials, or misbehaves. */
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { Credentials } from './connection.ts';
import { CheckConnection, RECHECK_SECONDS } from './jobs.ts';
import { refuseInbox } from './queries.ts';

// The longest error message that is shown; the network's own messages are shorter.
const MAX_SENTENCE = 500;

/** Marks the inbox as ERROR until a user saves it. Returns 0 when the credentials were replaced since the call. */
export const stopInbox = (
  tx: TenantTx,
  { inbox, version }: Pick<Credentials, 'inbox' | 'version'>,
  error: string,
): Promise<number> => refuseInbox(tx, inbox, { version, error });

/**
 * Marks the inbox as ERROR and enqueues a job that checks it again, so that an inbox that was refused by mistake connects by itself.
 * Does nothing when the credentials were replaced since the call.
 */
export async function noteRefusal(
  kit: Kit,
  tx: TenantTx,
  { inbox, version }: Pick<Credentials, 'inbox' | 'version'>,
  cause: { code: number | string; message: string },
): Promise<void> {
  const words = cause.message.slice(0, MAX_SENTENCE) || 'no cause given';
  const error = `The network rejected it: ${words} (code ${cause.code}).`;
  if ((await stopInbox(tx, { inbox, version }, error)) === 0) return;
  await kit.enqueue(
    tx,
    CheckConnection,
    { company: tx.companyId, inbox },
    { key: inbox, delaySeconds: RECHECK_SECONDS },
  );
}
