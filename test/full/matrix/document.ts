/** Reads from openapi.json where each operation takes an id or a text, and which objects its body has. */
import type { Json } from '../../support/platform.ts';

export interface Operation {
  /** As in `GET /v1/inboxes/{id}`, like in the table of operations.ts. */
  name: string;
  method: string;
  path: string;
  params: string[];
  query: { name: string; schema: Json }[];
  body: Json;
  /** True when the body is a form, whose properties are its parts. */
  form: boolean;
  answer: Json;
  problem: Json;
  statuses: number[];
  /** The statuses of success: one, except for a POST that may find an existing record (201, 200). */
  successes: number[];
  /** Whether the operation accepts an Idempotency-Key. */
  repeatable: boolean;
}

/** Replaces every reference in a schema by its target; no schema of this API contains itself. */
function resolve(document: Json, schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item) => resolve(document, item));
  const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '');
  if (name) return resolve(document, document.components.schemas[name]);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(document, value)]));
}

export function readOperations(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, spec]) => readOperation(document, path, method.toUpperCase(), spec)),
  );
}

const FORM = 'multipart/form-data';

function readOperation(document: Json, path: string, method: string, spec: Json): Operation {
  const name = `${method} ${path}`;
  const parameters = (spec.parameters ?? []) as Json[];
  const content = spec.requestBody?.content ?? {};
  const [media, ...others] = Object.keys(content);
  if (others.length > 0 || (media && !['application/json', FORM].includes(media)))
    throw new Error(`${name} takes ${Object.keys(content).join()}: the matrix has to learn it`);
  const statuses = Object.keys(spec.responses).map(Number);
  const successes = statuses.filter((status) => status < 300).toReversed();
  return {
    name,
    method,
    path,
    params: parameters.filter((one) => one.in === 'path').map((one) => one.name),
    query: parameters.filter((one) => one.in === 'query').map((one) => ({ name: one.name, schema: one.schema })),
    body: media ? resolve(document, content[media].schema) : null,
    form: media === FORM,
    answer: resolve(document, spec.responses[successes[0] ?? 0]?.content?.['application/json']?.schema ?? {}),
    problem: resolve(document, document.components.schemas.Problem),
    statuses,
    successes,
    repeatable: parameters.some((one) => one.in === 'header' && one.name === 'idempotency-key'),
  };
}

/**
 * A place of a request that takes any text, and so could take an id: `a.b`, `a[]` for an item of a list, `a.*` for a key of a map,
 * `a{}` for its value.
 */
export interface Place {
  in: 'path' | 'query' | 'body';
  path: string;
}

export function textPlaces({ params, query, body }: Operation): Place[] {
  return [
    ...params.map((path) => ({ in: 'path' as const, path })),
    ...query.flatMap(({ name, schema }) => textPaths(schema, name).map((path) => ({ in: 'query' as const, path }))),
    ...textPaths(body ?? {}, '').map((path) => ({ in: 'body' as const, path })),
  ];
}

const listTypes = (schema: Json): string[] => [schema.type].flat().filter((type) => typeof type === 'string');
const inside = (path: string, name: string): string => (path ? `${path}.${name}` : name);

function textPaths(schema: Json, path: string): string[] {
  const nested = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, inner]) =>
    textPaths(inner, inside(path, name)),
  );
  const either = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner: Json) => textPaths(inner, path));
  const items = schema.items ? textPaths(schema.items, `${path}[]`) : [];
  const isText = listTypes(schema).includes('string') && !schema.enum && schema.format !== 'binary';
  // True for an object with arbitrary keys.
  const isMap = listTypes(schema).includes('object') && schema.additionalProperties !== false && !schema.properties;
  const keys = isMap ? [inside(path, '*')] : [];
  const values =
    typeof schema.additionalProperties === 'object' ? textPaths(schema.additionalProperties, `${path}{}`) : [];
  return [...new Set([...nested, ...either, ...items, ...(isText ? [path] : []), ...keys, ...values])];
}

/** An object of a body: its path, and the fields of the answer there that no caller may set. */
export interface Level {
  path: string;
  readOnly: string[];
  /** The smallest valid object at this path. */
  sample: Json;
}

export function objectLevels(body: Json, answer: Json, path = ''): Level[] {
  if (!body?.properties) return [];
  const own = Object.keys(body.properties);
  const shown = Object.keys(answer?.properties ?? {});
  const level: Level = { path, readOnly: shown.filter((name) => !own.includes(name)), sample: makeSample(body) };
  const deeper = Object.entries<Json>(body.properties).flatMap(([name, inner]) =>
    objectLevels(inner, answer?.properties?.[name], inside(path, name)),
  );
  return [level, ...deeper];
}

function makeSample(schema: Json): Json {
  const types = listTypes(schema);
  if (schema.enum) return schema.enum[0];
  if (types.includes('object')) {
    const required = (schema.required ?? []) as string[];
    return Object.fromEntries(required.map((name) => [name, makeSample(schema.properties[name])]));
  }
  if (types.includes('array')) return [];
  if (types.includes('boolean')) return false;
  return types.includes('string') ? '1' : (schema.minimum ?? 1);
}

/** The body with a value at this place, which is created when it is missing. */
export function withValue(body: Json, path: string, value: unknown): Json {
  const [head = '', ...rest] = path.split('.');
  const tail = rest.join('.');
  if (head === '*') return { [String(value)]: Object.values(body ?? {})[0] ?? 'x' };
  if (head.endsWith('{}')) {
    const map = head.slice(0, -2);
    const [key = 'x'] = Object.keys(body?.[map] ?? {});
    return { ...body, [map]: { [key]: value } };
  }
  const isList = head.endsWith('[]');
  const name = isList ? head.slice(0, -2) : head;
  const before = isList ? (body?.[name]?.[0] ?? {}) : (body?.[name] ?? {});
  const inner = tail ? withValue(before, tail, value) : value;
  return { ...body, [name]: isList ? [inner] : inner };
}

/** Fields of an answer that its schema does not name. Objects with arbitrary fields are not checked. */
export function surplusFields(schema: Json, value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => surplusFields(schema?.items, item, `${path}[]`));
  if (typeof value !== 'object' || value === null || !schema) return [];
  const shapes = [schema, ...(schema.anyOf ?? [])].filter((shape: Json) => shape.properties);
  if (shapes.length === 0) return [];
  const properties = Object.assign({}, ...shapes.map((shape: Json) => shape.properties)) as Record<string, Json>;
  return Object.entries<Json>(value).flatMap(([name, held]) =>
    properties[name] ? surplusFields(properties[name], held, inside(path, name)) : [inside(path, name)],
  );
}
