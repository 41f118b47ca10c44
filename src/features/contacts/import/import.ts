/** Imports of sheets into contacts. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import { forbidden } from '../../../platform/values/errors.ts';
import type { Upload } from '../../../platform/http/multipart.ts';
import type { Page } from '../../../platform/store/paging.ts';
import { findPhoneCountry } from '../../../platform/store/phone-country.ts';
import { allows } from '../../../platform/values/scopes.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { listAllDefinitions } from '../../custom-fields/values.ts';
import { addImport, pageImports, readImport } from '../../imports/imports.ts';
import { sendImportErrors } from '../../imports/row-errors.ts';
import type { Import, ImportQuery } from '../../imports/schemas.ts';
import { createFieldFinder } from './titles.ts';
import { IDENTITY_FIELD_NAMES, type ContactImportForm } from '../schemas.ts';

const OWNER = { kind: 'CONTACTS', table: null } as const;

export async function importContacts(
  kit: Kit,
  tenant: Tenant,
  { upload, body, signal }: { upload: Upload | null; body: ContactImportForm; signal: AbortSignal },
): Promise<Import> {
  const { mapping, silent = false, update_existing = true, country, tag = null } = body;
  if (update_existing) expectMayUpdate(tenant);
  const find = createFieldFinder(await listAllDefinitions(tenant.read, 'contact'));
  return addImport(kit.readers, tenant, {
    ...OWNER,
    upload,
    mapping,
    find,
    silent,
    update_existing,
    country: await findPhoneCountry(tenant.read, country),
    tag,
    identifying: ['_id', ...IDENTITY_FIELD_NAMES],
    signal,
  });
}

/** Who updates contacts by many at once needs the scope contacts:update, like PATCH. Throws FORBIDDEN naming `update_existing`. */
export function expectMayUpdate({ principal }: Tenant): void {
  if (allows(principal.scopes, 'contacts:update')) return;
  const message = 'The scope contacts:update is missing; without it update_existing has to be false';
  throw forbidden('update_existing', message);
}

export const readContactImport = (tenant: Tenant, id: string): Promise<Import> => readImport(tenant, OWNER, id);

export const pageContactImports = (tenant: Tenant, query: ImportQuery): Promise<Page<Import>> =>
  pageImports(tenant, OWNER, query);

export const sendContactErrors = (tenant: Tenant, id: string, reply: FastifyReply): Promise<Readable> =>
  sendImportErrors(tenant, OWNER, id, reply);
