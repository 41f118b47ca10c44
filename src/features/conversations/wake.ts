/** Ends a snooze at its time. */
import type { Kit } from '../../kit.ts';
import { emitConversations } from './announce.ts';
import { endSnooze } from './queries.ts';

/** Opens the conversation again, unless its snooze has already ended or got another end. */
export async function wakeConversation(
  kit: Kit,
  { company, conversation, until }: { company: string; conversation: string; until: string },
): Promise<void> {
  await kit.database.tenantTx(company, async (tx) => {
    if ((await endSnooze(tx, conversation, until)) > 0) await emitConversations(tx, [conversation]);
  });
}
