/** What becomes of an inbox whose credentials the network refuses in the middle of its work. */
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/tenant.ts';
import type { Credentials } from './connection.ts';
import { CheckConnection, RECHECK_SECONDS } from './jobs.ts';
import { refuseInbox } from './queries.ts';

// For a screen; the network's own messages are shorter.
const MAX_SENTENCE = 500;

/**
 * Marks the inbox as ERROR, and has it checked again by a job: what was refused by mistake connects again by itself. Credentials that
 * were replaced since the call are not meant.
 */
export async function noteRefusal(
  kit: Kit,
  tx: TenantTx,
  { inbox, version }: Pick<Credentials, 'inbox' | 'version'>,
  cause: { code: number | string; message: string },
): Promise<void> {
  const words = cause.message.slice(0, MAX_SENTENCE) || 'no cause given';
  const error = `The network refused: ${words} (code ${cause.code}).`;
  if ((await refuseInbox(tx, inbox, { version, error })) === 0) return;
  await kit.enqueue(
    tx,
    CheckConnection,
    { company: tx.companyId, inbox },
    { key: inbox, delaySeconds: RECHECK_SECONDS },
  );
}
