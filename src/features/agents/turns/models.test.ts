/** Agents whose answers come from a model, or from a server of the company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say, sendJson, startModel } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const model = await startModel();
const server = await startModel();
const platform = await startPlatform({
  env: {
    AGENT_WAIT: '1s',
    AI_BASE_URL: `${model.url}/v1`,
    AI_MODEL: 'small',
    AI_API_KEY: 'secret',
  },
});
const { call, demo } = platform;

const content = 'Entregamos bolos em toda a cidade. Veja https://padaria.example/entrega.';
const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Padaria', content } })).body._id;
await waitUntil('the item to be prepared', async () => {
  const { body } = await call(200, 'GET', `/v1/knowledge/${item}`);
  return body.status === 'READY';
});
const createAgent = async (body: Json): Promise<string> =>
  (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI', ...body } })).body._id;
const agent = await createAgent({ instructions: 'Be cheerful.' });
const external = await createAgent({ type: 'EXTERNAL', url: `${server.url}/turn` });
const useAgent = (default_agent: string) => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent } });

const write = async (text: string, from = makePhoneNumber()): Promise<string> =>
  (await writeAsContact(platform, { from, text })).conversation._id;
const waitForTurn = (conversation: string): Promise<Json> =>
  waitUntil('the turn of the agent', async () => {
    const { result } = (await call(200, 'GET', `/v1/agents/turns?conversation=${conversation}`)).body;
    return result[0];
  });
const listTexts = async (conversation: string): Promise<string[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}?sort=createdAt`)).body.result.map(
    (message: Json) => message.content,
  );
const try_ = async (message: string, id = agent): Promise<Json> =>
  (await call(200, 'POST', `/v1/agents/${id}/try`, { body: { message } })).body;

await useAgent(agent);

test('a model gets the rules, the instructions, the passages and the conversation, and its words are sent', async () => {
  model.answer((_call, response) => sendJson(response, say('Sim, em toda a cidade!')));
  const conversation = await write('Vocês entregam bolo?');
  const turn = await waitForTurn(conversation);
  const { outcome, model: name, input_tokens, output_tokens, passages } = turn;
  assert.deepEqual([outcome, name, input_tokens, output_tokens], ['ANSWERED', 'small', 120, 8]);
  assert.equal(passages[0].item, item);
  assert.deepEqual(await listTexts(conversation), ['Vocês entregam bolo?', 'Sim, em toda a cidade!']);
  const asked = model.calls.at(-1);
  assert.deepEqual([asked?.path, asked?.headers['authorization']], ['/v1/chat/completions', 'Bearer secret']);
  assert.match(asked?.body.messages[0].content, /Be cheerful\.[^]*Entregamos bolos/);
  assert.deepEqual(asked?.body.messages.at(-1), { role: 'user', content: 'Vocês entregam bolo?' });
});

test('a link that a model has made up is not sent, and one of a passage is', async () => {
  model.answer((_call, response) =>
    sendJson(response, say('Veja https://padaria.example/entrega. Ou https://evil.example/x e www.evil.example')),
  );
  assert.equal((await try_('Vocês entregam bolo?')).answer, 'Veja https://padaria.example/entrega. Ou  e');
});

test('an answer of nothing but a made-up link, or with a character that cannot be stored, is no fault', async () => {
  model.answer((_call, response) => sendJson(response, say('_https://evil.example_')));
  assert.equal((await try_('Vocês entregam bolo?')).reason, 'NO_ANSWER');
  model.answer((_call, response) => sendJson(response, say('Sim\u0000, claro')));
  assert.equal((await try_('Vocês entregam bolo?')).answer, 'Sim, claro');
});

test('a model that asks for a person hands over', async () => {
  model.answer((_call, response) => sendJson(response, say(null, ['hand_over'])));
  const { outcome, reason, answer } = await try_('Quero cancelar');
  assert.deepEqual([outcome, reason, answer], ['HANDED_OVER', 'ASKED_BY_AGENT', null]);
});

test('a model that fails, redirects, answers no JSON or without end is called once, and a person takes over', async () => {
  const faults: Parameters<typeof model.answer>[0][] = [
    (_call, response) => sendJson(response, { error: 'busy' }, 500),
    (_call, response) => response.writeHead(302, { location: `${server.url}/` }).end(),
    (_call, response) => response.end('<html>'),
    (_call, response) => sendJson(response, { choices: [] }),
    (_call, response) => sendJson(response, say('x'.repeat(2_000_000))),
    (_call, response) => response.destroy(),
  ];
  for (const fault of faults) {
    model.answer(fault);
    const before = model.calls.length;
    const { outcome, reason } = await try_('Vocês entregam bolo?');
    assert.deepEqual([outcome, reason, model.calls.length - before], ['HANDED_OVER', 'ANSWER_FAILED', 1]);
  }
  assert.equal(server.calls.length, 0);
});

test('a model that refuses max_tokens is asked again with max_completion_tokens, and from then on with that alone', async () => {
  const newer = await createAgent({ model: 'newer' });
  model.answer(({ body }, response) =>
    'max_tokens' in body
      ? sendJson(response, { error: { param: 'max_tokens', message: 'Unsupported parameter' } }, 400)
      : sendJson(response, say('Sim')),
  );
  const before = model.calls.length;
  for (let time = 0; time < 2; time += 1) assert.equal((await try_('Oi', newer)).answer, 'Sim');
  const limits = model.calls.slice(before).map(({ body }) => [body.max_tokens, body.max_completion_tokens]);
  assert.deepEqual(limits, [
    [1_000, undefined],
    [undefined, 1_000],
    [undefined, 1_000],
  ]);
  model.answer((_call, response) => sendJson(response, { error: { param: 'model', message: 'Unknown' } }, 400));
  assert.equal((await try_('Oi')).reason, 'ANSWER_FAILED');
  assert.equal(model.calls.length, before + 4);
});

test('200 function calls of a model at once do nothing', async () => {
  model.answer((_call, response) => sendJson(response, say('Oi', Array(200).fill('send_money'))));
  assert.equal((await try_('Oi')).answer, 'Oi');
});

test('a later message ends the answer in the making, and both are answered together', async () => {
  let isFirst = true;
  const hangsUp = Promise.withResolvers<void>();
  model.answer((_call, response) => {
    if (!isFirst) return sendJson(response, say('As duas coisas: sim.'));
    isFirst = false;
    response.on('close', hangsUp.resolve);
  });
  const from = makePhoneNumber();
  const before = model.calls.length;
  const conversation = await write('Vocês entregam bolo?', from);
  await waitUntil('the model to be asked', () => model.calls.length > before);
  await write('E no sábado?', from);
  await hangsUp.promise;
  await waitForTurn(conversation);
  assert.deepEqual(await listTexts(conversation), ['Vocês entregam bolo?', 'E no sábado?', 'As duas coisas: sim.']);
  assert.equal(model.calls.at(-1)?.body.messages.at(-1).content, 'Vocês entregam bolo?\nE no sábado?');
});

test('the server of an EXTERNAL agent gets the question with what was said before, and its text is sent', async () => {
  await useAgent(external);
  server.answer((_call, response) => sendJson(response, { text: 'Do servidor' }));
  const from = makePhoneNumber();
  const conversation = await write('Oi', from);
  assert.equal((await waitForTurn(conversation)).outcome, 'ANSWERED');
  assert.deepEqual(await listTexts(conversation), ['Oi', 'Do servidor']);
  const { body } = server.calls.at(-1) ?? {};
  assert.deepEqual(
    [body.agent, body.message, body.before],
    [{ _id: external, name: 'Ana', company: demo._id }, 'Oi', []],
  );
});

test('the server of an EXTERNAL agent hands over with handoff, and a wrong answer of it hands over as well', async () => {
  for (const [body, reason] of [
    [{ handoff: true }, 'ASKED_BY_AGENT'],
    [{ text: '' }, 'NO_ANSWER'],
    [{ text: 7 }, 'ANSWER_FAILED'],
    [{ text: 'x'.repeat(4_097) }, 'ANSWER_FAILED'],
    [null, 'NO_ANSWER'],
    [{ text: 'Oi', parts: Array.from({ length: 20_000 }, () => ({})) }, 'ANSWER_FAILED'],
  ] as const) {
    server.answer((_call, response) => sendJson(response, body));
    assert.equal((await try_('Oi', external)).reason, reason);
  }
});
