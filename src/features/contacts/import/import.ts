/** Imports of sheets into contacts. */
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kit } from '../../../kit.ts';
import type { Upload } from '../../../platform/http/multipart.ts';
import type { Page } from '../../../platform/store/paging.ts';
import { findPhoneCountry } from '../../../platform/store/phone-country.ts';
import type { Tenant } from '../../../platform/store/tenant.ts';
import { pageRuns } from '../../../platform/work/runs/runs.ts';
import { listAllDefinitions } from '../../custom-fields/values.ts';
import { addImport, IMPORTS, readImport } from '../../imports/imports.ts';
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

export const readContactImport = (tenant: Tenant, id: string): Promise<Import> => readImport(tenant, OWNER, id);

export const pageContactImports = (tenant: Tenant, query: ImportQuery): Promise<Page<Import>> =>
  pageRuns(tenant, IMPORTS, query);

export const sendContactErrors = (tenant: Tenant, id: string, reply: FastifyReply): Promise<Readable> =>
  sendImportErrors(tenant, OWNER, id, reply);
