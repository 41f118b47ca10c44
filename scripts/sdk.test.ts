import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNamingMistakes, nameMethods, writeMethods, type OpenApi, type OperationSpec } from './sdk-methods.ts';
import { writeType } from './sdk-types.ts';

const answer = (schema: object, type = 'application/json'): OperationSpec['responses'] => ({
  200: { description: 'Done', content: { [type]: { schema } } },
});
const page = {
  type: 'object',
  properties: {
    result: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
    meta: { type: 'object', properties: { nextCursor: { type: ['string', 'null'] } } },
  },
};
const document: OpenApi = {
  paths: {
    '/v1/notes': {
      get: { summary: 'List notes', responses: answer(page) },
      post: {
        summary: 'Write a note',
        parameters: [{ name: 'idempotency-key', in: 'header', schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteCreate' } } } },
        responses: {
          ...answer({ $ref: '#/components/schemas/Note' }),
          201: {
            description: 'Made',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
          },
        },
      },
    },
    '/v1/notes/{id}/file': { get: { summary: 'Download', responses: answer({ type: 'string' }, 'text/csv') } },
    '/v1/live': {
      get: {
        summary: 'What changes',
        parameters: [
          { name: 'after', in: 'query', schema: { type: 'string' } },
          { name: 'kind', in: 'query', required: true, schema: { type: 'string', enum: ['note', "it's"] } },
        ],
        responses: answer({ $ref: '#/components/schemas/Change' }, 'text/event-stream'),
      },
    },
  },
  webhooks: {},
  components: { schemas: {} },
};
const names = {
  notes: { list: 'GET /v1/notes', create: 'POST /v1/notes', download: 'GET /v1/notes/{id}/file' },
  live: { open: 'GET /v1/live' },
};

test('an operation without a method, one with two methods and a method without an operation are named with what to do', () => {
  assert.deepEqual(findNamingMistakes(document, names), []);
  const { list: _list, ...others } = names.notes;
  const mistaken = { notes: { ...others, write: 'POST /v1/notes', erase: 'DELETE /v1/notes/{id}' }, live: names.live };
  assert.deepEqual(findNamingMistakes(document, mistaken), [
    "GET /v1/notes has no method: add one to sdk/methods.ts, such as list: 'GET /v1/notes'",
    'POST /v1/notes has 2 methods in sdk/methods.ts: keep one of them',
    'notes.erase: openapi.json has no DELETE /v1/notes/{id}: remove it from sdk/methods.ts',
  ]);
});

test('the name of a method of the client comes from the verb and the path of its operation, unless the table has another name', () => {
  const operations = ['GET', 'POST'].map((method) => `${method} /v1/to-dos`);
  const records = ['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/lists/{id}/to-dos/{toDo}`);
  const all = [...operations, ...records, 'POST /v1/to-dos/{id}/mark-done', 'GET /v1/help', 'POST /v1/to-dos/{id}'];
  const paths: Record<string, Record<string, OperationSpec>> = {};
  for (const name of all) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: { summary: '', responses: {} } };
  }
  const found = nameMethods({ ...document, paths }, { help: { read: 'GET /v1/help' } });
  assert.deepEqual(found, {
    toDos: {
      list: 'GET /v1/to-dos',
      create: 'POST /v1/to-dos',
      get: 'GET /v1/lists/{id}/to-dos/{toDo}',
      update: 'PATCH /v1/lists/{id}/to-dos/{toDo}',
      delete: 'DELETE /v1/lists/{id}/to-dos/{toDo}',
      markDone: 'POST /v1/to-dos/{id}/mark-done',
    },
    help: { read: 'GET /v1/help' },
  });
});

test('a method has the arguments and the answer of its operation', () => {
  const text = writeMethods(document, names);
  for (const part of [
    'list: ListMethod<[options?: CallOptions], Note>;',
    'create: (body: NoteCreate, options?: CallOptions) => Promise<Note>;',
    'download: (id: string, options?: CallOptions) => Promise<Response>;',
    'open: (query: LiveOpenQuery, options?: StreamOptions) => AsyncIterable<Change>;',
    String.raw`export interface LiveOpenQuery {
  kind: 'note' | 'it\'s';
}`,
    "create: { method: 'POST', path: '/v1/notes', body: 'json', key: true },",
    "open: { method: 'GET', path: '/v1/live', query: true, answer: 'stream' },",
  ])
    assert.ok(text.includes(part), part);
});

test('a schema becomes the type of its values', () => {
  const types = [
    { type: ['string', 'null'], enum: ['A'] },
    { type: ['array', 'boolean'], items: { type: 'integer' } },
    { type: 'array', items: { type: ['string', 'null'] } },
    { anyOf: [{ $ref: '#/components/schemas/Note' }, { type: 'null' }] },
    { type: 'object', additionalProperties: { type: 'number' } },
    { type: 'object', properties: {} },
    { type: 'object', properties: { 'a-b': { type: 'string', description: 'Ends */' }, c: {} }, required: ['c'] },
  ].map((schema) => writeType(schema));
  assert.deepEqual(types, [
    "'A' | null",
    'number[] | boolean',
    'Array<string | null>',
    'Note | null',
    'Record<string, number>',
    'Record<string, unknown>',
    "{\n  /** Ends *\\/ */\n  'a-b'?: string | undefined;\n  c: unknown;\n}",
  ]);
});

test('a keyword or a type that the generator does not know stops it, because it could change the type unnoticed', () => {
  assert.throws(() => writeType({ oneOf: [] } as object), /does not know the schema keyword oneOf/);
  assert.throws(() => writeType({ type: 'set' }), /does not know the type set/);
});
