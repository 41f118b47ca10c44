/** Asks once for the old messages of the phone with which an inbox shares its number, and notices when none come. */
import type { SyncedPart } from '../../../channels/phone-sync.ts';
import { CALL_MS } from '../../../channels/limits.ts';
import type { Kit } from '../../../kit.ts';
import type { TenantTx } from '../../../platform/store/tenant.ts';
import { findInbox } from '../queries.ts';
import { openSettings, readSettings } from '../settings.ts';
import { answerRequest, endWait, findAwaited, noteContactsAsked } from './queries.ts';

/** Throws when the network should be asked again later. What it has answered before is not asked again. */
export async function requestHistory(kit: Kit, company: string, inbox: string): Promise<void> {
  const read = kit.database.read(company);
  const row = await findInbox(read, inbox);
  if (!row) return;
  const channel = kit.channels.get(row.channel);
  const awaited = channel.requestSync && (await findAwaited(read, inbox));
  if (!awaited || awaited.is_requested || !readSettings(row, channel)) return;
  const settings = openSettings(row, channel, kit.secrets);
  const { connection_version: version } = row;
  const request = (part: SyncedPart): Promise<string | null> | undefined =>
    channel.requestSync?.(part, settings, AbortSignal.timeout(CALL_MS));
  if (!awaited.contacts_asked) {
    // The network sends the contacts before the messages. A refusal is not shown, because the messages are as useful without them.
    const refusal = await request('contacts');
    if (refusal)
      kit.log.warn({ company, inbox, refusal }, 'inboxes: the network refused to send the contacts of a phone');
    await kit.database.tenantTx(company, (tx) => noteContactsAsked(tx, inbox, version));
  }
  const error = (await request('messages')) ?? null;
  const at = new Date().toISOString();
  await kit.database.tenantTx(company, (tx) => answerRequest(tx, inbox, { version, error, at }));
}

const NOT_ACCEPTED = 'The network did not accept the request within 24 hours.';

/** Stores that no old messages have come. Returns false when the network accepted the request less than a day ago. */
export async function settleHistory(tx: TenantTx, inbox: string): Promise<boolean> {
  const isEnded = (await endWait(tx, inbox, { error: NOT_ACCEPTED, at: new Date().toISOString() })) > 0;
  return isEnded || (await findAwaited(tx, inbox)) === null;
}
