import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeMeanings, startEmbeddingServer } from '../../../test/support/embeddings.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { createEndpointEmbedder } from './embedding-endpoint.ts';
import { EndpointError } from '../../ai/endpoint.ts';
import { queueOtherModels } from './turn-queries.ts';

const server = await startEmbeddingServer(makeMeanings(/carro|autom[oó]vel/i, /bolo|torta/i));
after(() => server.close());
const settings = { EMBEDDINGS_BASE_URL: server.url, EMBEDDINGS_API_KEY: 'the key', EMBEDDINGS_MODEL: 'meaning-1' };
const platform = await startPlatform({ env: settings });
const { call, database, demo } = platform;
const { kit } = platform.running;
const embedder = createEndpointEmbedder(kit.outbound, { baseUrl: server.url, apiKey: null, model: 'm' });

const settle = (id: string): Promise<Json> =>
  waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${id}`);
    return body.status !== 'PROCESSING' && body;
  });
const write = async (body: Json): Promise<string> =>
  (await call(201, 'POST', '/v1/knowledge/autcl', { body })).body._id;
const search = async (query: string): Promise<string[]> =>
  (await call(200, 'POST', '/v1/knowledge/search', { body: { query } })).body.result.map(
    ({ content }: Json) => content,
  );

const item = await write({ name: 'Oficina', content: '# A\n\nConsertamos automóveis.\n\n# B\n\nAbrimos às nove.' });
await settle(item);
await settle(await write({ name: 'Padaria', content: 'Fazemos bolos.' }));

test('with an endpoint, a passage is found that shares only the meaning with the question', async () => {
  assert.equal((await search('carro?'))[0], 'Consertamos automóveis.');
  assert.equal((await search('torta?'))[0], 'Fazemos bolos.');
});

test('the endpoint is called with the model, the key and the texts below their headings', () => {
  const made = server.calls.find(({ input }) => input.length === 2);
  const input = ['Oficina\nA\nConsertamos automóveis.', 'Oficina\nB\nAbrimos às nove.'];
  assert.deepEqual(made, { url: '/v1/embeddings', authorization: 'Bearer the key', model: 'meaning-1', input });
});

test('while the endpoint fails, a search finds passages by their words, and an item waits until the endpoint answers', async () => {
  server.fault = 500;
  assert.equal((await search('abrimos às nove'))[0], 'Abrimos às nove.');
  const calls = server.calls.length;
  const waiting = await write({ name: 'Prazos', content: 'Duas semanas.' });
  await waitUntil('the endpoint to be called', () => server.calls.length > calls);
  assert.equal((await call(200, 'GET', `/v1/knowledge/${waiting}`)).body.status, 'PROCESSING');
  server.fault = null;
  assert.equal((await settle(waiting)).status, 'READY');
});

test('an item for which the endpoint has failed too often is ERROR with this cause', async () => {
  server.fault = 500;
  const _id = newId();
  await database.sql(
    `insert into knowledge_items (company_id, _id, name, type, file_type, language, tags, content, attempts)
      values ($1, $2, 'Loja', 'KNOWLEDGE', 'AUTCL', 'pt', '{}', 'Texto', 7)`,
    [demo._id, _id],
  );
  const { error } = await settle(_id);
  server.fault = null;
  assert.deepEqual(error, {
    code: 'EMBEDDING_FAILED',
    message: 'The embedding endpoint has answered with the status 500.',
  });
});

test('after a change of the model, items stay READY and found by their words, and get new vectors', async () => {
  const readModels = async (): Promise<string[]> =>
    (
      await database.sql<{ model: string }>(
        'select distinct v.model from knowledge_vectors v join knowledge_items i on i._id = v.item_id and i.embedding_model = v.model',
      )
    ).map(({ model }) => model);
  await database.sql(`update knowledge_vectors set model = 'old'`);
  await database.sql(`update knowledge_items set embedding_model = 'old' where embedding_model is not null`);
  assert.equal((await search('abrimos às nove'))[0], 'Abrimos às nove.');
  const { updatedAt } = (await call(200, 'GET', `/v1/knowledge/${item}`)).body;
  await queueOtherModels(kit.database.system('upkeep'), 'endpoint meaning-1');
  await waitUntil('the new vectors', async () => (await readModels()).join() === 'endpoint meaning-1');
  assert.equal((await search('carro?'))[0], 'Consertamos automóveis.');
  const renewed = (await call(200, 'GET', `/v1/knowledge/${item}`)).body;
  assert.deepEqual([renewed.status, renewed.updatedAt], ['READY', updatedAt]);
});

test('an answer that is no list of vectors for the texts is an error, and a list in any order is none', async () => {
  const embed = (): Promise<Float32Array[]> => embedder.embed(['carro', 'bolo'], AbortSignal.timeout(600_000));
  const [first, second] = await embed();
  assert.ok((first?.[1] ?? 0) > 0.9 && (second?.[2] ?? 0) > 0.9);
  const list = (...embeddings: unknown[]): string =>
    JSON.stringify({ data: embeddings.map((embedding, index) => ({ index, embedding })) });
  const faults = [
    404,
    '',
    '[]',
    'null',
    '{"data": [null, null]}',
    list([1, 2]),
    list([1], [1, 2]),
    list([], []),
    list(['1'], ['2']),
    list([null], [1]),
    list('AACAPw==', 'AACAPw=='),
    list(Array(5_000).fill(1), Array(5_000).fill(1)),
    ' '.repeat(5 * 1024 * 1024),
  ];
  for (const fault of faults) {
    server.fault = fault;
    await assert.rejects(embed(), EndpointError, String(fault).slice(0, 60));
  }
  server.fault = null;
});

test('an endpoint that cannot be reached is an error of the endpoint', async () => {
  const away = createEndpointEmbedder(kit.outbound, { baseUrl: 'http://127.0.0.1:9', apiKey: null, model: 'm' });
  await assert.rejects(away.embed(['a'], AbortSignal.timeout(600_000)), EndpointError);
});
