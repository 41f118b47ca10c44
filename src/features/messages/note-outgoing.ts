/** What stored messages of the company change elsewhere: their conversations, their contacts and what shows them. */
import type { Actor } from '../../platform/values/actor.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { touchContact, touchContacts } from '../contacts/ingest-queries.ts';
import { setLastOutgoing } from '../conversations/conversations.ts';
import { insertCardFiles } from './file-queries.ts';
import type { NewOutgoing } from './insert-queries.ts';

interface Noted extends Pick<NewOutgoing, '_id' | 'conversation' | 'contact' | 'status' | 'origin'> {
  /** True when this message opened the conversation, or created the contact: the new row shows the message already. */
  opens?: boolean;
  introduces?: boolean;
  /** True for a reaction: it answers nothing, and the conversation goes on showing the message before. */
  isReaction?: boolean;
  /** True for words that answer nothing, because a person will. */
  keepsWaiting?: boolean;
}

/** The origins of messages that answer a contact; the others are sent to many, or because the contact is silent. */
const ANSWERING: ReadonlySet<NewOutgoing['origin']> = new Set(['DASHBOARD', 'API', 'AGENT']);

/** The origins of what an inbox sends by itself. It answers nothing: what the contact has written is still to be read. */
const BY_INBOX: ReadonlySet<NewOutgoing['origin']> = new Set(['AWAY', 'CSAT']);

/** `cards`: the attachments that the cards of all these messages show. `at`: when they were stored. */
export function noteOutgoing(
  tx: TenantTx,
  { type }: Pick<Actor, 'type'>,
  messages: readonly Noted[],
  { cards, at: message_at }: { cards: readonly string[]; at: string },
): void {
  const { companyId: company } = tx;
  const ids = messages.map(({ _id }) => _id);
  if (cards.length > 0) tx.awaitAtCommit(insertCardFiles(tx, ids, cards));
  // A person looks for a refused message in the list of conversations, which shows the last message and whether it has failed.
  const last = messages.filter(
    ({ status, opens, isReaction }) => !opens && !isReaction && (type === 'user' || status !== 'FAILED'),
  );
  setLastOutgoing(
    tx,
    last.map(({ _id, conversation, status, origin, keepsWaiting }) => {
      const answers = status === 'QUEUED' && !BY_INBOX.has(origin) && keepsWaiting !== true;
      return { conversation, message: _id, answers, replies: answers && ANSWERING.has(origin) };
    }),
  );
  const [first, ...others] = messages
    .filter(({ status, introduces }) => !introduces && status === 'QUEUED')
    .map(({ contact }) => ({ company, contact, message_at, inbound_at: null }));
  if (first) tx.awaitAtCommit(others.length === 0 ? touchContact(tx, first) : touchContacts(tx, [first, ...others]));
}
