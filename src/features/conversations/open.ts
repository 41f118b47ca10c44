/** Opens a conversation for the business: one for each contact and inbox, even when other requests open it at the same moment. */
import { AppError, invalid, unknownReference } from '../../platform/values/errors.ts';
import { ChangedMeanwhile, isChangedMeanwhile, repeatOvertaken } from '../../platform/store/overtaken.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { findOrCreateByPhone } from '../contacts/by-phone.ts';
import { toContactSource } from '../contacts/contacts.ts';
import { expectTeam } from '../teams/teams.ts';
import { expectUsers } from '../users/assignments.ts';
import { expectConversation } from './conversations.ts';
import { lockOpenOnes, openConversations, type FoundConversation } from './open-many.ts';
import { findOpeningInbox, keepContactFromRemoval } from './queries.ts';
import type { Conversation, ConversationCreate } from './schemas.ts';

interface OpenedConversation {
  conversation: Conversation;
  /** False when the conversation was already open, or is a closed one that was reopened. */
  opened: boolean;
}

/** Returns the open conversation of this contact in this inbox, and opens one when there is none. */
export const openConversation = (tenant: Acting, input: ConversationCreate): Promise<OpenedConversation> =>
  withOpenConversation(tenant, input, PATHS, async (tx, { _id, opened }) => ({
    conversation: await expectConversation(tx, _id),
    opened,
  }));

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
  work: (tx: TenantTx, found: FoundConversation) => Promise<T>,
): Promise<T> {
  checkContactGiven(input, paths);
  return repeatOvertaken(
    () => tenant.tx(async (tx) => work(tx, await findOrOpenConversation(tx, tenant, input, paths))),
    isOvertaken,
  );
}

/** Another transaction has created the contact or opened the conversation, and has committed: the next try finds it. */
const isOvertaken = (error: unknown): boolean =>
  isChangedMeanwhile(error) || (error instanceof AppError && error.code === 'CONTACT_EXISTS');

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
): Promise<FoundConversation> {
  const { owner, agent, team } = input;
  const into = await findOpeningInbox(tx, input.inbox);
  if (!into) throw unknownReference(paths.inbox);
  const { status, ...inbox } = into;
  if (status !== 'ACTIVE') throw invalid(paths.inbox, 'is deleted', 'INBOX_INACTIVE');
  await expectUsers(tx, { owner }, inbox.inbox);
  await expectTeam(tx, 'team', team);
  const contact = await findOrCreateContact(tx, tenant, input, paths);
  // A conversation is locked before its contact, as in all operations.
  const [thread] = await lockOpenOnes(tx, inbox.inbox, [contact]);
  if (!thread && (await keepContactFromRemoval(tx, contact)) === 0)
    throw input.contact === undefined ? new ChangedMeanwhile('The contact') : unknownReference('contact');
  const partner = { contact, conversation: thread?._id ?? null };
  // An open conversation stays as it is where the request names no one.
  const defaults = thread && { default_owner: null, default_agent: null, default_team: null };
  const opening = { ...inbox, ...defaults, owner, agent, team, keeps: true };
  const [found = { _id: '', opened: false }] = await openConversations(tx, opening, [partner]);
  tx.created(found._id);
  return found;
}

function findOrCreateContact(tx: TenantTx, { actor }: Acting, input: Opening, paths: Paths): Promise<string> | string {
  const { contact, name = null, phone_number, country } = input;
  if (contact !== undefined) return contact;
  const phone = { name, phone_number: phone_number ?? '', country, path: paths.phone_number };
  return findOrCreateByPhone(tx, toContactSource(actor), phone);
}
