/** Messages that are sent at a time, and messages that are held for some seconds in which their author can take them back. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Acting, Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { takeOver } from '../conversations/update.ts';
import { lockAttachments } from '../messages/files.ts';
import { findReplied } from '../messages/messages.ts';
import { sendOnce } from '../sends/due/loop.ts';
import { prepareContent, readContent } from './content.ts';
import {
  claimNow,
  countScheduled,
  endScheduled,
  findScheduled,
  findScheduledMessages,
  findUnknownFilters,
  insertScheduled,
  keepClosed,
  listScheduled,
  lockScheduled,
  updateScheduled,
  type Author,
  type DueScheduled,
  type NewScheduled,
} from './queries.ts';
import {
  MAX_AHEAD_DAYS,
  MAX_SCHEDULED,
  type ScheduledMessage,
  type ScheduledMessageCreate,
  type ScheduledMessageQuery,
  type ScheduledMessageUpdate,
} from './schemas.ts';
import { SCHEDULED_MESSAGES } from './source.ts';

// As long as a worker's claim holds: longer than a call to the network.
const LEASE_SECONDS = 30;
const DAY_MS = 86_400_000;

export async function createScheduled(
  kit: Kit,
  tenant: Tenant,
  input: ScheduledMessageCreate,
): Promise<ScheduledMessage> {
  const { conversation, send_at, hold_seconds, reply_to = null, cancel_on_reply = false } = input;
  const at = readTime(send_at, hold_seconds);
  const message = readContent(input.message);
  await prepareContent(kit, tenant, { conversation, message });
  const is_held = hold_seconds !== undefined;
  return tenant.tx(async (tx) => {
    const id = await storeScheduled(tx, tenant, {
      conversation,
      message,
      reply_to,
      cancel_on_reply,
      is_held,
      send_at: at,
    });
    tx.created(id);
    return expectScheduled(tx, id);
  });
}

/** Stores a message that is sent at a time, in the caller's transaction, and returns its id. One that is held, for however short, answers now. */
export async function storeScheduled(
  tx: TenantTx,
  acting: Acting,
  given: Omit<NewScheduled, '_id' | 'actor'>,
): Promise<string> {
  const { conversation, reply_to, message, is_held } = given;
  // Its author answers now, so the agent does not answer while the message is held.
  if (is_held && acting.actor.type === 'user') await takeOver(tx, acting, conversation);
  await checkNamed(tx, { conversation, reply_to, attachment: message.attachment });
  await lockLimit(tx, `scheduled-messages:${conversation}`);
  if ((await countScheduled(tx, conversation)) >= MAX_SCHEDULED)
    throw invalid('conversation', `has ${MAX_SCHEDULED} scheduled messages already`, 'LIMIT_REACHED');
  const _id = newId();
  await insertScheduled(tx, { ...given, _id, actor: pickAuthor(acting) });
  if (given.send_at.getTime() <= Date.now()) tx.wakes(SCHEDULED_MESSAGES.name);
  return _id;
}

/** Lets a message leave its conversation closed, if the caller's transaction has closed it, or it was closed before. */
export const leaveClosed = (tx: TenantTx, id: string): Promise<number> => keepClosed(tx, id);

const pickAuthor = ({ actor: { type, id, name } }: Acting): Author => ({ type, id, name });

/** Reads when the message is sent. Throws VALIDATION_FAILED unless the request names one future time within the limit. */
function readTime(sendAt: string | undefined, holdSeconds: number | undefined): Date {
  if ((sendAt === undefined) === (holdSeconds === undefined))
    throw invalid('send_at', 'is required, or else hold_seconds', 'REQUIRED');
  return holdSeconds === undefined ? expectFuture(sendAt ?? '') : new Date(Date.now() + holdSeconds * 1_000);
}

function expectFuture(sendAt: string): Date {
  const at = new Date(sendAt);
  const aheadMs = at.getTime() - Date.now();
  if (!(aheadMs > 0)) throw invalid('send_at', 'must be in the future');
  if (aheadMs > MAX_AHEAD_DAYS * DAY_MS) throw invalid('send_at', `must be at most ${MAX_AHEAD_DAYS} days ahead`);
  return at;
}

interface Named {
  conversation: string;
  reply_to: string | null;
  attachment: string | null;
}

async function checkNamed(tx: TenantTx, { conversation, reply_to, attachment }: Named): Promise<void> {
  if (reply_to !== null && !(await findReplied(tx, conversation, reply_to))) throw unknownReference('reply_to');
  if (attachment !== null && (await lockAttachments(tx, [attachment])).length === 0)
    throw unknownReference('message.attachment');
}

export async function pageScheduled(tenant: Tenant, query: ScheduledMessageQuery): Promise<Page<ScheduledMessage>> {
  const { conversation = null, status = null, created_by = null } = query;
  refuseUnknown(await findUnknownFilters(tenant.read, { conversation, created_by }));
  return listScheduled(tenant.read, { conversation, status, created_by }, pageWindow('scheduled-messages', query));
}

export async function expectScheduled(read: TenantRead, id: string): Promise<ScheduledMessage> {
  return expectFound(await findScheduled(read, id));
}

export const readScheduledMessages = (read: TenantRead, ids: string[]): Promise<ScheduledMessage[]> =>
  findScheduledMessages(read, ids);

/** If the caller changes the content, the message is sent in the caller's name. Throws SCHEDULED_MESSAGE_ENDED unless the message is SCHEDULED and not being sent. */
export async function updateScheduledById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: ScheduledMessageUpdate,
): Promise<ScheduledMessage> {
  const { conversation } = await expectScheduled(tenant.read, id);
  const message = input.message && readContent(input.message);
  if (message) await prepareContent(kit, tenant, { conversation, message });
  const at = input.send_at === undefined ? null : expectFuture(input.send_at);
  return tenant.tx(async (tx) => {
    const before = await lockOpen(tx, id);
    const own = pickOwn(before);
    const next = {
      ...own,
      ...(message && { message }),
      ...(at && { send_at: at.toISOString(), is_held: false }),
      ...(input.reply_to !== undefined && { reply_to: input.reply_to }),
      ...(input.cancel_on_reply !== undefined && { cancel_on_reply: input.cancel_on_reply }),
    };
    if (isDeepStrictEqual(next, own)) return expectScheduled(tx, id);
    await checkNamed(tx, { conversation, reply_to: next.reply_to, attachment: next.message.attachment });
    const isRewritten = !isDeepStrictEqual([next.message, next.reply_to], [own.message, own.reply_to]);
    await updateScheduled(tx, { ...next, actor: isRewritten ? pickAuthor(tenant) : before.actor });
    return expectScheduled(tx, id);
  });
}

const pickOwn = ({ _id, message, reply_to, cancel_on_reply, is_held, send_at }: ScheduledMessage) => ({
  _id,
  message,
  reply_to,
  cancel_on_reply,
  is_held,
  send_at,
});

async function lockOpen(tx: TenantTx, id: string): Promise<DueScheduled> {
  const found = expectFound(await lockScheduled(tx, id));
  if (found.status !== 'SCHEDULED' || found.is_calling) throw new AppError('SCHEDULED_MESSAGE_ENDED');
  return found;
}

/** Throws SCHEDULED_MESSAGE_ENDED unless the message is SCHEDULED and not being sent. */
export function cancelScheduled(tenant: Tenant, id: string): Promise<ScheduledMessage> {
  return tenant.tx(async (tx) => {
    await lockOpen(tx, id);
    await endScheduled(tx, id, { status: 'CANCELLED', cancel_reason: 'CANCELLED_BY_REQUEST' });
    tx.created(id);
    return expectScheduled(tx, id);
  });
}

/** Sends the message now, as a worker would. Throws SCHEDULED_MESSAGE_ENDED unless the message is SCHEDULED and not being sent. */
export async function sendScheduledNow(kit: Kit, tenant: Tenant, id: string): Promise<ScheduledMessage> {
  const claimed = await tenant.tx(async (tx) => {
    await lockOpen(tx, id);
    tx.created(id);
    return claimNow(tx, id, LEASE_SECONDS);
  });
  await sendOnce(kit, SCHEDULED_MESSAGES, claimed);
  return expectScheduled(tenant.read, id);
}
