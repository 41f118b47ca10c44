/** Checks the values that a caller writes into custom fields or columns of a table, and finds which of them change the record. */
import { isDeepStrictEqual } from 'node:util';
import { DATE_WANTED, isDate } from '../../platform/values/date.ts';
import { invalid, unknownReference } from '../../platform/values/errors.ts';
import type { ChangeEvent } from '../../platform/store/events.ts';
import { isPrecise, NUMBER_WANTED } from '../../platform/values/numbers.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { parseWebAddress } from '../../platform/values/web-address.ts';
import { expectSize, MAX_VALUES_BYTES } from '../../platform/values/sizes.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { listDefinitions } from './queries.ts';
import type { CustomField, FieldContext, FieldType, FieldUpdated, HeldValues, Value } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The type and options that a value is checked against; custom fields and columns of tables both have them. */
export interface TypedSlot {
  type: FieldType | 'URL';
  options: string[];
}

// A text may be as long as a message, and a list as long as a person can look through.
const MAX_TEXT = declareLimit(4_096, {
  topic: 'Records',
  what: 'Custom field: text',
  unit: 'characters',
  beyond: '400',
});
const MAX_ITEMS = declareLimit(100, { topic: 'Records', what: 'Custom field: list items', beyond: '400' });
const MAX_ITEM_TEXT = declareLimit(200, {
  topic: 'Records',
  what: 'Custom field: length of a list item',
  unit: 'characters',
  beyond: '400',
});

/** Null when the value fits, otherwise a message that says what is wrong with it. */
export function findValueFault(slot: TypedSlot, value: unknown): string | null {
  switch (slot.type) {
    case 'TEXT':
      return isTextWithin(value, MAX_TEXT) ? null : `must be a text of at most ${MAX_TEXT} characters`;
    case 'NUMBER':
      if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) && isPrecise(value))
        return 'must be a number, not a text';
      return typeof value === 'number' && Number.isFinite(value) && isPrecise(value) ? null : NUMBER_WANTED;
    case 'BOOLEAN':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'DATE':
      return isDate(value) ? null : DATE_WANTED;
    case 'SELECT':
      return cacheOptionSet(slot).has(value) ? null : `must be one of ${describeOptions(slot)}`;
    case 'LIST':
      return findListFault(slot, value);
    case 'URL':
      return isTextWithin(value, 2_048) && parseWebAddress(value) !== null ? null : 'must be a web address';
  }
}

/** Throws VALIDATION_FAILED naming `path` when a SELECT has no options, or another type has options it does not take. */
export function checkOptions(path: string, type: TypedSlot['type'], options: string[]): void {
  if (type === 'SELECT' && options.length === 0) throw invalid(path, 'is required by a SELECT', 'REQUIRED');
  if (type !== 'SELECT' && type !== 'LIST' && options.length > 0) throw invalid(path, 'is only for a SELECT or a LIST');
}

const isTextWithin = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most;

function findListFault(slot: TypedSlot, value: unknown): string | null {
  if (!Array.isArray(value) || value.length > MAX_ITEMS || !value.every((item) => isTextWithin(item, MAX_ITEM_TEXT))) {
    return `must be a list of at most ${MAX_ITEMS} texts of at most ${MAX_ITEM_TEXT} characters`;
  }
  const isFree = slot.options.length === 0;
  return isFree || value.every((item) => cacheOptionSet(slot).has(item))
    ? null
    : `must contain only ${describeOptions(slot)}`;
}

// The cached sets of options live as long as the definitions of their fields: for one request or one portion of an import.
const knownOptions = new WeakMap<string[], Set<unknown>>();

/** A set makes the check of long lists fast: a hundred items in two hundred options, for each of two hundred fields. */
function cacheOptionSet({ options }: TypedSlot): Set<unknown> {
  const known = knownOptions.get(options) ?? new Set<unknown>(options);
  knownOptions.set(options, known);
  return known;
}

// An error message lists the options of a field up to this many characters; otherwise it gives their number.
const MAX_LISTED = 200;

function describeOptions({ options }: TypedSlot): string {
  const listed = options.join(', ');
  return listed.length <= MAX_LISTED ? listed : `its ${options.length} options`;
}

/** All custom fields of a kind of record, in the order in which a record shows them. */
export function listAllDefinitions(tx: TenantRead, context: FieldContext): Promise<CustomField[]> {
  return listDefinitions(tx, context, null);
}

export interface FieldChange {
  field: Pick<CustomField, '_id' | 'slug' | 'title' | 'context'>;
  /** Null when the value was cleared. */
  value: Value | null;
}

/**
 * Returns the record's values after the given ones are written, and the fields that really changed. Throws VALIDATION_FAILED or
 * UNKNOWN_REFERENCE naming `custom_fields.<key>`, or `custom_fields` when all values together are too large. A field of another context is
 * unknown.
 */
export async function applyValues(
  tx: TenantRead,
  context: FieldContext,
  held: HeldValues,
  given: Record<string, Value | null> | undefined,
): Promise<{ held: HeldValues; changes: FieldChange[] }> {
  const keys = Object.keys(given ?? {});
  if (!given || keys.length === 0) return { held, changes: [] };
  return mergeValues(await listDefinitions(tx, context, keys), held, given);
}

/** Does the work of applyValues with definitions that are already loaded: an import loads them once. */
export function mergeValues(
  definitions: CustomField[],
  held: HeldValues,
  given: Record<string, Value | null>,
): { held: HeldValues; changes: FieldChange[] } {
  const next = new Map(Object.entries(held));
  const changes: FieldChange[] = [];
  const named = new Set<string>();
  const byKey = indexByKey(definitions);
  for (const [key, value] of Object.entries(given)) {
    const path = `custom_fields.${key}`;
    const definition = byKey.get(key);
    if (!definition) throw unknownReference(path);
    if (named.has(definition._id)) throw invalid(path, 'is listed twice');
    named.add(definition._id);
    // A value that stays the same is not checked: its option may have been removed since it was written.
    if (isDeepStrictEqual(next.get(definition._id) ?? null, value)) continue;
    const fault = value === null ? null : findValueFault(definition, value);
    if (fault !== null) throw invalid(path, fault);
    if (value === null) next.delete(definition._id);
    else next.set(definition._id, value);
    const { _id, slug, title, context } = definition;
    changes.push({ field: { _id, slug, title, context }, value });
  }
  return { held: expectValuesSize(Object.fromEntries(next)), changes };
}

/** The values of a record in the format in which the API shows them. */
export const showValues = (definitions: CustomField[], held: HeldValues) =>
  definitions.flatMap(({ _id, slug, title }) => {
    const value = getOwnProperty(held, _id);
    return value === undefined ? [] : [{ _id, slug, title, value }];
  });

function expectValuesSize(held: HeldValues): HeldValues {
  expectSize('custom_fields', held, MAX_VALUES_BYTES);
  return held;
}

const knownKeys = new WeakMap<CustomField[], Map<string, CustomField>>();

/** The fields by slug and by id; the map is kept because an import asks for it with each row. */
export function indexByKey(definitions: CustomField[]): Map<string, CustomField> {
  const known =
    knownKeys.get(definitions) ??
    new Map(definitions.flatMap((field) => [[field.slug, field] as const, [field._id, field] as const]));
  knownKeys.set(definitions, known);
  return known;
}

/** Whether a value counts as empty, here and in filters. */
export const isEmpty = (value: Value | null | undefined): boolean =>
  (value ?? '') === '' || isDeepStrictEqual(value, []);

/**
 * The values of two merged records: those of the first one, and where it has none, those of the other. Values are not checked again, except
 * for their size: throws VALIDATION_FAILED naming `custom_fields` when they are too large together, so that no value is lost silently.
 */
export async function uniteValues(
  tx: TenantRead,
  context: FieldContext,
  { held, other }: { held: HeldValues; other: HeldValues },
): Promise<{ held: HeldValues; changes: FieldChange[] }> {
  const filled = Object.keys(other).filter(
    (id) => isEmpty(getOwnProperty(held, id)) && !isEmpty(getOwnProperty(other, id)),
  );
  const definitions = filled.length > 0 ? await listDefinitions(tx, context, filled) : [];
  const changes = definitions.map(({ _id, slug, title }) => ({
    field: { _id, slug, title, context },
    value: getOwnProperty(other, _id) ?? null,
  }));
  const added = definitions.map(({ _id }) => [_id, getOwnProperty(other, _id)]);
  return { held: expectValuesSize({ ...held, ...(Object.fromEntries(added) as HeldValues) }), changes };
}

export interface ChangedRecord {
  _id: string;
  company: string;
  /** The contact that has the field, or through which a business changed; null when there is none. */
  contact: string | null;
  /** Only set when the change happened inside a conversation. */
  conversation?: string | undefined;
}

/** Makes one FIELD_UPDATED for each field that really changed, with the data that integrators expect. */
export function fieldEvents(record: ChangedRecord, changes: FieldChange[]): ChangeEvent[] {
  const { _id, company, contact, conversation } = record;
  return changes.map(({ field, value }) => ({
    event: 'FIELD_UPDATED',
    about: { _id, company },
    data: {
      field,
      value,
      contactId: contact,
      companyId: company,
      ...(conversation === undefined ? {} : { conversationId: conversation }),
    } satisfies FieldUpdated,
  }));
}
