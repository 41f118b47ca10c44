import { exec, many, maybeOne, one, oneValue } from '../../../platform/store/db.ts';
import type { DoorWebhookOptions, WebhookDoor } from '../../../platform/outside/door-formats.ts';
import type { EventName } from '../../../platform/store/events.ts';
import type { Page, Window } from '../../../platform/store/paging.ts';
import { listPage } from '../../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../../platform/store/tenant.ts';
import { findUnknown } from '../../../platform/store/unknown-references.ts';
import type { WebhookRow } from '../queries.ts';

/** The webhook of a door as it is stored, with encrypted headers. */
export interface DoorWebhookRow extends Omit<WebhookRow, 'events'> {
  door: WebhookDoor;
  inbox: string | null;
  events: string[];
  options: DoorWebhookOptions;
}

const COLUMNS = `_id, company_id as company, door, inbox_id as inbox, url, events, custom_headers, options, status, epoch,
  created_at as "createdAt", updated_at as "updatedAt"`;

export interface DoorPlace {
  door: WebhookDoor;
  inbox: string | null;
}

export function lockDoorWebhookAt(tx: TenantTx, { door, inbox }: DoorPlace): Promise<DoorWebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.doors.lockAt',
    text: `select ${COLUMNS} from door_webhooks where company_id = $1 and door = $2 and inbox_id is not distinct from $3 for update`,
    values: [tx.companyId, door, inbox],
  });
}

export function findDoorWebhook(tx: TenantRead, id: string): Promise<DoorWebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.doors.find',
    text: `select ${COLUMNS} from door_webhooks where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function countDoorWebhooks(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'webhooks.doors.countAll',
    text: 'select count(*)::int as count from door_webhooks where company_id = $1',
    values: [tx.companyId],
  });
}

export function findUnknownFilters(tx: TenantRead, inbox: string | null): Promise<'inbox'[]> {
  return findUnknown(tx, { name: 'webhooks.doors.findUnknown', tables: { inbox: 'inboxes' }, asked: { inbox } });
}

export function listDoorWebhooks(
  tx: TenantRead,
  { door, inbox }: { door: string | null; inbox: string | null },
  window: Window,
): Promise<Page<DoorWebhookRow>> {
  return listPage(tx, window, {
    name: 'webhooks',
    variant: '.doors',
    columns: COLUMNS,
    from: 'door_webhooks',
    filter: 'company_id = $1 and ($2::text is null or door = $2) and ($3::text is null or inbox_id = $3)',
    values: [tx.companyId, door, inbox],
  });
}

/** Stores a webhook with its encrypted key, in the place of the one with this id. One that stops begins a new epoch. */
export function putDoorWebhook(
  tx: TenantTx,
  webhook: Omit<DoorWebhookRow, 'company' | 'epoch' | 'createdAt' | 'updatedAt'> & { api_key: string | null },
): Promise<DoorWebhookRow> {
  const { _id, door, inbox, url, events, custom_headers, options, status, api_key } = webhook;
  return one(tx, {
    name: 'webhooks.doors.put',
    text: `insert into door_webhooks as w (company_id, _id, door, inbox_id, url, events, custom_headers, options, status, api_key)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (company_id, _id) do update set url = $5, events = $6, custom_headers = $7, options = $8, status = $9, api_key = $10,
        updated_at = now(), epoch = w.epoch + case when w.status = 'ACTIVE' and $9 = 'INACTIVE' then 1 else 0 end
      returning ${COLUMNS}`,
    values: [tx.companyId, _id, door, inbox, url, events, custom_headers, JSON.stringify(options), status, api_key],
  });
}

export function setDoorWebhookStatus(
  tx: TenantTx,
  id: string,
  status: DoorWebhookRow['status'],
): Promise<DoorWebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.doors.setStatus',
    text: `update door_webhooks set status = $3, updated_at = now(),
        epoch = epoch + case when status = 'ACTIVE' and $3 = 'INACTIVE' then 1 else 0 end
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, status],
  });
}

export function deleteDoorWebhook(tx: TenantTx, id: string): Promise<DoorWebhookRow | null> {
  return maybeOne(tx, {
    name: 'webhooks.doors.delete',
    text: `delete from door_webhooks where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id],
  });
}

/** Replaces what the webhook listens to: our events, each under a name of the door. */
export async function writeDoorListeners(
  tx: TenantTx,
  webhook: Pick<DoorWebhookRow, '_id' | 'inbox' | 'epoch'>,
  listened: { event: EventName; form: string }[],
): Promise<void> {
  await exec(tx, {
    name: 'webhooks.doors.clearListeners',
    text: 'delete from door_listeners where company_id = $1 and webhook_id = $2',
    values: [tx.companyId, webhook._id],
  });
  if (listened.length === 0) return;
  await exec(tx, {
    name: 'webhooks.doors.writeListeners',
    text: `insert into door_listeners (company_id, event, webhook_id, form, inbox_id, epoch)
      select $1, event, $2, form, $3, $4 from unnest($5::text[], $6::text[]) as l (event, form)`,
    values: [
      tx.companyId,
      webhook._id,
      webhook.inbox,
      webhook.epoch,
      listened.map(({ event }) => event),
      listened.map(({ form }) => form),
    ],
  });
}

/** The names of a contact that are of this kind, as networks write them. */
export async function listAddresses(tx: TenantRead, contact: string, kind: string): Promise<string[]> {
  const names = await many<{ address: string }>(tx, {
    name: 'webhooks.doors.listAddresses',
    text: `select address from contact_identities where company_id = $1 and contact_id = $2 and kind = $3 order by value`,
    values: [tx.companyId, contact, kind],
  });
  return names.map(({ address }) => address);
}
