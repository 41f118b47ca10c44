/** Merging two conversations of a contact: what moves, how the one that stays goes on, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { measureBytes } from '../../../../test/support/rows.ts';
import {
  readEvents,
  readRawAnswer,
  sendText,
  silenceNetwork,
  writeAsContact,
} from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const PATH = '/v1/conversations';

const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const readConversation = (id: string): Promise<Json> => read(`${PATH}/${id}`);
const change = async (id: string, body: Json): Promise<Json> =>
  (await call(200, 'PATCH', `${PATH}/${id}`, { body })).body;
const merge = async (status: number, to: string, from: string, options: Json = {}): Promise<Json> =>
  call(status, 'POST', `${PATH}/${to}/merge`, { body: { conversation: from }, ...options });
const merged = async (to: string, from: string): Promise<Json> => (await merge(201, to, from)).body;
const listMessages = async (id: string): Promise<Json[]> =>
  (await read(`/v1/messages/conversation/${id}?sort=createdAt&limit=100`)).result;
const count = async (table: string, conversation: string): Promise<number> =>
  (await database.sql(`select 1 from ${table} where conversation_id = $1`, [conversation])).length;

/** A contact with a closed conversation and a later one that is open. */
async function serveTwice(): Promise<{ from: string; contact: string; older: string; newer: string }> {
  const from = makePhoneNumber();
  const first = await writeAsContact(platform, { from, text: 'first' });
  await change(first.conversation._id, { status: 'CLOSED' });
  const second = await writeAsContact(platform, { from, text: 'second' });
  return { from, contact: first.contact._id, older: first.conversation._id, newer: second.conversation._id };
}

test('the conversation that stays has the messages of both in the order of their times, and the other id is unknown', async () => {
  const { from, older, newer } = await serveTwice();
  const asked = await listMessages(older);
  const answer = await sendText(platform, newer);
  const body = await merged(newer, older);
  assert.deepEqual(await readConversation(newer), body);
  assert.deepEqual(
    (await listMessages(newer)).map(({ content, conversation }) => [content, conversation]),
    ['first', 'second', 'Olá'].map((content) => [content, newer]),
  );
  assert.deepEqual([body.status, body.last_message._id], ['OPEN', answer._id]);
  await call(404, 'GET', `${PATH}/${older}`);
  // What was written in the other conversation can be answered here.
  const reply = await sendText(platform, newer, { replyTo: asked[0]?._id });
  assert.deepEqual([reply.status, reply.reply_to], ['SENT', asked[0]?._id]);
  assert.equal((await writeAsContact(platform, { from })).conversation._id, newer);
});

test('a closed conversation into which the open one is merged goes on in its place, with its assignment, waiting time and reply window', async () => {
  const { from, older, newer } = await serveTwice();
  const ana = await platform.createUser(demo._id, 'OPERATOR', 'Ana');
  await change(older, { tags: ['old'], priority: 'LOW' });
  const open = await change(newer, { owner: ana._id, status: 'PENDING', tags: ['new'], priority: 'HIGH' });
  const before = await readConversation(older);
  const body = await merged(older, newer);
  const { status, owner, waiting_since, window_expires_at, last_inbound_at, last_message, last_message_at } = open;
  const taken = { status, owner, waiting_since, window_expires_at, last_inbound_at, last_message, last_message_at };
  assert.deepEqual(body, {
    ...before,
    ...taken,
    closed_at: null,
    tags: ['old', 'new'],
    unread_count: before.unread_count + open.unread_count,
    updatedAt: body.updatedAt,
  });
  assert.equal(body.priority, 'LOW');
  const next = await writeAsContact(platform, { from });
  assert.deepEqual([next.conversation._id, next.conversation.waiting_since], [older, waiting_since]);
});

test('an open conversation keeps its status and assignment when a closed one is merged into it, and its empty fields are filled', async () => {
  const { older, newer } = await serveTwice();
  const body = { title: 'Order', slug: `order_${newId()}`, context: 'conversation', type: 'TEXT' };
  const { slug } = (await call(201, 'POST', '/v1/custom-fields', { body })).body;
  const ana = await platform.createUser(demo._id, 'OPERATOR');
  await change(older, { owner: ana._id, priority: 'URGENT', custom_fields: { [slug]: 'A-7' } });
  const { status, waiting_since } = await readConversation(newer);
  const kept = await merged(newer, older);
  assert.deepEqual([kept.owner, kept.status, kept.waiting_since], [ana._id, status, waiting_since]);
  assert.equal(kept.priority, 'URGENT');
  assert.equal(kept.custom_fields.find((field: Json) => field.slug === slug)?.value, 'A-7');
});

test('a merge emits CONVERSATION_UPDATED and CONVERSATION_MERGED, and the history names the other conversation and who merged them', async () => {
  const { contact, older, newer } = await serveTwice();
  const ana = await platform.createUser(demo._id, 'OPERATOR', 'Ana');
  const before = (await readEvents(platform, newer)).length;
  await merge(201, newer, older, { key: ana.token });
  const [updated, told, ...more] = (await readEvents(platform, newer)).slice(before);
  assert.deepEqual(updated, { event: 'CONVERSATION_UPDATED', data: await readConversation(newer) });
  const { mergedAt } = told?.data ?? {};
  const data = { conversationId: newer, mergedId: older, contactId: contact, companyId: demo._id, mergedAt };
  assert.deepEqual(told, { event: 'CONVERSATION_MERGED', data });
  assert.deepEqual(more, []);
  const { result } = await read(`${PATH}/${newer}/history?sort=-createdAt`);
  const entry = result.find(({ changes }: Json) => changes[0].field === 'merged');
  assert.deepEqual([entry.actor.name, entry.changes[0].from, entry.changes[0].to], ['Ana', older, newer]);
  // The history of the other one has moved as well.
  const closings = result.filter(({ changes }: Json) => changes.some(({ to }: Json) => to === 'CLOSED'));
  assert.equal(closings.length, 1);
});

test('the audit records a merge and its author as conversations.merge', async () => {
  const { older, newer } = await serveTwice();
  await merge(201, newer, older);
  assert.equal((await read(`/v1/audit?resource=${newer}`)).result[0].action, 'conversations.merge');
});

test('scheduled messages, followers and notifications move, and no user has two unread notifications of a kind', async () => {
  const { older, newer } = await serveTwice();
  const [ana, bia] = [await platform.createUser(demo._id, 'OPERATOR'), await platform.createUser(demo._id, 'OPERATOR')];
  for (const [id, users] of [
    [older, [ana, bia]],
    [newer, [ana]],
  ] as const) {
    const message = { content: 'Look' };
    const mentions = users.map(({ _id }) => _id);
    await call(201, 'POST', '/v1/messages/note', { body: { conversationId: id, message, mentions } });
  }
  const { body: planned } = await call(201, 'POST', '/v1/scheduled-messages', {
    body: {
      conversation: older,
      message: { contentType: 'TEXT', content: 'Later' },
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  await merge(201, newer, older);
  assert.equal((await read(`/v1/scheduled-messages/${planned._id}`)).conversation, newer);
  const { participants } = await read(`${PATH}/${newer}/participants`);
  assert.deepEqual(new Set(participants.map(({ user }: Json) => user)), new Set([ana._id, bia._id]));
  for (const [user, total] of [
    [ana, 2],
    [bia, 1],
  ] as const) {
    const { result } = (await call(200, 'GET', '/v1/notifications', { key: user.token })).body;
    const unread = result.filter(({ kind, readAt, read_at }: Json) => kind === 'MENTIONED' && !(readAt ?? read_at));
    assert.deepEqual(
      unread.map((each: Json) => [each.conversation, each.count]),
      [[newer, total]],
    );
  }
});

test('answers that agents owe, their turns, follow-ups, surveys and away texts move with the open conversation', async () => {
  const { older, newer } = await serveTwice();
  const { body: agent } = await call(201, 'POST', '/v1/agents', { body: { name: 'Aurora', type: 'AI' } });
  const message = (await listMessages(newer))[0]?._id;
  const values = [demo._id, newer, agent._id, message];
  await database.sql(
    `insert into pending_turns (company_id, conversation_id, message_id, held_until)
      select $1, $2, $4, now() + interval '1 hour' where $3 <> ''`,
    values,
  );
  await database.sql(
    `insert into agent_turns (company_id, _id, agent_id, conversation_id, asked_id, outcome, passages, latency_ms)
      values ($1, new_id(), $3, $2, $4, 'ANSWERED', '[]', 1)`,
    values,
  );
  await database.sql(
    `insert into follow_ups (company_id, _id, agent_id, conversation_id, index, content, scheduled_at)
      select $1, new_id(), $3, $2, 0, 'Still there?', now() + interval '1 day' where $4 <> ''`,
    values,
  );
  await database.sql(
    `insert into away_texts (company_id, _id, conversation_id, closed_until, ended_at)
      select $1, new_id(), v, 'infinity', now() from unnest(array[$2, $3]) v`,
    [demo._id, newer, older],
  );
  await database.sql(
    `insert into csat_surveys (company_id, _id, conversation_id, inbox_id, question, ended_at, is_waiting)
      values ($1, new_id(), $2, $3, '?', now(), false)`,
    [demo._id, newer, demo.inbox],
  );
  await database.sql(
    `insert into agent_conversation_budgets (company_id, conversation_id, day, tokens)
      select $1, v, '2026-01-01', 7 from unnest(array[$2, $3]) v`,
    [demo._id, newer, older],
  );
  await merge(201, older, newer);
  for (const table of ['pending_turns', 'agent_turns', 'follow_ups', 'csat_surveys', 'away_texts'])
    assert.equal(await count(table, older), 1, table);
  const [budget] = await database.sql('select tokens::int from agent_conversation_budgets where conversation_id = $1', [
    older,
  ]);
  assert.deepEqual(budget, { tokens: 14 });
});

test('the places of the conversation in campaigns and bulk sends move, also after it was closed', async () => {
  const { contact, older, newer } = await serveTwice();
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { body: { name: 'Launch', inbox: demo.inbox } });
  const enrollment = newId();
  await database.sql(
    `insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, conversation_id, status)
      values ($1, $2, $3, $4, $5, 'SENT')`,
    [demo._id, enrollment, campaign._id, contact, older],
  );
  await database.sql('update conversations set campaign_id = $2, enrollment_id = $3 where _id = $1', [
    older,
    campaign._id,
    enrollment,
  ]);
  const run = newId();
  await database.sql(
    `insert into bulk_runs (company_id, _id, inbox_id, template, components, options, actor, total, error_count, completed_at)
      values ($1, $2, $3, '{}', '[]', '{}', '{}', 1, 0, now())`,
    [demo._id, run, demo.inbox],
  );
  await database.sql(
    `insert into bulk_rows (company_id, run_id, row, phone, status, contact_id, conversation_id) values ($1, $2, 1, '1', 'SENT', $3, $4)`,
    [demo._id, run, contact, older],
  );
  const body = await merged(newer, older);
  assert.deepEqual([body.campaign, body.enrollment], [campaign._id, enrollment]);
  for (const table of ['campaign_enrollments', 'bulk_rows'])
    assert.deepEqual([await count(table, newer), await count(table, older)], [1, 0], table);
});

test('the clocks of an SLA policy go on in the conversation that stays', async () => {
  const terms = { name: 'Quick', first_reply_minutes: 30, close_minutes: 240 };
  const { body: policy } = await call(201, 'POST', '/v1/sla-policies', { body: terms });
  const { older, newer } = await serveTwice();
  const settle = async (id: string): Promise<Json> => {
    await waitUntil('all turns to be taken', async () => (await database.sql('select from sla_turns')).length === 0);
    return readConversation(id);
  };
  const { sla } = await settle(newer);
  assert.ok(sla.first_reply_due_at);
  await merge(201, older, newer);
  assert.deepEqual((await settle(older)).sla, sla);
  await call(200, 'DELETE', `/v1/sla-policies/${policy._id}`);
});

test('a merge is no news: no report counts a conversation as reopened, no rule runs and no user is notified', async () => {
  const { older, newer } = await serveTwice();
  const ana = await platform.createUser(demo._id, 'OPERATOR');
  await change(newer, { owner: ana._id, tags: ['vip'] });
  const rules: string[] = [];
  for (const [event, tag] of [
    ['CONVERSATION_OPENED', 'greeted'],
    ['CONVERSATION_ASSIGNED', 'assigned'],
    ['TAG_ADDED', 'tagged'],
  ]) {
    const { body } = await call(201, 'POST', '/v1/rules', { body: { name: tag, event, actions: { add_tags: [tag] } } });
    await call(200, 'PATCH', `/v1/rules/${body._id}`, { body: { is_active: true } });
    rules.push(body._id);
  }
  const settle = () =>
    waitUntil('all facts and rules to be looked at', async () => {
      const [left] = await database.sql<{ count: number }>(
        'select (select count(*) from report_facts)::int + (select count(*) from rule_events)::int as count',
      );
      return left?.count === 0;
    });
  const readFigures = async (): Promise<Json> => {
    await settle();
    return (await read('/v1/reports/summary')).figures;
  };
  const notified = 'select 1 from notifications where user_id = $1';
  const before = [await readFigures(), await database.sql(notified, [ana._id])];
  await merge(201, older, newer);
  assert.deepEqual([await readFigures(), await database.sql(notified, [ana._id])], before);
  assert.deepEqual((await readConversation(older)).tags, ['vip']);
  const [times] = await database.sql(
    'select opened_at = created_at as is_same, opened_at > created_at as is_later from conversations where _id = $1',
    [older],
  );
  // The time to the close begins with the opening of the conversation that was open.
  assert.deepEqual(times, { is_same: false, is_later: true });
  for (const id of rules) await call(200, 'DELETE', `/v1/rules/${id}`);
});

test('the stored bytes of the company are exact after a merge', async () => {
  const { older, newer } = await serveTwice();
  const measure = async (): Promise<number> => {
    const { counted, records } = await measureBytes(platform, demo._id);
    return counted - records;
  };
  assert.equal(await measure(), 0);
  await merge(201, newer, older);
  assert.equal(await measure(), 0);
});

test('the end of a snooze moves to the conversation that stays', async () => {
  const { older, newer } = await serveTwice();
  const snoozed_until = new Date(Date.now() + 3_000).toISOString();
  await change(newer, { status: 'SNOOZED', snoozed_until });
  const body = await merged(older, newer);
  assert.deepEqual([body.status, body.snoozed_until], ['SNOOZED', snoozed_until]);
  await waitUntil('the snooze to end', async () => (await readConversation(older)).status === 'OPEN');
});

test('a message that arrives during a merge is stored in the conversation that stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { from, contact, older, newer } = await serveTwice();
    const [to, gone] = round % 2 === 0 ? [older, newer] : [newer, older];
    const writes = [1, 2, 3].map((n) => platform.sandbox('POST', '/sandbox/inbound', { from, text: `meanwhile ${n}` }));
    const sends = sendTextAnyway(gone);
    const { status } = await merge(201, to, gone);
    assert.equal(status, 201);
    for (const answer of await Promise.all(writes)) assert.equal((answer as Json)['status'], 200);
    const sent = (await sends) === 201 ? 1 : 0;
    assert.equal((await listMessages(to)).length, 5 + sent);
    const rows = await database.sql('select _id, status from conversations where contact_id = $1', [contact]);
    assert.deepEqual(rows, [{ _id: to, status: 'OPEN' }]);
  }
});

test('a reaction that arrives while two closed conversations are merged is stored in the one that stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { from, older, newer } = await serveTwice();
    await change(newer, { status: 'CLOSED' });
    const [message] = await listMessages(newer);
    const raw = { type: 'reaction', reaction: { message_id: message?.['external_id'], emoji: '👍' } };
    const reaction = platform.sandbox('POST', '/sandbox/inbound', { from, raw });
    await merge(201, older, newer);
    assert.equal(((await reaction) as Json)['status'], 200);
    assert.equal((await listMessages(older)).length, 3);
    assert.equal((await readConversation(older)).status, 'CLOSED');
  }
});

/** Sends a text into a conversation that may be merged at this moment, and returns the status of the answer. */
async function sendTextAnyway(conversationId: string): Promise<number> {
  const response = await fetch(`${platform.url}/v1/messages/send-text`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ conversationId, message: { content: 'Olá' } }),
  });
  return response.status;
}

test('of two merges of the same conversations in both directions at the same time, one succeeds and nothing is lost', async () => {
  const { older, newer } = await serveTwice();
  const ask = async (to: string, from: string): Promise<number> => {
    const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ conversation: from });
    return (await fetch(`${platform.url}${PATH}/${to}/merge`, { method: 'POST', headers, body })).status;
  };
  const statuses = await Promise.all([ask(older, newer), ask(newer, older)]);
  assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join());
  const left = statuses[0] === 201 ? older : newer;
  assert.equal((await listMessages(left)).length, 2);
});

test('a merge with itself, an unknown conversation, or one of another contact, inbox, company or test mode changes nothing', async () => {
  const { contact, older, newer } = await serveTwice();
  const stranger = (await writeAsContact(platform)).conversation._id;
  const other = await platform.createCompany();
  const theirs = newId();
  const insert = (company: string, values: Json): Promise<unknown> =>
    database.sql(
      `insert into conversations (company_id, _id, contact_id, inbox_id, channel, status, handled_by, is_test)
        values ($1, $2, $3, $4, 'WAP_AUTO_CLOSER', 'CLOSED', 'NONE', $5)`,
      [company, values['_id'], values['contact'], values['inbox'], values['is_test'] ?? false],
    );
  const { body: theirInbox } = await call(201, 'POST', '/v1/inboxes', {
    key: other.key,
    body: { channel: 'WEB_V2', name: 'Theirs' },
  });
  const { body: theirContact } = await call(201, 'POST', '/v1/contacts', { key: other.key, body: { name: 'Theirs' } });
  await insert(other._id, { _id: theirs, contact: theirContact._id, inbox: theirInbox._id });
  const [elsewhere, tried] = [newId(), newId()];
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Chat' } });
  await insert(demo._id, { _id: elsewhere, contact, inbox: inbox._id });
  await insert(demo._id, { _id: tried, contact, inbox: demo.inbox, is_test: true });
  const before = await readConversation(newer);
  for (const id of [newer, stranger, elsewhere, tried])
    expectProblem(await merge(400, newer, id), 'VALIDATION_FAILED', 'conversation');
  for (const id of [newId(), theirs]) expectProblem(await merge(400, newer, id), 'UNKNOWN_REFERENCE', 'conversation');
  const body = { conversation: older };
  const answer = await readRawAnswer(platform, 'POST', `${PATH}/${theirs}/merge`, body);
  assert.equal(answer.status, 404);
  assert.deepEqual(await readRawAnswer(platform, 'POST', `${PATH}/${newId()}/merge`, body), answer);
  assert.deepEqual(await readConversation(newer), before);
  assert.equal((await listMessages(older)).length, 1);
});

test('a conversation with more than 100,000 messages is not merged into another one', async () => {
  const { contact, older, newer } = await serveTwice();
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, sender_id, message_type,
        origin, content_type, content, status, external_id)
      select $1, new_id(), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', $3, 'INCOMING', 'CHANNEL', 'TEXT', 'Oi', 'RECEIVED', $3 || n
      from generate_series(1, 100000) n`,
    [demo._id, older, contact, demo.inbox],
  );
  const { body } = await merge(400, newer, older);
  assert.equal(body.errors[0].message, 'has more than 100000 messages');
  await merge(201, older, newer);
});

test('a repeated merge answers with the conversation as it is now when it has the same Idempotency-Key, and otherwise that the other is unknown', async () => {
  const { older, newer } = await serveTwice();
  const headers = { 'idempotency-key': newId() };
  const first = await merge(201, newer, older, { headers });
  assert.deepEqual((await merge(201, newer, older, { headers })).body, first.body);
  expectProblem(await merge(400, newer, older), 'UNKNOWN_REFERENCE', 'conversation');
});

test('merging conversations refuses callers without a token or the scope, and malformed requests', async () => {
  const { newer } = await serveTwice();
  const body = { conversation: newId() };
  await checkRefusals(platform, {
    method: 'POST',
    path: `${PATH}/${newer}/merge`,
    scope: 'conversations:update',
    body,
  });
});
