import { many, maybeOne } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { findUnknown } from '../../platform/store/unknown-references.ts';
import type { DueAutomatic } from '../sends/due/schemas.ts';
import type { CsatSurvey, CsatSurveyQuery, Score } from './schemas.ts';

export const COLUMNS = `s._id, s.company_id as company, s.conversation_id as conversation,
  (select v.contact_id from conversations v where v.company_id = s.company_id and v._id = s.conversation_id) as contact,
  s.inbox_id as inbox, s.message_id as message, s.user_id as "user", s.agent_id as agent, s.team_id as team, s.score, s.comment, s.rated_at,
  s.created_at as "createdAt", s.updated_at as "updatedAt"`;

/** A survey that was not sent is no record yet. */
export const SENT = 's.message_id is not null';

export type SurveyFilters = Record<'conversation' | 'inbox' | 'user' | 'agent', string | null> & {
  rated: NonNullable<CsatSurveyQuery['rated']> | null;
};

export function listSurveys(
  tx: TenantRead,
  { conversation, inbox, user, agent, rated }: SurveyFilters,
  window: Window,
): Promise<Page<CsatSurvey>> {
  return listPage(tx, window, {
    name: 'csat',
    columns: COLUMNS,
    from: 'csat_surveys s',
    filter: `s.company_id = $1 and ${SENT} and ($2::text is null or s.conversation_id = $2) and ($3::text is null or s.inbox_id = $3)
      and ($4::text is null or s.user_id = $4) and ($5::text is null or s.agent_id = $5)
      and ($6::boolean is null or (s.score is not null) = $6)`,
    values: [tx.companyId, conversation, inbox, user, agent, rated],
    planEachTime: true,
  });
}

const TABLES = {
  conversation: 'conversations',
  inbox: 'inboxes',
  user: '(select company_id, _id from users where removed_at is null) u',
  agent: 'agents',
} as const;

export function findUnknownFilters(
  tx: TenantRead,
  { conversation, inbox, user, agent }: SurveyFilters,
): Promise<string[]> {
  return findUnknown(tx, { name: 'csat.findUnknown', tables: TABLES, asked: { conversation, inbox, user, agent } });
}

export function findSurveys(tx: TenantRead, ids: string[]): Promise<CsatSurvey[]> {
  return many(tx, {
    name: 'csat.findByIds',
    text: `select ${COLUMNS} from csat_surveys s where s.company_id = $1 and s._id = any($2::text[]) and ${SENT}`,
    values: [tx.companyId, ids],
  });
}

/** A survey that a worker is about to send. */
export interface DueSurvey extends DueAutomatic {
  question: string;
  /** The language of the company. */
  language: string;
  /** Whether the inbox still asks, the contact has no open conversation there, and may be written to. */
  is_wanted: boolean;
}

/** Locks a survey; its conversation is locked already. Returns null when it has ended. */
export function lockSurvey(tx: TenantTx, id: string): Promise<DueSurvey | null> {
  return maybeOne(tx, {
    name: 'csat.lock',
    text: `select s.conversation_id as conversation, s.message_id as message, s.claimed_at, s.question,
        b.general_config ->> 'language' as language,
        i.csat_question is not null and not c.blocked and not c.opted_out
          and coalesce(v.window_expires_at > now(), true) and i.status = 'ACTIVE' and b.status = 'ACTIVE'
          and not exists (select from conversations o where o.company_id = v.company_id and o.inbox_id = v.inbox_id
            and o.contact_id = v.contact_id and o.status <> 'CLOSED') as is_wanted
      from csat_surveys s
        join conversations v on v.company_id = s.company_id and v._id = s.conversation_id
        join contacts c on c.company_id = v.company_id and c._id = v.contact_id
        join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
        join companies b on b._id = s.company_id
      where s.company_id = $1 and s._id = $2 and s.ended_at is null for update of s`,
    values: [tx.companyId, id],
  });
}

/** A survey as its page shows it. */
export interface AskedSurvey {
  question: string;
  /** The name of the company, and its language as in `general_config.language`. */
  company: string;
  language: string;
  score: Score | null;
}

export function findAsked(tx: TenantRead, id: string): Promise<AskedSurvey | null> {
  return maybeOne(tx, {
    name: 'csat.findAsked',
    text: `select s.question, b.name as company, b.general_config ->> 'language' as language, s.score
      from csat_surveys s
        join companies b on b._id = s.company_id
      where s.company_id = $1 and s._id = $2 and ${SENT}`,
    values: [tx.companyId, id],
  });
}
