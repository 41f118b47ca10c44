import { maybeOne, one, oneValue } from '../../../platform/store/db.ts';
import { QUEUE_MADE } from '../../../platform/store/events.ts';
import { READ_BYTES } from '../../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import type { ClaimedRun } from '../../../platform/work/runs/queries.ts';
import type { DeliveryReplayCreate } from './schemas.ts';

/** What the record of a replay shows in addition to the columns of all runs. */
export const REPLAY_COLUMNS = `input ->> 'webhook' as webhook, input ->> 'status' as delivery_status, input ->> 'event' as event,
  (input ->> 'from')::timestamptz(3) as "from", least((input ->> 'to')::timestamptz(3), created_at) as "to", created_count as replayed,
  error ->> 'code' as error`;

/** The deliveries that a replay sends again, and the webhook as it was when the replay began. */
export interface ReplayInput extends DeliveryReplayCreate {
  webhook: string;
  epoch: number;
  /** Whether the webhook is that of a door; only its own deliveries are sent again. Absent in runs of an earlier release. */
  isDoor?: boolean;
}

/** A request for a replay, with the webhook of a door whose deliveries it is about; null for those of the company's webhooks. */
export type AskedReplay = Pick<DeliveryReplayCreate, 'status' | 'event' | 'from' | 'to'> & { door: string | null };

const toAsked = ({ webhook, isDoor, ...input }: ReplayInput): AskedReplay => ({
  ...input,
  door: isDoor ? webhook : null,
});

/**
 * The condition of the deliveries of a replay; `$1` is the company, and `r` a row with the values of the replay. Replays are left out, because
 * the delivery that they repeat stands for them. Deliveries that failed have an error, and an index of their own.
 */
const chosenSql = (
  status: ReplayInput['status'],
): string => `d.company_id = $1 and d.queued_at >= r.since and d.queued_at < r.until
  and d.status = r.status and (r.event is null or d.event = r.event) and d.replay_of is null
  and (case when r.door is null then d.form is null else d.form is not null and d.webhook_id = r.door end) ${status === 'DELIVERED' ? '' : 'and d.error is not null'}`;

/** The row `r`. A replay that is being created ends at the present time at most, so that it comes to an end. */
const CHOICE = `select $2::text as status, $3::text as event, $4::timestamptz(3) as since,
  least($5::timestamptz(3), coalesce($6::timestamptz, now())) as until, $7::text as door`;

const choiceValues = (tx: TenantRead, asked: AskedReplay, began: string | null): unknown[] => [
  tx.companyId,
  asked.status,
  asked.event ?? null,
  asked.from,
  asked.to,
  began,
  asked.door,
];

/** Counts the deliveries that a replay would look at, up to `most`. */
export function countChosen(tx: TenantRead, asked: AskedReplay, most: number): Promise<number> {
  return oneValue(tx, {
    name: `webhooks.replays.countChosen.${asked.status}`,
    text: `select count(*)::int as count from (
        select from deliveries d cross join (${CHOICE}) r where ${chosenSql(asked.status)} limit $8) chosen`,
    values: [...choiceValues(tx, asked, null), most],
    planEachTime: true,
  });
}

export interface ReplayState {
  /** The webhook is ACTIVE and has not been stopped since the replay began. */
  can_send: boolean;
  /** The deliveries of the company that wait, up to the given number. */
  waiting: number;
}

export function findReplayState(
  tx: TenantTx,
  { webhook, epoch }: Pick<ReplayInput, 'webhook' | 'epoch'>,
  mostWaiting: number,
): Promise<ReplayState> {
  return one(tx, {
    name: 'webhooks.replays.findState',
    text: `select exists (select from webhooks where company_id = $1 and _id = $2 and status = 'ACTIVE' and epoch = $3
          union all select from door_webhooks where company_id = $1 and _id = $2 and status = 'ACTIVE' and epoch = $3) as can_send,
        (select count(*)::int from (select from delivery_queue where company_id = $1 limit $4) q) as waiting`,
    values: [tx.companyId, webhook, epoch, mostWaiting],
  });
}

/** What decides about a replay; null for an unknown delivery and for a delivery of another company alike. */
export function findReplayed(
  tx: TenantRead,
  id: string,
): Promise<{ isErased: boolean; doorWebhook: string | null } | null> {
  return maybeOne(tx, {
    name: 'webhooks.replays.find',
    text: `select redacted_at is not null as "isErased", case when form is not null then webhook_id end as "doorWebhook"
      from deliveries where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

/** What a portion of a replay has done; `place` is null when nothing was left. */
export interface ReplayedPortion {
  processed: number;
  created: number;
  place: object | null;
}

/**
 * Queues the next deliveries of a replay again, with the given ids. A delivery is locked, so that its contact is not erased meanwhile. One that
 * failed is left out when another replay has delivered it or is about to.
 */
export function replayPortion(
  tx: TenantTx,
  { input, created_at, place }: Pick<ClaimedRun<ReplayInput>, 'input' | 'created_at' | 'place'>,
  ids: string[],
): Promise<ReplayedPortion> {
  return one(tx, {
    name: `webhooks.replays.portion.${input.status}`,
    text: `with r as materialized (${CHOICE}, ($8::jsonb ->> 'at')::timestamptz as after_at, $8::jsonb ->> 'id' as after_id),
      portion as materialized (
        select _id, queued_at from (
          select near.*, sum(bytes) over (order by queued_at, _id) - bytes as before from (
            select d._id, d.queued_at, octet_length(d.body) as bytes from r join deliveries d on ${chosenSql(input.status)}
              and (d.queued_at, d._id) > (coalesce(r.after_at, '-infinity'), coalesce(r.after_id, ''))
            order by d.queued_at, d._id limit cardinality($9::text[])) near
        ) weighed where before < ${READ_BYTES}
      ), sources as materialized (
        select d._id, d.event, d.form, d.resource_id, d.body from portion p join deliveries d on d.company_id = $1 and d._id = p._id
          cross join r
        where d.redacted_at is null and (r.status = 'DELIVERED' or not exists (select from deliveries again
          where again.company_id = $1 and again.replay_of = d._id and again.status in ('QUEUED', 'SENDING', 'DELIVERED')))
        order by d._id for share of d
      ), made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, form, resource_id, body, replay_of)
        select $1, ($9::text[])[row_number() over (order by s._id)], $10, $11, s.event, s.form, s.resource_id, s.body, s._id from sources s
        returning company_id, seq, _id
      ), queued as (${QUEUE_MADE})
      select (select count(*)::int from portion) as processed, (select count(*)::int from made) as created,
        (select jsonb_build_object('at', queued_at, 'id', _id) from portion order by queued_at desc, _id desc limit 1) as place`,
    values: [
      ...choiceValues(tx, toAsked(input), created_at),
      place && JSON.stringify(place),
      ids,
      input.webhook,
      input.epoch,
    ],
  });
}
