/** Merges two conversations of one contact in one inbox: everything that belongs to one is moved to the other, in one transaction. */
import type { Kit } from '../../../kit.ts';
import { emit } from '../../../platform/store/events.ts';
import { workInPortions } from '../../../platform/store/portions.ts';
import type { Acting, Tenant, TenantTx } from '../../../platform/store/tenant.ts';
import { invalid, notFound, unknownReference } from '../../../platform/values/errors.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import { expectRecordSize } from '../../../platform/values/sizes.ts';
import { expectConversation } from '../../conversations/conversations.ts';
import { MAX_FOLLOWERS } from '../../conversations/participants/schemas.ts';
import { MAX_TAGS, type Conversation } from '../../conversations/schemas.ts';
import { enqueueWake } from '../../conversations/update.ts';
import { fieldEvents, uniteValues } from '../../custom-fields/values.ts';
import {
  absorbConversation,
  addUpBudgets,
  countMessages,
  lockConversationPair,
  MOVED_TABLES,
  moveAwayTexts,
  moveClocks,
  moveFollowers,
  moveNotifications,
  movePlaces,
  moveThreadMessages,
  moveThreadRows,
  moveTurn,
  noteMerge,
  type ConversationMove,
  type MergedConversation,
} from './queries.ts';
import type { ConversationMerge, ConversationMerged } from './schemas.ts';

/** A merge of so many takes some fifteen seconds on a small machine, in which the contact's messages wait. */
const MAX_MERGED_MESSAGES = declareLimit(100_000, {
  topic: 'Messages',
  what: 'Messages of a conversation that is merged into another one',
  beyond: '400; merge the other one into it',
});
// A statement for this many messages or rows takes some hundred milliseconds.
const PORTION = 5_000;

/** Answers a repeated request with the conversation as it is now. */
export const readMergedConversation = (tenant: Tenant, id: string): Promise<Conversation> =>
  expectConversation(tenant.read, id);

/** Merges the conversation that the input names into `to`. Throws NOT_FOUND for `to`, UNKNOWN_REFERENCE for the other one. */
export function mergeConversation(
  kit: Kit,
  tenant: Acting,
  to: string,
  { conversation: from }: ConversationMerge,
): Promise<Conversation> {
  return tenant.tx(async (tx) => {
    const { stays, goes } = await lockPair(tx, { from, to });
    if ((await countMessages(tx, from, MAX_MERGED_MESSAGES + 1)) > MAX_MERGED_MESSAGES)
      throw invalid('conversation', `has more than ${MAX_MERGED_MESSAGES} messages`);
    await moveThread(tx, { from, to }, goes);
    const { held, changes } = await uniteValues(tx, 'conversation', { held: stays.held, other: goes.held });
    const tags = [...new Set([...stays.tags, ...goes.tags])].slice(0, MAX_TAGS);
    await absorbConversation(tx, { from, to }, { tags, held });
    await noteMerge(tx, { from, to });
    const conversation = expectRecordSize('custom_fields', await expectConversation(tx, to));
    const { _id, company, contact, snoozed_until } = conversation;
    if (goes.status === 'SNOOZED' && snoozed_until !== null) await enqueueWake(kit, tx, conversation, snoozed_until);
    await emit(tx, [
      { event: 'CONVERSATION_UPDATED', data: conversation },
      { event: 'CONVERSATION_MERGED', about: { _id, company }, data: describeMerge(conversation, from) },
      ...fieldEvents({ _id, company, contact, conversation: _id }, changes),
    ]);
    return conversation;
  });
}

const describeMerge = ({ _id, contact, company }: Conversation, from: string): ConversationMerged => ({
  conversationId: _id,
  mergedId: from,
  contactId: contact,
  companyId: company,
  mergedAt: new Date().toISOString(),
});

interface Pair {
  stays: MergedConversation;
  /** The conversation that the merge removes. */
  goes: MergedConversation;
}

async function lockPair(tx: TenantTx, { from, to }: ConversationMove): Promise<Pair> {
  if (from === to) throw invalid('conversation', 'is the conversation itself');
  const found = await lockConversationPair(tx, { from, to });
  const [stays, goes] = [to, from].map((id) => found.find(({ _id }) => _id === id));
  if (!stays) throw notFound();
  if (!goes) throw unknownReference('conversation');
  // The network's reply window, the identity that a reply goes to and the one open conversation are those of a contact in an inbox.
  if (goes.contact !== stays.contact) throw invalid('conversation', 'belongs to another contact');
  if (goes.inbox !== stays.inbox) throw invalid('conversation', 'is in another inbox');
  if (goes.is_test !== stays.is_test)
    throw invalid('conversation', 'must be in test mode exactly if the other conversation is');
  return { stays, goes };
}

/** Moves what belongs to the conversation. Messages come first, because every operation locks them before what depends on them. */
async function moveThread(tx: TenantTx, move: ConversationMove, goes: MergedConversation): Promise<void> {
  await workInPortions(() => moveThreadMessages(tx, move, PORTION));
  for (const table of MOVED_TABLES) await workInPortions(() => moveThreadRows(tx, table, move, PORTION));
  await movePlaces(tx, move, goes.contact);
  await moveFollowers(tx, move, MAX_FOLLOWERS);
  await moveNotifications(tx, move);
  await moveAwayTexts(tx, move);
  await addUpBudgets(tx, move);
  // Only an open conversation waits for an agent or has clocks that run.
  if (goes.status === 'CLOSED') return;
  await moveTurn(tx, move);
  await moveClocks(tx, move);
}
