/**
 * Sends follow-ups. The message and its place in the follow-up are one transaction before the call to the network, so that no one sends it
 * twice.
 */
import type { Kit } from '../../../kit.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { emit } from '../../../platform/store/events.ts';
import { actAs, type Acting, type TenantTx } from '../../../platform/store/tenant.ts';
import { findInboxOf } from '../../conversations/conversations.ts';
import { readMessages } from '../../messages/messages.ts';
import { storeOutgoing, type StoredOutgoing } from '../../messages/outgoing.ts';
import { callForStored } from '../../messages/send.ts';
import { noteRefusedTemplate, prepareTemplate, storeTemplateIn, type PreparedTemplate } from '../../templates/send.ts';
import { findAgent } from '../queries.ts';
import type { FollowUp } from './schemas.ts';
import {
  beginFollowUp,
  endFollowUp,
  findFollowUp,
  lockFollowUp,
  postponeFollowUp,
  type DueFollowUp,
} from './queries.ts';
import { SETTLE_SECONDS } from '../../sends/due/left-work.ts';
import type { ClaimedSend, UnsettledSend } from '../../sends/due/schemas.ts';
import { moveToDay, scheduleFollowUp } from './schedule.ts';

/** Sends a follow-up, puts it off, or cancels it. */
export async function sendFollowUp(kit: Kit, { company, _id, claimed_at }: ClaimedSend): Promise<void> {
  const acting = await actFor(kit, company, _id);
  const template = await prepareIfNeeded(kit, acting, _id);
  const stored = await acting.tx(async (tx) => {
    const due = await lockFollowUp(tx, _id);
    if (due?.status !== 'SCHEDULED' || due.message !== null || due.claimed_at !== claimed_at) return null;
    if (due.is_answered) return cancel(tx, _id, 'REPLIED');
    if (!due.is_open) return cancel(tx, _id, 'AGENT_INACTIVE');
    const at = await moveToDay(tx, due.conversation, new Date());
    if (at.getTime() > Date.now()) return void (await postponeFollowUp(tx, _id, at));
    if (closesWindow(kit, due) && !template) return cancel(tx, _id, 'WINDOW_EXPIRED');
    const message = await (template && !due.window_open
      ? storeTemplateIn(kit, tx, acting, { conversation: due.conversation, replyTo: null, prepared: template })
      : storeText(kit, tx, acting, due));
    await beginFollowUp(tx, _id, message.message._id, SETTLE_SECONDS);
    return message;
  });
  if (!stored) return;
  const message = await callForStored(kit, acting, stored);
  await settle(acting, _id, message.status);
  if (template) await noteRefusedTemplate(kit, acting, template, message);
}

/** Ends a follow-up whose worker died while it called the network, or the outcome of whose message was unknown. */
export async function settleLeftFollowUp(kit: Kit, { company, _id }: UnsettledSend): Promise<void> {
  const acting = await actFor(kit, company, _id);
  const message = (await findFollowUp(acting.read, _id))?.message;
  const [sent] = message ? await readMessages(acting.read, [message]) : [];
  await settle(acting, _id, sent?.status ?? 'FAILED');
}

/** Ends a follow-up that could not be sent, whatever was tried. */
export async function giveUpFollowUp(kit: Kit, { company, _id, claimed_at }: ClaimedSend): Promise<void> {
  await kit.database.tenantTx(company, async (tx) => {
    const due = await lockFollowUp(tx, _id);
    // Another worker may have taken it meanwhile, and may be sending it.
    if (due?.message === null && due.claimed_at === claimed_at)
      await endFollowUp(tx, _id, { status: 'FAILED', cancel_reason: null });
  });
}

async function actFor(kit: Kit, company: string, id: string): Promise<Acting> {
  const read = kit.database.read(company);
  const agent = await findAgent(read, (await findFollowUp(read, id))?.agent ?? '');
  return actAs(kit.database, company, { type: 'followup', id, name: agent?.name ?? '' });
}

const closesWindow = (kit: Kit, { channel, window_open }: Pick<DueFollowUp, 'channel' | 'window_open'>): boolean =>
  kit.channels.get(channel).can.window24h && !window_open;

/**
 * Checks the template before the transaction, because that may ask the network for it. Returns null for an inbox without templates, whose text is sent
 * at any time.
 */
async function prepareIfNeeded(kit: Kit, acting: Acting, id: string): Promise<PreparedTemplate | null> {
  const due = await kit.database.tenantTx(acting.companyId, (tx) => lockFollowUp(tx, id));
  if (!due?.template || due.window_open || !kit.channels.get(due.channel).can.templates) return null;
  const inbox = await findInboxOf(acting.read, due.conversation);
  if (inbox === null) return null;
  try {
    return await prepareTemplate(kit, acting, { inbox, path: 'inbox' }, due.template);
  } catch (error) {
    if (error instanceof AppError && error.code === 'TEMPLATES_NOT_SUPPORTED') return null;
    throw error;
  }
}

const storeText = (kit: Kit, tx: TenantTx, acting: Acting, { conversation, content }: DueFollowUp) =>
  storeOutgoing(kit, tx, acting, {
    conversation,
    content: { contentType: 'TEXT', content },
    attachment: null,
    replyTo: null,
  });

async function cancel(tx: TenantTx, id: string, cancel_reason: FollowUp['cancel_reason']): Promise<null> {
  await endFollowUp(tx, id, { status: 'CANCELLED', cancel_reason });
  return null;
}

/**
 * Ends a follow-up after the call. A message whose outcome is unknown is not sent again: its follow-up is looked at every two minutes until a
 * later status has settled the message, and nothing follows it before.
 */
async function settle(acting: Acting, id: string, status: StoredOutgoing['message']['status']): Promise<void> {
  if (status === 'QUEUED') return;
  const isSent = status !== 'FAILED';
  await acting.tx(async (tx) => {
    const due = await lockFollowUp(tx, id);
    const end = { status: isSent ? 'SENT' : 'FAILED', cancel_reason: null } as const;
    if (!due || (await endFollowUp(tx, id, end)) === 0 || !isSent) return;
    const sent = (await findFollowUp(tx, id)) as FollowUp;
    await emit(tx, [{ event: 'FOLLOWUP_SENT', data: sent }]);
    const agent = due.is_open && !due.is_answered ? await findAgent(tx, due.agent) : null;
    if (agent) await scheduleFollowUp(tx, { agent, conversation: due.conversation, index: due.index + 1 });
  });
}
