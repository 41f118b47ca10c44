/** What the functions of a model do, and what they refuse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePng } from '../../../../test/support/media-samples.ts';
import { say, sendJson, startModel } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { postForm } from '../../../../test/support/sheets.ts';
import { listEventNames, listNetworkMessages, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const model = await startModel();
const platform = await startPlatform({
  env: { AGENT_WAIT: '1s', AI_BASE_URL: model.url, AI_MODEL: 'small' },
});
const { call, database, demo } = platform;

const create = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const waitForItem = (id: string): Promise<Json> =>
  waitUntil('the item to be prepared', async () => {
    const item = await read(`/v1/knowledge/${id}`);
    return item.status === 'READY' && item;
  });

await create('/v1/custom-fields', { title: 'Budget', context: 'contact', type: 'NUMBER' });
await create('/v1/custom-fields', { title: 'Size', context: 'conversation', type: 'SELECT', options: ['S', 'M'] });
const steps = [{ name: 'New' }, { name: 'Won' }];
const pipeline = await create('/v1/pipelines', { name: 'Sales', is_default: true, steps });
const columns = [{ key: 'order', title: 'Order', type: 'TEXT' }];
const table = await create('/v1/tables', { name: 'Orders', columns });
const stranger = await create('/v1/contacts', { name: 'A stranger' });
await create(`/v1/tables/${table._id}/rows`, { data: { order: 'cake for everybody' } });
await create(`/v1/tables/${table._id}/rows`, { data: { order: 'cake for the stranger' }, contact_id: stranger._id });
await waitForItem(
  (await create('/v1/knowledge/autcl', { name: 'Bakery', content: 'Our cakes: https://bakery.example/cakes' }))._id,
);
const parts = { name: 'Menu', type: 'MEDIA', description: 'The menu', file: { name: 'menu.png', data: makePng() } };
const menu = await waitForItem(
  (await postForm(platform, [201, '/v1/knowledge/upload'], parts, { key: demo.key })).body._id,
);

const ALL = [
  'SEARCH_KNOWLEDGE',
  'SEND_FILE',
  'READ_FIELDS',
  'WRITE_FIELDS',
  'READ_TABLES',
  'MOVE_STEP',
  'SCHEDULE_FOLLOW_UP',
];
const agent = await create('/v1/agents', { name: 'Ana', type: 'AI', tools: ALL, tables: [table._id] });
const bare = await create('/v1/agents', { name: 'Bia', type: 'AI', tools: [] });
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent._id } });

type Call = string | [name: string, given: Json];
/** Makes the model call all these functions in its first reply, and answer in its second. */
function script(calls: Call[], answer: string | null = 'Done!', more: string[] = []): void {
  let isFirst = true;
  model.answer((_asked, response) => {
    sendJson(response, isFirst ? say(null, calls) : say(answer, more));
    isFirst = false;
  });
}
const attempt = async (calls: Call[], id: string = agent._id): Promise<Json> => {
  script(calls);
  return (await call(200, 'POST', `/v1/agents/${id}/try`, { body: { message: 'Hello' } })).body;
};
const returned = (): string[] =>
  model.calls
    .at(-1)
    ?.body.messages.filter(({ role }: Json) => role === 'tool')
    .map(({ content }: Json) => content);
const countTokens = async (): Promise<number> =>
  Number((await database.sql('select tokens from agent_budgets where company_id = $1', [demo._id]))[0]?.['tokens']);
const converse = async (from = makePhoneNumber()): Promise<{ turn: Json; conversation: Json; messages: Json[] }> => {
  const { conversation } = await writeAsContact(platform, { from, text: 'Hello' });
  const turn = await waitUntil('the turn of the agent', async () => {
    const [found] = (await read(`/v1/agents/turns?conversation=${conversation._id}`)).result;
    const calling = 'select from agent_turns where conversation_id = $1 and settle_until is not null';
    return (await database.sql(calling, [conversation._id])).length === 0 && found;
  });
  const messages = (await read(`/v1/messages/conversation/${conversation._id}?sort=createdAt`)).result;
  return { turn, conversation: await read(`/v1/conversations/${conversation._id}`), messages };
};

test('a model looks further in the knowledge base, and may pass on the links that it has read there', async () => {
  script([['search_knowledge', { query: 'cakes' }]], 'See https://bakery.example/cakes');
  const { body } = await call(200, 'POST', `/v1/agents/${agent._id}/try`, { body: { message: 'Anything else?' } });
  assert.equal(body.answer, 'See https://bakery.example/cakes');
  assert.deepEqual(body.actions, [
    { tool: 'search_knowledge', arguments: '{"query":"cakes"}', is_done: true, note: null },
  ]);
  assert.deepEqual([body.passages.at(-1).name, body.input_tokens, body.output_tokens], ['Bakery', 240, 16]);
});

test('what a model writes and moves happens with its answer, in the name of the agent', async () => {
  script([
    ['write_field', { record: 'contact', field: 'budget', value: 80 }],
    ['write_field', { record: 'conversation', field: 'size', value: 'M' }],
    ['move_step', { name: 'Won' }],
  ]);
  const { turn, conversation } = await converse();
  assert.deepEqual([turn.outcome, turn.actions.length], ['ANSWERED', 3]);
  const values = [conversation, await read(`/v1/contacts/${conversation.contact}`)].map(
    ({ custom_fields: [field] }) => [field.slug, field.value],
  );
  assert.deepEqual(values, [
    ['size', 'M'],
    ['budget', 80],
  ]);
  assert.equal(conversation.step, pipeline.steps[1]._id);
  const events = await listEventNames(platform, conversation._id);
  for (const event of ['CONVERSATION_STEP_CHANGED', 'FIELD_UPDATED']) assert.ok(events.includes(event), event);
  assert.ok((await listEventNames(platform, conversation.contact)).includes('CONTACT_UPDATED'));
  const updates = await platform.deliveries(
    ({ body }) => body.event === 'FIELD_UPDATED' && body.data.contactId === conversation.contact,
    2,
  );
  assert.deepEqual(new Set(updates.map(({ body }) => body.data.field.context)), new Set(['contact', 'conversation']));
  for (const { body } of updates) assert.equal(body.data.conversationId, conversation._id);
  script(['read_fields']);
  await call(200, 'POST', `/v1/agents/${agent._id}/try`, { body: { message: 'Hello' } });
  assert.deepEqual(returned(), ['{"contact":{},"conversation":{}}']);
});

test('a model that hands over after it has planned changes changes nothing', async () => {
  script([['move_step', { name: 'Won' }]], null, ['hand_over']);
  const { turn, conversation } = await converse();
  assert.deepEqual([turn.outcome, conversation.step, conversation.handled_by], ['HANDED_OVER', null, 'HUMAN']);
});

test('what a model writes for later loses made-up links as its answer does', async () => {
  script([['schedule_follow_up', { minutes: 30, text: 'Still there? https://evil.example/pay' }]]);
  const { conversation } = await converse();
  const { result } = await read(`/v1/agents/follow-ups?conversation=${conversation._id}`);
  assert.deepEqual(
    result.map(({ content, index, status }: Json) => [content, index, status]),
    [['Still there?', 0, 'SCHEDULED']],
  );
});

test('rows of a business, and those whose contact was removed, are not read for someone else', async () => {
  const business = await create('/v1/businesses', { name: 'A butcher' });
  const gone = await create('/v1/contacts', { name: 'Gone' });
  await create(`/v1/tables/${table._id}/rows`, { data: { order: 'sausage of a butcher' }, business_id: business._id });
  await create(`/v1/tables/${table._id}/rows`, { data: { order: 'sausage of who is gone' }, contact_id: gone._id });
  await call(200, 'DELETE', `/v1/contacts/${gone._id}`);
  await attempt([['read_table', { table: 'orders', search: 'sausage' }]]);
  assert.deepEqual(returned(), ['[]']);
});

test('arguments that no request may have are refused, and a name that cannot be stored is cleaned', async () => {
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);
  const calls = [
    { function: { name: 'search_knowledge', arguments: deep } },
    { function: { name: 'search_knowledge', arguments: '{"query": "a\\u0000"}' } },
    { function: { name: 'a\u0000b', arguments: '{}' } },
  ];
  let isFirst = true;
  model.answer((_asked, response) => {
    const first = { choices: [{ message: { content: null, tool_calls: calls } }] };
    sendJson(response, isFirst ? first : say('Done!'));
    isFirst = false;
  });
  const { body } = await call(200, 'POST', `/v1/agents/${agent._id}/try`, { body: { message: 'Hello' } });
  assert.deepEqual(
    body.actions.map(({ tool, is_done }: Json) => [tool, is_done]),
    [
      ['search_knowledge', false],
      ['search_knowledge', false],
      ['ab', false],
    ],
  );
});

test('a function without arguments may be called with an empty text, and each call is given back to the model with an object', async () => {
  const calls = ['', '  ', null, {}, '{"a": 1}', '{broken'].map((given) => ({
    function: { name: 'read_fields', arguments: given },
  }));
  let isFirst = true;
  model.answer((_asked, response) => {
    sendJson(response, isFirst ? { choices: [{ message: { content: null, tool_calls: calls } }] } : say('Done!'));
    isFirst = false;
  });
  const { body } = await call(200, 'POST', `/v1/agents/${agent._id}/try`, { body: { message: 'Hello' } });
  assert.deepEqual(
    body.actions.map(({ is_done }: Json) => is_done),
    [true, true, true, true, false, false],
  );
  const written = model.calls.at(-1)?.body.messages.find(({ tool_calls }: Json) => tool_calls);
  assert.deepEqual(
    written.tool_calls.map((each: Json) => each.function.arguments),
    ['{}', '{}', '{}', '{}', '{"a":1}', '{}'],
  );
});

test('a model reads rows that belong to its contact or to no one, and never those of other contacts', async () => {
  await attempt([['read_table', { table: 'orders', search: 'cake' }]]);
  assert.deepEqual(returned(), ['[{"order":"cake for everybody"}]']);
  const from = makePhoneNumber();
  const { _id: contact_id } = await create('/v1/contacts', { phone_number: `+${from}` });
  await create(`/v1/tables/${table._id}/rows`, { data: { order: 'pie of mine' }, contact_id });
  script([
    ['read_table', { table: 'orders', search: 'PIE mine' }],
    ['read_table', { table: 'orders', search: 'stranger' }],
  ]);
  const { conversation } = await converse(from);
  assert.equal(conversation.contact, contact_id);
  assert.deepEqual(returned(), ['[{"order":"pie of mine"}]', '[]']);
});

test('a model finds rows by words of one and two letters, with accents and without', async () => {
  await create(`/v1/tables/${table._id}/rows`, { data: { order: 'TV 5 pol. à vista' } });
  await attempt([
    ['read_table', { table: 'orders', search: 'tv 5' }],
    ['read_table', { table: 'orders', search: 'TV 7' }],
    ['read_table', { table: 'orders', search: 'À tv' }],
  ]);
  const found = '[{"order":"TV 5 pol. à vista"}]';
  assert.deepEqual(returned(), [found, '[]', found]);
});

test('a file of the knowledge base is sent after the answer', async () => {
  script([['send_file', { name: 'Menu' }]], 'Here is our menu.');
  const { turn, messages } = await converse();
  const [, text, file] = messages;
  assert.deepEqual([turn.message, turn.file_message], [text._id, file._id]);
  assert.deepEqual([file.contentType, file.attachment], ['IMAGE', menu.attachment]);
  assert.equal((await listNetworkMessages(platform, file._id)).length, 1);
});

test('calls of functions that the agent does not allow, or with wrong arguments, are refused with a reason', async () => {
  const wrong: [Call, RegExp][] = [
    ['send_money', /no such function/],
    [['search_knowledge', { query: 7 }], /do not fit/],
    [['write_field', { record: 'contact', field: 'budget', value: 'much' }], /must be a number/],
    [['write_field', { record: 'contact', field: 'size', value: 'M' }], /no such field/],
    [['move_step', { name: pipeline.steps[0]._id }], /no such step/],
    [['send_file', { name: newId() }], /no such file/],
    [['read_table', { table: table._id, search: 'cake' }], /no such table/],
  ];
  const { actions } = await attempt(wrong.map(([given]) => given));
  for (const [index, [, reason]] of wrong.entries()) {
    assert.equal(actions[index].is_done, false);
    assert.match(actions[index].note, reason);
  }
  const refused = await attempt(
    ALL.map((name) => name.toLowerCase()),
    bare._id,
  );
  assert.ok(refused.actions.every(({ is_done }: Json) => !is_done));
  assert.deepEqual(
    model.calls.at(-1)?.body.tools.map((tool: Json) => tool.function.name),
    ['hand_over'],
  );
});

test('the calls of a turn are counted before they run, and none runs when they are too many', async () => {
  const { reason, actions } = await attempt(Array.from({ length: 9 }, () => ['move_step', { name: 'Won' }] as Call));
  assert.deepEqual([reason, actions], ['BUDGET_SPENT', []]);
  const before = model.calls.length;
  model.answer((_asked, response) => sendJson(response, say(null, [['search_knowledge', { query: 'cakes' }]])));
  const endless = await call(200, 'POST', `/v1/agents/${agent._id}/try`, { body: { message: 'Hello' } });
  assert.deepEqual([endless.body.reason, model.calls.length - before], ['BUDGET_SPENT', 4]);
});

test('a table of another company is unknown, and a removed one leaves its agents', async () => {
  const answer = await call(400, 'PATCH', `/v1/agents/${agent._id}`, { body: { tables: [table._id, newId()] } });
  expectProblem(answer, 'UNKNOWN_REFERENCE', 'tables[1]');
  await call(200, 'DELETE', `/v1/tables/${table._id}`);
  assert.deepEqual((await read(`/v1/agents/${agent._id}`)).tables, []);
});

test('a conversation that has used up its tokens of the day goes to a person, and others are answered', async () => {
  model.answer((_asked, response) => sendJson(response, say('Done!')));
  const from = makePhoneNumber();
  const { conversation } = await converse(from);
  const used = 'select tokens::int as tokens from agent_conversation_budgets where conversation_id = $1';
  assert.deepEqual(await database.sql(used, [conversation._id]), [{ tokens: 128 }]);
  const spend = 'update agent_conversation_budgets set tokens = 199000 where conversation_id = $1';
  await database.sql(spend, [conversation._id]);
  const before = await countTokens();
  const calls = model.calls.length;
  await writeAsContact(platform, { from, text: 'Hello again' });
  const spent = await waitUntil('a person to take over', async () => {
    const [turn] = (await read(`/v1/agents/turns?conversation=${conversation._id}`)).result;
    return turn.outcome === 'HANDED_OVER' && turn;
  });
  assert.deepEqual([spent.reason, model.calls.length], ['BUDGET_SPENT', calls]);
  assert.equal(await countTokens(), before);
  assert.equal((await converse()).turn.outcome, 'ANSWERED');
});

test('a turn says what its tokens have cost by the prices of its agent', async () => {
  assert.equal((await attempt([])).cost, null);
  const prices = { currency: 'USD', input: 3, output: 15 };
  const { body } = await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { prices } });
  assert.deepEqual(body.prices, { ...prices, transcription: null });
  const cost = { amount: 0.00048, currency: 'USD' };
  assert.deepEqual((await attempt([])).cost, cost);
  model.answer((_asked, response) => sendJson(response, say('Done!')));
  const { turn } = await converse();
  assert.deepEqual(turn.cost, cost);
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { prices: { ...prices, input: 30 } } });
  assert.deepEqual((await read(`/v1/agents/turns?conversation=${turn.conversation}`)).result[0].cost, cost);
  for (const [wrong, path] of [
    [{ ...prices, currency: 'usd' }, 'prices.currency'],
    [{ ...prices, input: -1 }, 'prices.input'],
    [{ currency: 'USD', input: 1 }, 'prices.output'],
  ] as const)
    expectProblem(
      await call(400, 'PATCH', `/v1/agents/${agent._id}`, { body: { prices: wrong } }),
      'VALIDATION_FAILED',
      path,
    );
});

test('when the tokens of the day are used up, the model is not called and a person takes over', async () => {
  const before = await countTokens();
  await attempt([]);
  assert.equal((await countTokens()) - before, 128);
  await database.sql('update agent_budgets set tokens = 1999000 where company_id = $1', [demo._id]);
  const calls = model.calls.length;
  const { reason } = await attempt([]);
  assert.deepEqual([reason, model.calls.length], ['BUDGET_SPENT', calls]);
});
