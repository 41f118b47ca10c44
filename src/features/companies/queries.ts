import { exec, maybeOne } from '../../platform/db.ts';
import type { SystemTx } from '../../platform/tenant.ts';

export function insertCompany(tx: SystemTx, company: { _id: string; name: string }): Promise<number> {
  return exec(tx, {
    name: 'companies.insert',
    text: 'insert into companies (_id, name) values ($1, $2)',
    values: [company._id, company.name],
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

/** Two processes that start on the same empty store must not both fill it. */
export function lockInstallation(tx: SystemTx): Promise<number> {
  return exec(tx, { name: 'companies.lockInstallation', text: 'select pg_advisory_xact_lock(724113002)', values: [] });
}
