/**
 * Messages that an inbox sends by itself, as a source of due messages. The message and its note are one transaction before the call to the
 * network, so that no one sends it twice.
 */
import type { MessageContent } from '../../../channels/content.ts';
import type { ChannelName } from '../../../channels/registry.ts';
import type { Kit } from '../../../kit.ts';
import { actAs, type Acting, type TenantTx } from '../../../platform/store/tenant.ts';
import { storeOutgoing, type Outgoing, type StoredOutgoing } from '../../messages/outgoing.ts';
import { callForStored } from '../../messages/send.ts';
import { beginAutomatic, endAutomatic, findSender, lockPlace, type AutomaticQueue } from './automatic-queries.ts';
import { SETTLE_SECONDS } from './left-work.ts';
import type { DueSource } from './loop.ts';
import type { ClaimedSend, DueAutomatic } from './schemas.ts';

/** Where the message of a row goes. */
export interface Place {
  company: string;
  channel: ChannelName;
  /** The id of the row. */
  id: string;
}

interface AutomaticSource<Due extends DueAutomatic> {
  queue: AutomaticQueue;
  /** The actor that the messages are sent by. */
  actor: 'away' | 'csat';
  /** Locks the row; the conversation is locked already. Returns null when it has ended. */
  lock(tx: TenantTx, id: string): Promise<Due | null>;
  /** Returns what is sent; null if the contact gets nothing any more. */
  compose(kit: Kit, place: Place, due: Due): MessageContent | null;
  keepsClosed?: Outgoing['keepsClosed'];
}

export function createAutomaticSource<Due extends DueAutomatic>(source: AutomaticSource<Due>): DueSource {
  const { queue } = source;
  return {
    name: queue.table.replace('_', '-'),
    queue,
    send: (kit, claimed) => sendAutomatic(kit, source, claimed),
    // Ends a row that could not be sent, unless another worker has taken it meanwhile and may be sending it.
    giveUp: (kit, { company, _id, claimed_at }) =>
      kit.database.tenantTx(company, async (tx) => {
        const due = await lockRow(tx, source, _id);
        if (due?.message === null && due.claimed_at === claimed_at) await endAutomatic(tx, queue, _id);
      }),
    // The outcome is the message's own: a later status settles it, and the message is not sent again.
    settleLeft: async (kit, { company, _id }) =>
      void (await kit.database.tenantTx(company, (tx) => endAutomatic(tx, queue, _id))),
  };
}

async function sendAutomatic<Due extends DueAutomatic>(
  kit: Kit,
  source: AutomaticSource<Due>,
  claimed: ClaimedSend,
): Promise<void> {
  const { company, _id } = claimed;
  const { queue } = source;
  const inbox = await findSender(kit.database.read(company), queue, _id);
  if (!inbox) return;
  const acting = actAs(kit.database, company, { type: source.actor, id: inbox._id, name: inbox.name });
  const stored = await acting.tx((tx) => storeOnce(kit, tx, acting, { source, claimed, channel: inbox.channel }));
  if (!stored) return;
  await callForStored(kit, acting, stored);
  await acting.tx((tx) => endAutomatic(tx, queue, _id));
}

async function lockRow<Due extends DueAutomatic>(
  tx: TenantTx,
  { queue, lock }: AutomaticSource<Due>,
  id: string,
): Promise<Due | null> {
  await lockPlace(tx, queue, id);
  return lock(tx, id);
}

/** Stores the message. Returns null when another worker has the row, or when the contact gets nothing any more. */
async function storeOnce<Due extends DueAutomatic>(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  {
    source,
    claimed: { company, _id, claimed_at },
    channel,
  }: { source: AutomaticSource<Due>; claimed: ClaimedSend; channel: ChannelName },
): Promise<StoredOutgoing | null> {
  const due = await lockRow(tx, source, _id);
  if (!due || due.message !== null || due.claimed_at !== claimed_at) return null;
  const content = source.compose(kit, { company, channel, id: _id }, due);
  const { queue } = source;
  if (!content) {
    await endAutomatic(tx, queue, _id);
    return null;
  }
  const stored = await storeOutgoing(kit, tx, acting, {
    conversation: due.conversation,
    content,
    attachment: null,
    replyTo: null,
    ...(source.keepsClosed && { keepsClosed: true }),
  });
  // What the platform itself refuses is a FAILED message, and nothing that was sent.
  if (!stored.call) {
    await endAutomatic(tx, queue, _id);
    return null;
  }
  await beginAutomatic(tx, queue, _id, { message: stored.message._id, settleSeconds: SETTLE_SECONDS });
  return stored;
}
