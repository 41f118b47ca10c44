import { randomInt } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, asObject, asText, type Answer, type Json } from './exchange.ts';
import { errorAnswer, type GraphFailure } from './graph-errors.ts';
import { checkComponents, findPlaceholders } from './template-rules.ts';
import { TEMPLATE_SEEDS } from './template-seeds.ts';
import type { Sandbox } from './state.ts';

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

export const createCatalogue = (): Catalogue => ({
  shared: new Map(TEMPLATE_SEEDS.map((template) => [templateKey(template.name, template.language), template])),
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

function findTemplate(catalogue: Catalogue, account: Account, template: Json): Template | undefined {
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

/** `GET /{waba}/message_templates` with `fields`, `limit`, `after`, `before` and the filters; the last page has no `next`. */
export function listTemplates(sandbox: Sandbox, wabaId: string, path: string, query: URLSearchParams): Answer {
  const { shared, byWaba } = sandbox.catalogue;
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
  const next = isLast ? {} : { next: `${sandbox.url}${path}?${nextQuery.toString()}` };
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

/** Checks a template message against the catalogue: the template exists and is approved, and each parameter is given and valid. */
export function checkTemplateMessage(sandbox: Sandbox, account: Account, body: Json): GraphFailure | undefined {
  if (body['type'] !== 'template') return undefined;
  const message = asObject(body['template']);
  const name = asText(message['name']);
  const code = asText(asObject(message['language'])['code']);
  if (!name) return { code: 131008, details: "Required parameter is missing: template['name']." };
  if (!code) return { code: 131008, details: "Required parameter is missing: template['language']['code']." };
  const template = findTemplate(sandbox.catalogue, account, message);
  if (template?.status === 'PAUSED') return { code: 132015, details: `The template ${name} is paused.` };
  if (template?.status === 'DISABLED') return { code: 132016, details: `The template ${name} is disabled.` };
  if (template?.status !== 'APPROVED') {
    return { code: 132001, details: `template name (${name}) does not exist in ${code}` };
  }
  return checkComponents(sandbox, template, message['components']);
}

/** The template with its parameters filled in, as the phone page shows it. */
export function renderTemplate(catalogue: Catalogue, account: Account, message: Json): Json {
  const components = Array.isArray(message['components']) ? message['components'].map(asObject) : [];
  const rendered = new Map<string, unknown>();
  for (const part of findTemplate(catalogue, account, message)?.components ?? []) {
    const type = String(part['type']).toLowerCase();
    const given = components.find((component) => String(component['type']).toLowerCase() === type);
    const parameters = Array.isArray(given?.['parameters']) ? given['parameters'].map(asObject) : [];
    if (type === 'buttons') rendered.set('buttons', part['buttons']);
    else if (typeof part['text'] === 'string') rendered.set(type, fillIn(part['text'], parameters));
    else if (parameters[0] !== undefined) rendered.set('header_media', parameters[0]);
  }
  return Object.fromEntries(rendered);
}

function fillIn(text: string, parameters: Json[]): string {
  const names = findPlaceholders(text);
  const values = names.map((name, index) => {
    const found = parameters.find((parameter) => parameter['parameter_name'] === name) ?? parameters[index] ?? {};
    const fallback = asObject(found['currency'])['fallback_value'] ?? asObject(found['date_time'])['fallback_value'];
    return asText(found['text']) ?? asText(fallback) ?? '';
  });
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => values[names.indexOf(name)] ?? '');
}
