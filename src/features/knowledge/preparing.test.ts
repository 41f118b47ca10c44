import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_COMPANY_PASSAGES } from './prepare.ts';

const platform = await startPlatform();
const { call, database } = platform;
const { _id: company, key } = await platform.createCompany();
const AUTCL = '/v1/knowledge/autcl';

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', AUTCL, { key, body })).body;
const put = (id: string, body: Json) => call(200, 'PUT', `${AUTCL}/${id}`, { key, body });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/knowledge/${id}`, { key })).body;
/** Waits until the platform has prepared the item, or given up. */
const readPrepared = (id: string): Promise<Json> =>
  waitUntil('the item to be prepared', async () => {
    const item = await read(id);
    return item.status !== 'PROCESSING' && item;
  });
const readPassages = (id: string): Promise<{ headings: string; content: string; revision: number }[]> =>
  database.sql('select headings, content, revision from knowledge_chunks where item_id = $1 order by position', [id]);
const readLibrary = async (): Promise<{ passages: number; version: string }> => {
  const [row] = await database.sql<{ passages: number; version: string }>(
    'select passages, version from knowledge_libraries where company_id = $1',
    [company],
  );
  assert.ok(row);
  return row;
};

test('an item that was written becomes READY with its passages below their headings, and a vector for each', async () => {
  const { _id } = await create({ name: 'Loja', content: '# Horas\n\nDas 9 às 18.\n\n# Preços\n\nBolo: 5' });
  const item = await readPrepared(_id);
  assert.deepEqual([item.status, item.chunk_count, item.error], ['READY', 2, undefined]);
  assert.deepEqual(
    (await readPassages(_id)).map(({ headings, content }) => [headings, content]),
    [
      ['Loja\nHoras', 'Das 9 às 18.'],
      ['Loja\nPreços', 'Bolo: 5'],
    ],
  );
  const [row] = await database.sql<{ bytes: number; dimensions: number }>(
    'select length(vectors) as bytes, dimensions from knowledge_vectors where item_id = $1',
    [_id],
  );
  assert.equal(row?.bytes, 2 * 4 * (row?.dimensions ?? 0));
});

test('a text of nearly a megabyte is prepared, and lists leave it out', async () => {
  const content = '# Horas\n\nA loja abre todos os dias às nove da manhã, menos no domingo.\n\n'
    .repeat(13_000)
    .slice(0, 900_000);
  const { _id } = await create({ name: 'Longo', content });
  const item = await readPrepared(_id);
  assert.deepEqual([item.status, item.error?.code], ['ERROR', 'TOO_LONG']);
  const plain = `# Horas\n\n${'A loja abre todos os dias às nove da manhã, menos no domingo. '.repeat(14_000)}`;
  await put(_id, { content: plain });
  const prepared = await readPrepared(_id);
  assert.deepEqual([prepared.status, prepared.content], ['READY', plain]);
  assert.ok(prepared.chunk_count > 500);
  const { body } = await call(200, 'GET', '/v1/knowledge?limit=100', { key });
  assert.equal(body.result.find((listed: Json) => listed._id === _id).content, undefined);
});

test('after many edits at the same moment, the passages are those of the text that was stored last', async () => {
  const { _id } = await create({ name: 'Loja', content: 'Texto' });
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => put(_id, { content: `# A\n\n${index}\n\n# B\n\nFrase ${index}` })),
  );
  const { content, status, chunk_count } = await readPrepared(_id);
  assert.deepEqual([status, chunk_count], ['READY', 2]);
  const passages = await readPassages(_id);
  assert.equal(
    passages.map((passage) => `# ${passage.headings.split('\n')[1]}\n\n${passage.content}`).join('\n\n'),
    content,
  );
});

test('a change of description or tags leaves the passages as they are; a change of the name makes them again', async () => {
  const { _id } = await create({ name: 'Loja', content: 'Texto' });
  await readPrepared(_id);
  const before = await readPassages(_id);
  assert.equal((await put(_id, { description: 'Nova', tags: ['a'] })).body.status, 'READY');
  assert.equal((await put(_id, { name: 'Padaria' })).body.status, 'PROCESSING');
  await readPrepared(_id);
  const after = await readPassages(_id);
  assert.deepEqual(
    [before.map(({ headings }) => headings), after.map(({ headings }) => headings)],
    [['Loja'], ['Padaria']],
  );
});

test('a text without words ends ERROR with its cause, also when it is tried again, and is READY after an edit', async () => {
  const { _id } = await create({ name: 'Loja', content: '#' });
  const { status, error } = await readPrepared(_id);
  assert.deepEqual([status, error], ['ERROR', { code: 'NO_TEXT', message: 'The text has no words.' }]);
  const retry = async (): Promise<Json> => (await call(201, 'POST', `/v1/knowledge/${_id}/retry`, { key })).body;
  const retried = await retry();
  assert.deepEqual([retried.status, retried.error], ['PROCESSING', undefined]);
  assert.equal((await readPrepared(_id)).status, 'ERROR');
  await put(_id, { content: 'Abrimos às nove.' });
  const ready = await readPrepared(_id);
  assert.deepEqual([ready.status, ready.error], ['READY', undefined]);
  assert.deepEqual(await retry(), ready);
});

test('a company whose passages are as many as it may have keeps those that it has, and can go on when some are removed', async () => {
  const { _id } = await create({ name: 'Loja', content: 'Antes' });
  await readPrepared(_id);
  const { passages } = await readLibrary();
  const fill = (change: number) =>
    database.sql('update knowledge_libraries set passages = passages + $2 where company_id = $1', [company, change]);
  await fill(MAX_COMPANY_PASSAGES - passages);
  await put(_id, { content: '# A\n\nDepois\n\n# B\n\nDepois' });
  assert.equal((await readPrepared(_id)).error.code, 'LIBRARY_FULL');
  assert.deepEqual(
    (await readPassages(_id)).map(({ content }) => content),
    ['Antes'],
  );
  await fill(passages - MAX_COMPANY_PASSAGES);
  await call(201, 'POST', `/v1/knowledge/${_id}/retry`, { key });
  assert.deepEqual([(await readPrepared(_id)).status, (await readLibrary()).passages], ['READY', passages + 1]);
});

test('an item whose worker has died is prepared by another one', async () => {
  const _id = newId();
  await database.sql(
    `insert into knowledge_items (company_id, _id, name, type, file_type, language, tags, content, is_waiting, attempts, held_until)
      values ($1, $2, 'Loja', 'KNOWLEDGE', 'AUTCL', 'pt', '{}', 'Texto', false, 1, now() - interval '1 second')`,
    [company, _id],
  );
  assert.equal((await readPrepared(_id)).status, 'READY');
});

test('an item that has ended its workers again and again is given up', async () => {
  const _id = newId();
  await database.sql(
    `insert into knowledge_items (company_id, _id, name, type, file_type, language, tags, content, attempts)
      values ($1, $2, 'Loja', 'KNOWLEDGE', 'AUTCL', 'pt', '{}', 'Texto', 8)`,
    [company, _id],
  );
  assert.equal((await readPrepared(_id)).error.code, 'GIVEN_UP');
});

test('a removed item takes its passages and vectors along', async () => {
  const before = await readLibrary();
  const { _id } = await create({ name: 'Loja', content: 'Texto' });
  await readPrepared(_id);
  await call(200, 'DELETE', `/v1/knowledge/${_id}`, { key });
  assert.deepEqual(await readPassages(_id), []);
  assert.deepEqual(await database.sql('select from knowledge_vectors where item_id = $1', [_id]), []);
  const after = await readLibrary();
  assert.equal(after.passages, before.passages);
  assert.ok(Number(after.version) > Number(before.version));
});
