/** Tools for knowledge and tables. */
import { Type } from 'typebox';
import type { JsonObject } from '../../json.ts';
import { defineTool, FilterValue, Id, Optional, PAGE, readList, Text } from '../tool.ts';
import { cleanDeep, cleanOrNull } from '../untrusted.ts';

export const KNOWLEDGE = [
  defineTool({
    name: 'search_knowledge',
    set: 'knowledge',
    title: 'Search the knowledge',
    description:
      'Returns the passages of the company’s knowledge that answer a question. Not for messages of contacts.',
    kind: 'READ',
    scopes: ['knowledge:read'],
    input: { query: Text('The question', 1_000), limit: Optional(Type.Integer({ minimum: 1, maximum: 20 })) },
    async run({ call }, { query, limit = 5 }) {
      const { result } = await call('POST', '/v1/knowledge/search', { body: { query, limit } });
      return {
        items: (result as JsonObject[]).map(({ item, name, headings, content, score }) => ({
          item,
          name,
          headings,
          text: cleanOrNull(content),
          score,
        })),
      };
    },
  }),
  defineTool({
    name: 'get_knowledge',
    set: 'knowledge',
    title: 'Read a knowledge item',
    description: 'Returns one knowledge item with its text. Not for finding one: use search_knowledge.',
    kind: 'READ',
    scopes: ['knowledge:read'],
    input: { item: Id('The item') },
    run: async ({ call }, { item }) => showItem(await call('GET', `/v1/knowledge/${item}`)),
  }),
  defineTool({
    name: 'save_knowledge',
    set: 'knowledge',
    title: 'Write a knowledge item',
    description: 'Creates a text of the knowledge, or replaces one. Not for files. Agents answer with it from then on.',
    kind: 'CHANGE',
    scopes: ['knowledge:create', 'knowledge:update'],
    input: {
      item: Optional(Id('The text to replace')),
      name: Text('Its name'),
      content: Text('The text, as Markdown', 100_000),
    },
    async run({ call }, { item, ...body }) {
      const saved =
        item === undefined
          ? await call('POST', '/v1/knowledge/autcl', { body })
          : await call('PUT', `/v1/knowledge/autcl/${item}`, { body });
      return showItem(saved);
    },
  }),
];

const showItem = ({ _id, name, type, status, tags, content }: JsonObject): JsonObject => ({
  id: _id,
  name,
  type,
  status,
  tags,
  text: cleanOrNull(content),
});

export const TABLES = [
  defineTool({
    name: 'list_tables',
    set: 'tables',
    title: 'List tables',
    description: 'Lists the company’s tables with their columns. Not for their rows: use find_rows.',
    kind: 'READ',
    scopes: ['tables:read'],
    input: { ...PAGE },
    run: (caller, page) => readList(caller, '/v1/tables', page, { show: showTable }),
  }),
  defineTool({
    name: 'find_rows',
    set: 'tables',
    title: 'Find rows of a table',
    description: 'Returns rows of a table by search and filters. Not for contacts: use search_contacts.',
    kind: 'READ',
    scopes: ['tables:read'],
    input: {
      table: Id('The table'),
      search: Optional(Text('Part of any value')),
      filters: Optional(
        Type.Array(
          Type.Object({
            field: Text('The key of a column'),
            operator: Text('eq, neq, contains, starts_with, is_empty, gt, gte, lt, lte', 20),
            value: Optional(FilterValue),
          }),
          { maxItems: 15 },
        ),
      ),
      ...PAGE,
    },
    run: (caller, { table, search, filters, ...page }) =>
      readList(caller, `/v1/tables/${table}/rows`, page, { query: { search, filters }, show: showRow }),
  }),
  defineTool({
    name: 'save_row',
    set: 'tables',
    title: 'Write a row of a table',
    description: 'Creates a row of a table, or changes the given values of one. Not for deleting rows.',
    kind: 'CHANGE',
    scopes: ['tables:create', 'tables:update'],
    input: {
      table: Id('The table'),
      row: Optional(Id('The row to change')),
      data: Type.Record(Type.String(), Type.Unknown(), { description: 'Values by the key of their column' }),
    },
    async run({ call }, { table, row, data }) {
      const saved =
        row === undefined
          ? await call('POST', `/v1/tables/${table}/rows`, { body: { data } })
          : await call('PATCH', `/v1/tables/${table}/rows/${row}`, { body: { data } });
      return showRow(saved);
    },
  }),
];

const showTable = ({ _id, name, slug, description, columns, row_count }: JsonObject): JsonObject => ({
  id: _id,
  name,
  slug,
  description,
  row_count,
  columns: (columns as JsonObject[]).map(({ key, title, type, required, options }) => ({
    key,
    title,
    type,
    required,
    ...(options?.length > 0 && { options }),
  })),
});

const showRow = ({ _id, row_index, data, contact_id }: JsonObject): JsonObject => ({
  id: _id,
  row_index,
  untrusted_data: cleanDeep(data),
  contact: contact_id ?? null,
});
