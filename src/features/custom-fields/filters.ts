/** Filters of a list of records by their custom fields. */
import type { ValueFilter } from '../../platform/store/filters/conditions.ts';
import { parseFilters, readFilterText, type FilterItem } from '../../platform/store/filters/items.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import { isId } from '../../platform/values/ids.ts';
import { listDefinitions } from './queries.ts';
import type { CustomField, FieldContext } from './schemas.ts';
import { indexByKey } from './values.ts';

/** Reads the parameter `filters`. Throws VALIDATION_FAILED or UNKNOWN_REFERENCE naming the item, such as `filters[2].operator`. */
export async function readValueFilters(
  tx: TenantRead,
  context: FieldContext,
  text: string | undefined,
): Promise<ValueFilter[]> {
  const items = parseFilters(text);
  const names = items.flatMap(({ field }) => (typeof field === 'string' ? [field] : []));
  const known = indexByKey(names.length > 0 ? await listDefinitions(tx, context, names) : []);
  return items.map((item) => {
    const { _id, type } = expectField(known, item);
    return { _id, type, operator: item.operator, value: readFilterText(type, item) };
  });
}

function expectField(known: Map<string, CustomField>, { path, field }: FilterItem): CustomField {
  const found = typeof field === 'string' ? known.get(field) : undefined;
  if (found) return found;
  if (typeof field === 'string' && isId(field)) throw unknownReference(`${path}.field`);
  throw invalid(`${path}.field`, 'must be the id or slug of a custom field', 'ENUM');
}
