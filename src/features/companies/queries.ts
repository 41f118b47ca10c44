import { maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { SystemTx, TenantRead } from '../../platform/store/tenant.ts';
import type { Company, OwningCompany } from './schemas.ts';

/** The columns that a caller can write; other fields of the record are read from other tables. */
export type CompanyRow = Omit<Company, 'company' | 'channels' | 'agent_flows' | 'usage' | 'createdAt' | 'updatedAt'>;

const WRITABLE = [
  'name',
  'description',
  'domains',
  'site',
  'general_config',
  'status',
  'agent_builder_mcp_enabled',
  'client_mcp_servers_enabled',
  'auto_join_enabled',
  'subscription',
  'document_type',
  'document_number',
  'payment_customer_id',
  'billing_external',
  'billing_partner',
  'onboarding',
  'attribution',
  'limits',
  'second_factor_required',
] as const;

// The values of settings that companies do not have when they were created before the settings existed.
const ABSENT = new Map([
  ['general_config', '{"country": null}'],
  ['limits', '{"stored_bytes": null}'],
]);
const SHOWN = WRITABLE.map((column) => {
  const absent = ABSENT.get(column);
  return absent ? `'${absent}'::jsonb || ${column} as ${column}` : column;
});

const RECORD = `_id, _id as company, ${SHOWN.join(', ')},
  (select coalesce(array_agg(distinct i.channel), '{}') from inboxes i
    where i.company_id = companies._id and i.status = 'ACTIVE') as channels,
  (select coalesce(json_agg(json_build_object('_id', a._id, 'name', a.name, 'url', a.url, 'specialist_url', a.specialist_url,
      'type', a.type) order by a.created_at, a._id), '[]')
    from agents a where a.company_id = companies._id and a.status = 'ACTIVE') as agent_flows,
  json_build_object('stored_bytes', stored_bytes(_id), 'allowed_bytes', allowed_bytes(limits)) as usage,
  created_at as "createdAt", updated_at as "updatedAt"`;

const toParameters = (row: CompanyRow): unknown[] => WRITABLE.map((column) => row[column]);
const parameterNumbers = WRITABLE.map((_column, index) => `$${index + 2}`);

export function insertCompany(tx: SystemTx, row: CompanyRow): Promise<Company> {
  return one(tx, {
    name: 'companies.insert',
    text: `insert into companies (_id, ${WRITABLE.join(', ')}) values ($1, ${parameterNumbers.join(', ')}) returning ${RECORD}`,
    values: [row._id, ...toParameters(row)],
  });
}

export function updateCompany(tx: SystemTx, row: CompanyRow): Promise<Company> {
  const changes = WRITABLE.map((column, index) => `${column} = $${index + 2}`);
  return one(tx, {
    name: 'companies.update',
    text: `update companies set ${changes.join(', ')}, updated_at = now() where _id = $1 returning ${RECORD}`,
    values: [row._id, ...toParameters(row)],
  });
}

export function findCompany(tx: SystemTx, id: string): Promise<Company | null> {
  return maybeOne(tx, {
    name: 'companies.find',
    text: `select ${RECORD} from companies where _id = $1`,
    values: [id],
  });
}

/** Finds the company as records that embed it show it. */
export function findOwningCompany(tx: TenantRead): Promise<OwningCompany> {
  return one(tx, {
    name: 'companies.findOwning',
    // The column gives the statement the condition that every statement for a company has.
    text: `select ${RECORD} from (select *, _id as company_id from companies) companies where company_id = $1 and _id = $1`,
    values: [tx.companyId],
  });
}

export function lockCompany(tx: SystemTx, id: string): Promise<Company | null> {
  return maybeOne(tx, {
    name: 'companies.lock',
    text: `select ${RECORD} from companies where _id = $1 for no key update`,
    values: [id],
  });
}

export interface CompanyFilter {
  status: string | null;
  search: string | null;
}

const FILTER = `($1::text is null or status = $1) and ($2::text is null or strpos(fold(name), fold($2)) > 0)`;

/** Lists all companies of the installation, which only global keys may read. */
export function listCompanies(tx: SystemTx, { status, search }: CompanyFilter, window: Window): Promise<Page<Company>> {
  return listPage(tx, window, {
    name: 'companies',
    columns: RECORD,
    from: 'companies',
    filter: FILTER,
    values: [status, search],
  });
}

export function findActiveCompany(tx: SystemTx, companyId: string): Promise<{ _id: string } | null> {
  return maybeOne(tx, {
    name: 'companies.findActive',
    text: `select _id from companies where _id = $1 and status = 'ACTIVE'`,
    values: [companyId],
  });
}

export function findAnyCompany(tx: SystemTx): Promise<{ _id: string } | null> {
  return maybeOne(tx, { name: 'companies.findAny', text: 'select _id from companies limit 1', values: [] });
}

/**
 * Locks the sums of stored bytes. Returns false while another transaction adds up changes, because two such transactions would block each
 * other.
 */
export function tryLockUsageSums(tx: SystemTx): Promise<boolean> {
  return oneValue(tx, {
    name: 'companies.lockSums',
    text: 'select pg_try_advisory_xact_lock(724113006) as mine',
    values: [],
  });
}

/** An SQL condition that is true while some changes of stored bytes are not yet added to the sums. */
export const HAS_CHANGES = 'exists (select from stored_changes)';

/** Adds recorded changes of stored bytes to the sum of each company, and returns how many changes it removed. */
export function addUpUsageChanges(tx: SystemTx, most: number): Promise<number> {
  return oneValue(tx, {
    name: 'companies.addUpChanges',
    text: `with next as (
        select company_id, _id from stored_changes order by company_id, _id limit $1
      ), taken as (
        delete from stored_changes changes using next
        where changes.company_id = next.company_id and changes._id = next._id
        returning changes.company_id, changes.bytes
      ), sums as (
        select company_id, sum(bytes) as bytes, count(*) as changes from taken group by company_id
      ), added as (
        insert into company_usage as usage (company_id, bytes) select company_id, bytes from sums
        on conflict (company_id) do update set bytes = usage.bytes + excluded.bytes
      )
      select coalesce(sum(changes), 0)::int as moved from sums`,
    values: [most],
  });
}
