import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/knowledge/synonyms';
const write = async (groups: Json[]): Promise<Json> => (await call(200, 'PUT', PATH, { body: { groups } })).body;
const find = async (query: string, key = demo.key): Promise<string | undefined> =>
  (await call(200, 'POST', '/v1/knowledge/search', { key, body: { query, limit: 1 } })).body.result[0]?.content;
const addItem = async (body: Json, key = demo.key): Promise<void> => {
  const { _id } = (await call(201, 'POST', '/v1/knowledge/autcl', { key, body })).body;
  await waitUntil('the item to be prepared', async () => {
    const item = (await call(200, 'GET', `/v1/knowledge/${_id}`, { key })).body;
    return item.status === 'READY';
  });
};

const texts = {
  name: 'Studio',
  language: 'en',
  content: '# A\n\nThe zumbra lasts an hour.\n\n# B\n\nTowels are at the desk.',
};
await addItem(texts);

test('a passage is found by words that the company says mean the same, from the next search on', async () => {
  assert.deepEqual(await write([]), { company: demo._id, groups: [], updatedAt: (await write([])).updatedAt });
  assert.notEqual(await find('How long is the frixel?'), 'The zumbra lasts an hour.');
  const groups = [{ language: 'en', words: ['zumbra', 'frixels', 'hot bath'] }];
  const written = await write(groups);
  assert.deepEqual(written.groups, groups);
  assert.deepEqual((await call(200, 'GET', PATH)).body, written);
  assert.deepEqual(await write(groups), written);
  // Other forms of the word, and an expression in the question, find it as well.
  for (const question of ['frixel', 'When may I take a hot bath?'])
    assert.equal(await find(question), 'The zumbra lasts an hour.');
  await write([]);
  assert.notEqual(await find('frixel'), 'The zumbra lasts an hour.');
});

test('the synonyms of a company change no search of another one', async () => {
  const other = await platform.createCompany();
  await addItem(texts, other.key);
  await write([{ language: 'en', words: ['zumbra', 'frixel'] }]);
  assert.equal(await find('frixel'), 'The zumbra lasts an hour.');
  assert.notEqual(await find('frixel', other.key), 'The zumbra lasts an hour.');
  assert.deepEqual((await call(200, 'GET', PATH, { key: other.key })).body.groups, []);
});

test('groups that could find nothing are refused with their place', async () => {
  const group = { language: 'en', words: ['a b', 'c d'] };
  for (const [groups, path] of [
    [[group], 'groups[0].words'],
    [[{ language: 'en', words: ['cake', '?!'] }], 'groups[0].words[1]'],
    [[{ language: 'en', words: ['cake'] }], 'groups[0].words'],
    [[{ language: 'de', words: ['kuchen', 'torte'] }], 'groups[0].language'],
  ] as const)
    expectProblem(await call(400, 'PUT', PATH, { body: { groups } }), 'VALIDATION_FAILED', path);
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'knowledge:read' });
  await checkRefusals(platform, { method: 'PUT', path: PATH, scope: 'knowledge:update', body: { groups: [] } });
});
