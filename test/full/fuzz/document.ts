/** Reads openapi.json for the fuzz: each operation with its schemas, in which every reference is replaced by its target. */
import { readFileSync } from 'node:fs';
import { RECORDS_KEYWORD } from '../../../src/platform/values/schema.ts';

/** The parts of JSON Schema that the document uses. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  minProperties?: number;
  maxProperties?: number;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  /** The kinds of records that a text can name. */
  [RECORDS_KEYWORD]?: string[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

export interface Operation {
  method: string;
  /** The path as the document writes it: `/v1/inboxes/{id}`. */
  path: string;
  /** The kinds of records that a success can answer. */
  kinds: string[];
  /** Whether the operation requires a token. */
  secured: boolean;
  /** Whether the operation admits only global keys. */
  globalOnly: boolean;
  /** Whether the operation accepts an Idempotency-Key. */
  repeatable: boolean;
  parameters: Parameter[];
  /** The schema of a JSON body. */
  body: Schema | null;
  /** The schema of a form, whose properties are its parts. */
  form: Schema | null;
  /** The answers by status: content types, schema of a body of the first type and, for an error, its possible codes. */
  answers: Map<number, { types: string[]; schema: Schema; codes: string[] }>;
}

type Node = Record<string, unknown>;

const DOCUMENT = new URL('../../../openapi.json', import.meta.url);

/** Reads the operations, in the document's order. */
export function readOperations(): Operation[] {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Node;
  const { schemas } = document['components'] as { schemas: Record<string, unknown> };
  const whole = resolveReferences(document['paths'], schemas) as Record<string, Record<string, Node>>;
  return Object.entries(whole).flatMap(([path, item]) =>
    Object.entries(item).map(([method, spec]) => buildOperation(method, path, spec)),
  );
}

function buildOperation(method: string, path: string, spec: Node): Operation {
  const responses = spec['responses'] as Record<
    string,
    { description: string; content: Record<string, { schema: Schema }> }
  >;
  const parameters = (spec['parameters'] ?? []) as Parameter[];
  const given = spec['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined;
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const [{ schema } = { schema: {} }] = Object.values(content);
    // The description of an error lists its possible codes, separated by commas.
    return [Number(status), { types: Object.keys(content), schema, codes: description.split(', ') }] as const;
  });
  return {
    method: method.toUpperCase(),
    path,
    kinds: answers.find(([status]) => status < 300)?.[1].schema.properties?.['_id']?.[RECORDS_KEYWORD] ?? [],
    secured: (spec['security'] as unknown[]).length > 0,
    globalOnly: spec['x-global-only'] === true,
    repeatable: parameters.some(({ name }) => name === 'idempotency-key'),
    parameters,
    body: given?.content['application/json']?.schema ?? null,
    form: given?.content['multipart/form-data']?.schema ?? null,
    answers: new Map(answers),
  };
}

/** Replaces each reference by its target. No schema of the document contains itself. */
export function resolveReferences(node: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => resolveReferences(item, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if (typeof $ref === 'string') return resolveReferences(schemas[$ref.split('/').at(-1) ?? ''], schemas);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolveReferences(value, schemas)]));
}
