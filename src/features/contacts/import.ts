/** Contacts from a sheet. */
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/multipart.ts';
import type { Page } from '../../platform/paging.ts';
import { allows } from '../../platform/scopes.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { definitionsOf } from '../custom-fields/values.ts';
import { addImport, pageImports, readImport } from '../imports/imports.ts';
import type { Import, ImportQuery } from '../imports/schemas.ts';
import { fieldFinder } from './import-rows.ts';
import { ImportContacts } from './jobs.ts';
import type { ContactImportForm } from './schemas.ts';

const OWNER = { kind: 'CONTACTS', table: null } as const;

export async function importContacts(
  kit: Kit,
  tenant: Tenant,
  upload: Upload | null,
  { mapping, silent = false, update_existing = true }: ContactImportForm,
): Promise<Import> {
  if (update_existing) refuseUpdates(tenant);
  const find = fieldFinder(await definitionsOf(tenant.read, 'contact'));
  return addImport(tenant, {
    ...OWNER,
    upload,
    mapping,
    find,
    silent,
    update_existing,
    enqueue: (tx, id) => kit.enqueue(tx, ImportContacts, { company: tenant.companyId, import: id }, { key: id }),
  });
}

/** An import is no way around what PATCH asks for. */
function refuseUpdates({ principal }: Tenant): void {
  if (allows(principal.scopes, 'contacts:update')) return;
  const message = 'The scope contacts:update is missing; without it update_existing has to be false';
  throw new AppError('FORBIDDEN', message, [{ path: 'update_existing', code: 'FORBIDDEN', message }]);
}

export const readContactImport = (tenant: Tenant, id: string): Promise<Import> => readImport(tenant, OWNER, id);

export const pageContactImports = (tenant: Tenant, query: ImportQuery): Promise<Page<Import>> =>
  pageImports(tenant, OWNER, query);
