/** Opens a conversation for the business: one for each contact and inbox, even when other requests open it at the same moment. */
import { AppError, invalid, unknownReference } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import type { Acting, TenantTx } from '../../platform/tenant.ts';
import { findOrCreateByPhone } from '../contacts/by-phone.ts';
import { toContactSource } from '../contacts/contacts.ts';
import { expectUsers } from '../users/assignments.ts';
import { insertThreads, lockOpenThreads } from './ingest-queries.ts';
import {
  findConversation,
  findOpeningInbox,
  keepContactFromRemoval,
  lockConversation,
  type OpeningInbox,
} from './queries.ts';
import type { Conversation, ConversationCreate, ConversationUpdate } from './schemas.ts';
import { changeConversation } from './update.ts';

export interface OpenedConversation {
  conversation: Conversation;
  /** False when the conversation was already open. */
  opened: boolean;
}

// The number of tries: another transaction may create the contact or open the conversation between the read and the write of this one; even
// twice in a row is rare.
const ROUNDS = 3;

/** Returns the open conversation of this contact in this inbox, and opens one when there is none. */
export const openConversation = (tenant: Acting, input: ConversationCreate): Promise<OpenedConversation> =>
  withOpenConversation(tenant, input, (_tx, opened) => Promise.resolve(opened));

/** Runs work in the transaction that opens the conversation, so that the conversation is only opened when the work succeeds. */
export async function withOpenConversation<T>(
  tenant: Acting,
  input: ConversationCreate,
  work: (tx: TenantTx, opened: OpenedConversation) => Promise<T>,
): Promise<T> {
  checkContactGiven(input);
  for (let round = 1; ; round += 1) {
    try {
      return await tenant.tx(async (tx) => work(tx, await findOrOpenConversation(tx, tenant, input)));
    } catch (error) {
      // Failure policy: the other transaction has committed by now, so the next round finds its contact or conversation; after ROUNDS the
      // error is thrown.
      const wasOvertaken = error instanceof AppError && ['CONTACT_EXISTS', 'UNAVAILABLE'].includes(error.code);
      if (!wasOvertaken || round === ROUNDS) throw error;
    }
  }
}

function checkContactGiven({ contact, name, phone_number, country }: ConversationCreate): void {
  if (contact === undefined && phone_number === undefined) throw invalid('contact', 'is required', 'REQUIRED');
  if (contact === undefined) return;
  if (phone_number !== undefined) throw invalid('phone_number', 'has no place beside contact');
  if (name !== undefined) throw invalid('name', 'has no place beside contact');
  if (country !== undefined) throw invalid('country', 'has no place beside contact');
}

async function findOrOpenConversation(
  tx: TenantTx,
  tenant: Acting,
  input: ConversationCreate,
): Promise<OpenedConversation> {
  const inbox = await findOpeningInbox(tx, input.inbox);
  if (!inbox) throw unknownReference('inbox');
  if (inbox.status !== 'ACTIVE') throw invalid('inbox', 'is deleted', 'INBOX_INACTIVE');
  await expectUsers(tx, { owner: input.owner });
  const contact = await findOrCreateContact(tx, tenant, input);
  const key = { company: tx.companyId, inbox: input.inbox, contact };
  // A conversation is locked before its contact, as in all operations.
  const [thread] = await lockOpenThreads(tx, [key]);
  if (thread) return { conversation: await assignOwnerAndAgent(tx, tenant, thread._id, input), opened: false };
  if ((await keepContactFromRemoval(tx, contact)) === 0)
    throw input.contact === undefined ? makeOvertakenError() : unknownReference('contact');
  const [made] = await insertThreads(tx, [{ ...key, ...chooseInitialFields(inbox, input) }]);
  const conversation = made && (await findConversation(tx, made._id));
  if (!conversation) throw makeOvertakenError();
  tx.makes(conversation._id);
  await emit(tx, [{ event: 'CONVERSATION_CREATED', data: conversation }]);
  return { conversation, opened: true };
}

const makeOvertakenError = (): AppError =>
  new AppError('UNAVAILABLE', 'The conversation changes too quickly', [], { 'retry-after': '1' });

function findOrCreateContact(tx: TenantTx, { actor }: Acting, input: ConversationCreate): Promise<string> | string {
  const { contact, name = null, phone_number, country } = input;
  if (contact !== undefined) return contact;
  return findOrCreateByPhone(tx, toContactSource(actor), { name, phone_number: phone_number ?? '', country });
}

/** Returns the first owner and agent of a conversation: those of the request, or else the defaults of the inbox. */
function chooseInitialFields({ channel, is_test, ...inbox }: OpeningInbox, input: ConversationCreate) {
  const { owner = inbox.default_owner, agent = inbox.default_agent } = input;
  return { _id: newId(), channel, status: 'OPEN', handled_by: agent ? 'AI' : 'NONE', agent, owner, is_test } as const;
}

/** Applies the owner and agent of the request to a conversation that is already open; others stay as they are. */
async function assignOwnerAndAgent(
  tx: TenantTx,
  tenant: Acting,
  id: string,
  input: ConversationCreate,
): Promise<Conversation> {
  const before = await lockConversation(tx, id);
  if (!before) throw makeOvertakenError();
  tx.makes(id);
  const { owner, agent } = input;
  const change: ConversationUpdate = {
    ...(owner === undefined ? {} : { owner }),
    ...(agent ? { agent, handled_by: 'AI' } : {}),
    ...(agent === null ? { agent } : {}),
  };
  return (await changeConversation(tx, tenant, before, { input: change, step: null })).conversation;
}
