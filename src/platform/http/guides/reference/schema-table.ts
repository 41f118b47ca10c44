/** Shows schemas as tables: a line for each property, those of inner objects below their own. */
import { escapeHtml } from '../markdown.ts';
import type { Parameter, Schema } from './document.ts';

// Inner objects deeper than this are named by their type alone; a table with more levels is not read.
const MOST_LEVELS = 4;

/** The name of the component that a schema refers to; undefined for a schema that stands where it is used. */
export const readReferenceName = ({ $ref = '' }: Schema): string | undefined => $ref.split('/').at(-1) || undefined;

/** Lists the names of the components that a schema shows, each once, also those inside of others. */
export function listComponents(schemas: Schema[], known: ReadonlyMap<string, Schema>): string[] {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = readReferenceName(schema);
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(known.get(name) ?? {});
    }
    for (const inner of listInner(schema)) visit(inner);
  };
  for (const schema of schemas) visit(schema);
  return [...found].toSorted();
}

const listInner = ({ properties, items, additionalProperties, patternProperties, anyOf, oneOf }: Schema): Schema[] => [
  ...Object.values(properties ?? {}),
  ...Object.values(patternProperties ?? {}),
  ...(items ? [items] : []),
  ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ...(anyOf ?? oneOf ?? []),
];

/** Renders the properties of a schema. */
export function renderSchemaTable(schema: Schema): string {
  const lines = listLines(schema, '', 0);
  if (lines.length === 0) return `<p>${renderType(schema)}</p>`;
  return renderTable('Property', lines.join(''));
}

export function renderParameterTable(parameters: Parameter[]): string {
  const lines = parameters.map(({ name, in: place, required = false, description = '', schema = {} }) =>
    renderLine({ name: `${escapeHtml(name)} <small>${place}</small>`, required, schema, description }),
  );
  return renderTable('Parameter', lines.join(''));
}

const renderTable = (head: string, lines: string): string =>
  `<div class="table fields" role="region" aria-label="Table" tabindex="0"><table><thead><tr><th>${head}</th><th>Type</th><th></th></tr></thead><tbody>${lines}</tbody></table></div>`;

function listLines(schema: Schema, before: string, level: number): string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, inner]) => {
    const path = before + name;
    const line = renderLine({
      name: breakWords(escapeHtml(path)),
      required: required.includes(name),
      schema: inner,
      description: inner.description ?? '',
    });
    if (level + 1 >= MOST_LEVELS) return [line];
    const below = inner.items ? `${path}[].` : `${path}.`;
    return [line, ...listLines(inner.items ?? inner, below, level + 1)];
  });
}

/** Lets a browser break a long name behind its dots and underscores. */
const breakWords = (name: string): string => name.replaceAll(/[._]/g, '$&<wbr />');

interface Line {
  /** HTML. */
  name: string;
  required: boolean;
  schema: Schema;
  description: string;
}

function renderLine({ name, required, schema, description }: Line): string {
  const note = required ? ' <b class="needed">required</b>' : '';
  return `<tr><td><code>${name}</code>${note}</td><td>${renderType(schema)}</td><td>${renderText(description)}${renderLimits(schema)}</td></tr>`;
}

/** Renders a text of the document: its code and its paragraphs. */
export const renderText = (text: string): string =>
  escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br /><br />');

/** Renders what values a schema takes, as HTML; a component links to its table on the same page. */
export function renderType(schema: Schema): string {
  const name = readReferenceName(schema);
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(renderType).join(' or ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'any value';
  return types.map((type) => (type === 'array' ? renderList(schema) : renderPlainType(type, schema))).join(' or ');
}

const renderList = ({ items }: Schema): string =>
  items ? `list of ${items.properties ? 'objects' : renderType(items)}` : 'list';

const renderPlainType = (type: string, { format }: Schema): string =>
  type === 'string' && format ? `${type} <small>${escapeHtml(format)}</small>` : type;

function renderLimits(schema: Schema): string {
  const { minLength = 0, maxLength, minimum, maximum, maxItems } = schema;
  const range = [minimum === undefined ? '' : `from ${minimum}`, maximum === undefined ? '' : `to ${maximum}`];
  const said = [
    maxLength === undefined ? '' : `${minLength > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`,
    range.filter(Boolean).join(' '),
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    schema.default === undefined ? '' : `default ${escapeHtml(JSON.stringify(schema.default))}`,
  ].filter(Boolean);
  return said.length === 0 ? '' : ` <small>${said.join(', ')}</small>`;
}
