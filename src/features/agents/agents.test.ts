import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_AGENTS } from './schemas.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/agents';
const create = async (given: Json = {}, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', PATH, { key, body: { name: 'Ana', type: 'AI', ...given } })).body;
const writeItem = async (key = demo.key): Promise<string> =>
  (await call(201, 'POST', '/v1/knowledge/autcl', { key, body: { name: 'Hours', content: 'Open from nine to six.' } }))
    .body._id;

test('an agent is created, read, changed and removed, and its instructions are only in the single record', async () => {
  const item = await writeItem();
  const agent = await create({ instructions: 'Be kind.', knowledge: [item] });
  const { _id, createdAt: _created, updatedAt: _updated, ...rest } = agent;
  assert.deepEqual(rest, {
    company: demo._id,
    name: 'Ana',
    description: null,
    type: 'AI',
    status: 'ACTIVE',
    model: null,
    instructions: 'Be kind.',
    knowledge_scope: 'LISTED',
    knowledge: [item],
    tools: ['SEARCH_KNOWLEDGE'],
    tables: [],
    mcp_servers: [],
    vision: false,
    transcription_model: null,
    prices: null,
    follow_ups: [],
    handoff: { enabled: true, keywords: [], max_turns: 20 },
    handoff_message: null,
    url: null,
  });
  const path = `${PATH}/${_id}`;
  assert.deepEqual((await call(200, 'GET', path)).body, agent);
  const { instructions: _text, ...listed } = agent;
  assert.deepEqual((await call(200, 'GET', `${PATH}?search=ana&type=AI&status=ACTIVE`)).body.result, [listed]);
  const handoff = { enabled: false, keywords: ['humano'], max_turns: 3 };
  const change = { handoff, knowledge_scope: 'ALL', status: 'INACTIVE', tools: ['MOVE_STEP'] };
  const senses = { vision: true, transcription_model: 'ears' };
  const changed = (await call(200, 'PATCH', path, { body: { ...change, ...senses } })).body;
  assert.deepEqual([changed.vision, changed.transcription_model], [true, 'ears']);
  assert.deepEqual([changed.handoff, changed.knowledge, changed.status], [handoff, [], 'INACTIVE']);
  assert.deepEqual(changed.tools, ['MOVE_STEP']);
  assert.deepEqual((await call(200, 'PATCH', path, { body: { handoff } })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', path)).body, changed);
  expectProblem(await call(404, 'GET', path), 'NOT_FOUND');
});

test('an agent that an inbox or a conversation names is not removed', async () => {
  const { _id } = await create();
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: _id } });
  expectProblem(await call(409, 'DELETE', `${PATH}/${_id}`), 'AGENT_IN_USE');
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: null } });
  await call(200, 'DELETE', `${PATH}/${_id}`);
});

test('a removed knowledge item leaves its agents, which then find nothing rather than everything', async () => {
  const item = await writeItem();
  const { _id } = await create({ knowledge: [item] });
  await call(200, 'DELETE', `/v1/knowledge/${item}`);
  const { knowledge, knowledge_scope } = (await call(200, 'GET', `${PATH}/${_id}`)).body;
  assert.deepEqual([knowledge, knowledge_scope], [[], 'LISTED']);
  await writeItem();
  const trial = (await call(200, 'POST', `${PATH}/${_id}/try`, { body: { message: 'Are you open at nine?' } })).body;
  assert.deepEqual([trial.outcome, trial.passages], ['HANDED_OVER', []]);
});

test('ALL takes no items, and items limit an agent to them', async () => {
  const item = await writeItem();
  const body = { name: 'Bad', type: 'AI', knowledge: [item], knowledge_scope: 'ALL' };
  expectProblem(await call(400, 'POST', PATH, { body }), 'VALIDATION_FAILED', 'knowledge');
  const { _id, knowledge_scope } = await create();
  assert.equal(knowledge_scope, 'ALL');
  const limited = (await call(200, 'PATCH', `${PATH}/${_id}`, { body: { knowledge: [item] } })).body;
  assert.deepEqual([limited.knowledge, limited.knowledge_scope], [[item], 'LISTED']);
});

test('knowledge of another company is unknown, and changes nothing', async () => {
  const other = await platform.createCompany();
  const own = await writeItem();
  const { _id } = await create({ knowledge: [own] });
  for (const item of [await writeItem(other.key), newId()]) {
    const body = { name: 'Bad', type: 'AI', knowledge: [own, item] };
    expectProblem(await call(400, 'POST', PATH, { body }), 'UNKNOWN_REFERENCE', 'knowledge[1]');
    const change = { body: { knowledge: [item] } };
    expectProblem(await call(400, 'PATCH', `${PATH}/${_id}`, change), 'UNKNOWN_REFERENCE', 'knowledge[0]');
  }
  assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body.knowledge, [own]);
  assert.deepEqual((await call(200, 'GET', `${PATH}?search=Bad`)).body.result, []);
});

test('a file of a follow-up is an attachment of the company: another id is unknown, and a text that is no id is invalid', async () => {
  for (const [id, code] of [
    [newId(), 'UNKNOWN_REFERENCE'],
    ['1234567890', 'VALIDATION_FAILED'],
  ] as const) {
    const components = [{ type: 'header', parameters: [{ type: 'image', image: { id } }] }];
    const follow_ups = [{ delay_minutes: 60, content: 'Oi', template: { name: 'news', language: 'en', components } }];
    const answer = await call(400, 'POST', PATH, { body: { name: 'Bad', type: 'AI', follow_ups } });
    expectProblem(answer, code, 'follow_ups[0].template.components[0].parameters[0].image.id');
  }
});

test('only an EXTERNAL agent has the address of a server, which must be one that may be called', async () => {
  const url = 'http://127.0.0.1:9/turn';
  const external = await create({ type: 'EXTERNAL', url });
  assert.equal(external.url, url);
  for (const [body, path, code] of [
    [{ name: 'a', type: 'AI', url }, 'url', 'VALIDATION_FAILED'],
    [{ name: 'a', type: 'EXTERNAL' }, 'url', 'VALIDATION_FAILED'],
    [{ name: 'a', type: 'EXTERNAL', url: 'http://10.0.0.1/' }, 'url', 'TARGET_NOT_ALLOWED'],
    [{ name: 'a' }, 'type', 'VALIDATION_FAILED'],
  ] as const)
    expectProblem(await call(400, 'POST', PATH, { body }), code, path);
  const path = `${PATH}/${external._id}`;
  expectProblem(await call(400, 'PATCH', path, { body: { url: null } }), 'VALIDATION_FAILED', 'url');
  expectProblem(await call(400, 'PATCH', path, { body: { url: 'http://10.0.0.1/' } }), 'TARGET_NOT_ALLOWED', 'url');
});

test('a company that may have one more agent gets one of many that are added at the same moment', async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into agents (company_id, _id, name, type) select $1, lpad(to_hex(n), 24, '0'), 'x', 'AI' from generate_series(1, $2) n`,
    [company._id, MAX_AGENTS - 1],
  );
  const headers = { authorization: `Bearer ${company.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'a', type: 'AI' });
  const answers: Json[] = await Promise.all(
    Array.from({ length: 5 }, async () => (await fetch(platform.url + PATH, { method: 'POST', headers, body })).json()),
  );
  const refused = answers.filter(({ errors }) => errors?.[0].code === 'LIMIT_REACHED');
  assert.deepEqual([answers.filter(({ _id }) => _id !== undefined).length, refused.length], [1, 4]);
});

test('an agent stays within the size of a record', async () => {
  const { _id } = await create();
  const instructions = '漢'.repeat(20_000);
  const follow_ups = Array.from({ length: 5 }, () => ({ delay_minutes: 60, content: '漢'.repeat(4_000) }));
  for (const [method, path, body] of [
    ['POST', PATH, { name: 'a', type: 'AI', instructions, follow_ups }],
    ['PATCH', `${PATH}/${_id}`, { instructions, follow_ups }],
  ] as const) {
    const answer = await call(400, method, path, { body });
    expectProblem(answer, 'VALIDATION_FAILED', 'instructions');
    assert.equal(answer.body.errors[0].code, 'TOO_LARGE');
  }
});

test('agents need their scopes, and those of another company are unknown', async () => {
  const { _id } = await create();
  const { key } = await platform.createCompany();
  for (const [method, path, body] of [
    ['GET', _id, undefined],
    ['PATCH', _id, { name: 'x' }],
    ['DELETE', _id, undefined],
    ['POST', `${_id}/try`, { message: 'Hi' }],
  ] as const)
    expectProblem(await call(404, method, `${PATH}/${path}`, { key, body }), 'NOT_FOUND');
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'agents:read' });
  await checkRefusals(platform, {
    method: 'POST',
    path: PATH,
    scope: 'agents:create',
    body: { name: 'a', type: 'AI' },
  });
  await checkRefusals(platform, { method: 'GET', path: '/v1/agents/turns', scope: 'agents:read' });
});
