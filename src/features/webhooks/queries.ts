import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import { QUEUE_MADE, type EventName } from '../../platform/store/events.ts';
import {
  sinceClause,
  sinceNameSuffix,
  windowNameSuffix,
  windowSqlParts,
  windowValues,
  type Since,
  type Window,
} from '../../platform/store/paging.ts';
import { isPicked } from '../../platform/store/picked-rows.ts';
import { READ_BYTES } from '../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { WebhookDelivery } from './schemas.ts';

/** A webhook as it is stored, with encrypted headers. */
export interface WebhookRow {
  _id: string;
  company: string;
  url: string;
  events: EventName[];
  custom_headers: string;
  status: 'ACTIVE' | 'INACTIVE';
  epoch: number;
  createdAt: string;
  updatedAt: string;
}

const COLUMNS = `_id, company_id as company, url, events, custom_headers, status, epoch, created_at as "createdAt",
  updated_at as "updatedAt"`;

export function insertWebhook(
  tx: TenantTx,
  webhook: Omit<WebhookRow, 'company' | 'epoch' | 'createdAt' | 'updatedAt'>,
): Promise<WebhookRow> {
  return one(tx, {
    name: 'webhooks.insert',
    text: `insert into webhooks (company_id, _id, url, events, custom_headers, status) values ($1, $2, $3, $4, $5, $6) returning ${COLUMNS}`,
    values: [tx.companyId, webhook._id, webhook.url, webhook.events, webhook.custom_headers, webhook.status],
  });
}

export function findWebhook(tx: TenantRead): Promise<WebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.find',
    text: `select ${COLUMNS} from webhooks where company_id = $1`,
    values: [tx.companyId],
  });
}

export function findWebhookForUpdate(tx: TenantTx, id: string): Promise<WebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.findForUpdate',
    text: `select ${COLUMNS} from webhooks where company_id = $1 and _id = $2 for update`,
    values: [tx.companyId, id],
  });
}

/** Updates a webhook. A webhook that stops begins a new epoch: the deliveries in the queue belong to the old epoch and are never sent. */
export function updateWebhook(tx: TenantTx, webhook: WebhookRow): Promise<WebhookRow> {
  return one(tx, {
    name: 'webhooks.update',
    text: `update webhooks set url = $3, events = $4, custom_headers = $5, status = $6, updated_at = now(),
        epoch = epoch + case when status = 'ACTIVE' and $6 = 'INACTIVE' then 1 else 0 end
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, webhook._id, webhook.url, webhook.events, webhook.custom_headers, webhook.status],
  });
}

export function deleteWebhook(tx: TenantTx, id: string): Promise<WebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.delete',
    text: `delete from webhooks where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id],
  });
}

/**
 * Stores which events the webhook listens to, for the statement that enqueues deliveries: an ACTIVE webhook listens to the events that it
 * lists, any other to none.
 */
export async function writeListeners(tx: TenantTx, webhook: WebhookRow | null): Promise<void> {
  await exec(tx, {
    name: 'webhooks.clearListeners',
    text: 'delete from event_listeners where company_id = $1',
    values: [tx.companyId],
  });
  if (webhook?.status !== 'ACTIVE') return;
  await exec(tx, {
    name: 'webhooks.writeListeners',
    text: `insert into event_listeners (company_id, event, webhook_id, epoch) select $1, event, $3, $4 from unnest($2::text[]) event`,
    values: [tx.companyId, webhook.events, webhook._id, webhook.epoch],
  });
}

const DELIVERY = `_id, company_id as company, webhook_id as webhook, event, form, resource_id, status, response_status, response_ms,
  response_body, error, body::json as body, replay_of, queued_at, attempted_at, finished_at, queued_at as "createdAt",
  coalesce(finished_at, attempted_at, queued_at) as "updatedAt"`;

/** Rounds a time down as the column updated_step does, which is indexed instead of the time of the last change. */
const toStepSql = (time: string): string => `date_bin('10 s', ${time}::timestamptz, '2000-01-01T00:00:00Z')`;

/**
 * Selects deliveries, `d`, as the log shows them. Until a delivery has ended, its row says QUEUED, and the time of its attempt is in
 * delivery_attempts, `a`.
 */
const selectLog = (status: string, attempted: string, step = 'd.updated_step'): string =>
  `select d.company_id, d._id, d.webhook_id, d.event, d.form, d.resource_id, ${status} as status, d.response_status, d.response_ms, d.response_body,
    d.error, d.body, d.replay_of, d.queued_at, ${attempted} as attempted_at, d.finished_at, d.queued_at as created_at,
    coalesce(d.finished_at, ${attempted}, d.queued_at) as updated_at, ${step} as updated_step`;

const IS_UNDER_WAY = 'a.company_id = d.company_id and a.delivery_id = d._id and d.finished_at is null';
const LOG = `${selectLog(`case when a.delivery_id is null then d.status else 'SENDING' end`, 'coalesce(d.attempted_at, a.attempted_at)')}
  from deliveries d left join delivery_attempts a on ${IS_UNDER_WAY}`;
const STORED = `${selectLog('d.status', 'd.attempted_at')} from deliveries d`;
const NOT_UNDER_WAY = `${STORED} where d.finished_at is not null or not exists (select from delivery_attempts a where ${IS_UNDER_WAY})`;
// The few attempts of a company are read first, and not its deliveries (`offset 0`).
const UNDER_WAY = `${selectLog(`'SENDING'`, 'a.attempted_at', toStepSql('a.attempted_at'))}
  from delivery_attempts a cross join lateral (select * from deliveries d where ${IS_UNDER_WAY} offset 0) d where a.company_id = $1`;
const WAITING = `${STORED} join delivery_queue q on q.company_id = d.company_id and q.seq = d.seq and q.delivery_id = d._id`;

export function findDelivery(tx: TenantRead, id: string): Promise<WebhookDelivery | null> {
  return maybeOne(tx, {
    name: 'webhooks.findDelivery',
    text: `select ${DELIVERY} from (${LOG}) d where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export interface DeliveryFilter {
  event: string | null;
  status: string | null;
  /** When the delivery was queued: from `from` on, and before `to`. */
  from: string | null;
  to: string | null;
  webhook: string | null;
}

const FILTER = `company_id = $1 and ($2::text is null or event = $2)
  and ($3::timestamptz is null or queued_at >= $3) and ($4::timestamptz is null or queued_at < $4)
  and ($5::text is null or webhook_id = $5)`;
const filterValues = (tx: TenantRead, { event, from, to, webhook }: DeliveryFilter): unknown[] => [
  tx.companyId,
  event,
  from,
  to,
  webhook,
];

interface Source {
  name: string;
  rows: string[];
}

// Where the deliveries of each status are, so that those of a rare status are found without reading all the successful ones.
const SOURCES = new Map<string | null, Source>([
  ['QUEUED', { name: 'queued', rows: [WAITING] }],
  ['SENDING', { name: 'sending', rows: [UNDER_WAY] }],
  ['DELIVERED', { name: 'delivered', rows: [`${STORED} where d.status = 'DELIVERED'`] }],
  // A delivery that failed has an error, which has an index.
  ['FAILED', { name: 'failed', rows: [`${STORED} where d.status = 'FAILED' and d.error is not null`] }],
  ['UNKNOWN', { name: 'unknown', rows: [`${STORED} where d.status = 'UNKNOWN' and d.error is not null`] }],
]);
const ALL = { name: 'all', rows: [LOG] };
// By the time of the last change, the index is of no use for deliveries under way: their row has not changed yet.
const ALL_BY_CHANGE = { name: 'all', rows: [NOT_UNDER_WAY, UNDER_WAY] };

const chooseSource = ({ status }: DeliveryFilter, isByChange: boolean): Source =>
  SOURCES.get(status) ?? (isByChange ? ALL_BY_CHANGE : ALL);

/** Returns the condition for `since`, with the rounded time for the index. */
const sinceStepClause = (window: Since, place: number): string =>
  `${sinceClause(window, place)} ${window.since === null ? '' : `and updated_step >= ${toStepSql(`$${place}`)}`}`;

/** Returns the page of a window. Where several sources have rows, each gives as many as the page may need. */
function selectPage({ rows }: Source, window: Window): string {
  const isByStep = window.field === 'updatedAt';
  // Only deliveries with the same rounded time have to be sorted.
  const { cursor, order, tail } = windowSqlParts(window, 6, isByStep ? 'updated_step desc, ' : '');
  const cursorStep = isByStep && window.after ? `and updated_step <= ${toStepSql('$6')}` : '';
  const pages = rows.map(
    (from) => `select * from (${from}) d where ${FILTER} ${sinceStepClause(window, 10)} ${cursor} ${cursorStep}`,
  );
  if (pages.length === 1) return `${pages.join('')} ${tail}`;
  const first = `order by ${isByStep ? 'updated_step desc, ' : ''}${order} limit $8::bigint + $9::bigint`;
  return `select * from (${pages.map((page) => `(${page} ${first})`).join(' union all ')}) d ${tail}`;
}

export function listDeliveries(tx: TenantRead, filter: DeliveryFilter, window: Window): Promise<WebhookDelivery[]> {
  const source = chooseSource(filter, window.field === 'updatedAt' || window.since !== null);
  return many(tx, {
    name: `webhooks.listDeliveries.${source.name}.${windowNameSuffix(window)}`,
    text: `select ${DELIVERY} from (${selectPage(source, window)}) d`,
    values: [...filterValues(tx, filter), ...windowValues(window)],
    ...planForTime(filter, window),
  });
}

export function countDeliveries(tx: TenantRead, filter: DeliveryFilter, window: Since): Promise<number> {
  const { name, rows } = chooseSource(filter, window.since !== null);
  return oneValue(tx, {
    name: `webhooks.countDeliveries.${name}${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from (${rows.join(' union all ')}) d where ${FILTER} ${sinceStepClause(window, 6)}`,
    values: [...filterValues(tx, filter), window.since],
    ...planForTime(filter, window),
  });
}

/** With a time, the number of rows depends on that time, so the statement is planned again for each call. */
const planForTime = ({ from, to }: DeliveryFilter, { since }: Since): { planEachTime?: true } =>
  from === null && to === null && since === null ? {} : { planEachTime: true };

/**
 * Enqueues a delivery again, with the same body, for the webhook in its present state. Returns null when the contents of the delivery were
 * erased meanwhile.
 */
export function insertReplay(
  tx: TenantTx,
  replay: { _id: string; of: string; webhook: string; epoch: number },
): Promise<WebhookDelivery | null> {
  return maybeOne(tx, {
    name: 'webhooks.insertReplay',
    text: `with made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, form, resource_id, body, replay_of)
        select company_id, $3, $4, $5, event, form, resource_id, body, _id from deliveries
          where company_id = $1 and _id = $2 and redacted_at is null for share
        returning *
      ), queued as (${QUEUE_MADE})
      select ${DELIVERY} from made`,
    values: [tx.companyId, replay.of, replay._id, replay.webhook, replay.epoch],
  });
}

export interface DeliveryPlace {
  queued_at: string;
  _id: string;
}

export interface RedactStep {
  contacts: string[];
  after: DeliveryPlace | null;
  limit: number;
}

/**
 * Erases the contents of the deliveries about these contacts, in the next portion of the log, oldest first: a replay that is made meanwhile
 * comes later in the log. A delivery that still waits is not sent. Returns where the portion ended; null when the log has no further
 * portion. Rows of the queue are locked before deliveries, as a claim does, and deliveries in the order of their ids, as sweepInterrupted()
 * does, so that none of them wait for each other.
 */
export function redactPortion(tx: TenantTx, { contacts, after, limit }: RedactStep): Promise<DeliveryPlace | null> {
  return maybeOne(tx, {
    name: 'webhooks.redactPortion',
    text: `with portion as materialized (
        select * from (
          select _id, seq, queued_at, resource_id, redacted_at, body,
            sum(octet_length(body)) over (order by queued_at, _id rows between unbounded preceding and 1 preceding) as before
          from (
            select * from deliveries
            where company_id = $1 and (queued_at, _id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4, ''))
            order by queued_at, _id limit $5
          ) near
        ) weighed where coalesce(before, 0) < ${READ_BYTES}
      ), told as (
        select _id, seq, body::json ->> 'timestamp' as moment from portion
        where redacted_at is null
          and (resource_id = any($2) or array[body::json -> 'data' ->> 'contact', body::json -> 'data' ->> 'contactId'] && $2)
      ), waiting as materialized (
        select q.company_id, q.seq, q.delivery_id from told t join delivery_queue q on q.company_id = $1 and q.seq = any(array[t.seq])
        order by q.seq for update of q
      ), removed as (
        delete from delivery_queue q using waiting where ${isPicked('q', 'seq', 'waiting')}
      ), locked as materialized (
        select d._id, t.moment, d._id in (select delivery_id from waiting) as waited
        from told t join deliveries d on d.company_id = $1 and d._id = t._id order by d._id for update of d
      ), redacted as (
        update deliveries d set redacted_at = now(), response_body = null,
          body = json_build_object('event', d.event, 'timestamp', t.moment, 'data', json_build_object('_id', d.resource_id), 'redacted', true),
          status = case when t.waited then 'FAILED' else d.status end,
          error = case when t.waited then 'ERASED' else d.error end,
          finished_at = case when t.waited then now() else d.finished_at end
        from locked t where d.company_id = $1 and d._id = t._id
      )
      select queued_at, _id from portion order by queued_at desc, _id desc limit 1`,
    values: [tx.companyId, contacts, after?.queued_at ?? null, after?._id ?? null, limit],
  });
}
