/**
 * Statements on the queue of files that contacts have sent: claiming, storing outcomes, requeueing. They work across companies. A picture is
 * queued again for its thumbnail, behind the files that wait already.
 */
import type { ChannelName } from '../../../channels/registry.ts';
import { pickInTurn, pickValues } from '../../../platform/work/claims/fair-pick.ts';
import type { ClaimCapacity, ClaimedRow, RowOutcome } from '../../../platform/work/claims/queue.ts';
import { exec, many, oneValue } from '../../../platform/store/db.ts';
import type { FileType } from '../../../platform/work/media/formats.ts';
import { isPicked } from '../../../platform/store/picked-rows.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const QUEUE = {
  table: 'media_downloads',
  waiting: `state = 'WAITING'`,
  order: 'seq',
  columns: 'attachment_id, message_id, inbox_id, network_id, stage',
};

/** A condition that holds while a file waits for its download. */
export const IS_WAITING = `exists (select from media_downloads where ${QUEUE.waiting})`;

/**
 * After so many failures within an hour a number gets no more downloads until an hour after the first of them. A partner of the network
 * reports that 20 failures within an hour make it refuse all downloads of the number for half an hour.
 */
const MOST_FAILURES = declareLimit(10, {
  topic: 'Files',
  what: 'Failed downloads from a network, per number and hour',
  beyond: 'downloads pause until the hour ends',
});
const pauseEnd = (times: string): string =>
  `case when cardinality(${times}) >= ${MOST_FAILURES} then ${times}[1] + interval '1 hour' end`;

export interface Claimed extends ClaimedRow {
  turn: number;
  /** What is to be done next. The file of a THUMBNAIL is there and shown already. */
  stage: 'FILE' | 'THUMBNAIL';
  inbox: string;
  failures: number;
  /** How long the file has been waiting since it was announced. */
  age_hours: number;
  channel: ChannelName;
  /** The type of the file that the network reports. */
  file_type: FileType;
  mime_type: string | null;
  size: number | null;
  /** By which the network provides the file; null when the contact has revoked the message. */
  network_id: string | null;
  sha256: string | null;
}

/** Takes files out of the queue, a few of each company in turn. Files of a number that has had too many failures rest instead. */
export async function claimDownloads(
  tx: SystemTx,
  capacity: ClaimCapacity,
  leaseSeconds: number,
): Promise<{ claimed: Claimed[]; dismissed: number }> {
  const rows = await many<Claimed & { state: string }>(tx, {
    name: 'inbound.claimDownloads',
    text: `with recursive ${pickInTurn(QUEUE)}
      update media_downloads d set turn = d.turn + 1, state = case when v.pause_end > now() then 'RESTING' else 'RUNNING' end,
        due_at = case when v.pause_end > now() then v.pause_end else now() + make_interval(secs => $6) end
      from (select p.company_id, p.attachment_id, a.file_type, m.channel, m.media->>'mimeType' as mime_type,
          (m.media->>'size')::float as size, case when m.media is not null then p.network_id end as network_id,
          case when p.stage = 'FILE' then ${pauseEnd('f.failed_at')} end as pause_end
        from picked p
          left join attachments a on a.company_id = p.company_id and a._id = p.attachment_id
          left join messages m on m.company_id = p.company_id and m._id = p.message_id
          left join media_failures f on f.company_id = p.company_id and f.inbox_id = p.inbox_id) v
      where ${isPicked('d', 'attachment_id', 'v')}
      returning d.company_id as company, d.attachment_id as _id, d.turn, d.stage, d.inbox_id as inbox, d.failures, d.state,
        extract(epoch from now() - d.created_at)::float / 3600 as age_hours, v.file_type, v.channel, v.mime_type, v.size,
        v.network_id, d.sha256`,
    values: [...pickValues(capacity), leaseSeconds],
  });
  const claimed = rows.filter((row) => row.state === 'RUNNING');
  return { claimed, dismissed: rows.length - claimed.length };
}

export interface Outcome extends RowOutcome {
  company: string;
  turn: number;
  /**
   * READY: the file is there · THUMBNAIL: it is there, and its thumbnail is to be made · DONE: nothing is left to do · FAILED: the file
   * will never arrive · RESTING, WAITING: the same is tried again
   */
  state: 'READY' | 'THUMBNAIL' | 'DONE' | 'FAILED' | 'RESTING' | 'WAITING';
  /** Of a RESTING file: the seconds until its next try. */
  rest: number | null;
  /** Whether this was one of the tries that a file has. */
  is_try: boolean;
  /** Whether the network failed, which counts for the number. */
  network_failed: boolean;
  /** Of a FAILED file: why it will never arrive. */
  failure: string | null;
}

export interface Settled {
  company: string;
  inbox: string;
  /** True when the number has just had too many failures. */
  pauses: boolean;
}

const RECORD = `with o as (
        select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::float[], $6::boolean[], $7::boolean[], $8::text[])
          as o (company_id, attachment_id, turn, state, rest, is_try, network_failed, failure)
      ), ended as (
        delete from media_downloads d using o
        where d.company_id = o.company_id and d.attachment_id = o.attachment_id and d.turn = o.turn and d.state = 'RUNNING'
          and o.state in ('READY', 'DONE', 'FAILED')
        returning d.company_id, d.attachment_id, d.message_id, d.inbox_id, o.state, o.failure, o.network_failed
      ), furthered as (
        update media_downloads d set stage = 'THUMBNAIL', state = 'WAITING', seq = default, failures = 0, due_at = null
        from o where d.company_id = o.company_id and d.attachment_id = o.attachment_id and d.turn = o.turn and d.state = 'RUNNING'
          and o.state = 'THUMBNAIL'
        returning d.company_id, d.attachment_id, d.message_id, d.inbox_id, o.state, o.failure, o.network_failed
      ), again as (
        update media_downloads d set state = o.state, failures = d.failures + o.is_try::int,
          due_at = now() + make_interval(secs => o.rest)
        from o where d.company_id = o.company_id and d.attachment_id = o.attachment_id and d.turn = o.turn and d.state = 'RUNNING'
          and o.state in ('RESTING', 'WAITING')
        returning d.company_id, d.attachment_id, d.inbox_id, o.network_failed
      ), given_up as (
        update attachments a set state = 'FAILED', failure = e.failure, updated_at = now()
        from ended e where a.company_id = e.company_id and a._id = e.attachment_id and a.state = 'PENDING' and e.state = 'FAILED'
      ), shown as (
        update messages m set updated_at = now(), media = m.media || case when a.state = 'READY'
          then jsonb_strip_nulls(jsonb_build_object('size', a.bytes, 'mimeType', nullif(a.mime_type, 'application/octet-stream')))
          else jsonb_build_object('error', e.failure) end
        from (select * from ended where state <> 'DONE' union all select * from furthered) e
          join attachments a on a.company_id = e.company_id and a._id = e.attachment_id
        where m.company_id = e.company_id and m._id = e.message_id and m.attachment_id = e.attachment_id
      ), touched as (
        select company_id, attachment_id, inbox_id, network_failed from ended
        union all select company_id, attachment_id, inbox_id, network_failed from furthered
        union all select company_id, attachment_id, inbox_id, network_failed from again
      ), counted as (
        insert into media_failures as f (company_id, inbox_id, failed_at)
        select company_id, inbox_id, array_agg(now()) from touched where network_failed group by 1, 2 order by 1, 2
        on conflict (company_id, inbox_id) do update set failed_at =
          (f.failed_at || excluded.failed_at)[greatest(1, cardinality(f.failed_at) + cardinality(excluded.failed_at) - ${MOST_FAILURES - 1}):]
        returning company_id, inbox_id, failed_at
      )
      select t.company_id as company, t.inbox_id as inbox, coalesce(${pauseEnd('c.failed_at')} > now(), false) as pauses
      from touched t left join counted c using (company_id, inbox_id)`;

/**
 * Stores outcomes. Final ones are shown in the message, and a failure also in the record of the file; a file that is there has filled its
 * record before. Counts the failures of each number.
 */
export function recordDownloads(tx: SystemTx, outcomes: Outcome[]): Promise<Settled[]> {
  return many(tx, {
    name: 'inbound.recordDownloads',
    text: RECORD,
    values: [
      outcomes.map((outcome) => outcome.company),
      outcomes.map((outcome) => outcome._id),
      outcomes.map((outcome) => outcome.turn),
      outcomes.map((outcome) => outcome.state),
      outcomes.map((outcome) => outcome.rest),
      outcomes.map((outcome) => outcome.is_try),
      outcomes.map((outcome) => outcome.network_failed),
      outcomes.map((outcome) => outcome.failure),
    ],
  });
}

/** Pauses all downloads of a number that has had too many failures, so that no worker has to claim them one by one. */
export function restNumbers(tx: SystemTx, numbers: Pick<Settled, 'company' | 'inbox'>[]): Promise<number> {
  return exec(tx, {
    name: 'inbound.restNumbers',
    text: `update media_downloads d set state = 'RESTING', due_at = ${pauseEnd('f.failed_at')}
      from media_failures f where (f.company_id, f.inbox_id) in (select * from unnest($1::text[], $2::text[]))
        and d.company_id = f.company_id and d.inbox_id = f.inbox_id and d.state = 'WAITING' and d.stage = 'FILE'`,
    values: [numbers.map(({ company }) => company), numbers.map(({ inbox }) => inbox)],
  });
}

type Running = Pick<Claimed, 'company' | '_id' | 'turn'>;

/** Keeps the claims of a worker that is alive. */
export function renewClaims(tx: SystemTx, running: Running[], leaseSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.renewDownloads',
    text: `update media_downloads d set due_at = now() + make_interval(secs => $4)
      from unnest($1::text[], $2::text[], $3::int[]) as r (company_id, attachment_id, turn)
      where d.company_id = r.company_id and d.attachment_id = r.attachment_id and d.turn = r.turn and d.state = 'RUNNING'`,
    values: [
      running.map(({ company }) => company),
      running.map(({ _id }) => _id),
      running.map(({ turn }) => turn),
      leaseSeconds,
    ],
  });
}

/** Returns files to the queue whose pause is over, or whose worker has died. */
export function requeueDue(tx: SystemTx, limit: number): Promise<number> {
  return exec(tx, {
    name: 'inbound.requeueDownloads',
    text: `with picked as (
        select company_id, attachment_id from media_downloads where state <> 'WAITING' and due_at <= now()
        order by due_at limit $1 for update skip locked
      )
      update media_downloads d set state = 'WAITING', due_at = null from picked where ${isPicked('d', 'attachment_id')}`,
    values: [limit],
  });
}

/** True when so many further bytes would exceed the quota of the company. */
export function exceedsQuota(tx: SystemTx, company: string, bytes: number): Promise<boolean> {
  return oneValue(tx, {
    name: 'inbound.exceedsQuota',
    text: `select coalesce(stored_bytes(_id) + $2::bigint > allowed_bytes(limits), false) as exceeds from companies where _id = $1`,
    values: [company, bytes],
  });
}
