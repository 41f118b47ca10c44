/** The conversations into which one can be merged: the others of its contact in its inbox. */
import type { Conversation } from '@parley/sdk';
import { parley } from '../../../client.ts';
import { keepConversations } from '../../../records/conversations.ts';

export interface Candidate {
  _id: string;
  conversation: Conversation;
  /** The subject of its first mail; null in other channels, and when it could not be read. */
  subject: string | null;
}

const MOST = 50;

/** Returns the conversations that were active last, the newest first. */
export async function findCandidates(shown: Conversation, signal: AbortSignal): Promise<Candidate[]> {
  const { contact, inbox } = shown;
  const { result } = await parley.conversations.list(
    { contact, inbox, sort: '-last_message_at', limit: MOST, skipCount: true },
    { signal },
  );
  const others = result.filter(({ _id, is_test }) => _id !== shown._id && is_test === shown.is_test);
  keepConversations(others);
  return Promise.all(
    others.map(async (conversation) => ({
      _id: conversation._id,
      conversation,
      subject: conversation.channel === 'EMAIL' ? await readSubject(conversation._id, signal).catch(() => null) : null,
    })),
  );
}

async function readSubject(conversation: string, signal: AbortSignal): Promise<string | null> {
  const query = { sort: 'createdAt', limit: 1, skipCount: true } as const;
  const { result } = await parley.messages.listInConversation(conversation, query, { signal });
  return result[0]?.email?.subject ?? null;
}
