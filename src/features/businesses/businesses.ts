/** Businesses: the organisations that contacts belong to. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import { emit } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';
import { readSearch, pageWindow, type Page } from '../../platform/store/paging.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { applyValues, fieldEvents, type FieldChange } from '../custom-fields/values.ts';
import { expectUsers } from '../users/assignments.ts';
import { ReleaseBusiness } from './jobs.ts';
import {
  findBusiness,
  insertBusiness,
  listBusinesses,
  lockBusiness,
  markRemoved,
  updateBusiness,
  type BusinessFields,
} from './queries.ts';
import type { Business, BusinessCreate, BusinessQuery, BusinessUpdate } from './schemas.ts';

export async function createBusiness(tenant: Tenant, input: BusinessCreate): Promise<Business> {
  return tenant.tx(async (tx) => {
    const empty = { name: input.name, domain: null, description: null, owner: null, held: {} };
    const { fields, changes } = await applyInput(tx, empty, input);
    const business = expectRecordSize('custom_fields', await insertBusiness(tx, newId(), fields));
    tx.created(business._id);
    await emitFieldChanges(tx, business, changes);
    return business;
  });
}

export async function readBusiness(tenant: Tenant, id: string): Promise<Business> {
  return expectFound(await findBusiness(tenant.read, id));
}

export async function pageBusinesses(tenant: Tenant, query: BusinessQuery): Promise<Page<Business>> {
  const filter = { search: readSearch(query) };
  return listBusinesses(tenant.read, filter, pageWindow('businesses', query));
}

export async function updateBusinessById(tenant: Tenant, id: string, input: BusinessUpdate): Promise<Business> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockBusiness(tx, id));
    const { name, domain, description, owner, held } = before;
    const own = { name, domain, description, owner, held };
    const { fields, changes } = await applyInput(tx, own, input);
    if (isDeepStrictEqual(fields, own)) return before;
    const updated = await updateBusiness(tx, id, fields, { keepsValues: changes.length === 0 });
    const business = expectRecordSize('custom_fields', updated, { before: own, after: fields });
    await emitFieldChanges(tx, business, changes);
    return business;
  });
}

/** Hides the business from all requests at once; a job then removes it from the records that name it. */
export async function removeBusiness(kit: Kit, tenant: Tenant, id: string): Promise<Business> {
  return tenant.tx(async (tx) => {
    const business = expectFound(await lockBusiness(tx, id));
    await markRemoved(tx, id);
    await kit.enqueue(tx, ReleaseBusiness, { company: tenant.companyId, business: id }, { key: id });
    return business;
  });
}

async function applyInput(
  tx: TenantTx,
  before: BusinessFields,
  { custom_fields: given, ...plain }: BusinessUpdate,
): Promise<{ fields: BusinessFields; changes: FieldChange[] }> {
  await expectUsers(tx, { owner: plain.owner });
  const { held, changes } = await applyValues(tx, 'business', before.held, given);
  return { fields: { ...before, ...plain, held }, changes };
}

/** Emits FIELD_UPDATED without a contact, because the business was changed directly. */
const emitFieldChanges = (tx: TenantTx, { _id, company }: Business, changes: FieldChange[]): Promise<void> =>
  emit(tx, fieldEvents({ _id, company, contact: null }, changes));
