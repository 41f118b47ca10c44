import { exec, many, oneValue } from '../../../platform/store/db.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { Participants } from './schemas.ts';

export function listFollowers(tx: TenantRead, conversation: string): Promise<Participants['participants']> {
  return many(tx, {
    name: 'conversations.participants.list',
    text: `select u._id as "user", u.name, u.avatar_url, p.created_at as "createdAt"
      from conversation_participants p join users u on u.company_id = p.company_id and u._id = p.user_id and u.removed_at is null
      where p.company_id = $1 and p.conversation_id = $2 and p.follows order by u.name, u._id`,
    values: [tx.companyId, conversation],
  });
}

/** Makes a user follow the conversation; false when it has all the followers that it can have. */
export function addFollower(tx: TenantTx, conversation: string, user: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'conversations.participants.add',
    text: 'select follow_conversation(company_id, _id, $3, again => true) as follows from conversations where company_id = $1 and _id = $2',
    values: [tx.companyId, conversation, user],
  });
}

/** Stores that the user does not follow the conversation, not even after the user's next reply. Returns 0 if there is no such user. */
export function unfollow(tx: TenantTx, conversation: string, user: string): Promise<number> {
  return exec(tx, {
    name: 'conversations.participants.unfollow',
    text: `insert into conversation_participants (company_id, conversation_id, user_id, follows)
      select company_id, $2, _id, false from users where company_id = $1 and _id = $3 and removed_at is null
      on conflict (company_id, conversation_id, user_id) do update set follows = false, updated_at = now()`,
    values: [tx.companyId, conversation, user],
  });
}
