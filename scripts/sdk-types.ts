/** Writes the schemas of openapi.json as TypeScript types. */

/** A schema, with the keywords that decide a type; ANNOTATIONS lists the others that may occur. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | number | boolean | null)[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
}

const TYPE_KEYWORDS = ['$ref', 'type', 'enum', 'properties', 'required', 'additionalProperties', 'items', 'anyOf'];
/** Keywords that narrow a value without changing its type, or that explain it. */
const ANNOTATIONS =
  'description title default example examples deprecated format pattern propertyNames x-records minLength maxLength minimum maximum ' +
  'exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties';
const KNOWN = new Set([...TYPE_KEYWORDS, ...ANNOTATIONS.split(' ')]);

/** Writes a type expression. `indent` is that of the line in which it begins. Throws on a keyword that could change the type unnoticed. */
export function writeType(schema: Schema, indent = ''): string {
  const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword));
  if (unknown) throw new Error(`scripts/sdk-types.ts does not know the schema keyword ${unknown}: teach it`);
  if (schema.$ref) return readName(schema.$ref);
  if (schema.anyOf) return unite(schema.anyOf.map((option) => writeType(option, indent)));
  const types = [schema.type ?? []].flat();
  if (schema.enum) {
    const literals = schema.enum.map((value) => quote(value));
    return unite(types.includes('null') ? [...literals, 'null'] : literals);
  }
  return types.length === 0 ? 'unknown' : unite(types.map((type) => writeOneType(type, schema, indent)));
}

function writeOneType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array': {
      const item = writeType(schema.items ?? {}, indent);
      return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case 'object':
      return writeObject(schema, indent);
    default:
      throw new Error(`scripts/sdk-types.ts does not know the type ${type}: teach it`);
  }
}

function writeObject({ properties = {}, required, additionalProperties }: Schema, indent: string): string {
  if (Object.keys(properties).length > 0) return writeProperties(properties, required ?? [], indent);
  if (additionalProperties === false) return 'Record<string, never>';
  const value = typeof additionalProperties === 'object' ? writeType(additionalProperties, indent) : 'unknown';
  return `Record<string, ${value}>`;
}

/** Writes the braces and the properties between them, each with its description as a comment. */
export function writeProperties(properties: Record<string, Schema>, required: readonly string[], indent = ''): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name);
    const type = writeType(schema, inner);
    return `${writeComment(schema.description, inner)}${inner}${writeKey(name)}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

export function writeComment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : '';
}

/** Returns the name of the schema that a reference points to. */
const readName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

export const writeKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

export const quote = (value: string | number | boolean | null): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'` : String(value);

const unite = (types: string[]): string => [...new Set(types)].join(' | ');
