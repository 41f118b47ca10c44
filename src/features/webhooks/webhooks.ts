import type { Kit } from '../../kit.ts';
import { expectTarget } from '../../platform/outside/targets.ts';
import { whenTaken } from '../../platform/store/taken.ts';
import { AppError, expectFound, notFound } from '../../platform/values/errors.ts';
import { DELIVERIES } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import { makePage, pageWindow, type Page } from '../../platform/store/paging.ts';
import type { SystemTx, Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { replaceReceiverOrigin } from './delivery-queries.ts';
import { findDoorWebhook } from './doors/queries.ts';
import { acceptHeaders, openHeaders, sealHeaders, showHeaders } from './headers.ts';
import {
  countDeliveries,
  deleteWebhook,
  findDelivery,
  findWebhook,
  findWebhookForUpdate,
  insertReplay,
  insertWebhook,
  listDeliveries,
  updateWebhook,
  writeListeners,
  type WebhookRow,
} from './queries.ts';
import { findReplayed } from './replays/queries.ts';
import type { DeliveryQuery, Webhook, WebhookCreate, WebhookDelivery, WebhookUpdate } from './schemas.ts';

export async function createWebhook(kit: Kit, tenant: Tenant, input: WebhookCreate): Promise<Webhook> {
  await expectTarget(kit.toWebhooks, 'url', input.url);
  const custom_headers = sealHeaders(kit.secrets, tenant.companyId, acceptHeaders(input.custom_headers ?? {}, {}));
  const { url, events, status = 'ACTIVE' } = input;
  const stored = tenant.tx(async (tx) => {
    const created = await insertWebhook(tx, { _id: newId(), url, events, status, custom_headers });
    tx.created(created._id);
    await writeListeners(tx, created);
    return created;
  });
  return toWebhook(kit, tenant, await stored.catch(refuseSecondWebhook(tenant)));
}

/** Returns the webhook of the company, or null; a company has at most one. */
export async function readWebhook(kit: Kit, tenant: Tenant): Promise<Webhook | null> {
  const row = await findWebhook(tenant.read);
  return row && toWebhook(kit, tenant, row);
}

export async function readWebhookById(kit: Kit, tenant: Tenant, id: string): Promise<Webhook> {
  const row = await findWebhook(tenant.read);
  if (row?._id !== id) throw notFound();
  return toWebhook(kit, tenant, row);
}

export async function updateWebhookById(kit: Kit, tenant: Tenant, id: string, input: WebhookUpdate): Promise<Webhook> {
  if (input.url !== undefined) await expectTarget(kit.toWebhooks, 'url', input.url);
  const row = await tenant.tx(async (tx) => {
    const before = expectFound(await findWebhookForUpdate(tx, id));
    const stored = openHeaders(kit.secrets, tenant.companyId, before.custom_headers);
    const headers = input.custom_headers ? acceptHeaders(input.custom_headers, stored) : stored;
    const { custom_headers: _given, ...fields } = input;
    const next = { ...before, ...fields, custom_headers: sealHeaders(kit.secrets, tenant.companyId, headers) };
    const updated = await updateWebhook(tx, next);
    await writeListeners(tx, updated);
    tx.wakes(DELIVERIES);
    return updated;
  });
  return toWebhook(kit, tenant, row);
}

export async function removeWebhook(kit: Kit, tenant: Tenant, id: string): Promise<Webhook> {
  const row = await tenant.tx(async (tx) => {
    const removed = expectFound(await deleteWebhook(tx, id));
    await writeListeners(tx, null);
    tx.wakes(DELIVERIES);
    return removed;
  });
  return toWebhook(kit, tenant, row);
}

/** Moves webhooks that point to the sandbox's receiver when its address changes. Returns how many were moved. */
export function changeReceiverOrigin(tx: SystemTx, from: string, to: string): Promise<number> {
  return replaceReceiverOrigin(tx, `${from}/receiver/`, `${to}/receiver/`);
}

export async function pageDeliveries(tenant: Tenant, query: DeliveryQuery): Promise<Page<WebhookDelivery>> {
  const { event = null, status = null, from = null, to = null, webhook = null } = query;
  const filter = { event, status, from, to, webhook };
  const window = pageWindow('deliveries', query);
  const rows = await listDeliveries(tenant.read, filter, window);
  return makePage(window, rows, () => countDeliveries(tenant.read, filter, window));
}

export async function readDelivery(tenant: Tenant, id: string): Promise<WebhookDelivery> {
  return expectFound(await findDelivery(tenant.read, id));
}

/** Finds the webhook that a replay goes to: the one of a door, or the company's. Throws WEBHOOK_INACTIVE when it is gone or stopped. */
export async function expectReceiver(
  tx: TenantTx,
  doorWebhook: string | null,
): Promise<{ _id: string; epoch: number }> {
  const webhook = doorWebhook === null ? await findWebhook(tx) : await findDoorWebhook(tx, doorWebhook);
  if (webhook?.status !== 'ACTIVE') throw new AppError('WEBHOOK_INACTIVE');
  return webhook;
}

/** Sends a delivery again at the request of a user, whatever its outcome was. */
export async function replayDelivery(tenant: Tenant, id: string): Promise<WebhookDelivery> {
  return tenant.tx(async (tx) => {
    const { isErased, doorWebhook } = expectFound(await findReplayed(tx, id));
    if (isErased) throw new AppError('DELIVERY_ERASED');
    const { _id: webhook, epoch } = await expectReceiver(tx, doorWebhook);
    const replay = await insertReplay(tx, { _id: newId(), of: id, webhook, epoch });
    if (!replay) throw new AppError('DELIVERY_ERASED');
    tx.created(replay._id);
    tx.wakes(DELIVERIES);
    return replay;
  });
}

/** Returns the webhook as answers show it. */
function toWebhook(kit: Kit, tenant: Tenant, { epoch: _epoch, ...row }: WebhookRow): Webhook {
  return { ...row, custom_headers: showHeaders(kit.secrets, tenant, row) };
}

const refuseSecondWebhook = ({ read }: Tenant) =>
  whenTaken('webhooks_company_key', async () => {
    const refusal = new AppError(
      'WEBHOOK_EXISTS',
      'A company has one webhook: PUT /v1/webhooks/{existing_id} changes it',
    );
    refusal.existingId = (await findWebhook(read))?._id ?? null;
    throw refusal;
  });
