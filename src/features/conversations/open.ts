/** Opens a conversation for the business: one for each contact and inbox, even when other requests open it at the same moment. */
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import { emit } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
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
  withOpenConversation(tenant, input, PATHS, (_tx, opened) => Promise.resolve(opened));

/** The conversation to be opened; a field that is undefined is not given. */
type Opening = { [Field in keyof ConversationCreate]: ConversationCreate[Field] | undefined } & { inbox: string };

/** The names of the request's fields, for errors. */
interface Paths {
  inbox: string;
  phone_number: string;
}
const PATHS: Paths = { inbox: 'inbox', phone_number: 'phone_number' };

/** Runs work in the transaction that opens the conversation, so that the conversation is only opened when the work succeeds. */
export async function withOpenConversation<T>(
  tenant: Acting,
  input: Opening,
  paths: Paths,
  work: (tx: TenantTx, opened: OpenedConversation) => Promise<T>,
): Promise<T> {
  checkContactGiven(input, paths);
  for (let round = 1; ; round += 1) {
    try {
      return await tenant.tx(async (tx) => work(tx, await findOrOpenConversation(tx, tenant, input, paths)));
    } catch (error) {
      // Failure policy: the other transaction has committed by now, so the next round finds its contact or conversation; after ROUNDS the
      // error is thrown.
      const wasOvertaken = error instanceof AppError && ['CONTACT_EXISTS', 'UNAVAILABLE'].includes(error.code);
      if (!wasOvertaken || round === ROUNDS) throw error;
    }
  }
}

function checkContactGiven({ contact, name, phone_number, country }: Opening, paths: Paths): void {
  if (contact === undefined && phone_number === undefined) throw invalid('contact', 'is required', 'REQUIRED');
  if (contact === undefined) return;
  if (phone_number !== undefined) throw invalid(paths.phone_number, 'is not allowed with contact');
  if (name !== undefined) throw invalid('name', 'is not allowed with contact');
  if (country !== undefined) throw invalid('country', 'is not allowed with contact');
}

async function findOrOpenConversation(
  tx: TenantTx,
  tenant: Acting,
  input: Opening,
  paths: Paths,
): Promise<OpenedConversation> {
  const inbox = await findOpeningInbox(tx, input.inbox);
  if (!inbox) throw unknownReference(paths.inbox);
  if (inbox.status !== 'ACTIVE') throw invalid(paths.inbox, 'is deleted', 'INBOX_INACTIVE');
  await expectUsers(tx, { owner: input.owner });
  const contact = await findOrCreateContact(tx, tenant, input, paths);
  const key = { company: tx.companyId, inbox: input.inbox, contact };
  // A conversation is locked before its contact, as in all operations.
  const [thread] = await lockOpenThreads(tx, [key]);
  if (thread) return { conversation: await assignOwnerAndAgent(tx, tenant, thread._id, input), opened: false };
  if ((await keepContactFromRemoval(tx, contact)) === 0)
    throw input.contact === undefined ? makeOvertakenError() : unknownReference('contact');
  const [made] = await insertThreads(tx, [{ ...key, ...chooseInitialFields(inbox, input) }]);
  const conversation = made && (await findConversation(tx, made._id));
  if (!conversation) throw makeOvertakenError();
  tx.created(conversation._id);
  await emit(tx, [{ event: 'CONVERSATION_CREATED', data: conversation }]);
  return { conversation, opened: true };
}

const makeOvertakenError = (): AppError =>
  new AppError('UNAVAILABLE', 'The conversation is changing too fast', [], { 'retry-after': '1' });

function findOrCreateContact(tx: TenantTx, { actor }: Acting, input: Opening, paths: Paths): Promise<string> | string {
  const { contact, name = null, phone_number, country } = input;
  if (contact !== undefined) return contact;
  const phone = { name, phone_number: phone_number ?? '', country, path: paths.phone_number };
  return findOrCreateByPhone(tx, toContactSource(actor), phone);
}

/** Returns the first owner and agent of a conversation: those of the request, or else the defaults of the inbox. */
function chooseInitialFields({ channel, is_test, ...inbox }: OpeningInbox, input: Opening) {
  const { owner = inbox.default_owner, agent = inbox.default_agent } = input;
  return { _id: newId(), channel, status: 'OPEN', handled_by: agent ? 'AI' : 'NONE', agent, owner, is_test } as const;
}

/** Applies the owner and agent of the request to a conversation that is already open; others stay as they are. */
async function assignOwnerAndAgent(tx: TenantTx, tenant: Acting, id: string, input: Opening): Promise<Conversation> {
  const before = await lockConversation(tx, id);
  if (!before) throw makeOvertakenError();
  tx.created(id);
  const { owner, agent } = input;
  const change: ConversationUpdate = {
    ...(owner === undefined ? {} : { owner }),
    ...(agent ? { agent, handled_by: 'AI' } : {}),
    ...(agent === null ? { agent } : {}),
  };
  return (await changeConversation(tx, tenant, before, { input: change, step: null })).conversation;
}
