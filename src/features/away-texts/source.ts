/**
 * Sends the away texts of inboxes to contacts who write outside of business hours, as a source of due messages. The message and its note are
 * one transaction before the call to the network, so that no one sends it twice.
 */
import { findAvailability } from '../../channels/office-hours.ts';
import type { Kit } from '../../kit.ts';
import { actAs, type Acting, type TenantTx } from '../../platform/store/tenant.ts';
import type { LeasedTable } from '../../platform/work/claims/leases.ts';
import { storeOutgoing, type StoredOutgoing } from '../messages/outgoing.ts';
import { callForStored } from '../messages/send.ts';
import { SETTLE_SECONDS } from '../sends/due/left-work.ts';
import type { DueSource } from '../sends/due/loop.ts';
import type { ClaimedSend } from '../sends/due/schemas.ts';
import { beginAwayText, endAwayText, findSender, lockAwayText } from './queries.ts';

export const AWAY_QUEUE: LeasedTable = { table: 'away_texts', order: 'created_at', open: 'ended_at is null' };

export const AWAY_TEXTS: DueSource = {
  name: 'away-texts',
  queue: AWAY_QUEUE,
  send: sendAwayText,
  giveUp: giveUpAwayText,
  // The outcome is the message's own: a later status settles it, and the text is not sent again.
  settleLeft: async (kit, { company, _id }) =>
    void (await kit.database.tenantTx(company, (tx) => endAwayText(tx, _id))),
};

async function sendAwayText(kit: Kit, claimed: ClaimedSend): Promise<void> {
  const { company, _id } = claimed;
  const inbox = await findSender(kit.database.read(company), _id);
  if (!inbox) return;
  const acting = actAs(kit.database, company, { type: 'away', id: inbox._id, name: inbox.name });
  const stored = await acting.tx((tx) => storeOnce(kit, tx, acting, claimed));
  if (!stored) return;
  await callForStored(kit, acting, stored);
  await acting.tx((tx) => endAwayText(tx, _id));
}

/** Stores the message. Returns null when another worker has the text, or when the contact gets none any more. */
async function storeOnce(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { _id, claimed_at }: ClaimedSend,
): Promise<StoredOutgoing | null> {
  const due = await lockAwayText(tx, _id);
  if (!due || due.message !== null || due.claimed_at !== claimed_at) return null;
  const { conversation, text, hours, is_wanted } = due;
  if (!is_wanted || text === null || findAvailability(hours, new Date()).is_open) {
    await endAwayText(tx, _id);
    return null;
  }
  const content = { contentType: 'TEXT', content: text } as const;
  const stored = await storeOutgoing(kit, tx, acting, { conversation, content, attachment: null, replyTo: null });
  await beginAwayText(tx, _id, stored.message._id, SETTLE_SECONDS);
  return stored;
}

/** Ends a text that could not be sent, unless another worker has taken it meanwhile and may be sending it. */
async function giveUpAwayText(kit: Kit, { company, _id, claimed_at }: ClaimedSend): Promise<void> {
  await kit.database.tenantTx(company, async (tx) => {
    const due = await lockAwayText(tx, _id);
    if (due?.message === null && due.claimed_at === claimed_at) await endAwayText(tx, _id);
  });
}
