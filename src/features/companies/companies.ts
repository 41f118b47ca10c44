/** The tenants themselves. */
import { newId } from '../../platform/ids.ts';
import type { SystemTx } from '../../platform/tenant.ts';
import { findActiveCompany, findAnyCompany, insertCompany, lockInstallation } from './queries.ts';

export async function createCompany(tx: SystemTx, input: { name: string }): Promise<{ _id: string; name: string }> {
  const company = { _id: newId(), name: input.name };
  await insertCompany(tx, company);
  return company;
}

/** A suspended company answers like one that does not exist. */
export async function companyExists(tx: SystemTx, companyId: string): Promise<boolean> {
  return (await findActiveCompany(tx, companyId)) !== null;
}

/** True once, for the one caller whose transaction will fill it. */
export async function isEmptyInstallation(tx: SystemTx): Promise<boolean> {
  await lockInstallation(tx);
  return (await findAnyCompany(tx)) === null;
}
