import { exec, many, maybeOne, oneValue } from '../../../platform/store/db.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { AgentTurn, AnswerWork, HandoffReason, TurnOutcome } from './schemas.ts';
import type { ClaimedTurn } from './queue-queries.ts';

/** The conversation of a turn, as far as the answer depends on it. */
export interface TurnPlace {
  /** The agent of the conversation; null when it has none. */
  agent: string | null;
  /** True while an agent may answer: the conversation is open and handled by AI, and the company is not suspended. */
  is_open: boolean;
  /** The network takes texts at this moment: the contact has written in the last 24 hours, or the channel has no such limit. */
  takes_text: boolean;
}

/** Who asks, and where. */
export interface AskingPlace {
  contact: string;
  contact_name: string | null;
  contact_language: string | null;
  /** The inbox wants the text of PDFs to be read, instead of pictures of their pages. */
  pdf_text: boolean;
}

const PLACE = `v.agent_id as agent, v.handled_by = 'AI' and v.status <> 'CLOSED'
  and (select b.status from companies b where b._id = v.company_id) = 'ACTIVE' as is_open,
  coalesce(v.window_expires_at > now(), true) as takes_text`;

export function findTurnPlace(tx: TenantRead, conversation: string): Promise<(TurnPlace & AskingPlace) | null> {
  return maybeOne(tx, {
    name: 'agents.findTurnPlace',
    text: `select ${PLACE}, v.contact_id as contact, c.name as contact_name, c.language as contact_language,
        i.pdf_local_text_extraction as pdf_text
      from conversations v join contacts c on c.company_id = v.company_id and c._id = v.contact_id
        join inboxes i on i.company_id = v.company_id and i._id = v.inbox_id
      where v.company_id = $1 and v._id = $2`,
    values: [tx.companyId, conversation],
  });
}

/** Counts the answers of an agent in a conversation since it has handed over last, at most `limit`. */
export function countAnswers(
  tx: TenantRead,
  { conversation, agent, limit }: { conversation: string; agent: string; limit: number },
): Promise<number> {
  return oneValue(tx, {
    name: 'agents.countAnswers',
    text: `select count(*) filter (where outcome = 'ANSWERED')::int as count from (
        select outcome, count(*) filter (where outcome = 'HANDED_OVER') over (order by created_at desc, _id desc) as handovers
        from (
          select outcome, created_at, _id from agent_turns where company_id = $1 and conversation_id = $2 and agent_id = $3
          order by created_at desc, _id desc limit $4
        ) newest
      ) counted where handovers = 0`,
    values: [tx.companyId, conversation, agent, limit],
  });
}

/** A message of the conversation that an agent reads. */
export interface DialogRow {
  _id: string;
  message_type: 'INCOMING' | 'OUTGOING';
  contentType: string;
  content: string | null;
  attachment: string | null;
}

/**
 * Reads the last messages of a conversation in the order in which they were written. Messages of the contact that arrived after the last
 * answer come last, even those that were written before it, because they still wait for an answer. Ids tell the order of arrival.
 * Reactions and answers to satisfaction surveys are left out: they want no answer. What somebody else than the contact wrote begins with
 * the address of its author.
 */
export function listDialog(tx: TenantRead, conversation: string, limit: number): Promise<DialogRow[]> {
  return many(tx, {
    name: 'agents.listDialog',
    text: `with newest as (
        select _id, message_type, content_type as "contentType", attachment_id as attachment, created_at,
          case when email ? 'from' then concat('[', email #>> '{from,address}', '] ', content) else content end as content
        from messages
        where company_id = $1 and conversation_id = $2 and message_type in ('INCOMING', 'OUTGOING') and status <> 'FAILED'
          and content_type <> 'REACTION' and (interactive ->> 'id' like 'csat:%') is not true
        order by created_at desc, _id desc limit $3
      ), answer as (select max(_id) as _id from newest where message_type = 'OUTGOING')
      select n._id, n.message_type, n."contentType", n.content, n.attachment from newest n, answer a
      order by n.message_type = 'INCOMING' and n._id > a._id, n.created_at, n._id`,
    values: [tx.companyId, conversation, limit],
  });
}

/**
 * Locks the conversation and then the turn, in the order of ingestion. Returns null when a later message has come or another worker has the
 * turn, else how the conversation is now.
 */
export async function lockTurn(
  tx: TenantTx,
  { _id: conversation, claimed_at }: Pick<ClaimedTurn, '_id' | 'claimed_at'>,
): Promise<TurnPlace | null> {
  const place = await maybeOne<TurnPlace>(tx, {
    name: 'agents.lockPlace',
    text: `select ${PLACE} from conversations v where v.company_id = $1 and v._id = $2 for no key update of v`,
    values: [tx.companyId, conversation],
  });
  const held = await exec(tx, {
    name: 'agents.lockTurn',
    text: 'select 1 from pending_turns where company_id = $1 and conversation_id = $2 and claimed_at = $3 for update',
    values: [tx.companyId, conversation, claimed_at],
  });
  return held > 0 ? place : null;
}

/** Lets another worker take a turn, because the conversation has another agent now. */
export function passTurn(tx: TenantTx, conversation: string): Promise<number> {
  return exec(tx, {
    name: 'agents.passTurn',
    text: `update pending_turns set is_waiting = true, claimed_at = null, attempts = 0
      where company_id = $1 and conversation_id = $2`,
    values: [tx.companyId, conversation],
  });
}

export function deleteTurn(tx: TenantTx, conversation: string): Promise<number> {
  return exec(tx, {
    name: 'agents.deleteTurn',
    text: 'delete from pending_turns where company_id = $1 and conversation_id = $2',
    values: [tx.companyId, conversation],
  });
}

export interface NewTurn {
  _id: string;
  agent: string;
  conversation: string;
  asked: string;
  outcome: TurnOutcome;
  reason: HandoffReason | null;
  message: string | null;
  /** The file that is sent with it; null without one. */
  file_message: string | null;
  /** While the network is called: for how many seconds the worker is taken to be alive. */
  settle_seconds: number | null;
  work: AnswerWork;
}

export function insertTurn(tx: TenantTx, turn: NewTurn): Promise<number> {
  const { work } = turn;
  return exec(tx, {
    name: 'agents.insertTurn',
    text: `insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, reason, message_id, settle_until,
        passages, model, input_tokens, output_tokens, latency_ms, actions, file_message_id, files, cost)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9), $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    values: [
      tx.companyId,
      turn._id,
      turn.agent,
      turn.conversation,
      turn.asked,
      turn.outcome,
      turn.reason,
      turn.message,
      turn.settle_seconds,
      JSON.stringify(work.passages.map(({ content: _content, ...logged }) => logged)),
      work.model,
      work.input_tokens,
      work.output_tokens,
      work.latency_ms,
      JSON.stringify(work.actions),
      turn.file_message,
      JSON.stringify(work.files),
      work.cost && JSON.stringify(work.cost),
    ],
  });
}

/** Notes how the call to the network has ended: with `reason` a person takes over because of it. */
export function settleTurn(tx: TenantTx, id: string, reason: HandoffReason | null): Promise<number> {
  return exec(tx, {
    name: 'agents.settleTurn',
    text: `update agent_turns set settle_until = null, reason = coalesce($3, reason), outcome = case when $3::text is null then outcome else 'HANDED_OVER' end,
      updated_at = now() where company_id = $1 and _id = $2 and settle_until is not null`,
    values: [tx.companyId, id, reason],
  });
}

export interface TurnFilter {
  agent: string | null;
  conversation: string | null;
  outcome: string | null;
}

export function listTurns(
  tx: TenantRead,
  { agent, conversation, outcome }: TurnFilter,
  window: Window,
): Promise<Page<AgentTurn>> {
  return listPage(tx, window, {
    name: 'agents',
    variant: '.turns',
    columns: `_id, company_id as company, agent_id as agent, conversation_id as conversation, asked_id as asked, outcome, reason,
      message_id as message, file_message_id as file_message, files, actions, passages, model, input_tokens, output_tokens, cost, latency_ms, created_at as "createdAt", updated_at as "updatedAt"`,
    from: 'agent_turns',
    filter: `company_id = $1 and ($2::text is null or agent_id = $2) and ($3::text is null or conversation_id = $3)
      and ($4::text is null or outcome = $4)`,
    values: [tx.companyId, agent, conversation, outcome],
  });
}
