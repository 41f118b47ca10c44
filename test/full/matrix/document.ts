/** Reads from openapi.json which callers each operation admits, where it takes an id or a text, and which objects its body has. */
import { ID_PATTERN, RECORDS_KEYWORD } from '../../../src/platform/values/schema.ts';
import type { Json } from '../../support/platform.ts';
import { resolveReferences } from '../fuzz/document.ts';

interface Parameter {
  name: string;
  schema: Json;
}

export interface Operation {
  /** The operation's name as in `GET /v1/inboxes/{id}`, which samples.ts uses as well. */
  name: string;
  method: string;
  path: string;
  /** The required scope; null when any valid token is enough, or none is needed. */
  scope: string | null;
  /** The scopes that some requests need as well. */
  needs: string[];
  /** False for an operation without a token. */
  secured: boolean;
  /** Only global keys may use the operation; every other caller is refused, whatever its scopes. */
  globalOnly: boolean;
  /** The name of the action in the audit; undefined when the operation writes no audit entry. */
  auditAction: string | undefined;
  /** The parameter or property whose id names the record that a success removes. */
  disposes: string | undefined;
  /** The POST that creates records of the kind that this operation disposes of. */
  maker: Operation | undefined;
  /** The kinds of records that a success returns, alone or in a page. */
  answers: string[];
  params: Parameter[];
  query: Parameter[];
  body: Json;
  /** True when the body is a form, whose properties are its parts. */
  form: boolean;
  answer: Json;
  problem: Json;
  statuses: number[];
  /** The codes of all errors that the operation documents. */
  codes: Set<string>;
  /** The statuses of success: one, except for a POST that may find an existing record (201, 200). */
  successes: number[];
  /** Whether the operation accepts an Idempotency-Key. */
  repeatable: boolean;
}

const resolveSchema = (document: Json, schema: Json): Json => resolveReferences(schema, document.components.schemas);

export function readOperations(document: Json): Operation[] {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, spec]) => readOperation(document, path, method.toUpperCase(), spec)),
  );
  // POST /v1/contacts/{id}/merge also returns a contact, but it creates none and removes another one.
  const makers = operations.filter(({ successes, disposes }) => successes[0] === 201 && !disposes);
  for (const operation of operations) {
    const [kind = ''] = listTextPlaces(operation).find(({ path }) => path === operation.disposes)?.kinds ?? [];
    operation.maker = makers.find(({ answers }) => answers.includes(kind));
  }
  return operations;
}

const FORM = 'multipart/form-data';

function readOperation(document: Json, path: string, method: string, spec: Json): Operation {
  const name = `${method} ${path}`;
  const parameters = (spec.parameters ?? []) as (Parameter & { in: string })[];
  const content = spec.requestBody?.content ?? {};
  const [media, ...others] = Object.keys(content);
  if (others.length > 0 || (media && !['application/json', FORM].includes(media)))
    throw new Error(`${name} takes ${Object.keys(content).join()}: the matrix has to learn it`);
  const statuses = Object.keys(spec.responses).map(Number);
  const successes = statuses.filter((status) => status < 300).toReversed();
  const answer = resolveSchema(
    document,
    spec.responses[successes[0] ?? 0]?.content?.['application/json']?.schema ?? {},
  );
  return {
    name,
    method,
    path,
    scope: spec['x-scope'] ?? null,
    needs: (spec['x-needs'] ?? []).flatMap(({ scopes }: Json) => scopes),
    secured: spec.security.length > 0,
    globalOnly: spec['x-global-only'] ?? false,
    auditAction: spec['x-audit-action'],
    disposes: spec['x-disposes'],
    maker: undefined,
    answers: listKinds(findRecord(answer).properties?._id),
    params: parameters.filter((one) => one.in === 'path'),
    query: parameters.filter((one) => one.in === 'query'),
    body: media ? resolveSchema(document, content[media].schema) : null,
    form: media === FORM,
    answer,
    problem: resolveSchema(document, document.components.schemas.Problem),
    statuses,
    codes: new Set(Object.values<Json>(spec.responses).flatMap(({ description }) => description.split(', '))),
    successes,
    repeatable: parameters.some((one) => one.in === 'header' && one.name === 'idempotency-key'),
  };
}

/** Finds the schema of the record that an answer is, or is a page of. In the answer of a table, the page of rows is the property `rows`. */
const findRecord = (answer: Json): Json => (answer.properties?.rows ?? answer).properties?.result?.items ?? answer;

/**
 * A place of a request that takes any text, and so could take an id. Its path is `a.b`, `a[]` for an item of a list, `a.*` for a key of a
 * map, and `a{}` for a value of a map.
 */
export interface TextPlace {
  in: 'path' | 'query' | 'body';
  path: string;
  /** The kinds of records that the text can name; none for a text that names no record. */
  kinds: string[];
  /** Whether the text must have the form of an id. */
  isId: boolean;
  /** The most characters that the text can have. */
  maxLength: number;
}

export function listTextPlaces({ params, query, body }: Pick<Operation, 'params' | 'query' | 'body'>): TextPlace[] {
  return [
    ...params.flatMap(({ name, schema }) => findTexts(schema, { in: 'path', path: name })),
    ...query.flatMap(({ name, schema }) => findTexts(schema, { in: 'query', path: name })),
    ...findTexts(body ?? {}, { in: 'body', path: '' }),
  ];
}

const listTypes = (schema: Json): string[] => [schema.type].flat().filter((type) => typeof type === 'string');
const listKinds = (schema: Json): string[] => schema?.[RECORDS_KEYWORD] ?? [];
const joinPath = (path: string, name: string): string => (path ? `${path}.${name}` : name);

function findTexts(schema: Json, at: Pick<TextPlace, 'in' | 'path'>): TextPlace[] {
  const { path } = at;
  const deeper = (inner: Json, name: string): TextPlace[] => findTexts(inner, { ...at, path: name });
  const nested = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, inner]) =>
    deeper(inner, joinPath(path, name)),
  );
  const either = (schema.anyOf ?? []).flatMap((inner: Json) => deeper(inner, path));
  const items = schema.items ? deeper(schema.items, `${path}[]`) : [];
  const isText =
    listTypes(schema).includes('string') && !schema.enum && !['binary', 'date-time'].includes(schema.format);
  // This is true for an object with arbitrary keys.
  const isMap = listTypes(schema).includes('object') && schema.additionalProperties !== false && !schema.properties;
  const keys = {
    ...at,
    path: joinPath(path, '*'),
    kinds: listKinds(schema.propertyNames),
    isId: false,
    maxLength: Infinity,
  };
  const values =
    typeof schema.additionalProperties === 'object' ? deeper(schema.additionalProperties, `${path}{}`) : [];
  const { pattern, maxLength = Infinity } = schema;
  // The pattern of a filter that also takes a fixed word contains that of an id.
  const text = { ...at, kinds: listKinds(schema), isId: pattern?.includes(ID_PATTERN) ?? false, maxLength };
  return [...nested, ...either, ...items, ...(isText ? [text] : []), ...(isMap ? [keys] : []), ...values];
}

/** An object inside a body: its path, and the fields of the answer at that path that no caller may set. */
export interface ObjectLevel {
  path: string;
  readOnly: string[];
  /** The smallest valid object at this path. */
  sample: Json;
}

export function listObjectLevels(body: Json, answer: Json, path = ''): ObjectLevel[] {
  if (!body?.properties) return [];
  const own = Object.keys(body.properties);
  const shown = Object.keys(answer?.properties ?? {});
  const level: ObjectLevel = { path, readOnly: shown.filter((name) => !own.includes(name)), sample: makeSample(body) };
  const deeper = Object.entries<Json>(body.properties).flatMap(([name, inner]) =>
    listObjectLevels(inner, answer?.properties?.[name], joinPath(path, name)),
  );
  return [level, ...deeper];
}

export function makeSample(schema: Json): Json {
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

/** Returns the body with this value at the place, which is created when it is missing. */
export function withValueAt(body: Json, path: string, value: unknown): Json {
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
  const inner = tail ? withValueAt(before, tail, value) : value;
  return { ...body, [name]: isList ? [inner] : inner };
}

/** Lists the fields of an answer that its schema does not name. Objects with arbitrary fields are not checked. */
export function listSurplusFields(schema: Json, value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listSurplusFields(schema?.items, item, `${path}[]`));
  if (typeof value !== 'object' || value === null || !schema) return [];
  const shapes = [schema, ...(schema.anyOf ?? [])].filter((shape: Json) => shape.properties);
  if (shapes.length === 0) return [];
  const properties = Object.assign({}, ...shapes.map((shape: Json) => shape.properties)) as Record<string, Json>;
  return Object.entries<Json>(value).flatMap(([name, held]) =>
    properties[name] ? listSurplusFields(properties[name], held, joinPath(path, name)) : [joinPath(path, name)],
  );
}
