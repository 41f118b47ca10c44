/**
 * Sends scheduled messages as a source of due messages. The message and its place in the schedule are one transaction before the call to the
 * network, so no one sends it twice.
 */
import type { Kit } from '../../kit.ts';
import type { AppError } from '../../platform/values/errors.ts';
import { allows, ROLE_SCOPES } from '../../platform/values/scopes.ts';
import { actAs, type Acting, type TenantTx } from '../../platform/store/tenant.ts';
import type { LeasedTable } from '../../platform/work/claims/leases.ts';
import { readMessages } from '../messages/messages.ts';
import { storeOutgoing, type StoredOutgoing } from '../messages/outgoing.ts';
import { withRecipient } from '../messages/recipients.ts';
import type { Message } from '../messages/schemas.ts';
import { callForStored } from '../messages/send.ts';
import { SETTLE_SECONDS } from '../sends/due/left-work.ts';
import type { DueSource } from '../sends/due/loop.ts';
import type { ClaimedSend, UnsettledSend } from '../sends/due/schemas.ts';
import { noteRefusedTemplate, storeTemplateIn } from '../templates/send.ts';
import { prepareContent, type Prepared } from './content.ts';
import {
  beginScheduled,
  deferScheduled,
  endScheduled,
  findDue,
  lockScheduled,
  type DueScheduled,
  type ScheduledEnd,
} from './queries.ts';

export const SCHEDULED_QUEUE: LeasedTable = {
  table: 'scheduled_messages',
  order: 'send_at',
  open: `status = 'SCHEDULED'`,
};

export const SCHEDULED_MESSAGES: DueSource = {
  name: 'scheduled-messages',
  queue: SCHEDULED_QUEUE,
  send: sendScheduled,
  giveUp: giveUpScheduled,
  settleLeft: settleLeftScheduled,
};

async function sendScheduled(kit: Kit, claimed: ClaimedSend): Promise<void> {
  const { company, _id } = claimed;
  const planned = await kit.database.tenantTx(company, (tx) => lockWanted(tx, claimed));
  if (!planned) return;
  const acting = actAs(kit.database, company, planned.actor);
  const prepared = await prepareContent(kit, acting, { ...planned, conversation: planned.place });
  const stored = await withRecipient(acting, { conversation: planned.place }, (tx) =>
    storeOnce(kit, tx, acting, { claimed, prepared }),
  );
  if (!stored) return;
  const message = await callForStored(kit, acting, stored);
  await settle(acting, _id, message);
  if (prepared.template) await noteRefusedTemplate(kit, acting, prepared.template, message);
}

const isTaken = ({ status, is_calling, claimed_at }: DueScheduled, claimed: ClaimedSend): boolean =>
  status === 'SCHEDULED' && !is_calling && claimed_at === claimed.claimed_at;

/**
 * Locks a message that is to be sent now. One that is not sent any more is ended, and one that waits for an earlier one is deferred; then
 * null is returned.
 */
async function lockWanted(tx: TenantTx, claimed: ClaimedSend): Promise<DueScheduled | null> {
  const due = await lockScheduled(tx, claimed._id);
  if (!due || !isTaken(due, claimed)) return null;
  const end = findEnd(due);
  if (end) await endScheduled(tx, due._id, end);
  else if (due.has_earlier) await deferScheduled(tx, due._id);
  else return due;
  return null;
}

function findEnd(due: DueScheduled): ScheduledEnd | null {
  const fail = (code: string, message: string): ScheduledEnd => ({ status: 'FAILED', failure: { code, message } });
  if (!due.company_active) return fail('COMPANY_SUSPENDED', 'The company is suspended');
  if (!due.author_active || !maySend(due)) return fail('AUTHOR_INACTIVE', 'Its author can no longer send messages');
  return due.is_answered ? { status: 'CANCELLED', cancel_reason: 'REPLIED' } : null;
}

/** Returns false for a user who has another role by now, without the right to send. */
const maySend = ({ author_role: role }: DueScheduled): boolean =>
  role === null || allows(ROLE_SCOPES[role], 'messages:create');

/** Stores the message, and notes it in the same transaction. Returns null when the message is not sent by this worker now. */
async function storeOnce(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { claimed, prepared }: { claimed: ClaimedSend; prepared: Prepared },
): Promise<StoredOutgoing | null> {
  // While the message was prepared, the contact may have opened another conversation, or a user may have closed this one.
  const due = await lockWanted(tx, claimed);
  if (!due) return null;
  const { place: conversation, keeps_closed: keepsClosed } = due;
  // A message of another conversation cannot be answered.
  const replyTo = conversation === due.conversation ? due.reply_to : null;
  const named = { conversation, replyTo, keepsClosed };
  const stored = await (prepared.template
    ? storeTemplateIn(kit, tx, acting, { ...named, prepared: prepared.template })
    : storeOutgoing(kit, tx, acting, { ...prepared, ...named }));
  await beginScheduled(tx, claimed._id, { message: stored.message._id, settleSeconds: SETTLE_SECONDS });
  return stored;
}

/** Ends a scheduled message whose message is stored. An unknown outcome is one of the message, which a later status settles. */
async function settle(acting: Acting, id: string, message: Message | undefined): Promise<void> {
  const [cause] = message?.errors ?? [];
  const hasFailed = message === undefined || message.status === 'FAILED';
  const failure = {
    code: String(cause?.code ?? 'NOT_FOUND'),
    message: cause?.message || cause?.title || 'The message is gone',
  };
  await acting.tx((tx) => endScheduled(tx, id, hasFailed ? { status: 'FAILED', failure } : { status: 'SENT' }));
}

async function settleLeftScheduled(kit: Kit, { company, _id }: UnsettledSend): Promise<void> {
  const read = kit.database.read(company);
  const due = await findDue(read, _id);
  if (!due) return;
  const [message] = due.sent_message ? await readMessages(read, [due.sent_message]) : [];
  await settle(actAs(kit.database, company, due.actor), _id, message);
}

/** Ends a message that could not be sent, unless another worker has taken it meanwhile and may be sending it. */
async function giveUpScheduled(kit: Kit, claimed: ClaimedSend, reason: AppError | null): Promise<void> {
  const failure = reason
    ? { code: reason.code, message: reason.message }
    : { code: 'INTERNAL_ERROR', message: 'The message could not be sent, although it was tried several times' };
  await kit.database.tenantTx(claimed.company, async (tx) => {
    const due = await lockScheduled(tx, claimed._id);
    if (due && isTaken(due, claimed)) await endScheduled(tx, claimed._id, { status: 'FAILED', failure });
  });
}
