/** Who has uploaded an attachment. A caller who may upload can use its own files without the right to read all files of the company. */
import type { Tenant } from '../../platform/store/tenant.ts';
import { countUploads } from './queries.ts';

/** Returns true when the caller has uploaded all of these attachments. */
export async function areOwnUploads({ read, principal }: Tenant, ids: readonly string[]): Promise<boolean> {
  const named = new Set(ids);
  return (await countUploads(read, [...named], principal.id)) === named.size;
}
