import { randomInt } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, asObject, asText, type Answer, type Json } from './exchange.ts';
import { errorAnswer } from './graph-errors.ts';

export type Template = {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: Json[];
};

/** Templates by `name language`: those that every WABA has, and those of one WABA, which take precedence. */
export type Catalogue = { shared: Map<string, Template>; byWaba: Map<string, Map<string, Template>> };

const templateKey = (name: string, language: string): string => `${name} ${language}`;

export const createCatalogue = (shared: Template[]): Catalogue => ({
  shared: new Map(shared.map((template) => [templateKey(template.name, template.language), template])),
  byWaba: new Map(),
});

/**
 * Adds or replaces a template of one WABA, approved unless the input has another status. Returns an error sentence when a field is missing.
 */
export function putTemplate(catalogue: Catalogue, wabaId: string, input: Json): Template | string {
  const name = asText(input['name']);
  const language = asText(input['language']);
  if (name === undefined || !/^[a-z0-9_]{1,512}$/.test(name))
    return 'The field name must have small letters, digits and _.';
  if (language === undefined) return 'The field language is required.';
  if (!Array.isArray(input['components'])) return 'The field components is required.';
  const template: Template = {
    id: asText(input['id']) ?? `2${randomInt(1e8, 1e9)}${randomInt(1e8, 1e9)}`,
    name,
    language,
    status: asText(input['status']) ?? 'APPROVED',
    category: asText(input['category']) ?? 'UTILITY',
    parameter_format: String(input['parameter_format']).toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    components: input['components'].map(asObject),
  };
  const own = catalogue.byWaba.get(wabaId) ?? new Map<string, Template>();
  catalogue.byWaba.set(wabaId, own.set(templateKey(name, language), template));
  return template;
}

export function findTemplate(catalogue: Catalogue, account: Account, template: Json): Template | undefined {
  const code = asText(asObject(template['language'])['code']) ?? '';
  const key = templateKey(asText(template['name']) ?? '', code);
  return catalogue.byWaba.get(account.waba_id)?.get(key) ?? catalogue.shared.get(key);
}

/** `POST /{waba}/message_templates`: the template is approved at once, while the network takes minutes. */
export function createTemplate(catalogue: Catalogue, wabaId: string, input: Json): Answer {
  const template = putTemplate(catalogue, wabaId, input);
  if (typeof template === 'string') return errorAnswer({ code: 100, details: template });
  return answer({ id: template.id, status: template.status, category: template.category });
}

/** `DELETE /{waba}/message_templates?name=`: deletes the template in all languages. */
export function deleteTemplate(catalogue: Catalogue, wabaId: string, query: URLSearchParams): Answer {
  const own = catalogue.byWaba.get(wabaId) ?? new Map<string, Template>();
  const doomed = [...own].filter(([, template]) => template.name === query.get('name'));
  if (doomed.length === 0)
    return errorAnswer({ code: 100, message: '(#100) Invalid parameter', details: 'No such template.' });
  for (const [key] of doomed) own.delete(key);
  return answer({ success: true });
}

const FILTERS = ['name', 'language', 'status', 'category'] as const;

/**
 * `GET /{waba}/message_templates` with `fields`, `limit`, `after`, `before` and the filters; the last page has no `next`. `url` is the
 * address of the call.
 */
export function listTemplates(
  { shared, byWaba }: Catalogue,
  wabaId: string,
  url: string,
  query: URLSearchParams,
): Answer {
  const all = [...new Map([...shared, ...(byWaba.get(wabaId) ?? [])]).values()].filter((template) =>
    FILTERS.every((name) => matches(template, name, query.get(name))),
  );
  const content = query.get('content')?.toLowerCase();
  const found =
    content === undefined ? all : all.filter((item) => JSON.stringify(item).toLowerCase().includes(content));
  const limit = Math.min(Math.max(Number(query.get('limit') ?? 25) || 25, 1), 250);
  const start = readCursor(query.get('after'));
  const page = found.slice(start, start + limit);
  const cursors = { before: makeCursor(start), after: makeCursor(start + page.length) };
  const isLast = start + page.length >= found.length;
  const nextQuery = new URLSearchParams(query);
  nextQuery.set('after', cursors.after);
  nextQuery.delete('access_token');
  const next = isLast ? {} : { next: `${url}?${nextQuery.toString()}` };
  const fields = query.get('fields')?.split(',');
  return answer({
    data: page.map((template) => (fields === undefined ? template : pick(template, fields))),
    ...(page.length === 0 ? {} : { paging: { cursors, ...next } }),
  });
}

const matches = (template: Template, name: (typeof FILTERS)[number], wanted: string | null): boolean =>
  wanted === null || (name === 'name' ? template.name.includes(wanted) : template[name] === wanted);

const makeCursor = (index: number): string => Buffer.from(`at ${index}`).toString('base64url');

const readCursor = (cursor: string | null): number =>
  cursor === null ? 0 : Number(/^at (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? 0);

const EXTRA: Json = { quality_score: { score: 'GREEN' }, rejected_reason: 'NONE' };

const pick = (template: Template, fields: string[]): Json => {
  const all: Json = { ...EXTRA, ...template };
  const wanted = new Set([...fields.map((field) => field.trim()), 'id']);
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
};
