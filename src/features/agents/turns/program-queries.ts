/** Reads how a contact and agents have written to each other, to find out whether the contact is a program. */
import { many, one } from '../../../platform/store/db.ts';
import type { TenantRead } from '../../../platform/store/tenant.ts';

export interface Exchange {
  conversation: string;
  contact: string;
}

/** What counts begins here: a day ago, or when the agent last handed the conversation over, because a person has given it back since. */
const BEGIN = `greatest(now() - interval '1 day', (select created_at from agent_turns
  where company_id = $1 and conversation_id = $2 and outcome = 'HANDED_OVER' order by created_at desc, _id desc limit 1))`;

/** The newest conversations of a contact are looked at. It has one open conversation in an inbox at a time. */
const CONVERSATIONS = 100;
// A contact that writes without a pause could have a day of any length. At the limit of 200 answers these are five messages for each.
const MESSAGES_COUNTED = 1_000;

export interface AutomaticMessages {
  /** In the last so many seconds. */
  lately: number;
  /** In the last day. */
  today: number;
}

/**
 * Counts what agents have written to the contact by themselves, in the newest messages of its newest conversations, at most `limit` for each.
 * A file goes with its text.
 */
export function countAutomatic(
  tx: TenantRead,
  { conversation, contact }: Exchange,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<AutomaticMessages> {
  return one(tx, {
    name: 'agents.countAutomatic',
    text: `with begun as materialized (select ${BEGIN} as at)
      select count(*) filter (where s.created_at > now() - make_interval(secs => $4))::int as lately, count(*)::int as today
      from begun, (
        select _id, last_message_at from conversations where company_id = $1 and contact_id = $3
        order by created_at desc, _id desc limit ${CONVERSATIONS}
      ) v cross join lateral (
        select r.created_at from (
          select m.created_at, m._id, m.message_type, m.origin, m.content_type from messages m
          where m.company_id = $1 and m.conversation_id = v._id and m.created_at > begun.at
          order by m.created_at desc, m._id desc limit ${MESSAGES_COUNTED}
        ) r where r.message_type = 'OUTGOING' and (r.origin = 'FOLLOWUP' or r.origin = 'AGENT' and r.content_type = 'TEXT')
        order by r.created_at desc, r._id desc limit $5
      ) s
      where v.last_message_at > begun.at`,
    values: [tx.companyId, conversation, contact, seconds, limit],
  });
}

/** What the contact has written right after a message of an agent. */
export interface Reply {
  /** Null where the contact has written nothing: a file without words, or the tap on a button or on a row of a list. */
  text: string | null;
  /** How many seconds after that message. */
  seconds: number;
}

/** Reads the newest replies of the contact in the conversation, the newest first. */
export function listReplies(
  tx: TenantRead,
  conversation: string,
  { replies, messages }: { replies: number; messages: number },
): Promise<Reply[]> {
  return many(tx, {
    name: 'agents.listReplies',
    text: `select case when content_type <> 'INTERACTIVE' then content end as text, extract(epoch from created_at - answered_at)::float8 as seconds from (
        select message_type, content_type, content, created_at, _id, lag(origin) over dialog as answer, lag(created_at) over dialog as answered_at
        from (
          select message_type, origin, content_type, content, created_at, _id from messages
          where company_id = $1 and conversation_id = $2 and created_at > ${BEGIN}
            and message_type in ('INCOMING', 'OUTGOING') and content_type <> 'REACTION'
          order by created_at desc, _id desc limit $3
        ) newest window dialog as (order by created_at, _id)
      ) said where message_type = 'INCOMING' and answer in ('AGENT', 'FOLLOWUP')
      order by created_at desc, _id desc limit $4`,
    values: [tx.companyId, conversation, messages, replies],
  });
}
