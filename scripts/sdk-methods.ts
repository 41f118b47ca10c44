/** Writes the operations of openapi.json as methods of the client, under the names that sdk/methods.ts gives them. */
import { quote, writeComment, writeKey, writeProperties, writeType, type Schema } from './sdk-types.ts';

export interface OpenApi {
  paths: Record<string, Record<string, OperationSpec>>;
  webhooks: Record<string, { post: OperationSpec }>;
  components: { schemas: Record<string, Schema> };
}

interface Content {
  schema?: Schema;
  /** The schema of one item of a stream (OpenAPI 3.2). */
  itemSchema?: Schema;
}

export interface OperationSpec {
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

export type MethodNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Operation {
  /** The name in the OpenAPI document, such as `GET /v1/contacts`. */
  name: string;
  spec: OperationSpec;
}

/** The parts of one method: its line in the table of operations, its signature, and the types that only it has. */
interface Method {
  line: string;
  signature: string;
  types: string;
}

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const FORM_TYPE = 'multipart/form-data';

export const listOperations = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, spec]) => ({ name: `${method.toUpperCase()} ${path}`, spec })),
  );

const LIST_VERBS = new Map([
  ['GET', 'list'],
  ['POST', 'create'],
]);
const RECORD_VERBS = new Map([
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'update'],
  ['DELETE', 'delete'],
]);

/** Names the methods of all operations: `others` has the names of those that their paths do not name well. */
export function nameMethods(document: OpenApi, others: MethodNames): MethodNames {
  const named = new Set(Object.values(others).flatMap((methods) => Object.values(methods)));
  const groups = new Map<string, Record<string, string>>();
  for (const { name } of listOperations(document).filter((operation) => !named.has(operation.name))) {
    const { group, verb } = deriveName(name);
    if (verb) groups.set(group, { [verb]: name, ...groups.get(group) });
  }
  for (const [group, methods] of Object.entries(others)) groups.set(group, { ...groups.get(group), ...methods });
  return Object.fromEntries(groups);
}

/**
 * A path that ends in a noun, or in the id of its record, is a list or a record: its method is `contacts.list` or `contacts.get`. Any other
 * last word is a verb: `/v1/campaigns/{id}/start` is `campaigns.start`. A noun is a plural, or the only word of its path.
 */
function deriveName(operation: string): { group: string; verb: string | undefined } {
  const [method = '', path = ''] = operation.split(' ');
  const words = path.split('/').slice(2);
  const isRecord = words.at(-1)?.startsWith('{');
  const [noun = '', ...before] = words.filter((word) => !word.startsWith('{')).toReversed();
  if (before.length > 0 && !noun.endsWith('s')) return { group: toCamel(before[0] ?? ''), verb: toCamel(noun) };
  return { group: toCamel(noun), verb: (isRecord ? RECORD_VERBS : LIST_VERBS).get(method) };
}

const toCamel = (word: string): string => word.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Lists what is wrong with the table of names: operations without a method, with two of them, and methods without an operation. */
export function findNamingMistakes(document: OpenApi, names: MethodNames): string[] {
  const known = listOperations(document).map(({ name }) => name);
  const named = Object.entries(names).flatMap(([group, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: `${group}.${method}`, operation })),
  );
  const count = (operation: string): number => named.filter((entry) => entry.operation === operation).length;
  return [
    ...known
      .filter((operation) => count(operation) === 0)
      .map((operation) => `${operation} has no method: add one to sdk/methods.ts, such as list: '${operation}'`),
    ...known
      .filter((operation) => count(operation) > 1)
      .map((operation) => `${operation} has ${count(operation)} methods in sdk/methods.ts: keep one of them`),
    ...named
      .filter(({ operation }) => !known.includes(operation))
      .map(({ method, operation }) => `${method}: openapi.json has no ${operation}: remove it from sdk/methods.ts`),
  ];
}

/** Writes the table of operations, the types of the methods' queries and forms, and the type of the whole client. */
export function writeMethods(document: OpenApi, names: MethodNames): string {
  const specs = new Map(listOperations(document).map(({ name, spec }) => [name, spec]));
  const groups = Object.entries(names).map(([group, methods]) => ({
    group,
    methods: Object.entries(methods).map(([method, name]) => {
      const spec = specs.get(name);
      if (!spec) throw new Error(`openapi.json has no ${name}`);
      return writeMethod(`${capitalize(group)}${capitalize(method)}`, method, { name, spec });
    }),
  }));
  const write = (part: 'line' | 'signature', end: string): string =>
    groups
      .map(({ group, methods }) => `  ${group}: {\n${methods.map((method) => method[part]).join('')}  }${end}\n`)
      .join('');
  return [
    groups.flatMap(({ methods }) => methods.map(({ types }) => types)).join(''),
    `/** The methods of the client, in groups. */\nexport interface Methods {\n${write('signature', ';')}}\n\n`,
    `export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {\n${write('line', ',')}};\n`,
  ].join('');
}

function writeMethod(typeName: string, method: string, { name, spec }: Operation): Method {
  const [verb = '', path = ''] = name.split(' ');
  const { parameters = [] } = spec;
  const answer = describeAnswer(spec);
  // The client itself says from where a stream goes on.
  const isOwn = (parameter: string): boolean => answer.kind === 'stream' && parameter === 'after';
  const query = parameters.filter((parameter) => parameter.in === 'query' && !isOwn(parameter.name));
  const takesKey = parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'idempotency-key');
  const pathNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const body = describeBody(typeName, spec);
  const queryMark = query.some(({ required }) => required) ? '' : '?';
  const rest = [
    ...pathNames.map((parameter) => `${parameter}: string`),
    ...(body ? [`body: ${body.type}`] : []),
    ...(query.length > 0 ? [`query${queryMark}: ${typeName}Query`] : []),
  ];
  const options = answer.kind === 'stream' ? 'StreamOptions' : 'CallOptions';
  const parameterList = [...rest, `options?: ${options}`].join(', ');
  const signature =
    answer.kind === 'list' ? `ListMethod<[${parameterList}], ${answer.type}>` : `(${parameterList}) => ${answer.type}`;
  const facts = [
    `method: ${quote(verb)}`,
    `path: ${quote(path)}`,
    ...(body ? [`body: ${quote(body.kind)}`] : []),
    ...(query.length > 0 ? ['query: true'] : []),
    ...(takesKey ? ['key: true'] : []),
    ...(answer.kind === 'json' ? [] : [`answer: ${quote(answer.kind)}`]),
  ];
  return {
    line: `    ${method}: { ${facts.join(', ')} },\n`,
    signature: `${writeComment(`${spec.summary}. ${spec.description ?? ''}`.trim(), '    ')}    ${method}: ${signature};\n`,
    types: (body?.declaration ?? '') + (query.length > 0 ? writeQuery(`${typeName}Query`, query) : ''),
  };
}

function describeBody(
  typeName: string,
  { requestBody }: OperationSpec,
): { kind: 'json' | 'form'; type: string; declaration: string } | null {
  if (!requestBody) return null;
  const { [FORM_TYPE]: form, [JSON_TYPE]: json } = requestBody.content;
  if (json?.schema) return { kind: 'json', type: writeType(json.schema, '    '), declaration: '' };
  const { properties = {}, required = [] } = form?.schema ?? {};
  const type = `${typeName}Form`;
  const declaration = `export interface ${type} ${writeProperties(properties, required)}\n\n`;
  return { kind: 'form', type, declaration };
}

/** Finds what a success answers. An operation with two statuses of success gives either of their records. */
function describeAnswer({ responses }: OperationSpec): { kind: 'json' | 'list' | 'file' | 'stream'; type: string } {
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.entries(content));
  const stream = contents.find(([type]) => type === STREAM_TYPE)?.[1];
  if (stream) {
    const item = writeType(stream.itemSchema ?? stream.schema ?? {}, '    ');
    return { kind: 'stream', type: `AsyncIterable<${item}>` };
  }
  const schemas = contents.filter(([type]) => type === JSON_TYPE).map(([, { schema = {} }]) => schema);
  if (schemas.length === 0) return { kind: 'file', type: 'Promise<Response>' };
  const [list] = schemas.map(writeListTypes).filter((type) => type !== null);
  if (list) return { kind: 'list', type: list };
  const types = new Set(schemas.map((schema) => writeType(schema, '    ')));
  return { kind: 'json', type: `Promise<${[...types].join(' | ')}>` };
}

/** Returns the types of a list's records and of what its pages have beside them; null when the schema is no page of a list. */
function writeListTypes({ properties = {}, required = [] }: Schema): string | null {
  const { result, meta, ...beside } = properties;
  if (!result?.items || !meta?.properties?.['nextCursor']) return null;
  const record = writeType(result.items, '    ');
  return Object.keys(beside).length === 0 ? record : `${record}, ${writeProperties(beside, required, '    ')}`;
}

function writeQuery(name: string, parameters: NonNullable<OperationSpec['parameters']>): string {
  const lines = parameters.map((parameter) => {
    const mark = parameter.required ? '' : '?';
    const type = writeType(parameter.schema, '  ') + (parameter.required ? '' : ' | undefined');
    return `${writeComment(parameter.description, '  ')}  ${writeKey(parameter.name)}${mark}: ${type};\n`;
  });
  return `export interface ${name} {\n${lines.join('')}}\n\n`;
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
