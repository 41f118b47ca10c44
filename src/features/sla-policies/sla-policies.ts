/** SLA policies: how soon conversations are to be answered and closed. */
import { isDeepStrictEqual } from 'node:util';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { expectFound, invalid } from '../../platform/values/errors.ts';
import { newId } from '../../platform/values/ids.ts';
import {
  countPolicies,
  deletePolicy,
  findPolicy,
  findUnknownPlaces,
  insertPolicy,
  listByPosition,
  listPolicies,
  lockPolicy,
  updatePolicy,
  type PolicyFields,
} from './queries.ts';
import {
  MAX_POLICIES,
  type SlaPolicy,
  type SlaPolicyCreate,
  type SlaPolicyQuery,
  type SlaPolicyUpdate,
} from './schemas.ts';

const UNSET: Omit<PolicyFields, 'name'> = {
  first_reply_minutes: null,
  next_reply_minutes: null,
  close_minutes: null,
  within_business_hours: false,
  inboxes: null,
  teams: null,
  priorities: null,
  position: 0,
};

export function createPolicy(tenant: Tenant, input: SlaPolicyCreate): Promise<SlaPolicy> {
  const fields = { ...UNSET, ...input };
  expectTarget(fields);
  return tenant.tx(async (tx) => {
    await lockLimit(tx, 'sla-policies');
    if ((await countPolicies(tx)) >= MAX_POLICIES)
      throw invalid('name', `is one too many: there are ${MAX_POLICIES} policies already`, 'LIMIT_REACHED');
    await expectPlaces(tx, input);
    const _id = newId();
    tx.created(_id);
    return insertPolicy(tx, _id, fields);
  });
}

export async function readPolicy(tenant: Tenant, id: string): Promise<SlaPolicy> {
  return expectFound(await findPolicy(tenant.read, id));
}

export const pagePolicies = (tenant: Tenant, query: SlaPolicyQuery): Promise<Page<SlaPolicy>> =>
  listPolicies(tenant.read, pageWindow('sla-policies', query));

export function updatePolicyById(tenant: Tenant, id: string, input: SlaPolicyUpdate): Promise<SlaPolicy> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockPolicy(tx, id));
    const { _id, company: _company, createdAt: _created, updatedAt: _updated, ...own } = before;
    const next = { ...own, ...input };
    expectTarget(next);
    if (isDeepStrictEqual(next, own)) return before;
    await expectPlaces(tx, input);
    return updatePolicy(tx, _id, next);
  });
}

export function removePolicy(tenant: Tenant, id: string): Promise<SlaPolicy> {
  return tenant.tx(async (tx) => {
    const policy = expectFound(await lockPolicy(tx, id));
    await deletePolicy(tx, id);
    return policy;
  });
}

/** Returns the policies of the company in the order in which they apply. */
export const readPolicies = (read: TenantRead): Promise<SlaPolicy[]> => listByPosition(read);

function expectTarget({ first_reply_minutes, next_reply_minutes, close_minutes }: PolicyFields): void {
  if (first_reply_minutes === null && next_reply_minutes === null && close_minutes === null)
    throw invalid('first_reply_minutes', 'is required, or another target of the policy', 'REQUIRED');
}

async function expectPlaces(tx: TenantTx, { inboxes, teams }: SlaPolicyUpdate): Promise<void> {
  refuseUnknown(await findUnknownPlaces(tx, inboxes ?? [], teams ?? []));
}
