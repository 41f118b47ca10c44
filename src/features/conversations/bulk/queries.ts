import type { Origin } from '../../../platform/http/audit.ts';
import type { Actor } from '../../../platform/values/actor.ts';
import { exec, many, maybeOne, one } from '../../../platform/store/db.ts';
import type { Since, Window } from '../../../platform/store/paging.ts';
import { countRows, listRows, type PlainList } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { ConversationChange, ConversationFailure, ConversationRun } from './schemas.ts';

const RUN = `_id, company_id as company, change, status, total, processed, changed_count, failed_count, failures, error,
  json_build_object('type', case actor ->> 'type' when 'user' then 'USER' else 'KEY' end, '_id', actor ->> 'id',
    'name', actor ->> 'name') as created_by,
  started_at, finished_at, created_at as "createdAt", updated_at as "updatedAt"`;

// The prefix of the names of the list's statements.
const RUNS = 'conversations.runs';

export interface NewRun {
  _id: string;
  change: ConversationChange;
  conversations: string[];
  actor: Pick<Actor, 'type' | 'id' | 'name'>;
  origin: Origin;
}

/** Stores a run. One without conversations has ended. */
export function insertRun(tx: TenantTx, run: NewRun): Promise<ConversationRun> {
  return one(tx, {
    name: 'conversations.runs.insert',
    text: `insert into conversation_runs (company_id, _id, change, conversation_ids, actor, origin, total, status, is_waiting, finished_at)
      values ($1, $2, $3, $4, $5, $6, $7, case when $7::int = 0 then 'COMPLETED' else 'QUEUED' end, $7::int > 0,
        case when $7::int = 0 then now() end)
      returning ${RUN}`,
    values: [
      tx.companyId,
      run._id,
      JSON.stringify(run.change),
      run.conversations,
      JSON.stringify(run.actor),
      JSON.stringify(run.origin),
      run.conversations.length,
    ],
  });
}

export async function countOpenRuns(tx: TenantRead): Promise<number> {
  const { count } = await one<{ count: number }>(tx, {
    name: 'conversations.runs.countOpen',
    text: 'select count(*)::int as count from conversation_runs where company_id = $1 and finished_at is null',
    values: [tx.companyId],
  });
  return count;
}

/** Returns those of the ids that are conversations of the company, the one with the newest message first. */
export async function findNewestFirst(tx: TenantRead, ids: string[]): Promise<string[]> {
  const rows = await many<{ _id: string }>(tx, {
    name: 'conversations.runs.findNewestFirst',
    text: `select _id from conversations where company_id = $1 and _id = any($2::text[])
      order by last_message_at desc nulls last, _id desc`,
    values: [tx.companyId, ids],
  });
  return rows.map(({ _id }) => _id);
}

export function findRun(tx: TenantRead, id: string): Promise<ConversationRun | null> {
  return maybeOne(tx, {
    name: 'conversations.runs.find',
    text: `select ${RUN} from conversation_runs where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function findRuns(tx: TenantRead, ids: string[]): Promise<ConversationRun[]> {
  return many(tx, {
    name: 'conversations.runs.findByIds',
    text: `select ${RUN} from conversation_runs where company_id = $1 and _id = any($2::text[])`,
    values: [tx.companyId, ids],
  });
}

const runList = (tx: TenantRead, status: string | null): PlainList => ({
  name: RUNS,
  columns: RUN,
  from: 'conversation_runs',
  filter: 'company_id = $1 and ($2::text is null or status = $2)',
  values: [tx.companyId, status],
});

export function listRuns(tx: TenantRead, status: string | null, window: Window): Promise<ConversationRun[]> {
  return listRows(tx, runList(tx, status), window);
}

export function countRuns(tx: TenantRead, status: string | null, window: Since): Promise<number> {
  return countRows(tx, runList(tx, status), window);
}

/** Ends a run before its last conversation: CANCELLED, or FAILED with an error. Returns zero when there is no such run, or when it has ended. */
export function endRunEarly(
  tx: TenantTx,
  id: string,
  error: { code: string; message: string } | null,
): Promise<number> {
  return exec(tx, {
    name: 'conversations.runs.endEarly',
    text: `update conversation_runs set status = case when $3::jsonb is null then 'CANCELLED' else 'FAILED' end, error = $3,
        finished_at = now(), updated_at = now(), is_waiting = false, held_until = null
      where company_id = $1 and _id = $2 and finished_at is null`,
    values: [tx.companyId, id, error && JSON.stringify(error)],
  });
}

/** The conversations of a run that are left, after the first `processed` ones. */
export interface RemainingWork {
  processed: number;
  conversations: string[];
}

/** Returns null when the run has ended. */
export function findRemaining(tx: TenantRead, id: string): Promise<RemainingWork | null> {
  return maybeOne(tx, {
    name: 'conversations.runs.findRemaining',
    text: `select processed, conversation_ids[processed + 1:] as conversations from conversation_runs
      where company_id = $1 and _id = $2 and finished_at is null`,
    values: [tx.companyId, id],
  });
}

export interface ConversationResult {
  /** How many conversations of the run were done before this one. */
  place: number;
  isChanged: boolean;
  failure: ConversationFailure | null;
}

/**
 * Counts a conversation as done, and ends the run after the last one. Returns zero when the run has ended, or when another process has counted
 * the conversation already.
 */
export function countDone(
  tx: TenantTx,
  id: string,
  { place, isChanged, failure }: ConversationResult,
  mostFailures: number,
): Promise<number> {
  return exec(tx, {
    name: 'conversations.runs.countDone',
    text: `update conversation_runs set processed = processed + 1, changed_count = changed_count + $4::boolean::int,
        failed_count = failed_count + ($5::jsonb is not null)::int,
        failures = case when $5::jsonb is null or failed_count >= $6 then failures else failures || $5::jsonb end, attempts = 1,
        status = case when processed + 1 = total then 'COMPLETED' else status end,
        finished_at = case when processed + 1 = total then now() end, updated_at = now()
      where company_id = $1 and _id = $2 and processed = $3 and finished_at is null`,
    values: [tx.companyId, id, place, isChanged, failure && JSON.stringify([failure]), mostFailures],
  });
}
