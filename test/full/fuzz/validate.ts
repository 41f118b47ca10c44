/** Checks whether a value fits a schema: a small validator that is independent of the one that the platform uses. */
import type { Schema } from './document.ts';

export interface ValidateOptions {
  /** Refuses properties that the schema does not name, even where the schema allows others. */
  closed?: boolean;
  /** Accepts every notation of a time: requests may use more notations than answers. */
  anyTime?: boolean;
}

/** Returns where and why the value does not fit the schema: `a.b[0] is no string`. Of the formats only date-time is checked. */
export function findMisfits(schema: Schema, value: unknown, options: ValidateOptions = {}, path = ''): string[] {
  const at = path || 'body';
  if (schema.anyOf) {
    const tries = schema.anyOf.map((option) => findMisfits(option, value, options, path));
    return tries.some((misfits) => misfits.length === 0) ? [] : (tries[0] ?? []);
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [`${at} is no ${types.join(' or ')}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(', ')}`];
  if (typeof value === 'string') return findTextMisfits(schema, value, at, options);
  if (typeof value === 'number') {
    const outside = value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity);
    return outside ? [`${at} is out of range`] : [];
  }
  if (Array.isArray(value)) return findListMisfits(schema, value, options, path);
  if (typeof value === 'object' && value !== null) return findRecordMisfits(schema, value, options, path);
  return [];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const patterns = new Map<string, RegExp>();

function compilePattern(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, known);
  return known;
}

function findTextMisfits(schema: Schema, text: string, at: string, { anyTime }: ValidateOptions): string[] {
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : Array.from(text).length;
  if (length < (schema.minLength ?? 0)) return [`${at} is too short`];
  if (length > (schema.maxLength ?? Infinity)) return [`${at} is too long`];
  if (schema.pattern !== undefined && !compilePattern(schema.pattern).test(text)) return [`${at} does not match`];
  return schema.format === 'date-time' && !anyTime && !DATE_TIME.test(text) ? [`${at} is no time`] : [];
}

function findListMisfits(schema: Schema, list: unknown[], options: ValidateOptions, path: string): string[] {
  if (list.length < (schema.minItems ?? 0)) return [`${path} has too few items`];
  if (list.length > (schema.maxItems ?? Infinity)) return [`${path} has too many items`];
  if (schema.uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length)
    return [`${path} has the same item twice`];
  const { items } = schema;
  return items ? list.flatMap((item, index) => findMisfits(items, item, options, `${path}[${index}]`)) : [];
}

function findRecordMisfits(schema: Schema, record: object, options: ValidateOptions, path: string): string[] {
  const at = (key: string): string => (path ? `${path}.${key}` : key);
  const { properties, required = [], additionalProperties: others } = schema;
  const { minProperties = 0, maxProperties = Infinity } = schema;
  if (Object.keys(record).length < minProperties) return [`${path} has too few properties`];
  if (Object.keys(record).length > maxProperties) return [`${path} has too many properties`];
  const missing = required.filter((key) => !Object.hasOwn(record, key)).map((key) => `${at(key)} is missing`);
  const wrong = Object.entries(record).flatMap(([key, value]) => {
    const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known) return findMisfits(known, value, options, at(key));
    if (typeof others === 'object') return findMisfits(others, value, options, at(key));
    const open = others ?? !(options.closed && properties);
    return open ? [] : [`${at(key)} is not in the schema`];
  });
  return [...missing, ...wrong];
}
