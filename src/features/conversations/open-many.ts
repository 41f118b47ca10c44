/** Opens conversations with many contacts in one inbox, and assigns them, with few statements. */
import { ChangedMeanwhile } from '../../platform/store/overtaken.ts';
import { emit } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { findConversationsByKeys, insertThreads, lockOpenThreads } from './ingest-queries.ts';
import { findAssignments, setAssignments, type Assignment } from './queries.ts';

/** The inbox, and whom its conversations are assigned to. `owner`, `agent` and `attendant` are null where the caller names no one. */
export interface Opening {
  inbox: string;
  channel: string;
  is_test: boolean;
  default_owner: string | null;
  default_agent: string | null;
  owner: string | null;
  agent: string | null;
  attendant: string | null;
  /** True when open conversations keep their owner and agent where the caller names none. */
  keeps: boolean;
  /** Called with all these conversations before their events are emitted, in the same transaction. */
  mark?(conversations: { _id: string; contact: string }[]): Promise<void>;
}

export interface Partner {
  contact: string;
  /** The contact's open conversation in the inbox; null when one is to be opened. */
  conversation: string | null;
}

/** Locks the open conversations of these contacts in the inbox, as every operation does before it locks contacts. */
export const lockOpenOnes = (tx: TenantTx, inbox: string, contacts: string[]) =>
  lockOpenThreads(
    tx,
    contacts.map((contact) => ({ company: tx.companyId, inbox, contact })),
  );

/**
 * Returns the conversation of each contact, in the same order. The caller has locked the open ones and holds the contacts. Throws UNAVAILABLE
 * when another transaction has opened one meanwhile.
 */
export async function openMany(tx: TenantTx, opening: Opening, partners: Partner[]): Promise<string[]> {
  if (partners.length === 0) return [];
  const { inbox, channel, is_test } = opening;
  const agent = opening.agent ?? opening.default_agent;
  const owner = opening.owner ?? opening.default_owner;
  const missing = partners.filter(({ conversation }) => conversation === null);
  const made = missing.map(({ contact }) => ({ _id: newId(), company: tx.companyId, inbox, contact }));
  const fixed = { channel, status: 'OPEN', handled_by: agent ? 'AI' : 'NONE', agent, owner, is_test } as const;
  if (made.length > 0) {
    const inserted = await insertThreads(
      tx,
      made.map((key) => ({ ...key, ...fixed })),
    );
    if (inserted.length !== made.length) throw new ChangedMeanwhile('A conversation');
  }
  const created = new Map(made.map(({ contact, _id }) => [contact, _id]));
  const ids = partners.map(({ contact, conversation }) => conversation ?? created.get(contact) ?? '');
  const changed = await assign(tx, opening, ids);
  await opening.mark?.(partners.map(({ contact }, place) => ({ _id: ids[place] ?? '', contact })));
  const isNew = new Set(created.values());
  await report(tx, [...new Set([...isNew, ...changed])], isNew);
  return ids;
}

/** Returns the conversations whose assignment has changed. */
async function assign(tx: TenantTx, opening: Opening, ids: string[]): Promise<string[]> {
  const before = await findAssignments(tx, ids);
  const changed = before.flatMap((each) => {
    const next = chooseAssignment(opening, each);
    const isSame = (['owner', 'agent', 'attendant', 'handled_by'] as const).every(
      (field) => next[field] === each[field],
    );
    return isSame ? [] : [next];
  });
  if (changed.length > 0) await setAssignments(tx, changed);
  return changed.map(({ _id }) => _id);
}

/**
 * The caller's choice comes first, then the present assignment if it is kept, then that of the inbox. An assignment is never replaced by
 * none.
 */
function chooseAssignment(opening: Opening, present: Assignment): Assignment {
  const { keeps } = opening;
  const choose = (asked: string | null, current: string | null, fallback: string | null): string | null =>
    asked ?? (keeps ? (current ?? fallback) : (fallback ?? current));
  const agent = choose(opening.agent, present.agent, opening.default_agent);
  const isActivated = opening.agent !== null || agent !== present.agent;
  return {
    _id: present._id,
    owner: choose(opening.owner, present.owner, opening.default_owner),
    agent,
    attendant: opening.attendant ?? present.attendant,
    handled_by: agent !== null && isActivated ? 'AI' : present.handled_by,
  };
}

async function report(tx: TenantTx, ids: string[], isNew: Set<string>): Promise<void> {
  if (ids.length === 0) return;
  const records = await findConversationsByKeys(
    tx,
    ids.map((_id) => ({ company: tx.companyId, _id })),
  );
  await emit(
    tx,
    records.map((data) => ({ event: isNew.has(data._id) ? 'CONVERSATION_CREATED' : 'CONVERSATION_UPDATED', data })),
  );
}
