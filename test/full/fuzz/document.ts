/** openapi.json as the fuzz needs it: each operation with its schemas in place, every reference followed. */
import { readFileSync } from 'node:fs';

/** A JSON Schema, as far as the document uses it. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  maxProperties?: number;
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
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

export interface Operation {
  method: string;
  /** `/v1/inboxes/{id}` */
  path: string;
  /** `inboxes`: whose ids it makes, when it makes any. */
  collection: string;
  /** Whether it asks for a token. */
  secured: boolean;
  /** Whether it may carry an Idempotency-Key. */
  repeatable: boolean;
  parameters: Parameter[];
  /** Of JSON. */
  body: Schema | null;
  /** Of a form: its parts. */
  form: Schema | null;
  /** By status: the content type, what the body must be, and of a refusal the codes that it may have. */
  answers: Map<number, { type: string; schema: Schema; codes: string[] }>;
}

type Node = Record<string, unknown>;

const DOCUMENT = new URL('../../../openapi.json', import.meta.url);

/** The operations in the document's order. */
export function readOperations(): Operation[] {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Node;
  const { schemas } = document['components'] as { schemas: Record<string, unknown> };
  const whole = inPlace(document['paths'], schemas) as Record<string, Record<string, Node>>;
  const collections = Object.keys(whole).flatMap((path) => [...path.matchAll(/([\w-]+)\/\{/g)].map(([, name]) => name));
  return Object.entries(whole).flatMap(([path, item]) => {
    // `/v1/messages/send-text` makes messages, `/v1/webhooks/deliveries/{id}/replay` deliveries.
    const collection = path.split('/').findLast((part) => collections.includes(part)) ?? '';
    return Object.entries(item).map(([method, spec]) => ({ ...operationOf(method, path, spec), collection }));
  });
}

function operationOf(method: string, path: string, spec: Node): Omit<Operation, 'collection'> {
  const responses = spec['responses'] as Record<
    string,
    { description: string; content: Record<string, { schema: Schema }> }
  >;
  const parameters = (spec['parameters'] ?? []) as Parameter[];
  const given = spec['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined;
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content);
    // A refusal says in its description which codes it may have.
    return [Number(status), { type, schema, codes: description.split(', ') }] as const;
  });
  return {
    method: method.toUpperCase(),
    path,
    secured: (spec['security'] as unknown[]).length > 0,
    repeatable: parameters.some(({ name }) => name === 'idempotency-key'),
    parameters,
    body: given?.content['application/json']?.schema ?? null,
    form: given?.content['multipart/form-data']?.schema ?? null,
    answers: new Map(answers),
  };
}

/** References by what they point to. The document has no schema that holds itself. */
export function inPlace(node: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => inPlace(item, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if (typeof $ref === 'string') return inPlace(schemas[$ref.split('/').at(-1) ?? ''], schemas);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inPlace(value, schemas)]));
}
