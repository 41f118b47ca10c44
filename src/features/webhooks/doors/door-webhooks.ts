/** The webhooks that clients of other systems have registered through a door. */
import type { Kit } from '../../../kit.ts';
import { findDoorFormat } from '../../../platform/outside/door-formats.ts';
import { expectTarget } from '../../../platform/outside/targets.ts';
import { DELIVERIES } from '../../../platform/store/events.ts';
import { lockLimit } from '../../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../../platform/store/paging.ts';
import type { Tenant, TenantTx } from '../../../platform/store/tenant.ts';
import { refuseUnknown } from '../../../platform/store/unknown-references.ts';
import { expectFound, invalid } from '../../../platform/values/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { getOwnProperty } from '../../../platform/values/own-property.ts';
import { acceptHeaders, openHeaders, sealHeaders, sealKey, showHeaders } from '../headers.ts';
import {
  countDoorWebhooks,
  deleteDoorWebhook,
  findDoorWebhook,
  findUnknownFilters,
  listDoorWebhooks,
  lockDoorWebhookAt,
  putDoorWebhook,
  setDoorWebhookStatus,
  writeDoorListeners,
  type DoorWebhookRow,
} from './queries.ts';
import { MAX_DOOR_WEBHOOKS, type DoorWebhook, type DoorWebhookQuery, type DoorWebhookSet } from './schemas.ts';

const OPTIONS = { by_events: false, base64: false, include_apikey: false };

/**
 * Sets the webhook of a door for an inbox, or for all: one that is there is replaced. `token` is the key of the caller. The kept key is always
 * that of the last caller, because another one could send it to an address of its own.
 */
export async function setDoorWebhook(
  kit: Kit,
  tenant: Tenant,
  input: DoorWebhookSet,
  token: string | null,
): Promise<DoorWebhook> {
  const { door, inbox = null, url, events, status = 'ACTIVE' } = input;
  const { secrets } = kit;
  const options = { ...OPTIONS, ...input.options };
  const { events: known } = findDoorFormat(door);
  const unknown = events.find((event) => !getOwnProperty(known, event));
  if (unknown !== undefined)
    throw invalid('events', `has an unknown event; ${door} has ${Object.keys(known).join(', ')}`);
  if (options.include_apikey && (token === null || tenant.principal.type !== 'company'))
    throw invalid('options.include_apikey', "is for requests with a company's API key");
  await expectTarget(kit.toWebhooks, 'url', url);
  const api_key = options.include_apikey && token !== null ? sealKey(secrets, tenant.companyId, token) : null;
  const row = await tenant.tx(async (tx) => {
    await lockLimit(tx, 'door-webhooks');
    const before = await lockDoorWebhookAt(tx, { door, inbox });
    if (!before && (await countDoorWebhooks(tx)) >= MAX_DOOR_WEBHOOKS)
      throw invalid('door', `is one too many: there are ${MAX_DOOR_WEBHOOKS} webhooks already`, 'LIMIT_REACHED');
    const stored = before ? openHeaders(secrets, tenant.companyId, before.custom_headers) : {};
    const headers = acceptHeaders(input.custom_headers ?? {}, stored);
    const custom_headers = sealHeaders(secrets, tenant.companyId, headers);
    const _id = before?._id ?? newId();
    const put = await putDoorWebhook(tx, { _id, door, inbox, url, events, custom_headers, options, status, api_key });
    tx.created(put._id);
    return listen(tx, put);
  });
  return toDoorWebhook(kit, tenant, row);
}

/** Stores what the webhook listens to as it is now, and ends what waits for one that has stopped. */
async function listen(tx: TenantTx, row: DoorWebhookRow): Promise<DoorWebhookRow> {
  const { events } = findDoorFormat(row.door);
  const wanted = row.status === 'ACTIVE' ? row.events : [];
  await writeDoorListeners(
    tx,
    row,
    wanted.flatMap((form) => (getOwnProperty(events, form) ?? []).map((event) => ({ event, form }))),
  );
  tx.wakes(DELIVERIES);
  return row;
}

export async function readDoorWebhook(kit: Kit, tenant: Tenant, id: string): Promise<DoorWebhook> {
  return toDoorWebhook(kit, tenant, expectFound(await findDoorWebhook(tenant.read, id)));
}

export async function pageDoorWebhooks(kit: Kit, tenant: Tenant, query: DoorWebhookQuery): Promise<Page<DoorWebhook>> {
  const { door = null, inbox = null } = query;
  refuseUnknown(await findUnknownFilters(tenant.read, inbox));
  const page = await listDoorWebhooks(tenant.read, { door, inbox }, pageWindow('door-webhooks', query));
  return { ...page, result: page.result.map((row) => toDoorWebhook(kit, tenant, row)) };
}

export async function updateDoorWebhookById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  status: DoorWebhook['status'],
): Promise<DoorWebhook> {
  const row = await tenant.tx(async (tx) => listen(tx, expectFound(await setDoorWebhookStatus(tx, id, status))));
  return toDoorWebhook(kit, tenant, row);
}

export async function removeDoorWebhook(kit: Kit, tenant: Tenant, id: string): Promise<DoorWebhook> {
  const row = await tenant.tx(async (tx) => {
    const removed = expectFound(await deleteDoorWebhook(tx, id));
    await writeDoorListeners(tx, removed, []);
    tx.wakes(DELIVERIES);
    return removed;
  });
  return toDoorWebhook(kit, tenant, row);
}

function toDoorWebhook(kit: Kit, tenant: Tenant, { epoch: _epoch, ...row }: DoorWebhookRow): DoorWebhook {
  return { ...row, custom_headers: showHeaders(kit.secrets, tenant, row) };
}
