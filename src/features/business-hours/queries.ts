import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { BusinessHours } from './schemas.ts';

const COLUMNS = `_id, company_id as company, name, time_zone, days, special_dates, created_at as "createdAt", updated_at as "updatedAt"`;

export type HoursFields = Pick<BusinessHours, 'name' | 'time_zone' | 'days' | 'special_dates'>;

export function findHours(tx: TenantRead, id: string): Promise<BusinessHours | null> {
  return maybeOne(tx, {
    name: 'business-hours.find',
    text: `select ${COLUMNS} from business_hours where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function lockHours(tx: TenantTx, id: string): Promise<BusinessHours | null> {
  return maybeOne(tx, {
    name: 'business-hours.lock',
    text: `select ${COLUMNS} from business_hours where company_id = $1 and _id = $2 for update`,
    values: [tx.companyId, id],
  });
}

/** Returns false for hours that do not exist. Those that do are not removed before the transaction has ended. */
export async function holdHours(tx: TenantTx, id: string): Promise<boolean> {
  const held = await maybeOne(tx, {
    name: 'business-hours.hold',
    text: 'select _id from business_hours where company_id = $1 and _id = $2 for key share',
    values: [tx.companyId, id],
  });
  return held !== null;
}

export function countHours(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'business-hours.countAll',
    text: 'select count(*)::int as count from business_hours where company_id = $1',
    values: [tx.companyId],
  });
}

const listValues = ({ name, time_zone, days, special_dates }: HoursFields): unknown[] => [
  name,
  time_zone,
  JSON.stringify(days),
  JSON.stringify(special_dates),
];

export function insertHours(tx: TenantTx, id: string, fields: HoursFields): Promise<BusinessHours> {
  return one(tx, {
    name: 'business-hours.insert',
    text: `insert into business_hours (company_id, _id, name, time_zone, days, special_dates) values ($1, $2, $3, $4, $5, $6)
      returning ${COLUMNS}`,
    values: [tx.companyId, id, ...listValues(fields)],
  });
}

export function updateHours(tx: TenantTx, id: string, fields: HoursFields): Promise<BusinessHours> {
  return one(tx, {
    name: 'business-hours.update',
    text: `update business_hours set name = $3, time_zone = $4, days = $5, special_dates = $6, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...listValues(fields)],
  });
}

/** Takes the hours out of the inboxes that have them, which are always open then. */
export function releaseInboxes(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'business-hours.releaseInboxes',
    text: `update inboxes set business_hours = null, updated_at = now() where company_id = $1 and _id = any(array(
      select _id from inboxes where company_id = $1 and business_hours = $2 order by _id for no key update))`,
    values: [tx.companyId, id],
  });
}

export function deleteHours(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'business-hours.delete',
    text: 'delete from business_hours where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export function listHours(tx: TenantRead, window: Window): Promise<Page<BusinessHours>> {
  return listPage(tx, window, {
    name: 'business-hours',
    columns: COLUMNS,
    from: 'business_hours',
    filter: 'company_id = $1',
    values: [tx.companyId],
  });
}
