import { randomInt } from 'node:crypto';
import type { Account } from './accounts.ts';
import { answer, toObject, toText, type Answer, type Json } from './exchange.ts';
import { makeErrorAnswer } from './graph-errors.ts';

export type Template = {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: Json[];
  /** GREEN when absent. */
  quality?: string;
  rejected_reason?: string;
};

/** The templates of one WABA, by `name language`; null for a shared one that the WABA has deleted. */
type Own = Map<string, Template | null>;

/** The templates that every WABA has, by `name language`, and those of single WABAs, which take precedence. */
export type Catalogue = { shared: Map<string, Template>; byWaba: Map<string, Own> };

const templateKey = (name: string, language: string): string => `${name} ${language}`;

export const createCatalogue = (shared: Template[]): Catalogue => ({
  shared: new Map(shared.map((template) => [templateKey(template.name, template.language), template])),
  byWaba: new Map(),
});

/**
 * Adds or replaces a template of one WABA, approved unless the input has another status. Returns an error sentence when a field is missing.
 */
export function putTemplate(catalogue: Catalogue, wabaId: string, input: Json): Template | string {
  const name = toText(input['name']);
  const language = toText(input['language']);
  if (name === undefined || !/^[a-z0-9_]{1,512}$/.test(name))
    return 'The field name must have small letters, digits and _.';
  if (language === undefined) return 'The field language is required.';
  if (!Array.isArray(input['components'])) return 'The field components is required.';
  const template: Template = {
    id: toText(input['id']) ?? `2${randomInt(1e8, 1e9)}${randomInt(1e8, 1e9)}`,
    name,
    language,
    status: toText(input['status']) ?? 'APPROVED',
    category: toText(input['category']) ?? 'UTILITY',
    parameter_format: String(input['parameter_format']).toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    components: input['components'].map(toObject),
  };
  setOwn(catalogue, wabaId, templateKey(name, language), template);
  return template;
}

function setOwn({ byWaba }: Catalogue, wabaId: string, key: string, template: Template | null): void {
  const own = byWaba.get(wabaId) ?? (new Map() as Own);
  byWaba.set(wabaId, own.set(key, template));
}

function findByKey({ shared, byWaba }: Catalogue, wabaId: string, key: string): Template | undefined {
  const own = byWaba.get(wabaId)?.get(key);
  return own === undefined ? shared.get(key) : (own ?? undefined);
}

export function findTemplate(
  catalogue: Catalogue,
  account: Pick<Account, 'waba_id'>,
  template: Json,
): Template | undefined {
  const code = toText(toObject(template['language'])['code']) ?? '';
  return findByKey(catalogue, account.waba_id, templateKey(toText(template['name']) ?? '', code));
}

const CHANGEABLE = ['status', 'category', 'quality', 'rejected_reason'] as const;

/** Changes status, category, quality or rejected_reason of a template. Returns an error sentence when the WABA has no such template. */
export function changeTemplate(catalogue: Catalogue, wabaId: string, change: Json): Template | string {
  const key = templateKey(toText(change['name']) ?? '', toText(change['language']) ?? '');
  const template = findByKey(catalogue, wabaId, key);
  if (template === undefined) return `The WABA ${wabaId} has no template ${key}.`;
  const given = CHANGEABLE.flatMap((name) => (toText(change[name]) === undefined ? [] : [[name, change[name]]]));
  const changed = { ...template, ...(Object.fromEntries(given) as Partial<Template>) };
  setOwn(catalogue, wabaId, key, changed);
  return changed;
}

/** `POST /{waba}/message_templates`: the template is approved at once, while the network takes minutes. */
export function createTemplate(catalogue: Catalogue, wabaId: string, input: Json): Answer {
  const key = templateKey(toText(input['name']) ?? '', toText(input['language']) ?? '');
  if (findByKey(catalogue, wabaId, key) !== undefined) {
    const details = 'There is already content in this language for this template. Choose another name or language.';
    return makeErrorAnswer({ code: 100, subcode: 2_388_024, message: '(#100) Invalid parameter', details });
  }
  const template = putTemplate(catalogue, wabaId, input);
  if (typeof template === 'string') return makeErrorAnswer({ code: 100, details: template });
  return answer({ id: template.id, status: template.status, category: template.category });
}

/** Finds a template by its id among those of these WABAs. */
export function findOwnTemplate(
  catalogue: Catalogue,
  wabaIds: readonly string[],
  id: string,
): { wabaId: string; template: Template } | undefined {
  for (const wabaId of wabaIds) {
    const template = templatesOf(catalogue, wabaId).find((each) => each.id === id);
    if (template) return { wabaId, template };
  }
  return undefined;
}

/** `POST /{template}`: gives a template new components and, unless it is approved, another category. It is approved at once. */
export function editTemplate(
  catalogue: Catalogue,
  { wabaId, template }: { wabaId: string; template: Template },
  input: Json,
): Answer {
  const refuse = (details: string): Answer =>
    makeErrorAnswer({ code: 100, message: '(#100) Invalid parameter', details });
  const { name, language, status } = template;
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(status))
    return refuse(`A template that is ${status} cannot be edited.`);
  const category = toText(input['category']) ?? template.category;
  if (status === 'APPROVED' && category !== template.category)
    return refuse('The category of an approved template cannot be edited.');
  const components = Array.isArray(input['components']) ? input['components'].map(toObject) : template.components;
  setOwn(catalogue, wabaId, templateKey(name, language), { ...template, category, components, status: 'APPROVED' });
  return answer({ success: true });
}

/** `DELETE /{waba}/message_templates?name=`: deletes the template in all languages. */
export function deleteTemplate(catalogue: Catalogue, wabaId: string, query: URLSearchParams): Answer {
  const doomed = templatesOf(catalogue, wabaId).filter(({ name }) => name === query.get('name'));
  if (doomed.length === 0)
    return makeErrorAnswer({ code: 100, message: '(#100) Invalid parameter', details: 'No such template.' });
  for (const { name, language } of doomed) setOwn(catalogue, wabaId, templateKey(name, language), null);
  return answer({ success: true });
}

const templatesOf = ({ shared, byWaba }: Catalogue, wabaId: string): Template[] =>
  [...new Map([...shared, ...(byWaba.get(wabaId) ?? [])]).values()].filter((template) => template !== null);

const FILTERS = ['name', 'language', 'status', 'category'] as const;

/**
 * `GET /{waba}/message_templates` with `fields`, `limit`, `after`, `before` and the filters; the last page has no `next`. `url` is the
 * address of the call.
 */
export function listTemplates(catalogue: Catalogue, wabaId: string, url: string, query: URLSearchParams): Answer {
  const all = templatesOf(catalogue, wabaId).filter((template) =>
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

const pick = ({ quality = 'GREEN', ...template }: Template, fields: string[]): Json => {
  const all: Json = { quality_score: { score: quality }, rejected_reason: 'NONE', ...template };
  const wanted = new Set([...fields.map((field) => field.trim()), 'id']);
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
};
