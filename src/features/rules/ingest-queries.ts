/** Leaves messages of contacts for rules, in the transaction that stores them. */
import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

interface LeftMessage {
  company: string;
  conversation: string;
  message: string;
  /** Whether a machine wrote it. */
  isAutomatic: boolean;
}

export function leaveMessages(tx: SystemTx, left: readonly LeftMessage[]): Promise<number> {
  return exec(tx, {
    name: 'rules.leaveMessages',
    text: `insert into rule_events (company_id, _id, event, conversation_id, message_id, is_automatic)
      select company_id, new_id(), 'MESSAGE_RECEIVED', conversation_id, message_id, is_automatic
      from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as m (company_id, conversation_id, message_id, is_automatic)`,
    values: [
      left.map(({ company }) => company),
      left.map(({ conversation }) => conversation),
      left.map(({ message }) => message),
      left.map(({ isAutomatic }) => isAutomatic),
    ],
  });
}

/** Notes that a machine wrote what has happened in these conversations and no rule has looked at: triggers left it in this transaction. */
export function markAutomatic(
  tx: SystemTx,
  conversations: readonly Pick<LeftMessage, 'company' | 'conversation'>[],
): Promise<number> {
  return exec(tx, {
    name: 'rules.markAutomatic',
    text: `update rule_events e set is_automatic = true
      from (select distinct * from unnest($1::text[], $2::text[]) as c (company_id, conversation_id)) c
      where e.company_id = c.company_id and e.conversation_id = c.conversation_id and e.created_at = now()::timestamptz(3)`,
    values: [conversations.map(({ company }) => company), conversations.map(({ conversation }) => conversation)],
  });
}
