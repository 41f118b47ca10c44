/** What of a model's words a contact reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say, sendJson, startModel } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { openSite, visit } from '../../../../test/support/web-chat.ts';

const model = await startModel();
const server = await startModel();
const platform = await startPlatform({ env: { AGENT_WAIT: '1s', AI_BASE_URL: model.url, AI_MODEL: 'small' } });
const { call, demo } = platform;

const createAgent = async (body: Json): Promise<string> =>
  (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI', ...body } })).body._id;
const instructions = 'Our site: https://bakery.example/cakes';
const agent = await createAgent({ instructions, tools: ['SCHEDULE_FOLLOW_UP'] });
const external = await createAgent({ type: 'EXTERNAL', url: server.url });
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });

const try_ = async (id = agent): Promise<[answer: string | null, reason: string | null]> => {
  const { answer, reason } = (await call(200, 'POST', `/v1/agents/${id}/try`, { body: { message: 'Oi' } })).body;
  return [answer, reason];
};
/** Makes the model answer with these words. `message` and `choice` are what else stands there. */
const answer = (text: string | null, { message = {}, choice = {} }: { message?: Json; choice?: Json } = {}): void => {
  const body = say(text);
  Object.assign(body['choices'][0], choice);
  Object.assign(body['choices'][0].message, message);
  model.answer((_call, response) => sendJson(response, body));
};
const cut = { choice: { finish_reason: 'length' } };
const waitForTurn = (conversation: string): Promise<Json> =>
  waitUntil('the turn of the agent', async () => {
    const { result } = (await call(200, 'GET', `/v1/agents/turns?conversation=${conversation}`)).body;
    return result[0]?.message && result[0];
  });
const readAnswer = async (conversation: string): Promise<string> =>
  (await call(200, 'GET', `/v1/messages/${(await waitForTurn(conversation)).message}`)).body.content;

test("a model's reasoning is never part of the answer, and a person takes over when there is nothing else", async () => {
  answer('<think>They greet.</think>\n\nOlá!');
  assert.deepEqual(await try_(), ['Olá!', null]);
  for (const field of ['reasoning_content', 'reasoning']) {
    answer('Olá!', { message: { [field]: 'They greet.' } });
    assert.deepEqual(await try_(), ['Olá!', null]);
    answer(null, { message: { [field]: 'They greet.' } });
    assert.deepEqual(await try_(), [null, 'ONLY_REASONING']);
  }
  answer('<think>They greet, so I', cut);
  assert.deepEqual(await try_(), [null, 'ONLY_REASONING']);
});

test('a model that writes no opening tag has its cut reasoning held back from its first whole reply on', async () => {
  const content = 'Okay, the user wants to know the price. I should look at the passages. The passage says R$ 50. So I';
  const ofOther = await createAgent({ model: 'headless' });
  answer(content, cut);
  assert.deepEqual(await try_(ofOther), [
    'Okay, the user wants to know the price. I should look at the passages. The passage says R$ 50.',
    null,
  ]);
  answer('They ask for the price.\n</think>\n\nCusta R$ 50.');
  assert.deepEqual(await try_(ofOther), ['Custa R$ 50.', null]);
  answer(content, cut);
  assert.deepEqual(await try_(ofOther), [null, 'ONLY_REASONING']);
  answer('Okay, they ask. I <think> about the price. So I', cut);
  assert.deepEqual(await try_(ofOther), [null, 'ONLY_REASONING']);
  answer(content, cut);
  assert.deepEqual((await try_())[1], null);
  answer('They ask.\n</think>\n\nCusta R$ 50. E', cut);
  assert.deepEqual(await try_(ofOther), ['Custa R$ 50.', null]);
  answer('Custa R$ 50. E', { ...cut, message: { reasoning_content: 'They ask.' } });
  assert.deepEqual(await try_(ofOther), ['Custa R$ 50.', null]);
  for (const name of ['deepseek-ai/DeepSeek-R1', 'qwq:32b', 'Qwen3-4B-Thinking-2507']) {
    answer(content, cut);
    assert.deepEqual(await try_(await createAgent({ model: name })), [null, 'ONLY_REASONING']);
  }
});

test('an answer in parts is what its parts of text say', async () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'They ask.' }] };
  const parts = [thinking, { type: 'text', text: 'Olá! ' }, null, { type: 'text', text: 'Custa R$ 50.' }];
  answer(null, { message: { content: parts } });
  assert.deepEqual(await try_(), ['Olá! Custa R$ 50.', null]);
  answer(null, { message: { content: [thinking] } });
  assert.deepEqual(await try_(), [null, 'ONLY_REASONING']);
});

test('reasoning longer than an answer may be hides no answer', async () => {
  answer(`<think>${'They greet. '.repeat(5_000)}</think>Olá!`);
  assert.deepEqual(await try_(), ['Olá!', null]);
});

test('the server of an EXTERNAL agent may pass on the reasoning of a model, which is not sent', async () => {
  server.answer((_call, response) => sendJson(response, { text: '<think>They greet.</think>**Olá!**' }));
  assert.deepEqual(await try_(external), ['**Olá!**', null]);
  server.answer((_call, response) => sendJson(response, { text: '<think>They greet.</think>' }));
  assert.deepEqual(await try_(external), [null, 'ONLY_REASONING']);
});

test('an answer that was cut off ends with its last sentence, and goes to a person where it has none', async () => {
  answer('Entregamos hoje. Custa R$ 1.5', cut);
  assert.deepEqual(await try_(), ['Entregamos hoje.', null]);
  answer('Entregamos ho', cut);
  assert.deepEqual(await try_(), [null, 'ANSWER_CUT']);
  answer('Entregamos hoje. '.repeat(300));
  assert.match((await try_())[0] ?? '', /^(Entregamos hoje\. )+Entregamos hoje\.$/);
  answer('Entregamos hoje. Custa R$ 1.5');
  assert.deepEqual(await try_(), ['Entregamos hoje. Custa R$ 1.5', null]);
});

test('a cut answer has no half of a format', async () => {
  for (const [text, rest] of [
    ['**Importante: leve o documento. Depois vá', 'Importante: leve o documento.'],
    ['Sim. _Leve o documento. Depois vá', 'Sim. Leve o documento.'],
    ['- **Mel. É\n- Sim. Cla', '- Mel. É\n- Sim.'],
    ['Olá. Veja [nosso site. Ele é bom](https://bakery.exam', 'Olá. Veja nosso site.'],
    ['Olá. Veja ![foto. Ele', 'Olá. Veja foto.'],
    ['Olá.\n```\ncode. more', 'Olá.'],
    ['Olá.\n\n```\ncode.\n```\nE dep', 'Olá.\n\ncode.'],
    ['Olá. São 2**10 e it`s ok. Dep', 'Olá. São 2**10 e it`s ok.'],
  ] as const) {
    answer(text, cut);
    assert.deepEqual(await try_(), [rest, null]);
  }
});

const MARKDOWN =
  '## Bolos\n\n* **Cenoura** no [site](https://bakery.example/cakes)\n* Mel na [loja](https://evil.example)';

test('an answer arrives in the marks of its network, and as plain text in the web chat', async () => {
  answer(MARKDOWN);
  const { conversation } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Quais bolos?' });
  assert.equal(
    await readAnswer(conversation._id),
    '*Bolos*\n\n- *Cenoura* no site (https://bakery.example/cakes)\n- Mel na loja',
  );
  const visitor = await visit(platform, await openSite(platform, {}, { default_agent: agent }));
  const { _id } = await visitor.write('Quais bolos?');
  assert.equal(
    await readAnswer((await call(200, 'GET', `/v1/messages/${_id}`)).body.conversation),
    'Bolos\n\n- Cenoura no site (https://bakery.example/cakes)\n- Mel na loja',
  );
});

test('marks hide no made-up link, and what they leave is no link', async () => {
  answer('Veja ev**il.exam**ple/pay, [https://evil.example](https://evil.example) e **https://bakery.example/cakes**');
  assert.deepEqual(await try_(), ['Veja evil. example/pay,  e https://bakery.example/cakes', null]);
});

test('what a model writes for later has no reasoning and no Markdown either', async () => {
  let isFirst = true;
  model.answer((_call, response) => {
    const text = '<think>Remind them.</think>**Ainda** está aí?';
    sendJson(response, isFirst ? say(null, [['schedule_follow_up', { minutes: 30, text }]]) : say('Certo.'));
    isFirst = false;
  });
  const { conversation } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Depois eu vejo' });
  await waitForTurn(conversation._id);
  const path = `/v1/agents/follow-ups?conversation=${conversation._id}`;
  const [followUp] = (await call(200, 'GET', path)).body.result;
  assert.equal(followUp.content, '*Ainda* está aí?');
});
