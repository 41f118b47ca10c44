/** What agents answer, when they answer, and when a person takes over. No model is set up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { listEventNames, silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { openSite, visit } from '../../../../test/support/web-chat.ts';
import { purgeTurns } from './upkeep.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const shop = `# Entrega

Entregamos bolos em toda a cidade de **segunda a sexta**.

# Pagamento

Aceitamos cartões de crédito e dinheiro.`;
const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Padaria', content: shop } })).body._id;
await waitUntil('the item to be prepared', async () => {
  const { body } = await call(200, 'GET', `/v1/knowledge/${item}`);
  return body.status === 'READY';
});
const agent = (
  await call(201, 'POST', '/v1/agents', {
    body: { name: 'Ana', type: 'AI', handoff: { enabled: true, keywords: ['atendente humano'], max_turns: 2 } },
  })
).body._id;
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });

const readConversation = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const listMessages = async (id: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${id}?sort=createdAt`)).body.result;
const listTurns = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/agents/turns?conversation=${conversation}&sort=createdAt`)).body.result;
const write = async (text: string, from = makePhoneNumber()): Promise<string> =>
  (await writeAsContact(platform, { from, text })).conversation._id;
/** Ends the pause in which a turn waits for further messages. */
const endWait = (conversation: string): Promise<unknown> =>
  database.sql(
    'update pending_turns set held_until = now() where conversation_id = $1 and claimed_at is null and not is_waiting',
    [conversation],
  );
const waitForTurn = (conversation: string, count = 1): Promise<Json> =>
  waitUntil('the turn of the agent', async () => {
    await endWait(conversation);
    const open = `select from pending_turns where conversation_id = $1
      union all select from agent_turns where conversation_id = $1 and settle_until is not null`;
    if ((await database.sql(open, [conversation])).length > 0) return null;
    const turns = await listTurns(conversation);
    return turns.length === count && turns.at(-1);
  });
/** Waits until the conversation has no turn that is still to come. */
const waitForEnd = (conversation: string): Promise<boolean> =>
  waitUntil('the turn to end', async () => {
    await endWait(conversation);
    const turns = await database.sql('select 1 from pending_turns where conversation_id = $1', [conversation]);
    return turns.length === 0;
  });

test('without a model an agent answers with the passage that has most of the question, and names its source', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.reason, turn.model, turn.passages[0].item], ['ANSWERED', null, null, item]);
  const [asked, answer] = await listMessages(conversation);
  assert.deepEqual([turn.asked, turn.message], [asked._id, answer._id]);
  assert.equal(answer.content, 'Entregamos bolos em toda a cidade de *segunda a sexta*.\n\nFonte: Padaria');
  const { sender_type, origin, agent: author, sender, status } = answer;
  assert.deepEqual([sender_type, origin, author, sender], ['AGENT', 'AGENT', agent, agent]);
  assert.equal(status, 'SENT');
  assert.ok((await listEventNames(platform, answer._id)).includes('MESSAGE_SENT'));
  assert.equal((await readConversation(conversation)).handled_by, 'AI');
});

test('bold words of a passage have no marks on a network that shows marks as they are', async () => {
  const visitor = await visit(platform, await openSite(platform, {}, { default_agent: agent }));
  const { _id } = await visitor.write('Vocês entregam bolo na cidade?');
  const { conversation } = (await call(200, 'GET', `/v1/messages/${_id}`)).body;
  await waitForTurn(conversation);
  const [, answer] = await listMessages(conversation);
  assert.equal(answer.content, 'Entregamos bolos em toda a cidade de segunda a sexta.\n\nFonte: Padaria');
});

test('a question that no passage answers goes to a person, and the conversation says so', async () => {
  const conversation = await write('Qual é a capital da Mongólia?');
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.reason, turn.message], ['HANDED_OVER', 'NO_ANSWER', null]);
  assert.equal((await readConversation(conversation)).handled_by, 'HUMAN');
  assert.equal((await listMessages(conversation)).length, 1);
  assert.ok((await listEventNames(platform, conversation)).includes('CONVERSATION_UPDATED'));
});

test('messages that follow each other are answered together', async () => {
  const from = makePhoneNumber();
  const conversation = await write('Oi, tudo bem?', from);
  await write('Vocês entregam bolo', from);
  await write('na cidade?', from);
  const turn = await waitForTurn(conversation);
  const messages = await listMessages(conversation);
  assert.equal(messages.length, 4);
  assert.equal(turn.asked, messages[2]._id);
});

test('without a model, questions that follow each other are each answered with their passage, in one message', async () => {
  const from = makePhoneNumber();
  const conversation = await write('Vocês entregam bolo na cidade?', from);
  await write('Aceitam cartões de crédito?', from);
  const turn = await waitForTurn(conversation);
  const answers = (await listMessages(conversation)).filter(({ sender_type: type }) => type === 'AGENT');
  const delivery = 'Entregamos bolos em toda a cidade de *segunda a sexta*.';
  assert.deepEqual(
    answers.map(({ content }) => content),
    [`${delivery}\n\nAceitamos cartões de crédito e dinheiro.\n\nFonte: Padaria`],
  );
  assert.equal(new Set(turn.passages.map(({ position }: Json) => position)).size, turn.passages.length);
});

test('a keyword hands over, whatever its case and accents', async () => {
  const conversation = await write('Quero falar com um ATENDENTE HUMANO, vocês entregam bolo na cidade?');
  assert.equal((await waitForTurn(conversation)).reason, 'KEYWORD');
});

test('after max_turns answers a person takes over, and starts again when the conversation is handed back', async () => {
  const from = makePhoneNumber();
  const conversation = await write('Vocês entregam bolo na cidade?', from);
  await waitForTurn(conversation);
  await write('Aceitam cartões de crédito?', from);
  assert.equal((await waitForTurn(conversation, 2)).outcome, 'ANSWERED');
  await write('Aceitam dinheiro?', from);
  assert.equal((await waitForTurn(conversation, 3)).reason, 'MAX_TURNS');
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { handled_by: 'AI' } });
  await write('Aceitam dinheiro?', from);
  assert.equal((await waitForTurn(conversation, 4)).outcome, 'ANSWERED');
});

test('an INACTIVE agent hands over instead of answering', async () => {
  await call(200, 'PATCH', `/v1/agents/${agent}`, { body: { status: 'INACTIVE' } });
  const conversation = await write('Vocês entregam bolo na cidade?');
  assert.equal((await waitForTurn(conversation)).reason, 'AGENT_INACTIVE');
  await call(200, 'PATCH', `/v1/agents/${agent}`, { body: { status: 'ACTIVE' } });
});

test('a person who writes takes over from the agent, which does not answer any more', async () => {
  const operator = await platform.createUser(demo._id, 'OPERATOR');
  const from = makePhoneNumber();
  const conversation = await write('Vocês entregam bolo na cidade?', from);
  const body = { conversationId: conversation, message: { content: 'Sim!', contentType: 'TEXT' } };
  await call(201, 'POST', '/v1/messages/send-text', { body, key: operator.token });
  assert.equal((await readConversation(conversation)).handled_by, 'HUMAN');
  await waitForEnd(conversation);
  assert.deepEqual(await listTurns(conversation), []);
  assert.deepEqual(
    (await listMessages(conversation)).map(({ content }: Json) => content),
    ['Vocês entregam bolo na cidade?', 'Sim!'],
  );
});

test('what the company writes by a key in between does not hide the question', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const message = { content: 'Recebemos a sua mensagem.', contentType: 'TEXT' };
  await call(201, 'POST', '/v1/messages/send-text', { body: { conversationId: conversation, message } });
  assert.equal((await waitForTurn(conversation)).outcome, 'ANSWERED');
});

test('a turn goes to the agent that the conversation has got meanwhile', async () => {
  const other = (await call(201, 'POST', '/v1/agents', { body: { name: 'Bia', type: 'AI' } })).body._id;
  const conversation = await write('Vocês entregam bolo na cidade?');
  // The conversation is locked, so that the first agent finds its answer and cannot store it yet.
  const holder = new pg.Client(database.ownerUrl);
  await holder.connect();
  await holder.query('begin');
  await holder.query('update conversations set agent_id = $2 where _id = $1', [conversation, other]);
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await endWait(conversation);
  await waitUntil('the first agent to wait', async () => (await database.sql(blocked)).length > 0);
  await holder.query('commit');
  await holder.end();
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.agent], ['ANSWERED', other]);
});

test('a turn of a company that was suspended meanwhile is not answered', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const setStatus = (status: string) =>
    call(200, 'PATCH', `/v1/companies/${demo._id}`, { key: platform.globalKey, body: { status } });
  await setStatus('SUSPENDED');
  await waitForEnd(conversation);
  await setStatus('ACTIVE');
  assert.equal((await listMessages(conversation)).length, 1);
});

test('an answer whose outcome is unknown is not sent again, and the conversation goes to a person', async () => {
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ kind: 'reset' }] } });
  const conversation = await write('Vocês entregam bolo na cidade?');
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.reason], ['HANDED_OVER', 'OUTCOME_UNKNOWN']);
  assert.equal((await readConversation(conversation)).handled_by, 'HUMAN');
});

test('a turn whose worker died before the answer was sent is taken again, and answered once', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const died = `update pending_turns set claimed_at = now(), attempts = 1, held_until = now(), is_waiting = false where conversation_id = $1 returning 1`;
  assert.equal((await database.sql(died, [conversation])).length, 1);
  assert.equal((await waitForTurn(conversation)).outcome, 'ANSWERED');
  assert.equal((await listMessages(conversation)).length, 2);
});

test('a turn that has killed its workers goes to a person', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const died = `update pending_turns set attempts = 3, held_until = now(), is_waiting = false where conversation_id = $1`;
  await database.sql(died, [conversation]);
  assert.equal((await waitForTurn(conversation)).reason, 'ANSWER_FAILED');
});

test('when a worker died while it sent an answer, a person takes over and nothing is sent again', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  const { message } = await waitForTurn(conversation);
  await database.sql(`update messages set status = 'QUEUED' where _id = $1`, [message]);
  await database.sql('update agent_turns set settle_until = now() where conversation_id = $1', [conversation]);
  await waitUntil('a person to take over', async () => (await readConversation(conversation)).handled_by === 'HUMAN');
  const [turn] = await listTurns(conversation);
  assert.deepEqual([turn?.outcome, turn?.reason], ['HANDED_OVER', 'OUTCOME_UNKNOWN']);
  assert.equal((await listMessages(conversation)).length, 2);
});

test('old turns are deleted, and younger ones are kept', async () => {
  const conversation = await write('Vocês entregam bolo na cidade?');
  await waitForTurn(conversation);
  await purgeTurns(platform.running.kit);
  assert.equal((await listTurns(conversation)).length, 1);
  await database.sql(`update agent_turns set created_at = now() - interval '91 days' where conversation_id = $1`, [
    conversation,
  ]);
  await purgeTurns(platform.running.kit);
  assert.deepEqual(await listTurns(conversation), []);
});

test('trying an agent shows its answer and what it has read, and sends nothing', async () => {
  const { body } = await call(200, 'POST', `/v1/agents/${agent}/try`, { body: { message: 'Aceitam cartões?' } });
  assert.match(body.answer, /^Aceitamos cartões de crédito e dinheiro\.\n\nFonte: Padaria$/);
  assert.deepEqual([body.outcome, body.passages[0].item, body.passages[0].coverage], ['ANSWERED', item, 1]);
});
