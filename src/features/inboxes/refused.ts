/** Handles an inbox whose network refuses its credentials, or misbehaves. */
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import type { Credentials } from './connection.ts';
import { CheckConnection, RECHECK_SECONDS } from './jobs.ts';
import { storeRefusal } from './connection-changes.ts';

// The longest error message that is shown; the network's own messages are shorter.
const MAX_SENTENCE = 500;

/** Marks the inbox as ERROR until a user saves it. Returns false when the credentials were replaced since the call. */
export const stopInbox = async (
  kit: Kit,
  tx: TenantTx,
  { inbox, version }: Pick<Credentials, 'inbox' | 'version'>,
  error: string,
): Promise<boolean> => (await storeRefusal(kit, tx, inbox, { version, error })) !== null;

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
  if (!(await stopInbox(kit, tx, { inbox, version }, error))) return;
  await kit.enqueue(
    tx,
    CheckConnection,
    { company: tx.companyId, inbox },
    { key: inbox, delaySeconds: RECHECK_SECONDS },
  );
}
