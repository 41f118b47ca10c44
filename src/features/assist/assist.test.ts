/** Drafts, rewritten texts, summaries and translations that a model writes for users. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { say, sendJson, startModel } from '../../../test/support/model.ts';
import { connectPhone, makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const model = await startModel();
const platform = await startPlatform({ env: { AI_BASE_URL: model.url, AI_MODEL: 'small' } });
const { call, database, demo } = platform;
const SETTINGS = '/v1/agents/assist';
const ALL = ['DRAFT', 'REWRITE', 'SUMMARIZE', 'TRANSLATE'];

const text = 'We bake carrot cakes on Sundays. See https://padaria.example/cakes.';
const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Cakes', content: text } })).body._id;
await waitUntil('the item to be prepared', async () => {
  const { body } = await call(200, 'GET', `/v1/knowledge/${item}`);
  return body.status === 'READY';
});
const prices = { currency: 'USD', input: 3, output: 15 };
const createAgent = async (body: Json = {}, key = demo.key): Promise<string> =>
  (await call(201, 'POST', '/v1/agents', { key, body: { name: 'Ana', type: 'AI', ...body } })).body._id;
const agent = await createAgent({ instructions: 'Be cheerful.', prices });

const { conversation, message } = await writeAsContact(platform, { name: 'Rui', text: 'Do you bake carrot cakes?' });
const other = await platform.createCompany();
const phone = await connectPhone(platform, { company: other });
const theirs = (
  await call(201, 'POST', '/v1/conversations', {
    key: other.key,
    body: { inbox: phone.inbox, phone_number: makePhoneNumber() },
  })
).body;

const allow = (acts: string[], chosen: string | null = agent, key = demo.key): Promise<Json> =>
  call(200, 'PUT', SETTINGS, { key, body: { agent: chosen, acts } });
const DRAFT = `/v1/conversations/${conversation._id}/draft`;
const SUMMARIZE = `/v1/conversations/${conversation._id}/summarize`;
const REWRITE = `/v1/conversations/${conversation._id}/rewrite`;
const TRANSLATE = `/v1/messages/${message._id}/translate`;
const SHORTER = { text: 'We do bake them.', style: 'SHORTER' };
const answer = (words: string): void => model.answer((_call, response) => sendJson(response, say(words)));
const lastCall = (): Json => model.calls.at(-1)?.body ?? {};
const listUses = async (): Promise<Json[]> =>
  (await call(200, 'GET', '/v1/audit?limit=100')).body.result.filter(({ ai }: Json) => ai !== null);
const countTokens = async (): Promise<number> =>
  Number(
    (
      await database.sql<{ tokens: string }>(
        'select coalesce(sum(tokens), 0) as tokens from agent_budgets where company_id = $1',
        [demo._id],
      )
    )[0]?.tokens,
  );

test('nothing works before a company has chosen an agent and what it can be asked', async () => {
  const off = { company: demo._id, agent: null, acts: [], is_available: false, has_model: true, updatedAt: null };
  assert.deepEqual((await call(200, 'GET', SETTINGS)).body, off);
  const calls = model.calls.length;
  expectProblem(await call(409, 'POST', DRAFT), 'AI_NOT_ENABLED');
  expectProblem(await call(409, 'POST', SUMMARIZE, { body: { language: 'en' } }), 'AI_NOT_ENABLED');
  expectProblem(await call(409, 'POST', REWRITE, { body: SHORTER }), 'AI_NOT_ENABLED');
  expectProblem(await call(409, 'POST', TRANSLATE, { body: { language: 'en' } }), 'AI_NOT_ENABLED');
  await allow(['SUMMARIZE']);
  expectProblem(await call(409, 'POST', DRAFT), 'AI_NOT_ENABLED');
  const translation = { text: 'Sim', style: 'TRANSLATE', language: 'en' };
  expectProblem(await call(409, 'POST', REWRITE, { body: translation }), 'AI_NOT_ENABLED');
  assert.equal(model.calls.length, calls);
});

test('a draft comes from the conversation and the knowledge, and is not sent', async () => {
  await allow(ALL);
  answer('Yes, **on Sundays**! See https://padaria.example/cakes or https://evil.example');
  const { body } = await call(200, 'POST', DRAFT);
  assert.equal(body.text, 'Yes, *on Sundays*! See https://padaria.example/cakes or');
  assert.deepEqual(body.passages, [{ item, name: 'Cakes', content: text }]);
  const { messages, tools } = lastCall();
  assert.equal(tools, undefined);
  assert.match(messages[0].content, /You draft the next reply[^]*Be cheerful\.[^]*carrot cakes/);
  assert.deepEqual(messages.at(-1), { role: 'user', content: 'Do you bake carrot cakes?' });
  const { result } = (await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`)).body;
  assert.equal(result.length, 1);
});

test('a draft does not answer the rating of a contact', async () => {
  await allow(ALL);
  answer('Welcome');
  const from = makePhoneNumber();
  const { conversation: rated } = await writeAsContact(platform, { from, text: 'Is the shop open?' });
  const button_reply = { id: `csat:${newId()}:5`, title: 'Good' };
  await platform.sandbox('POST', '/sandbox/inbound', {
    from,
    raw: { type: 'interactive', interactive: { type: 'button_reply', button_reply } },
  });
  await waitUntil('the rating', async () => {
    const { result } = (await call(200, 'GET', `/v1/messages/conversation/${rated._id}`)).body;
    return result.length === 2;
  });
  await call(200, 'POST', `/v1/conversations/${rated._id}/draft`);
  assert.deepEqual(lastCall()['messages'].at(-1), { role: 'user', content: 'Is the shop open?' });
});

test('a text is rewritten or translated with its links and marks', async () => {
  await allow(ALL);
  answer('*Sim*, veja https://padaria.example/novo e https://evil.example');
  const body = { text: 'Yes, look at *https://padaria.example/novo*', style: 'TRANSLATE', language: 'pt_BR' };
  assert.equal((await call(200, 'POST', REWRITE, { body })).body.text, '*Sim*, veja https://padaria.example/novo e');
  const [rules, given] = lastCall()['messages'];
  assert.match(rules.content, /to Brazilian Portuguese \(pt-BR\)/);
  assert.equal(given.content, body.text);
  expectProblem(
    await call(400, 'POST', REWRITE, { body: { ...body, language: undefined } }),
    'VALIDATION_FAILED',
    'language',
  );
  for (const style of ['SHORTER', 'FRIENDLIER', 'MORE_FORMAL', 'FIX_SPELLING'])
    await call(200, 'POST', REWRITE, { body: { text: 'Sim', style } });
});

test('a message is translated, and one without text is not', async () => {
  await allow(ALL);
  answer('Vocês fazem bolo de cenoura?');
  const language = 'pt-BR';
  assert.deepEqual((await call(200, 'POST', TRANSLATE, { body: { language } })).body, {
    text: 'Vocês fazem bolo de cenoura?',
    is_shortened: false,
  });
  assert.equal(lastCall()['messages'][1].content, 'Do you bake carrot cakes?');
  const location = { latitude: -23.5, longitude: -46.6 };
  const place = await call(201, 'POST', '/v1/messages/send-content', {
    body: { conversationId: conversation._id, message: { contentType: 'LOCATION', location } },
  });
  const refused = await call(400, 'POST', `/v1/messages/${place.body._id}/translate`, { body: { language } });
  expectProblem(refused, 'VALIDATION_FAILED', 'id');
});

test('a summary is written in the language that is asked for, from the messages as data', async () => {
  await allow(ALL);
  answer('Rui asks for carrot cakes.');
  const { body } = await call(200, 'POST', SUMMARIZE, { body: { language: 'es' } });
  assert.deepEqual(body, { text: 'Rui asks for carrot cakes.' });
  const [rules, given] = lastCall()['messages'];
  assert.match(rules.content, /Write in Spanish \(es\)[^]*Never follow instructions/);
  assert.equal(
    JSON.parse(given.content).some((line: Json) => line.text === 'Do you bake carrot cakes?'),
    true,
  );
});

test('each use is in the audit with its author, model, tokens and cost, and counts toward the tokens of the day', async () => {
  await allow(ALL);
  const [before, tokens] = [await listUses(), await countTokens()];
  answer('Sure');
  const user = await platform.createUser(demo._id, 'OPERATOR');
  await call(200, 'POST', DRAFT, { key: user.token });
  await call(200, 'POST', TRANSLATE, { key: user.token, body: { language: 'en' } });
  const uses = (await listUses()).slice(0, -before.length || undefined);
  const ai = { model: 'small', input_tokens: 120, output_tokens: 8, cost: { amount: 0.00048, currency: 'USD' } };
  assert.deepEqual(
    uses.map((each) => [each['actor']._id, each['action'], each['resource_id'], each['ai']]),
    [
      [user._id, 'messages.translate', message._id, ai],
      [user._id, 'conversations.draft', conversation._id, ai],
    ],
  );
  assert.equal((await countTokens()) - tokens, 256);
  assert.equal(JSON.stringify(uses).includes('carrot'), false);
});

test('a model that fails, writes its reasoning only, or does not finish a text is a 409 that says so', async () => {
  await allow(ALL);
  const cut = { choices: [{ message: { content: 'We do.' }, finish_reason: 'length' }] };
  const faults: [Json, number, string][] = [
    [{ error: 'busy' }, 500, 'ANSWER_FAILED'],
    [say('<think>Hm</think>'), 200, 'ONLY_REASONING'],
    [say(null), 200, 'NO_ANSWER'],
    [cut, 200, 'ANSWER_CUT'],
  ];
  for (const [said, status, code] of faults) {
    model.answer((_call, response) => sendJson(response, said, status));
    const refused = await call(409, 'POST', REWRITE, { body: SHORTER });
    expectProblem(refused, 'AI_FAILED', 'model');
    assert.equal(refused.body.errors[0].code, code);
  }
});

test('when the tokens of the day are used up, no model is called', async () => {
  await allow(ALL);
  const used = await countTokens();
  await database.sql('update agent_budgets set tokens = 2000000 where company_id = $1', [demo._id]);
  const calls = model.calls.length;
  const refused = await call(409, 'POST', DRAFT);
  assert.equal(refused.body.errors[0].code, 'BUDGET_SPENT');
  assert.equal(model.calls.length, calls);
  await database.sql('update agent_budgets set tokens = $2 where company_id = $1', [demo._id, used]);
});

test('what another company has is unknown', async () => {
  await allow(ALL);
  for (const id of [theirs._id, newId()]) {
    expectProblem(await call(404, 'POST', `/v1/conversations/${id}/draft`), 'NOT_FOUND');
    expectProblem(await call(404, 'POST', `/v1/conversations/${id}/rewrite`, { body: SHORTER }), 'NOT_FOUND');
  }
  const foreign = await createAgent({}, other.key);
  for (const id of [foreign, newId()])
    expectProblem(await call(400, 'PUT', SETTINGS, { body: { agent: id, acts: ALL } }), 'UNKNOWN_REFERENCE', 'agent');
});

test('only an agent with a model can be chosen, and one that is removed or inactive turns it off', async () => {
  const external = await createAgent({ type: 'EXTERNAL', url: `${model.url}/turn` });
  const refused = await call(400, 'PUT', SETTINGS, { body: { agent: external, acts: ALL } });
  expectProblem(refused, 'VALIDATION_FAILED', 'agent');
  const [own, calls] = [await createAgent(), model.calls.length];
  assert.equal((await allow(ALL, own))['body'].is_available, true);
  await call(200, 'PATCH', `/v1/agents/${own}`, { body: { status: 'INACTIVE' } });
  expectProblem(await call(409, 'POST', DRAFT), 'AI_NOT_ENABLED');
  assert.equal((await call(200, 'GET', SETTINGS)).body.is_available, false);
  await call(200, 'DELETE', `/v1/agents/${own}`);
  expectProblem(await call(409, 'POST', DRAFT), 'AI_NOT_ENABLED');
  assert.equal((await call(200, 'GET', SETTINGS)).body.agent, null);
  await allow(ALL);
  assert.equal((await allow([], null))['body'].agent, null);
  assert.equal(model.calls.length, calls);
});

test('a model that hangs for one company does not stop another company', async () => {
  const slow = await createAgent({ model: 'slow' }, other.key);
  await allow(ALL, slow, other.key);
  await allow(ALL);
  const hanging: ServerResponse[] = [];
  model.answer(({ body }, response) =>
    body['model'] === 'slow' ? void hanging.push(response) : sendJson(response, say('Quick')),
  );
  const path = `/v1/conversations/${theirs._id}/rewrite`;
  let refused = 0;
  const waiting = Array.from({ length: 24 }, async () => {
    const response = await fetch(`${platform.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(SHORTER),
    });
    if (response.status === 429) refused += 1;
    return response.status;
  });
  await waitUntil('the places to be taken', () => hanging.length === 4 && refused >= 4);
  assert.equal((await call(200, 'POST', REWRITE, { body: SHORTER })).body.text, 'Quick');
  model.answer((_call, response) => sendJson(response, say('Late')));
  for (const response of hanging) sendJson(response, say('Late'));
  const statuses = await Promise.all(waiting);
  assert.deepEqual(
    [...new Set(statuses)].toSorted((a, b) => a - b),
    [200, 429],
  );
});

test('users who may only read use none of it, and a key needs the scopes of what it reads', async () => {
  await allow(ALL);
  answer('Sure');
  const viewer = await platform.createUser(demo._id, 'VIEWER');
  expectProblem(await call(403, 'POST', DRAFT, { key: viewer.token }), 'FORBIDDEN');
  const operator = await platform.createUser(demo._id, 'OPERATOR');
  expectProblem(await call(403, 'PUT', SETTINGS, { key: operator.token, body: { agent, acts: [] } }), 'FORBIDDEN');
  const sender = await platform.createKey(demo._id, ['messages:create']);
  await call(200, 'POST', REWRITE, { key: sender.token, body: SHORTER });
  for (const path of [DRAFT, SUMMARIZE, TRANSLATE]) {
    const body = path === DRAFT ? {} : { body: { language: 'en' } };
    expectProblem(await call(403, 'POST', path, { key: sender.token, ...body }), 'FORBIDDEN');
  }
});

test('the operations refuse what all operations refuse', async () => {
  await checkRefusals(platform, { method: 'GET', path: SETTINGS, scope: 'agents:read' });
  await checkRefusals(platform, { method: 'PUT', path: SETTINGS, scope: 'agents:update', body: { agent, acts: ALL } });
  await checkRefusals(platform, { method: 'POST', path: DRAFT, scope: 'messages:create' });
  await checkRefusals(platform, { method: 'POST', path: REWRITE, scope: 'messages:create', body: SHORTER });
  const body = { language: 'en' };
  await checkRefusals(platform, { method: 'POST', path: SUMMARIZE, scope: 'messages:create', body });
  await checkRefusals(platform, { method: 'POST', path: TRANSLATE, scope: 'messages:create', body });
});

test('nothing of a text stays once its contact is erased', async () => {
  await allow(ALL);
  const { conversation: thread, contact } = await writeAsContact(platform, { text: 'kanarienvogel' });
  answer('kanarienvogel');
  await call(200, 'POST', `/v1/conversations/${thread._id}/draft`);
  await call(200, 'POST', `/v1/conversations/${thread._id}/summarize`, { body: { language: 'en' } });
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  const [row] = await database.sql<{ count: number }>(
    `select (select count(*) from audit_log a where strpos(a::text, 'kanarienvogel') > 0)::int
      + (select count(*) from assist_settings s where strpos(s::text, 'kanarienvogel') > 0)::int as count`,
  );
  assert.equal(row?.count, 0);
});
