import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkAnswers503, checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { MAX_COMPANY_PASSAGES } from './prepare.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const SEARCH = '/v1/knowledge/search';
const AUTCL = '/v1/knowledge/autcl';

const settle = (id: string, key: string): Promise<Json> =>
  waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${id}`, { key });
    return body.status !== 'PROCESSING' && body;
  });
async function write(body: Json, key = demo.key): Promise<string> {
  const { _id } = (await call(201, 'POST', AUTCL, { key, body })).body;
  await settle(_id, key);
  return _id;
}
const search = async (query: string, more: Json = {}, key = demo.key): Promise<Json[]> =>
  (await call(200, 'POST', SEARCH, { key, body: { query, ...more } })).body.result;
const findFirst = async (query: string, key = demo.key): Promise<string> => (await search(query, {}, key))[0]?.content;

const shop = `# Entrega

Entregamos bolos em toda a cidade de segunda a sexta.

# Pagamento

Aceitamos cartões de crédito e dinheiro.

# Endereço

Estamos na Avenida das Acácias, ao lado da farmácia.`;
const item = await write({ name: 'Padaria', content: shop });
await write({ name: 'Warranty', content: 'Broken devices are repaired free of charge for two years.', language: 'en' });
await write({ name: 'Gimnasio', content: 'Las inscripciones se cancelan por escrito cada mes.', language: 'es' });

test('a passage is found with its item, its headings, its place and a score of at most 1', async () => {
  const [first] = await search('Vocês entregam bolo na cidade?');
  const { score, ...passage } = first;
  assert.deepEqual(passage, {
    item,
    name: 'Padaria',
    headings: ['Entrega'],
    content: 'Entregamos bolos em toda a cidade de segunda a sexta.',
    position: 0,
  });
  assert.ok(score > 0 && score <= 1);
});

test('other forms of words are found in Portuguese, English and Spanish, without accents as well', async () => {
  assert.match(await findFirst('aceita cartao?'), /cartões/);
  assert.match(await findFirst('do you repair a broken device'), /repaired/);
  assert.match(await findFirst('quiero cancelar mi inscripción'), /inscripciones/);
});

test('other words of everyday business that mean nearly the same are found in Portuguese, English and Spanish', async () => {
  assert.match(await findFirst('da pra pagar com dinheiro vivo ou débito?'), /cartões/);
  assert.match(await findFirst('vcs fazem envio?'), /Entregamos/);
  assert.match(await findFirst('where can I get it fixed, mine is damaged'), /repaired/);
  assert.match(await findFirst('quiero darme de baja'), /cancelan/);
});

test('the words themselves count more than others that mean nearly the same', async () => {
  const { key } = await platform.createCompany();
  await write({ name: 'A', content: 'O valor aparece no carrinho.' }, key);
  await write({ name: 'B', content: 'O preço aparece no carrinho.' }, key);
  assert.match(await findFirst('preço', key), /preço/);
  assert.match(await findFirst('valor', key), /valor/);
});

test('a word of a heading finds the passage below it', async () => {
  assert.match(await findFirst('pagamento'), /cartões/);
});

test('a word with a typing error is found', async () => {
  assert.match(await findFirst('framacia acassias'), /Acácias/);
});

test('a limit cuts the passages that fit least', async () => {
  const all = await search('cidade cartões farmácia');
  assert.ok(all.length >= 3);
  assert.deepEqual(await search('cidade cartões farmácia', { limit: 2 }), all.slice(0, 2));
});

test('a question without any word, or about nothing that is known, is answered without an error', async () => {
  for (const query of ['?!', '😀', "' | & ! ( ) : * \\", 'the', '-'.repeat(1_000)])
    assert.ok(Array.isArray(await search(query)), query);
});

test('until an edit is prepared, and when it cannot be, an item is found as it was before', async () => {
  const { _id, key } = await platform.createCompany();
  const edited = await write({ name: 'Loja', content: 'Abrimos às nove horas.' }, key);
  await database.sql('update knowledge_libraries set passages = $2 where company_id = $1', [_id, MAX_COMPANY_PASSAGES]);
  await call(200, 'PUT', `${AUTCL}/${edited}`, { key, body: { content: '# A\n\nAbrimos às dez.\n\n# B\n\nFechado.' } });
  assert.match(await findFirst('quando abrimos', key), /nove/);
  assert.equal((await settle(edited, key)).status, 'ERROR');
  assert.match(await findFirst('quando abrimos', key), /nove/);
  await call(200, 'PUT', `${AUTCL}/${edited}`, { key, body: { content: 'Abrimos às onze.' } });
  assert.equal((await settle(edited, key)).status, 'READY');
  assert.deepEqual(
    (await search('quando abrimos', {}, key)).map(({ content }) => content),
    ['Abrimos às onze.'],
  );
});

test('while an item is edited, each search finds all passages of one text', async () => {
  const { key } = await platform.createCompany();
  const make = (round: number): string => `# A\n\nFrase ${round}\n\n# B\n\nFrase ${round}\n\n# C\n\nFrase ${round}`;
  const edited = await write({ name: 'Loja', content: make(0) }, key);
  for (let round = 1; round <= 10; round += 1) {
    const progress = { isOver: false };
    const edit = async (): Promise<void> => {
      await call(200, 'PUT', `${AUTCL}/${edited}`, { key, body: { content: make(round) } });
      await settle(edited, key);
    };
    const editing = edit().finally(() => (progress.isOver = true));
    // Each search meets one edit at most, however slow the machine is: a search starts again only so often.
    while (!progress.isOver) {
      const contents = (await search('frase', {}, key)).map(({ content }) => content);
      assert.deepEqual([contents.length, new Set(contents).size], [3, 1], contents.join());
    }
    await editing;
  }
  assert.deepEqual((await search('frase', {}, key)).length, 3);
});

test('a removed item is not found any more, and no one finds what belongs to another company', async () => {
  const { key } = await platform.createCompany();
  const removed = await write({ name: 'Loja', content: 'Vendemos abacaxi.' }, key);
  assert.match(await findFirst('abacaxi', key), /abacaxi/);
  assert.ok((await search('abacaxi')).every(({ content }: Json) => !content.includes('abacaxi')));
  await call(200, 'DELETE', `/v1/knowledge/${removed}`, { key });
  assert.deepEqual(await search('abacaxi', {}, key), []);
});

test('a search that is no valid question is refused with the field named, and callers without a token or the scope are refused', async () => {
  const bad: [Json, string][] = [
    [{}, 'query'],
    [{ query: ' ' }, 'query'],
    [{ query: 'a'.repeat(1_001) }, 'query'],
    [{ query: 'a', limit: 51 }, 'limit'],
    [{ query: 'a', company: demo._id }, 'company'],
  ];
  for (const [body, path] of bad) expectProblem(await call(400, 'POST', SEARCH, { body }), 'VALIDATION_FAILED', path);
  const asked = { method: 'POST', path: SEARCH, scope: 'knowledge:read', body: { query: 'Bolo' } };
  await checkRefusals(platform, asked);
  await checkAnswers503(platform, ['knowledge_chunks'], [asked]);
});
