/** What a contact is told when a person takes over from an agent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const WORD = 'Uma pessoa já vai responder.';
const agent = (
  await call(201, 'POST', '/v1/agents', {
    body: {
      name: 'Ana',
      type: 'AI',
      handoff_message: WORD,
      handoff: { enabled: true, keywords: ['atendente'], max_turns: 20 },
    },
  })
).body._id;
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });
const change = (body: Json): Promise<unknown> => call(200, 'PATCH', `/v1/agents/${agent}`, { body });

const write = async (text = 'Quero um atendente.', from = makePhoneNumber()): Promise<string> =>
  (await writeAsContact(platform, { from, text })).conversation._id;
const listOutgoing = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}?sort=createdAt`)).body.result.filter(
    ({ message_type }: Json) => message_type === 'OUTGOING',
  );
/** Waits for so many turns of the conversation to be settled, and returns the last. */
const waitForTurn = (conversation: string, count = 1): Promise<Json> =>
  waitUntil('the turn of the agent', async () => {
    await database.sql(
      'update pending_turns set held_until = now() where conversation_id = $1 and claimed_at is null and not is_waiting',
      [conversation],
    );
    const { result } = (await call(200, 'GET', `/v1/agents/turns?conversation=${conversation}`)).body;
    // A turn is there before its message is sent.
    const open = 'select from agent_turns where conversation_id = $1 and settle_until is not null';
    return result.length === count && (await database.sql(open, [conversation])).length === 0 && result[0];
  });

test('a contact is told once, as the agent, that a person takes over, and goes on waiting', async () => {
  const from = makePhoneNumber();
  const conversation = await write('Quero um atendente.', from);
  const turn = await waitForTurn(conversation);
  const [told, ...more] = await waitUntil('the message to be sent', async () => {
    const outgoing = await listOutgoing(conversation);
    return outgoing.every(({ status }) => status !== 'QUEUED') && outgoing;
  });
  assert.deepEqual(more, []);
  assert.deepEqual(
    [told?.['content'], told?.['sender_type'], told?.['origin'], told?.['agent'], told?.['status']],
    [WORD, 'AGENT', 'AGENT', agent, 'SENT'],
  );
  assert.deepEqual([turn.outcome, turn.reason, turn.message], ['HANDED_OVER', 'KEYWORD', told?.['_id']]);
  const [delivery] = await platform.deliveries(({ body }) => body.data._id === told?.['_id']);
  assert.equal(delivery?.body.event, 'MESSAGE_SENT');
  const { handled_by, unread_count, waiting_since } = (await call(200, 'GET', `/v1/conversations/${conversation}`))
    .body;
  assert.deepEqual([handled_by, unread_count, typeof waiting_since], ['HUMAN', 1, 'string']);
  await write('Alô?', from);
  assert.equal((await listOutgoing(conversation)).length, 1);
});

test('nothing is sent where the reply window has closed, where the agent is switched off, and without a text', async () => {
  const closed = await write();
  await database.sql(`update conversations set window_expires_at = now() where _id = $1`, [closed]);
  const turns = [await waitForTurn(closed)];
  await change({ status: 'INACTIVE' });
  const inactive = await write();
  turns.push(await waitForTurn(inactive));
  await change({ status: 'ACTIVE', handoff_message: null });
  const silent = await write();
  turns.push(await waitForTurn(silent));
  await change({ handoff_message: WORD });
  assert.deepEqual(
    turns.map(({ reason, message }) => [reason, message]),
    [
      ['KEYWORD', null],
      ['AGENT_INACTIVE', null],
      ['KEYWORD', null],
    ],
  );
  for (const conversation of [closed, inactive, silent]) assert.deepEqual(await listOutgoing(conversation), []);
});

test('when a worker died while it told a contact, the reason of the handover stays, and nothing is sent again', async () => {
  const conversation = await write();
  const { message } = await waitForTurn(conversation);
  await database.sql(`update messages set status = 'QUEUED' where _id = $1`, [message]);
  await database.sql('update agent_turns set settle_until = now() where conversation_id = $1', [conversation]);
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.reason], ['HANDED_OVER', 'KEYWORD']);
  assert.equal((await listOutgoing(conversation)).length, 1);
});

test('a word that the network does not take leaves the handover as it is', async () => {
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131026, times: 1 }] } });
  const conversation = await write();
  const turn = await waitForTurn(conversation);
  assert.deepEqual([turn.outcome, turn.reason], ['HANDED_OVER', 'KEYWORD']);
});

test('a try shows what the contact would be told, and a blank text is refused', async () => {
  const { body } = await call(200, 'POST', `/v1/agents/${agent}/try`, { body: { message: 'Um atendente!' } });
  assert.deepEqual([body.answer, body.handoff_message], [null, WORD]);
  const answer = await call(400, 'PATCH', `/v1/agents/${agent}`, { body: { handoff_message: ' ' } });
  expectProblem(answer, 'VALIDATION_FAILED', 'handoff_message');
});
