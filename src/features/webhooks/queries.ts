import { exec, many, maybeOne, one } from '../../platform/db.ts';
import type { EventName } from '../../platform/events.ts';
import { windowClause, windowName, windowValues, type Window } from '../../platform/paging.ts';
import type { TenantRead, TenantTx } from '../../platform/tenant.ts';
import type { WebhookDelivery } from './schemas.ts';

/** A webhook as it is stored: its headers sealed. */
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

/** A webhook that stops begins a new epoch: what is queued belongs to the old one and is never sent. */
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

/** Says to the outbox who listens to what: nobody but an ACTIVE webhook, and it only to what it lists. */
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

// Each body is as long as the record was: a page is bounded in rows alone, like a page of the records themselves.
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
}

const FILTER = 'company_id = $1 and ($2::text is null or event = $2) and ($3::text is null or status = $3)';

// What ended badly carries an error, what waits was never claimed: each has an index of its own, so that a status that is
// rare is found without a walk through all that went well. A statement per index; one for all would use none of them.
const WALKS: Record<string, string> = {
  FAILED: 'error is not null',
  UNKNOWN: 'error is not null',
  QUEUED: 'claimed_at is null',
};

function walkOf(filter: DeliveryFilter): { name: string; clause: string } {
  const clause = filter.status === null ? undefined : WALKS[filter.status];
  return clause ? { name: clause.split(' ')[0] ?? '', clause: `and ${clause}` } : { name: 'all', clause: '' };
}

export function listDeliveries(tx: TenantRead, filter: DeliveryFilter, window: Window): Promise<WebhookDelivery[]> {
  const walk = walkOf(filter);
  return many(tx, {
    name: `webhooks.listDeliveries.${walk.name}.${windowName(window)}`,
    text: `select ${DELIVERY} from (select *, queued_at as created_at from deliveries) d
      where ${FILTER} ${walk.clause} ${windowClause(window, 4)}`,
    values: [tx.companyId, filter.event, filter.status, ...windowValues(window)],
  });
}

export async function countDeliveries(tx: TenantRead, filter: DeliveryFilter): Promise<number> {
  const walk = walkOf(filter);
  const { count } = await one<{ count: number }>(tx, {
    name: `webhooks.countDeliveries.${walk.name}`,
    text: `select count(*)::int as count from deliveries where ${FILTER} ${walk.clause}`,
    values: [tx.companyId, filter.event, filter.status],
  });
  return count;
}

/** A new delivery with the same body, for the webhook as it stands now. */
export function insertReplay(
  tx: TenantTx,
  replay: { _id: string; of: string; webhook: string; epoch: number },
): Promise<WebhookDelivery | null> {
  return maybeOne(tx, {
    name: 'webhooks.insertReplay',
    text: `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, replay_of)
      select company_id, $3, $4, $5, event, resource_id, body, _id from deliveries where company_id = $1 and _id = $2
      returning ${DELIVERY}`,
    values: [tx.companyId, replay.of, replay._id, replay.webhook, replay.epoch],
  });
}

/** The statuses of an unknown delivery and of a foreign one are the same: none. */
export function deliveryExists(tx: TenantRead, id: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'webhooks.deliveryExists',
    text: 'select _id from deliveries where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}
