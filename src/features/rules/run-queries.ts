import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { RuleDryRunResult, RuleRun } from './schemas.ts';

const COLUMNS = `_id, company_id as company, rule_id as rule, event, conversation_id as conversation,
  message_id as message, status, reply_skipped, scheduled_id as scheduled_message, failure,
  created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewRun extends Pick<RuleRun, '_id' | 'rule' | 'event' | 'conversation' | 'message'> {
  /** The id of the row of the event. */
  eventId: string;
}

/** Stores the run as DONE. Returns 0 when the event has run the rule before. */
export function beginRun(tx: TenantTx, { _id, rule, event, eventId, conversation, message }: NewRun): Promise<number> {
  return exec(tx, {
    name: 'rules.beginRun',
    text: `insert into rule_runs (company_id, _id, rule_id, event_id, event, conversation_id, message_id, status)
      values ($1, $2, $3, $4, $5, $6, $7, 'DONE') on conflict (company_id, rule_id, event_id) do nothing`,
    values: [tx.companyId, _id, rule, eventId, event, conversation, message],
  });
}

export function endRun(
  tx: TenantTx,
  id: string,
  {
    status,
    reply_skipped,
    scheduled_message,
    failure,
  }: Pick<RuleRun, 'status' | 'reply_skipped' | 'scheduled_message' | 'failure'>,
): Promise<RuleRun> {
  return one(tx, {
    name: 'rules.endRun',
    text: `update rule_runs r set status = $3, reply_skipped = $4, scheduled_id = $5, failure = $6, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, status, reply_skipped, scheduled_message, failure],
  });
}

/** Whether the rule has written to the contact in the inbox of this conversation within so many hours. */
export function hasWritten(
  tx: TenantTx,
  { rule, conversation }: Pick<RuleRun, 'rule' | 'conversation'>,
  hours: number,
): Promise<boolean> {
  return oneValue(tx, {
    name: 'rules.hasWritten',
    text: `select exists (select from conversations v
        join conversations o on o.company_id = v.company_id and o.contact_id = v.contact_id and o.inbox_id = v.inbox_id
        join rule_runs r on r.company_id = o.company_id and r.conversation_id = o._id and r.rule_id = $3
      where v.company_id = $1 and v._id = $2 and r.created_at > now() - make_interval(hours => $4) and r.scheduled_id is not null) as written`,
    values: [tx.companyId, conversation, rule, hours],
  });
}

/** Counts the runs of a rule in a conversation within the last hour, up to `most`. */
export function countRecent(
  tx: TenantTx,
  { rule, conversation }: Pick<RuleRun, 'rule' | 'conversation'>,
  most: number,
): Promise<number> {
  return oneValue(tx, {
    name: 'rules.countRecent',
    text: `select count(*)::int as count from (select from rule_runs where company_id = $1 and conversation_id = $2 and rule_id = $3
      and created_at > now() - interval '1 hour' limit $4) recent`,
    values: [tx.companyId, conversation, rule, most],
  });
}

export function listRuns(
  tx: TenantRead,
  { rule, status }: { rule: string; status: string | null },
  window: Window,
): Promise<Page<RuleRun>> {
  return listPage(tx, window, {
    name: 'rules',
    variant: '.runs',
    columns: COLUMNS,
    from: 'rule_runs r',
    filter: `company_id = $1 and rule_id = $2 and ($3::text is null or status = $3)`,
    values: [tx.companyId, rule, status],
  });
}

/** The text that conditions look at. */
const TEXT = `nullif(concat_ws(E'\\n', m.email ->> 'subject', coalesce(m.content, m.interactive ->> 'title')), '')`;

export interface FoundText {
  _id: string;
  text: string | null;
}

/** Finds the text of a message, or of the last one of a conversation. */
export function findText(
  tx: TenantRead,
  { message, conversation }: { message: string | null; conversation: string },
): Promise<FoundText | null> {
  return maybeOne(tx, {
    name: message === null ? 'rules.findLastText' : 'rules.findText',
    text: `select m._id, ${TEXT} as text from messages m where m.company_id = $1 and m._id = ${
      message === null ? '(select last_message_id from conversations where company_id = $1 and _id = $2)' : '$2'
    }`,
    values: [tx.companyId, message ?? conversation],
  });
}

export interface Candidate extends Omit<RuleDryRunResult['matches'][number], 'contact_name'> {
  _id: string;
}

/** Lists the newest messages of contacts. */
export function listReceived(tx: TenantRead, days: number, most: number): Promise<Candidate[]> {
  return many(tx, {
    name: 'rules.listReceived',
    text: `select m._id, m.conversation_id as conversation, m._id as message, m.inbox_id as inbox, m.channel, ${TEXT} as text,
        m.created_at as "createdAt"
      from inboxes i cross join lateral (select * from messages
          where company_id = i.company_id and inbox_id = i._id and message_type = 'INCOMING' and created_at > now() - make_interval(days => $2)
          order by created_at desc limit $3) m
      where i.company_id = $1 order by m.created_at desc, m._id desc limit $3`,
    values: [tx.companyId, days, most],
  });
}

/** Lists the conversations with the newest messages, with the text of the last one. */
export function listActive(tx: TenantRead, days: number, most: number): Promise<Candidate[]> {
  return many(tx, {
    name: 'rules.listActive',
    text: `select v._id, v._id as conversation, null as message, v.inbox_id as inbox, v.channel, ${TEXT} as text,
        a.active_at as "createdAt"
      from conversation_activity a join conversations v on v.company_id = a.company_id and v._id = a.record_id
        left join messages m on m.company_id = v.company_id and m._id = v.last_message_id
      where a.company_id = $1 and a.active_at > now() - make_interval(days => $2)
      order by a.active_at desc, a.record_id desc limit $3`,
    values: [tx.companyId, days, most],
  });
}
