import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { EventName } from '../../platform/store/events.ts';
import {
  sinceClause,
  sinceNameSuffix,
  windowNameSuffix,
  windowSqlParts,
  windowValues,
  type Since,
  type Window,
} from '../../platform/store/paging.ts';
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

const DELIVERY = `_id, company_id as company, webhook_id as webhook, event, resource_id, status, response_status, response_ms,
  response_body, error, body::json as body, replay_of, queued_at, attempted_at, finished_at, queued_at as "createdAt",
  coalesce(finished_at, attempted_at, queued_at) as "updatedAt"`;

export function findDelivery(tx: TenantRead, id: string): Promise<WebhookDelivery | null> {
  return maybeOne(tx, {
    name: 'webhooks.findDelivery',
    text: `select ${DELIVERY} from deliveries where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export interface DeliveryFilter {
  event: string | null;
  status: string | null;
  /** When the delivery was queued: from `from` on, and before `to`. */
  from: string | null;
  to: string | null;
}

// The log with the columns that pages are sorted by.
const LOG = `(select *, queued_at as created_at, coalesce(finished_at, attempted_at, queued_at) as updated_at from deliveries) d`;
const FILTER = `company_id = $1 and ($2::text is null or event = $2) and ($3::text is null or status = $3)
  and ($4::timestamptz is null or queued_at >= $4) and ($5::timestamptz is null or queued_at < $5)`;
const filterValues = (tx: TenantRead, { event, status, from, to }: DeliveryFilter): unknown[] => [
  tx.companyId,
  event,
  status,
  from,
  to,
];

// The conditions by status. A delivery that failed has an error, and a waiting one was never claimed. Each condition has its own index, so
// that deliveries of a rare status are found without reading all the successful ones. One statement for all of them would use none of these
// indexes.
const WALKS = new Map([
  ['FAILED', 'error is not null'],
  ['UNKNOWN', 'error is not null'],
  ['QUEUED', 'claimed_at is null'],
]);

function chooseListCondition(filter: DeliveryFilter): { name: string; clause: string } {
  const clause = filter.status === null ? undefined : WALKS.get(filter.status);
  return clause ? { name: clause.split(' ')[0] ?? '', clause: `and ${clause}` } : { name: 'all', clause: '' };
}

/** Rounds a time down as the column updated_step does, which is indexed instead of the time of the last change. */
const toStepSql = (parameter: string): string => `date_bin('10 s', ${parameter}::timestamptz, '2000-01-01T00:00:00Z')`;

/** Returns the condition for `since`, with the rounded time for the index. */
const sinceStepClause = (window: Since, place: number): string =>
  `${sinceClause(window, place)} ${window.since === null ? '' : `and updated_step >= ${toStepSql(`$${place}`)}`}`;

/** Returns windowClause() with the rounded time. Only deliveries with the same rounded time have to be sorted. */
function stepWindowClause(window: Window, first: number): string {
  const isByStep = window.field === 'updatedAt';
  const { cursor, tail } = windowSqlParts(window, first, isByStep ? 'updated_step desc, ' : '');
  const cursorStep = isByStep && window.after ? `and updated_step <= ${toStepSql(`$${first}`)}` : '';
  return `${sinceStepClause(window, first + 4)} ${cursor} ${cursorStep} ${tail}`;
}

export function listDeliveries(tx: TenantRead, filter: DeliveryFilter, window: Window): Promise<WebhookDelivery[]> {
  const walk = chooseListCondition(filter);
  return many(tx, {
    name: `webhooks.listDeliveries.${walk.name}.${windowNameSuffix(window)}`,
    text: `select ${DELIVERY} from ${LOG} where ${FILTER} ${walk.clause} ${stepWindowClause(window, 6)}`,
    values: [...filterValues(tx, filter), ...windowValues(window)],
    ...planForTime(filter, window),
  });
}

export function countDeliveries(tx: TenantRead, filter: DeliveryFilter, window: Since): Promise<number> {
  const walk = chooseListCondition(filter);
  return oneValue(tx, {
    name: `webhooks.countDeliveries.${walk.name}${sinceNameSuffix(window)}`,
    text: `select count(*)::int as count from ${LOG} where ${FILTER} ${walk.clause} ${sinceStepClause(window, 6)}`,
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
    text: `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, replay_of)
      select company_id, $3, $4, $5, event, resource_id, body, _id from deliveries
        where company_id = $1 and _id = $2 and redacted_at is null for share
      returning ${DELIVERY}`,
    values: [tx.companyId, replay.of, replay._id, replay.webhook, replay.epoch],
  });
}

/** Returns whether the contents of the delivery were erased; null for an unknown delivery and for a delivery of another company alike. */
export function findErasedState(tx: TenantRead, id: string): Promise<{ isErased: boolean } | null> {
  return maybeOne(tx, {
    name: 'webhooks.findErasure',
    text: 'select redacted_at is not null as "isErased" from deliveries where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
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
 * portion. Deliveries are locked in the order of their ids, as sweepInterrupted() does, so that the two never wait for each other.
 */
export function redactPortion(tx: TenantTx, { contacts, after, limit }: RedactStep): Promise<DeliveryPlace | null> {
  return maybeOne(tx, {
    name: 'webhooks.redactPortion',
    text: `with portion as materialized (
        select * from (
          select _id, queued_at, resource_id, redacted_at, body,
            sum(octet_length(body)) over (order by queued_at, _id rows between unbounded preceding and 1 preceding) as before
          from (
            select * from deliveries
            where company_id = $1 and (queued_at, _id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4, ''))
            order by queued_at, _id limit $5
          ) near
        ) weighed where coalesce(before, 0) < ${READ_BYTES}
      ), told as (
        select _id, body::json ->> 'timestamp' as moment from portion
        where redacted_at is null
          and (resource_id = any($2) or array[body::json -> 'data' ->> 'contact', body::json -> 'data' ->> 'contactId'] && $2)
      ), locked as materialized (
        select d._id, t.moment from told t join deliveries d on d.company_id = $1 and d._id = t._id order by d._id for update of d
      ), redacted as (
        update deliveries d set redacted_at = now(), response_body = null,
          body = json_build_object('event', d.event, 'timestamp', t.moment, 'data', json_build_object('_id', d.resource_id), 'redacted', true),
          status = case when d.status = 'QUEUED' then 'FAILED' else d.status end,
          error = case when d.status = 'QUEUED' then 'ERASED' else d.error end,
          claimed_at = coalesce(d.claimed_at, now()),
          finished_at = case when d.status = 'QUEUED' then now() else d.finished_at end
        from locked t where d.company_id = $1 and d._id = t._id
      )
      select queued_at, _id from portion order by queued_at desc, _id desc limit 1`,
    values: [tx.companyId, contacts, after?.queued_at ?? null, after?._id ?? null, limit],
  });
}
