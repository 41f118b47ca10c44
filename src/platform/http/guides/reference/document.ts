/** Reads the OpenAPI document in the form in which the pages of the reference show it. */
import { readDocument } from '../../reference.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface OperationEntry {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

/** An operation with its place in the document. */
export interface ShownOperation extends OperationEntry {
  method: string;
  path: string;
}

/** The operations of one tag, which are a page of the reference. */
export interface ReferencePart {
  tag: string;
  /** What the tag is about. */
  about: string;
  /** The path of its page below /docs. */
  path: string;
  operations: ShownOperation[];
}

export interface ReferenceDocument {
  parts: ReferencePart[];
  schemas: ReadonlyMap<string, Schema>;
}

interface WrittenDocument {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationEntry>>;
  components: { schemas: Record<string, Schema> };
}

/** The path of the page of a tag, below /docs. */
export const toPartPath = (tag: string): string => `api/${tag.toLowerCase()}`;

export function readReference(): ReferenceDocument {
  const { tags, paths, components } = JSON.parse(readDocument()) as WrittenDocument;
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, entry]) => ({ ...entry, method: method.toUpperCase(), path })),
  );
  const parts = tags.map(({ name, description }) => ({
    tag: name,
    about: description,
    path: toPartPath(name),
    operations: all.filter(({ tags: [first] }) => first === name),
  }));
  return { parts, schemas: new Map(Object.entries(components.schemas)) };
}
