import { one } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';
import { MOST_CLOSED, type ConversationCounts } from './schemas.ts';

/** Returns SQL for the number of open conversations that match a condition. */
const sumSql = (condition: string): string => `coalesce(sum(count) filter (where ${condition}), 0)::int`;

/** Returns SQL for the number of open conversations of each record that a column names. */
const sumPerSql = (name: string, column: string): string =>
  `(select coalesce(json_agg(json_build_object('${name}', id, 'count', count, 'snoozed', snoozed) order by id), '[]')
    from (select ${column} as id, sum(count)::int as count, ${sumSql(SNOOZED)} as snoozed
      from open where ${column} is not null group by ${column}) counted)`;

const SNOOZED = `status = 'SNOOZED'`;
const IN_QUEUE = `status <> 'SNOOZED'`;

/**
 * Counts the conversations of each view. `user` is the calling user; null for a key. The open ones are read once, from the index
 * conversations_counts alone, and the unread ones from conversation_activity_unread. Of the closed ones only so many are counted that the
 * statement stays quick.
 */
export function countViews(tx: TenantRead, user: string | null): Promise<ConversationCounts> {
  // The table has no policy, because that would slow down every list. The join applies the policy of conversations.
  const unread = tx.sight
    ? 'conversation_activity a join conversations v on v.company_id = a.company_id and v._id = a.record_id'
    : 'conversation_activity a';
  return one(tx, {
    name: `conversations.countViews${tx.sight ? '.seen' : ''}`,
    text: `with open as materialized (
        select status, owner_id, inbox_id, team_id, step_id, awaits_reply, count(*) as count from conversations
        where company_id = $1 and status <> 'CLOSED' group by status, owner_id, inbox_id, team_id, step_id, awaits_reply
      )
      select ${sumSql('true')} as open, case when $2::text is not null then ${sumSql('owner_id = $2')} end as mine,
        case when $2::text is not null then (select count(*)::int from ${unread}
          where a.company_id = $1 and a.is_unread and a.owner_id = $2) + (select count(*)::int from ${unread}
          where a.company_id = $1 and a.is_unread and a.owner_id is null) end as unread,
        ${sumSql('owner_id is null')} as unassigned,
        json_build_object('mine', case when $2::text is not null then ${sumSql(`${IN_QUEUE} and owner_id = $2`)} end,
          'unassigned', ${sumSql(`${IN_QUEUE} and owner_id is null and not awaits_reply`)}, 'all', ${sumSql(IN_QUEUE)},
          'no_step', ${sumSql(`${IN_QUEUE} and step_id is null and not awaits_reply`)},
          'awaiting_reply', ${sumSql(`${IN_QUEUE} and awaits_reply`)}) as queues,
        json_build_object('OPEN', ${sumSql(`status = 'OPEN'`)}, 'PENDING', ${sumSql(`status = 'PENDING'`)},
          'SNOOZED', ${sumSql(`status = 'SNOOZED'`)}, 'CLOSED', (select count(*) from (
            select from conversations where company_id = $1 and status = 'CLOSED' limit ${MOST_CLOSED}) closed)) as status,
        ${sumPerSql('inbox', 'inbox_id')} as inboxes, ${sumPerSql('team', 'team_id')} as teams, ${sumPerSql('step', 'step_id')} as steps
      from open`,
    values: [tx.companyId, user],
    planEachTime: true,
  });
}
