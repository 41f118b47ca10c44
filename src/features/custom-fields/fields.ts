/** Definitions of custom fields: they decide which values a company may write into its records. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { alreadyTaken, expectFound, invalid } from '../../platform/values/errors.ts';
import { isId, newId } from '../../platform/values/ids.ts';
import { lockLimit } from '../../platform/store/limit-lock.ts';
import { readSearch, pageWindow, type Page } from '../../platform/store/paging.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { makeSlug } from '../../platform/values/words.ts';
import { StripField } from './jobs.ts';
import {
  countFields,
  deleteField,
  findField,
  insertField,
  listDefinitions,
  listFields,
  lockField,
  updateField,
} from './queries.ts';
import {
  MAX_FIELDS,
  type CustomField,
  type CustomFieldCreate,
  type CustomFieldQuery,
  type CustomFieldUpdate,
} from './schemas.ts';
import { checkOptions } from './values.ts';

/** Throws FIELD_EXISTS when the context already has a field with this slug. */
export async function createField(tenant: Tenant, input: CustomFieldCreate): Promise<CustomField> {
  const { title, context, type, options = [], description = null } = input;
  const slug = input.slug ?? makeSlug(title, 'field');
  if (slug === null) throw invalid('slug', 'is required: the title has no letters to make one from', 'REQUIRED');
  // A record's values are written by slug or by id, so a slug must not look like an id.
  if (isId(slug)) throw invalid('slug', 'looks like an id');
  checkOptions('options', type, options);
  return tenant.tx(async (tx) => {
    await lockLimit(tx, `custom-fields:${context}`);
    const count = await countFields(tx, { context, search: null }, { since: null });
    if (count >= MAX_FIELDS)
      throw invalid('context', `already has ${MAX_FIELDS} fields, the most allowed`, 'LIMIT_REACHED');
    const field = await insertField(tx, { _id: newId(), slug, title, context, type, options, description });
    if (!field) {
      const [holder] = await listDefinitions(tx, context, [slug]);
      throw alreadyTaken('FIELD_EXISTS', 'slug', holder?._id);
    }
    tx.created(field._id);
    return expectRecordSize('options', field);
  });
}

export async function readField(tenant: Tenant, id: string): Promise<CustomField> {
  return expectFound(await findField(tenant.read, id));
}

export async function pageFields(tenant: Tenant, query: CustomFieldQuery): Promise<Page<CustomField>> {
  const filter = { context: query.context ?? null, search: readSearch(query) };
  return listFields(tenant.read, filter, pageWindow('custom-fields', query));
}

/** Changes a field. Records keep the values of a removed option, but it cannot be written again. */
export async function updateFieldById(tenant: Tenant, id: string, input: CustomFieldUpdate): Promise<CustomField> {
  return tenant.tx(async (tx) => {
    const before = expectFound(await lockField(tx, id));
    const next = { ...before, ...input };
    checkOptions('options', next.type, next.options);
    return isDeepStrictEqual(next, before) ? before : expectRecordSize('options', await updateField(tx, next));
  });
}

// Requests that still know the removed field have ended by then. A value that they wrote after the job ran would stay for ever.
const STRIP_AFTER_SECONDS = 60;

/** Removes a field: no record shows its values any more, and a job erases them. */
export async function removeField(kit: Kit, tenant: Tenant, id: string): Promise<CustomField> {
  return tenant.tx(async (tx) => {
    const field = expectFound(await lockField(tx, id));
    await deleteField(tx, id);
    const work = { company: field.company, field: id, context: field.context };
    await kit.enqueue(tx, StripField, work, { key: id, delaySeconds: STRIP_AFTER_SECONDS });
    return field;
  });
}
