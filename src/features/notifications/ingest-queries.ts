import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface Reply {
  company: string;
  conversation: string;
  /** The newest message of the contact in the batch. */
  message: string | null;
  count: number;
}

/** Notifies the owners and followers of these conversations, whose contacts have written. */
export function notifyReplies(tx: SystemTx, replies: Reply[]): Promise<number> {
  return exec(tx, {
    name: 'notifications.notifyReplies',
    text: `insert into notifications as n (company_id, _id, user_id, kind, conversation_id, message_id, count)
      select r.company_id, new_id(), f.user_id, 'REPLIED', r.conversation_id, r.message_id, r.count
      from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as r (company_id, conversation_id, message_id, count)
        join conversations v on v.company_id = r.company_id and v._id = r.conversation_id
        cross join lateral (select v.owner_id as user_id where v.owner_id is not null union
          select p.user_id from conversation_participants p where p.company_id = v.company_id and p.conversation_id = v._id and p.follows) f
      where is_notified(r.company_id, f.user_id, 'REPLIED') and sees_conversation(r.company_id, r.conversation_id, f.user_id)
      order by r.company_id, f.user_id, r.conversation_id
      on conflict (company_id, user_id, kind, conversation_id) where read_at is null do update
        set count = n.count + excluded.count, message_id = excluded.message_id, created_at = now(), updated_at = now()`,
    values: [
      replies.map(({ company }) => company),
      replies.map(({ conversation }) => conversation),
      replies.map(({ message }) => message),
      replies.map(({ count }) => count),
    ],
  });
}
