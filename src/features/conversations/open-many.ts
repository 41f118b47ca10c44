/** Opens conversations with contacts in one inbox, and assigns them: for a request, a bulk send, a campaign and received messages. */
import { isDeepStrictEqual } from 'node:util';
import { violates } from '../../platform/store/db.ts';
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { newId } from '../../platform/values/ids.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { emitConversations } from './announce.ts';
import {
  insertThreads,
  lockOpenThreads,
  reopenThreads,
  type FirstMessage,
  type NewConversation,
  type Thread,
} from './ingest-queries.ts';
import { findAssignments, setAssignments, type Assignment, type OpeningInbox } from './queries.ts';

/** Whom the caller names. A field that is null assigns no one; one that is undefined leaves the choice to the rule. */
type Choice = { [Field in 'owner' | 'agent' | 'attendant' | 'team']?: string | null | undefined };

export interface Opening extends OpeningInbox, Choice {
  /** True when open conversations keep their owner and agent where the caller names no one. */
  keeps: boolean;
  /** Stores the messages of all these conversations, in the same transaction and before the events are emitted. */
  store?(conversations: { _id: string; contact: string }[]): Promise<void>;
}

export interface Partner {
  contact: string;
  /** The contact's open conversation in the inbox; null when one is to be opened. */
  conversation: string | null;
  /** The message that opens it. */
  first?: FirstMessage;
}

export interface FoundConversation {
  _id: string;
  /** True when the conversation is a new one. */
  opened: boolean;
}

/** Locks the open conversations of these contacts in the inbox, as every operation does before it locks contacts. */
export const lockOpenOnes = (tx: TenantTx, inbox: string, contacts: string[]) =>
  lockOpenThreads(
    tx,
    contacts.map((contact) => ({ company: tx.companyId, inbox, contact })),
  );

/**
 * Returns the conversation of each contact, in the same order. The caller has locked the open ones and holds the contacts of the others.
 * Throws ChangedMeanwhile when another transaction has opened one meanwhile.
 */
export async function openConversations(
  tx: TenantTx,
  opening: Opening,
  partners: Partner[],
): Promise<FoundConversation[]> {
  if (partners.length === 0) return [];
  const made = partners.flatMap(({ contact, conversation, first }) =>
    conversation === null ? [{ ...makeConversation(tx.companyId, contact, opening), first }] : [],
  );
  const opened = made.length === 0 ? [] : await insertThreads(tx, made);
  const reopened = await reopenOthers(tx, made, opened);
  const found = new Map([...opened, ...reopened].map(({ contact, _id }) => [contact, _id]));
  const conversations = partners.map(({ contact, conversation }) => ({
    _id: conversation ?? found.get(contact) ?? '',
    contact,
  }));
  const changed = await assignOpen(
    tx,
    opening,
    partners.flatMap(({ conversation }) => conversation ?? []),
  );
  const continued = reopened.map(({ _id }) => _id);
  // A reopened conversation keeps its assignment where the caller names no one, even if it has none.
  const defaults = opening.keeps && { default_owner: null, default_agent: null, default_team: null };
  await assignOpen(tx, { ...opening, ...defaults }, continued);
  await opening.store?.(conversations);
  const isNew = new Set(opened.map(({ _id }) => _id));
  await emitConversations(tx, [...isNew, ...changed, ...continued], isNew);
  return conversations.map(({ _id }) => ({ _id, opened: isNew.has(_id) }));
}

/** Reopens the conversations that were not opened because they continue closed ones. */
async function reopenOthers(tx: TenantTx, made: NewConversation[], opened: Thread[]): Promise<Thread[]> {
  const ids = new Set(opened.map(({ _id }) => _id));
  const others = made.filter(({ _id }) => !ids.has(_id));
  if (others.length === 0) return [];
  try {
    const reopened = await reopenThreads(tx, others);
    if (reopened.length === others.length) return reopened;
  } catch (error) {
    // Failure policy: an error of the unique index means that another transaction has opened a conversation; any other error is thrown on.
    if (!violates(error, 'conversations_open_key')) throw error;
  }
  throw new ChangedMeanwhile('A conversation');
}

/** Makes the record of a new conversation. */
export function makeConversation(company: string, contact: string, opening: OpeningInbox & Choice): NewConversation {
  const { inbox, channel, is_test } = opening;
  const unassigned = {
    _id: newId(),
    owner: null,
    agent: null,
    attendant: null,
    team: null,
    handled_by: 'NONE',
  } as const;
  return {
    ...chooseAssignment({ ...opening, keeps: false }, unassigned),
    company,
    inbox,
    contact,
    channel,
    status: 'OPEN',
    is_test,
  };
}

/** Assigns conversations that were already open. Returns those whose assignment has changed. */
async function assignOpen(tx: TenantTx, opening: Opening, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const changed = (await findAssignments(tx, ids)).flatMap((present) => {
    const next = chooseAssignment(opening, present);
    return isDeepStrictEqual(next, present) ? [] : [next];
  });
  if (changed.length > 0) await setAssignments(tx, changed);
  return changed.map(({ _id }) => _id);
}

/**
 * The caller's choice comes first, then the present assignment if it is kept, then that of the inbox. Only the caller replaces an assignment
 * by none. With a new agent, or one that the caller names, the conversation is handled by AI.
 */
function chooseAssignment(opening: OpeningInbox & Choice & Pick<Opening, 'keeps'>, present: Assignment): Assignment {
  const { keeps } = opening;
  const choose = (named: string | null | undefined, current: string | null, fallback: string | null) => {
    if (named !== undefined) return named;
    return keeps ? (current ?? fallback) : (fallback ?? current);
  };
  const agent = choose(opening.agent, present.agent, opening.default_agent);
  const isActivated = agent !== null && (opening.agent !== undefined || agent !== present.agent);
  const isEnded = opening.agent === null && present.handled_by === 'AI';
  return {
    ...present,
    owner: choose(opening.owner, present.owner, opening.default_owner),
    agent,
    attendant: choose(opening.attendant, present.attendant, null),
    team: choose(opening.team, present.team, opening.default_team),
    handled_by: isActivated ? 'AI' : isEnded ? 'NONE' : present.handled_by,
  };
}
