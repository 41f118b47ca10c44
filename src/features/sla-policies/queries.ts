import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { SlaPolicy } from './schemas.ts';

const FIELDS = [
  'name',
  'first_reply_minutes',
  'next_reply_minutes',
  'close_minutes',
  'within_business_hours',
  'inboxes',
  'teams',
  'priorities',
  'position',
] as const;
const COLUMNS = `_id, company_id as company, ${FIELDS.join(', ')}, created_at as "createdAt", updated_at as "updatedAt"`;
const PARAMETERS = FIELDS.map((_, index) => `$${index + 3}`).join(', ');

export type PolicyFields = Pick<SlaPolicy, (typeof FIELDS)[number]>;
const listValues = (fields: PolicyFields): unknown[] => FIELDS.map((field) => fields[field]);

export function findPolicy(tx: TenantRead, id: string): Promise<SlaPolicy | null> {
  return maybeOne(tx, {
    name: 'sla-policies.find',
    text: `select ${COLUMNS} from sla_policies where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function lockPolicy(tx: TenantTx, id: string): Promise<SlaPolicy | null> {
  return maybeOne(tx, {
    name: 'sla-policies.lock',
    text: `select ${COLUMNS} from sla_policies where company_id = $1 and _id = $2 for update`,
    values: [tx.companyId, id],
  });
}

export function countPolicies(tx: TenantTx): Promise<number> {
  return oneValue(tx, {
    name: 'sla-policies.countAll',
    text: 'select count(*)::int as count from sla_policies where company_id = $1',
    values: [tx.companyId],
  });
}

export function insertPolicy(tx: TenantTx, id: string, fields: PolicyFields): Promise<SlaPolicy> {
  return one(tx, {
    name: 'sla-policies.insert',
    text: `insert into sla_policies (company_id, _id, ${FIELDS.join(', ')}) values ($1, $2, ${PARAMETERS}) returning ${COLUMNS}`,
    values: [tx.companyId, id, ...listValues(fields)],
  });
}

export function updatePolicy(tx: TenantTx, id: string, fields: PolicyFields): Promise<SlaPolicy> {
  return one(tx, {
    name: 'sla-policies.update',
    text: `update sla_policies set (${FIELDS.join(', ')}) = row(${PARAMETERS}), updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, id, ...listValues(fields)],
  });
}

export function deletePolicy(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'sla-policies.delete',
    text: 'delete from sla_policies where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

/** Returns the places of ids in the body that name nothing of the company. */
export async function findUnknownPlaces(tx: TenantRead, inboxes: string[], teams: string[]): Promise<string[]> {
  const rows = await many<{ path: string }>(tx, {
    name: 'sla-policies.findUnknownPlaces',
    text: `select 'inboxes[' || n - 1 || ']' as path from unnest($2::text[]) with ordinality as g (id, n)
        where not exists (select from inboxes i where i.company_id = $1 and i._id = g.id)
      union all
      select 'teams[' || n - 1 || ']' from unnest($3::text[]) with ordinality as g (id, n)
        where not exists (select from teams t where t.company_id = $1 and t._id = g.id and t.removed_at is null)`,
    values: [tx.companyId, inboxes, teams],
  });
  return rows.map(({ path }) => path);
}

/** Returns the policies of the company in the order in which they apply. */
export function listByPosition(tx: TenantRead): Promise<SlaPolicy[]> {
  return many(tx, {
    name: 'sla-policies.listByPosition',
    text: `select ${COLUMNS} from sla_policies where company_id = $1 order by position, created_at, _id`,
    values: [tx.companyId],
  });
}

export function listPolicies(tx: TenantRead, window: Window): Promise<Page<SlaPolicy>> {
  return listPage(tx, window, {
    name: 'sla-policies',
    columns: COLUMNS,
    from: 'sla_policies',
    filter: 'company_id = $1',
    values: [tx.companyId],
  });
}
