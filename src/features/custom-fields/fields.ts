/** Definitions of custom fields: what a company may write into its own fields. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { alreadyHeld, invalid, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { pageFrom, windowOf, type Page } from '../../platform/paging.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { StripField } from './jobs.ts';
import {
  countFields,
  deleteField,
  findField,
  insertField,
  listDefinitions,
  listFields,
  lockField,
  lockFields,
  updateField,
} from './queries.ts';
import {
  MAX_FIELDS,
  MAX_SLUG,
  type CustomField,
  type CustomFieldCreate,
  type CustomFieldQuery,
  type CustomFieldUpdate,
} from './schemas.ts';

/** Throws FIELD_EXISTS when the context has a field of this slug. */
export async function createField(tenant: Tenant, input: CustomFieldCreate): Promise<CustomField> {
  const { title, context, type, options = [], description = null } = input;
  const slug = input.slug ?? slugOf(title);
  if (slug === null) throw invalid('slug', 'is required: the title has no letter to make one of', 'REQUIRED');
  // A record's values are written by slug or id: one may not be taken for the other.
  if (isId(slug)) throw invalid('slug', 'looks like an id');
  checkOptions(type, options);
  return tenant.tx(async (tx) => {
    await lockFields(tx, context);
    // Counted after the wait, so that whoever was first is seen.
    const count = await countFields(tx, { context, search: null });
    if (count >= MAX_FIELDS) throw invalid('context', `has ${MAX_FIELDS} fields, and takes no more`, 'LIMIT_REACHED');
    const field = await insertField(tx, { _id: newId(), slug, title, context, type, options, description });
    if (!field) {
      const [holder] = await listDefinitions(tx, context, [slug]);
      throw alreadyHeld('FIELD_EXISTS', 'slug', holder?._id);
    }
    tx.makes(field._id);
    return field;
  });
}

/** "Número do pedido" → numero_do_pedido; null when nothing of the title can stand in a slug. */
function slugOf(title: string): string | null {
  const words = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = words.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (!slug) return null;
  const begun = /^[a-z]/.test(slug) ? slug : `field_${slug}`;
  return begun.slice(0, MAX_SLUG).replace(/_+$/, '');
}

function checkOptions(type: CustomField['type'], options: string[]): void {
  if (type === 'SELECT' && options.length === 0) throw invalid('options', 'is required by a SELECT', 'REQUIRED');
  if (type !== 'SELECT' && type !== 'LIST' && options.length > 0)
    throw invalid('options', 'is only for a SELECT or a LIST');
}

export async function readField(tenant: Tenant, id: string): Promise<CustomField> {
  const field = await findField(tenant.read, id);
  if (!field) throw notFound();
  return field;
}

export async function pageFields(tenant: Tenant, query: CustomFieldQuery): Promise<Page<CustomField>> {
  const filter = { context: query.context ?? null, search: query.search ?? null };
  const rows = await listFields(tenant.read, filter, windowOf(query));
  return pageFrom(query, rows, () => countFields(tenant.read, filter));
}

/** What records hold of an option that is removed stays there; it can only not be written again. */
export async function updateFieldById(tenant: Tenant, id: string, input: CustomFieldUpdate): Promise<CustomField> {
  return tenant.tx(async (tx) => {
    const before = await lockField(tx, id);
    if (!before) throw notFound();
    const next = { ...before, ...input };
    checkOptions(next.type, next.options);
    return isDeepStrictEqual(next, before) ? before : updateField(tx, next);
  });
}

// Whoever still knew the field when it was removed has written by then; what came after the job would stay for ever.
const STRIP_AFTER_SECONDS = 60;

/** Its values are seen by nobody from now on; a job takes them out of the records. */
export async function removeField(kit: Kit, tenant: Tenant, id: string): Promise<CustomField> {
  return tenant.tx(async (tx) => {
    const field = await lockField(tx, id);
    if (!field) throw notFound();
    await deleteField(tx, id);
    const work = { company: field.company, field: id, context: field.context };
    await kit.enqueue(tx, StripField, work, { key: id, delaySeconds: STRIP_AFTER_SECONDS });
    return field;
  });
}
