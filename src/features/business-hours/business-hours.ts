/** Business hours: when a company answers. Inboxes refer to them. */
import { isDeepStrictEqual } from 'node:util';
import { findHoursFault, type Hours } from '../../channels/office-hours.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import {
  countHours,
  deleteHours,
  findHours,
  holdHours,
  insertHours,
  listHours,
  lockHours,
  releaseInboxes,
  updateHours,
} from './queries.ts';
import {
  MAX_HOURS,
  type BusinessHours,
  type BusinessHoursCreate,
  type BusinessHoursQuery,
  type BusinessHoursUpdate,
} from './schemas.ts';

export function createHours(
  tenant: Tenant,
  { special_dates = [], ...rest }: BusinessHoursCreate,
): Promise<BusinessHours> {
  const fields = { ...rest, special_dates };
  refuseFault(fields);
  return tenant.tx(async (tx) => {
    await lockLimit(tx, 'business-hours');
    if ((await countHours(tx)) >= MAX_HOURS)
      throw invalid('name', `is one too many: there are ${MAX_HOURS} business hours already`, 'LIMIT_REACHED');
    const _id = newId();
    tx.created(_id);
    return insertHours(tx, _id, fields);
  });
}

export async function readHours(tenant: Tenant, id: string): Promise<BusinessHours> {
  return expectFound(await findHours(tenant.read, id));
}

/** Returns the hours of an inbox; null for one that is always open. */
export const findInboxHours = async (read: TenantRead, id: string | null): Promise<Hours | null> =>
  id === null ? null : findHours(read, id);

export const pageHours = (tenant: Tenant, query: BusinessHoursQuery): Promise<Page<BusinessHours>> =>
  listHours(tenant.read, pageWindow('business-hours', query));

export function updateHoursById(tenant: Tenant, id: string, input: BusinessHoursUpdate): Promise<BusinessHours> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockHours(tx, id));
    const { name, time_zone, days, special_dates } = before;
    const own = { name, time_zone, days, special_dates };
    const next = { ...own, ...input };
    refuseFault(next);
    return isDeepStrictEqual(next, own) ? before : updateHours(tx, id, next);
  });
}

export function removeHours(tenant: Tenant, id: string): Promise<BusinessHours> {
  return tenant.tx(async (tx) => {
    const hours = expectFound(await lockHours(tx, id));
    await releaseInboxes(tx, id);
    await deleteHours(tx, id);
    return hours;
  });
}

/** Throws UNKNOWN_REFERENCE naming `path` for business hours that do not exist, and holds those that do. */
export async function expectHours(tx: TenantTx, path: string, id: string | null | undefined): Promise<void> {
  if (typeof id === 'string' && !(await holdHours(tx, id))) throw unknownReference(path);
}

function refuseFault(hours: Hours): void {
  const fault = findHoursFault(hours);
  if (fault) throw invalid(fault.path, fault.message);
}
