/** Statements over all companies that decide which turn is taken next, and that delete old ones. */
import { pickValues } from '../../../platform/work/claims/fair-pick.ts';
import { leaseColumns, pickLeased, type LeasedRow, type LeasedTable } from '../../../platform/work/claims/leases.ts';
import type { ClaimCapacity, RowOutcome } from '../../../platform/work/claims/queue.ts';
import { exec, many } from '../../../platform/store/db.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import { IN_STRETCH, pageRangeBounds, type PageRange } from '../../../platform/store/retention.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import type { TurnOutcome } from './schemas.ts';

export const TURN_QUEUE: LeasedTable = { table: 'pending_turns', order: 'first_at', id: 'conversation_id' };

/** The id is that of the conversation. */
export interface ClaimedTurn extends LeasedRow {
  /** The newest message that waits for the answer. */
  message: string;
  /** The first of the messages that wait. */
  first_message: string;
  /** How often the work on this answer was begun, including this time. */
  attempts: number;
  /** How often an answer in the making was ended by a later message. */
  overtaken: number;
}

/** Claims turns, a few of each company in turn, and counts the attempt before the work begins. */
export async function claimTurns(
  tx: SystemTx,
  capacity: ClaimCapacity,
): Promise<{ claimed: ClaimedTurn[]; dismissed: number }> {
  const claimed = await many<ClaimedTurn>(tx, {
    name: 'agents.claimTurns',
    text: `${pickLeased(TURN_QUEUE)}
      update pending_turns p set ${leaseColumns(TURN_QUEUE)}, attempts = attempts + 1
      from picked where ${isPicked('p', 'conversation_id')}
      returning p.company_id as company, p.conversation_id as _id, message_id as message,
        coalesce(first_message_id, message_id) as first_message, attempts, overtaken, claimed_at`,
    values: pickValues(capacity),
  });
  return { claimed, dismissed: 0 };
}

/** Returns the conversation of each of these turns that this worker still has: no later message has come, and no one else has taken it. */
export async function listHeldTurns(tx: SystemTx, turns: readonly ClaimedTurn[]): Promise<Set<string>> {
  const held = await many<{ _id: string }>(tx, {
    name: 'agents.listHeldTurns',
    text: `select p.conversation_id as _id from unnest($1::text[], $2::text[], $3::timestamptz[]) as t (company_id, conversation_id, claimed_at)
      join pending_turns p on p.company_id = t.company_id and p.conversation_id = t.conversation_id and p.claimed_at = t.claimed_at`,
    values: [
      turns.map(({ company }) => company),
      turns.map(({ _id }) => _id),
      turns.map(({ claimed_at }) => claimed_at),
    ],
  });
  return new Set(held.map(({ _id }) => _id));
}

/** How the work on a turn has ended. */
export interface TurnEnd extends RowOutcome {
  company: string;
  claimed_at: string;
  /** After how many seconds the turn is taken again; null when it has ended. */
  pause_seconds: number | null;
}

/** Lets turns rest that could not be taken to their end. One that ingestion holds is overtaken, and is left out. */
export function restTurns(tx: SystemTx, ends: TurnEnd[]): Promise<number> {
  return exec(tx, {
    name: 'agents.restTurns',
    text: `with picked as (
        select h.company_id, h.conversation_id, e.pause_seconds
        from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[]) as e (company_id, conversation_id, claimed_at, pause_seconds)
          join pending_turns h on ${isPicked('h', 'conversation_id', 'e')} and h.claimed_at = e.claimed_at
        for update of h skip locked
      )
      update pending_turns p set held_until = now() + make_interval(secs => picked.pause_seconds)
      from picked where ${isPicked('p', 'conversation_id')}`,
    values: [
      ends.map(({ company }) => company),
      ends.map(({ _id }) => _id),
      ends.map(({ claimed_at }) => claimed_at),
      ends.map(({ pause_seconds }) => pause_seconds),
    ],
  });
}

/** A message of an agent whose worker died while it called the network. */
export interface UnsettledTurn {
  company: string;
  _id: string;
  conversation: string;
  outcome: TurnOutcome;
  /** What was being sent. */
  message: string;
  /** The file that was sent with it; null without one. */
  file_message: string | null;
  agent: string;
  name: string;
}

/** Takes turns whose worker has died during the call to the network, so that no one else does. */
export function takeUnsettled(tx: SystemTx, holdSeconds: number): Promise<UnsettledTurn[]> {
  return many(tx, {
    name: 'agents.takeUnsettled',
    text: `with picked as (
        select company_id, _id, agent_id from agent_turns where settle_until <= now() order by settle_until limit 100 for update skip locked
      )
      update agent_turns t set settle_until = now() + make_interval(secs => $1)
      from picked left join agents a on a.company_id = picked.company_id and a._id = picked.agent_id where ${isPicked('t')}
      returning t.company_id as company, t._id, t.conversation_id as conversation, t.outcome, t.message_id as message,
        t.file_message_id as file_message, a._id as agent, a.name`,
    values: [holdSeconds],
  });
}

/** Deletes what the companies have used on days that are long past. */
export function deleteOldBudgets(tx: SystemTx, days: number): Promise<number> {
  return exec(tx, {
    name: 'agents.deleteOldBudgets',
    text: 'delete from agent_budgets where day < current_date - $1::int',
    values: [days],
  });
}

export function deleteOldConversationBudgets(
  tx: SystemTx,
  { days, most }: { days: number; most: number },
): Promise<number> {
  return exec(tx, {
    name: 'agents.deleteOldConversationBudgets',
    text: `with picked as (
        select company_id, conversation_id, day from agent_conversation_budgets where day < current_date - $1::int limit $2
      )
      delete from agent_conversation_budgets b using picked where ${isPicked('b', 'conversation_id')} and b.day = any(array[picked.day])`,
    values: [days, most],
  });
}

export function deleteOldTurns(
  tx: SystemTx,
  { days, most }: { days: number; most: number },
  range: PageRange,
): Promise<number> {
  return exec(tx, {
    name: 'agents.deleteOldTurns',
    text: `delete from agent_turns where ctid = any(array(
        select ctid from agent_turns where ${IN_STRETCH} and created_at < now() - make_interval(days => $1) and settle_until is null limit $4))`,
    values: [days, ...pageRangeBounds(range), most],
  });
}
