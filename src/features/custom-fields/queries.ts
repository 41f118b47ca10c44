import { exec, many, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Since, Window } from '../../platform/store/paging.ts';
import { countRows, listPage, type PlainList } from '../../platform/store/plain-list.ts';
import { selectPortionSql, REWRITTEN_BYTES } from '../../platform/store/portions.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import type { CustomField, FieldContext } from './schemas.ts';

const COLUMNS = `_id, company_id as company, slug, title, context, type, options, description, created_at as "createdAt",
  updated_at as "updatedAt"`;

/**
 * Returns the fields with these slugs or ids; unknown keys are left out. With null, returns all fields in the order in which a record shows
 * them.
 */
export function listDefinitions(tx: TenantRead, context: FieldContext, keys: string[] | null): Promise<CustomField[]> {
  return many(tx, {
    name: 'custom-fields.listDefinitions',
    text: `select ${COLUMNS} from custom_fields where company_id = $1 and context = $2
      and ($3::text[] is null or _id = any($3) or slug = any($3)) order by slug`,
    values: [tx.companyId, context, keys],
  });
}

export function findField(tx: TenantRead, id: string): Promise<CustomField | null> {
  return maybeOne(tx, {
    name: 'custom-fields.find',
    text: `select ${COLUMNS} from custom_fields where company_id = $1 and _id = $2`,
    values: [tx.companyId, id],
  });
}

export function lockField(tx: TenantTx, id: string): Promise<CustomField | null> {
  return maybeOne(tx, {
    name: 'custom-fields.lock',
    text: `select ${COLUMNS} from custom_fields where company_id = $1 and _id = $2 for update`,
    values: [tx.companyId, id],
  });
}

/** Returns null when the slug is taken, which the unique index decides. */
export function insertField(
  tx: TenantTx,
  field: Omit<CustomField, 'company' | 'createdAt' | 'updatedAt'>,
): Promise<CustomField | null> {
  return maybeOne(tx, {
    name: 'custom-fields.insert',
    text: `insert into custom_fields (company_id, _id, slug, title, context, type, options, description)
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (company_id, context, slug) do nothing returning ${COLUMNS}`,
    values: [
      tx.companyId,
      field._id,
      field.slug,
      field.title,
      field.context,
      field.type,
      field.options,
      field.description,
    ],
  });
}

export function updateField(
  tx: TenantTx,
  { _id, title, options, description }: Pick<CustomField, '_id' | 'title' | 'options' | 'description'>,
): Promise<CustomField> {
  return one(tx, {
    name: 'custom-fields.update',
    text: `update custom_fields set title = $3, options = $4, description = $5, updated_at = now()
      where company_id = $1 and _id = $2 returning ${COLUMNS}`,
    values: [tx.companyId, _id, title, options, description],
  });
}

export function deleteField(tx: TenantTx, id: string): Promise<number> {
  return exec(tx, {
    name: 'custom-fields.delete',
    text: 'delete from custom_fields where company_id = $1 and _id = $2',
    values: [tx.companyId, id],
  });
}

export interface FieldFilter {
  context: string | null;
  search: string | null;
}

// A company has some hundred fields at most, so a search without an index is quick.
const FILTER = `company_id = $1 and ($2::text is null or context = $2)
  and ($3::text is null or strpos(fold(title), fold($3)) > 0 or strpos(slug, fold($3)) > 0)`;

const fieldList = (tx: TenantRead, { context, search }: FieldFilter): PlainList => ({
  name: 'custom-fields',
  columns: COLUMNS,
  from: 'custom_fields',
  filter: FILTER,
  values: [tx.companyId, context, search],
});

export function listFields(tx: TenantRead, filter: FieldFilter, window: Window): Promise<Page<CustomField>> {
  return listPage(tx, window, fieldList(tx, filter));
}

export function countFields(tx: TenantRead, filter: FieldFilter, window: Since): Promise<number> {
  return countRows(tx, fieldList(tx, filter), window);
}

/** The table whose records hold the values of a context. */
const HOLDERS = { contact: 'contacts', conversation: 'conversations', business: 'businesses' } as const;

interface StripStep {
  context: FieldContext;
  field: string;
  /** The id of the last record of the step before; '' at the start. */
  after: string;
  limit: number;
}

/** Removes a field's value from the next records in the order of their ids. Returns the last id, or null when no record was left. */
export function stripValues(tx: TenantTx, { context, field, after, limit }: StripStep): Promise<string | null> {
  const table = HOLDERS[context];
  const rows = `select _id, record_bytes as bytes from ${table} where company_id = $1 and _id > $3 order by _id limit $4`;
  return oneValue(tx, {
    name: `custom-fields.strip.${table}`,
    text: `with page as (
        select _id, custom_fields ? $2 as holds from ${table}
        where company_id = $1 and _id = any(array(${selectPortionSql({ rows, order: '_id', most: REWRITTEN_BYTES })}))
      ), held as (
        select _id from ${table} where company_id = $1 and _id in (select _id from page where holds) order by _id for no key update
      ), stripped as (
        update ${table} set custom_fields = custom_fields - $2::text where company_id = $1 and _id in (select _id from held)
      )
      select max(_id) as last from page`,
    values: [tx.companyId, field, after, limit],
  });
}
