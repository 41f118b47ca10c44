/** Rules: what starts them, what they look at, and what keeps them from loops. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { readEvents, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { startRules } from './loop.ts';
import { MAX_RULES, MAX_RUNS_PER_HOUR } from './schemas.ts';
import { purgeRuns } from './upkeep.ts';

const PATH = '/v1/rules';
const certificate = trustCertificate({ after });
const platform = await startPlatform();
const { call, database, demo } = platform;
await silenceNetwork(platform);

const create = async (body: Json): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { name: 'Rule', event: 'MESSAGE_RECEIVED', ...body } })).body;
const remove = (...rules: Json[]): Promise<unknown> =>
  Promise.all(rules.map(({ _id }) => call(200, 'DELETE', `${PATH}/${_id}`)));
const read = async (conversation: string): Promise<Json> =>
  (await call(200, 'GET', `/v1/conversations/${conversation}`)).body;
const change = (conversation: string, body: Json): Promise<Json> =>
  call(200, 'PATCH', `/v1/conversations/${conversation}`, { body });
const listRuns = async ({ _id }: Json): Promise<Json[]> =>
  (await call(200, 'GET', `${PATH}/${_id}/runs?limit=100`)).body.result;
/** Waits until rules have looked at everything that has happened. */
const settle = (): Promise<unknown> =>
  waitUntil('rules to look at all', async () => {
    const rows = await database.sql('select from rule_events where is_waiting or claimed_at is not null');
    return rows.length === 0;
  });
const write = async (text: string, from?: string): Promise<Json> => {
  const written = await writeAsContact(platform, { text, ...(from !== undefined && { from }) });
  await settle();
  return written;
};
const words = (...values: string[]): Json => ({
  match: 'ALL',
  conditions: [{ field: 'text', operator: 'CONTAINS_ANY_OF', values }],
});

test('a rule whose conditions hold for a message changes the conversation in one step, with history, event and run', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const rule = await create({
    name: 'Notas',
    conditions: [words('nota fiscal', 'FÁTURA')],
    actions: { owner: user._id, add_tags: ['billing'], note: 'Pediu nota', webhook: true },
  });
  const { conversation, message } = await write('Cadê a fatura?');
  const { owner, tags } = await read(conversation._id);
  assert.deepEqual([owner, tags], [user._id, ['billing']]);
  const [run] = await listRuns(rule);
  assert.deepEqual(run, {
    ...run,
    rule: rule._id,
    event: 'MESSAGE_RECEIVED',
    conversation: conversation._id,
    message: message._id,
    status: 'DONE',
    reply_skipped: null,
    scheduled_message: null,
    failure: null,
  });
  assert.deepEqual(await readEvents(platform, run?.['_id']), [{ event: 'RULE_RUN', data: run }]);
  const [entry] = (await call(200, 'GET', `/v1/conversations/${conversation._id}/history`)).body.result;
  assert.deepEqual(entry.actor, { type: 'RULE', _id: rule._id, name: 'Notas' });
  const { result } = (await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`)).body;
  const note = result.find(({ message_type }: Json) => message_type === 'NOTE');
  assert.deepEqual([note.content, note.origin, note.sender], ['Pediu nota', 'RULE', null]);
  const other = await write('Bom dia');
  assert.equal((await read(other.conversation._id)).owner, null);
  assert.equal((await listRuns(rule)).length, 1);
  await remove(rule);
});

test('a rule answers through the one sender, at most once in 24 hours per contact and inbox, and the contact still waits for a person', async () => {
  const rule = await create({ actions: { reply: 'Recebemos: {{contact.phone_number}}', add_tags: ['seen'] } });
  const { conversation, contact } = await write('Oi');
  const [run] = await listRuns(rule);
  const { sent_message, created_by } = await waitUntil('the message to be sent', async () => {
    const { body } = await call(200, 'GET', `/v1/scheduled-messages/${run?.['scheduled_message']}`);
    return body.status === 'SENT' && body;
  });
  assert.deepEqual(created_by, { type: 'RULE', _id: rule._id, name: 'Rule' });
  const { body: sent } = await call(200, 'GET', `/v1/messages/${sent_message}`);
  assert.deepEqual(
    [sent.content, sent.origin, sent.sender_type],
    [`Recebemos: ${contact.phone_number}`, 'RULE', 'AGENT'],
  );
  assert.notEqual((await read(conversation._id)).waiting_since, null);
  await write('Alô?', contact.phone_number.slice(1));
  const [again] = await listRuns(rule);
  assert.deepEqual(
    [again?.['status'], again?.['reply_skipped'], again?.['scheduled_message']],
    ['DONE', 'RECENT', null],
  );
  await change(conversation._id, { status: 'CLOSED' });
  await settle();
  const next = await write('Outra coisa', contact.phone_number.slice(1));
  assert.notEqual(next.conversation._id, conversation._id);
  assert.equal((await listRuns(rule))[0]?.['reply_skipped'], 'RECENT');
  await remove(rule);
});

test('conversations that are opened, assigned, tagged or closed run their rules', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const events = ['CONVERSATION_OPENED', 'CONVERSATION_ASSIGNED', 'TAG_ADDED', 'CONVERSATION_CLOSED'];
  const rules = await Promise.all(
    events.map((event) => create({ event, name: event, actions: { priority: 'HIGH', note: event } })),
  );
  const { conversation } = await write('Oi');
  const count = async (): Promise<number[]> => Promise.all(rules.map(async (rule) => (await listRuns(rule)).length));
  assert.deepEqual(await count(), [1, 0, 0, 0]);
  await change(conversation._id, { owner: user._id });
  await settle();
  assert.deepEqual(await count(), [1, 1, 0, 0]);
  await change(conversation._id, { tags: ['a', 'b'] });
  await settle();
  await change(conversation._id, { tags: ['a'] });
  await settle();
  assert.deepEqual(await count(), [1, 1, 1, 0]);
  await change(conversation._id, { status: 'CLOSED' });
  await settle();
  await change(conversation._id, { status: 'OPEN' });
  await settle();
  assert.deepEqual(await count(), [2, 1, 1, 1]);
  await remove(...rules);
});

test('a message of a rule to a closed conversation, such as a survey, leaves it closed', async () => {
  const rule = await create({ event: 'CONVERSATION_CLOSED', actions: { reply: 'Como foi?' } });
  const { conversation } = await write('Oi');
  await change(conversation._id, { status: 'CLOSED' });
  await settle();
  const [run] = await listRuns(rule);
  await waitUntil('the message to be sent', async () => {
    const { body } = await call(200, 'GET', `/v1/scheduled-messages/${run?.['scheduled_message']}`);
    return body.status === 'SENT';
  });
  assert.equal((await read(conversation._id)).status, 'CLOSED');
  await remove(rule);
});

test('a rule does not answer what a machine has written, also where that opens a conversation, and makes its other actions', async () => {
  const smtp = await startSmtpServer({ after }, certificate);
  const hook_secret = 'a-secret-of-the-mail-server-4712';
  const smtp_url = `smtps://127.0.0.1:${smtp.port}`;
  const email_config = { ...MAIL_LOG_IN, address: 'b@shop.example', smtp_url, hook_secret };
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', {
    body: { channel: 'EMAIL', name: 'Mails', email_config },
  });
  const rules = [
    await create({ actions: { reply: 'Oi', add_tags: ['written'] } }),
    await create({ event: 'CONVERSATION_OPENED', actions: { reply: 'Oi', priority: 'LOW' } }),
  ];
  const from = 'robot@client.example';
  const mail = { ...SAMPLE_HEADERS, From: from, 'Message-ID': `<${from}>`, 'Auto-Submitted': 'auto-replied' };
  await pushMail(`${platform.url}/hooks/email/${inbox._id}`, hook_secret, writeMail(mail, 'Estou de férias'));
  await settle();
  const [conversation] = (await call(200, 'GET', `/v1/conversations?inbox=${inbox._id}`)).body.result;
  assert.deepEqual([conversation.tags, conversation.priority], [['written'], 'LOW']);
  for (const rule of rules) {
    const [run] = await listRuns(rule);
    assert.deepEqual(
      [run?.['status'], run?.['reply_skipped'], run?.['scheduled_message']],
      ['DONE', 'AUTOMATIC', null],
    );
  }
  await remove(...rules);
});

test('a rule runs at most 20 times an hour in a conversation', async () => {
  const rule = await create({ event: 'TAG_ADDED', actions: { remove_tags: ['x'] } });
  const { conversation } = await write('Oi');
  await database.sql(
    `insert into rule_runs (company_id, _id, rule_id, event_id, event, conversation_id, status)
      select $1, new_id(), $2, new_id(), 'TAG_ADDED', $3, 'DONE' from generate_series(1, $4)`,
    [demo._id, rule._id, conversation._id, MAX_RUNS_PER_HOUR],
  );
  await change(conversation._id, { tags: ['x'] });
  await settle();
  assert.deepEqual((await read(conversation._id)).tags, ['x']);
  await remove(rule);
});

test('what a rule does starts no rule', async () => {
  const rules = [
    await create({ event: 'TAG_ADDED', actions: { add_tags: ['b'], status: 'CLOSED' } }),
    await create({ event: 'CONVERSATION_CLOSED', actions: { add_tags: ['c'], status: 'OPEN' } }),
    await create({ event: 'CONVERSATION_OPENED', actions: { remove_tags: ['b'] } }),
  ];
  const { conversation } = await write('Oi');
  await change(conversation._id, { tags: ['a'] });
  await settle();
  const { tags, status } = await read(conversation._id);
  assert.deepEqual([tags, status], [['a', 'b'], 'CLOSED']);
  await remove(...rules);
});

test('a reply that is overdue runs its rule once, and one that was given in time runs none', async () => {
  const rule = await create({ event: 'REPLY_OVERDUE', after_minutes: 10, actions: { priority: 'URGENT' } });
  const late = await write('Oi');
  const answered = await write('Olá');
  await sendText(platform, answered.conversation._id);
  const [held] = await database.sql<{ minutes: number }>(
    `select (extract(epoch from held_until - awaited_at) / 60)::int as minutes from rule_events where conversation_id = $1`,
    [late.conversation._id],
  );
  assert.equal(held?.minutes, 10);
  await call(200, 'PATCH', `${PATH}/${rule._id}`, { body: { after_minutes: 30 } });
  const [moved] = await database.sql<{ minutes: number }>(
    `select (extract(epoch from held_until - awaited_at) / 60)::int as minutes from rule_events where conversation_id = $1`,
    [late.conversation._id],
  );
  assert.equal(moved?.minutes, 30);
  await database.sql('update rule_events set held_until = now()');
  await waitUntil('rules to look at both', async () => (await database.sql('select from rule_events')).length === 0);
  assert.equal((await read(late.conversation._id)).priority, 'URGENT');
  assert.equal((await read(answered.conversation._id)).priority, null);
  assert.equal((await listRuns(rule)).length, 1);
  await remove(rule);
});

test('an event runs a rule once, although its process dies before it is done with the event, and several look at it', async () => {
  const rule = await create({ actions: { note: 'once' } });
  const others = [startRules(platform.running.kit), startRules(platform.running.kit)];
  const { conversation, message } = await write('Oi');
  // As if the process had died after the rule, before the event was deleted.
  const [done] = await database.sql<{ event_id: string }>('select event_id from rule_runs where rule_id = $1', [
    rule._id,
  ]);
  await database.sql(
    `insert into rule_events (company_id, _id, event, conversation_id, message_id, is_waiting, claimed_at, held_until)
      values ($1, $2, 'MESSAGE_RECEIVED', $3, $4, false, now() - interval '1 minute', now())`,
    [demo._id, done?.event_id, conversation._id, message._id],
  );
  await waitUntil('it to be looked at again', async () => (await database.sql('select from rule_events')).length === 0);
  await Promise.all(others.map(({ stop }) => stop()));
  const { result } = (await call(200, 'GET', `/v1/messages/conversation/${conversation._id}`)).body;
  assert.equal(result.filter(({ message_type }: Json) => message_type === 'NOTE').length, 1);
  await remove(rule);
});

test('a rule that cannot make its actions makes none of them and says why, and the next rule runs', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const broken = await create({ position: 1, actions: { note: 'x', owner: user._id, add_tags: ['x'] } });
  const sound = await create({ position: 2, actions: { add_tags: ['y'] } });
  await call(200, 'PATCH', `/v1/users/${user._id}`, { body: { status: 'INACTIVE' } });
  const { conversation } = await write('Oi');
  const [run] = await listRuns(broken);
  assert.deepEqual([run?.['status'], run?.['failure'].code], ['FAILED', 'VALIDATION_FAILED']);
  assert.deepEqual((await read(conversation._id)).tags, ['y']);
  const { body } = await call(200, 'GET', `${PATH}/${broken._id}/runs?status=DONE`);
  assert.deepEqual(body.result, []);
  await remove(broken, sound);
});

test('groups of conditions compare fields, lists and custom fields', async () => {
  const field = { title: 'Valor', slug: 'valor', context: 'conversation', type: 'NUMBER' };
  await call(201, 'POST', '/v1/custom-fields', { body: field });
  const { conversation } = await write('Quero comprar');
  await change(conversation._id, { tags: ['vip'], priority: 'HIGH', custom_fields: { valor: 120 } });
  const { inbox } = demo;
  const matches = async (...conditions: Json[]): Promise<boolean> => {
    const body = { event: 'MESSAGE_RECEIVED', conditions: [{ match: 'ALL', conditions }] };
    const { body: found } = await call(200, 'POST', `${PATH}/dry-run`, { body });
    return found.matches.some((match: Json) => match.conversation === conversation._id);
  };
  const valor = { field: 'custom_field', custom_field: 'valor' };
  for (const condition of [
    { field: 'inbox', operator: 'ANY_OF', values: [inbox] },
    { field: 'tags', operator: 'NONE_OF', values: ['a', 'b'] },
    { field: 'priority', operator: 'ANY_OF', values: ['URGENT', 'HIGH'] },
    { field: 'owner', operator: 'IS_EMPTY' },
    { field: 'text', operator: 'CONTAINS_NONE_OF', values: ['vender'] },
    { ...valor, operator: 'AT_LEAST', values: ['120'] },
    { ...valor, operator: 'AT_MOST', values: ['1000'] },
    { ...valor, operator: 'IS_SET' },
  ])
    assert.ok(await matches(condition), JSON.stringify(condition));
  for (const condition of [
    { field: 'tags', operator: 'ANY_OF', values: ['a'] },
    { field: 'tags', operator: 'IS_EMPTY' },
    { field: 'owner', operator: 'IS_SET' },
    { field: 'text', operator: 'CONTAINS_ANY_OF', values: ['vender'] },
    { ...valor, operator: 'AT_LEAST', values: ['121'] },
    { ...valor, operator: 'ANY_OF', values: ['12'] },
  ])
    assert.ok(!(await matches(condition)), JSON.stringify(condition));
  const group = (match: string, ...values: string[]): Json => ({
    match,
    conditions: values.map((value) => ({ field: 'tags', operator: 'ANY_OF', values: [value] })),
  });
  const count = async (...conditions: Json[]): Promise<number> =>
    (await call(200, 'POST', `${PATH}/dry-run`, { body: { event: 'TAG_ADDED', conditions } })).body.matched;
  assert.deepEqual(
    [
      await count(group('ANY', 'vip', 'no')),
      await count(group('ALL', 'vip', 'no')),
      await count(group('ANY', 'vip'), group('ANY', 'no')),
    ],
    [1, 0, 0],
  );
});

test('a dry run counts and shows what would match, of the own company only', async () => {
  const company = await platform.createCompany();
  await write('Palavra rara: xilofone');
  const body = { event: 'MESSAGE_RECEIVED', conditions: [words('XILOFONE')] };
  const { body: found } = await call(200, 'POST', `${PATH}/dry-run`, { body });
  assert.deepEqual([found.matched, found.is_complete, found.matches[0].text], [1, true, 'Palavra rara: xilofone']);
  const { body: theirs } = await call(200, 'POST', `${PATH}/dry-run`, { key: company.key, body });
  assert.deepEqual(theirs, { checked: 0, matched: 0, is_complete: true, matches: [] });
});

test('rules are refused with the field that is wrong, and records of others are unknown', async () => {
  const other = await platform.createCompany();
  const theirs = await platform.createUser(other._id, 'OPERATOR');
  const actions = { add_tags: ['a'] };
  const body = { name: 'x', event: 'MESSAGE_RECEIVED', actions };
  const refuse = async (more: Json, code: string, path: string): Promise<void> =>
    expectProblem(await call(400, 'POST', PATH, { body: { ...body, ...more } }), code, path);
  const refuseCondition = (condition: Json, code: string, path: string): Promise<void> =>
    refuse(
      { conditions: [{ match: 'ALL', conditions: [{ operator: 'ANY_OF', ...condition }] }] },
      code,
      `conditions[0].conditions[0].${path}`,
    );
  await refuse({ after_minutes: 5 }, 'VALIDATION_FAILED', 'after_minutes');
  await refuse({ event: 'REPLY_OVERDUE' }, 'VALIDATION_FAILED', 'after_minutes');
  await refuse({ actions: { owner: theirs._id } }, 'UNKNOWN_REFERENCE', 'actions.owner');
  await refuseCondition({ field: 'owner', values: [theirs._id] }, 'UNKNOWN_REFERENCE', 'values[0]');
  await refuseCondition({ field: 'inbox', values: [demo.inbox, newId()] }, 'UNKNOWN_REFERENCE', 'values[1]');
  await refuseCondition({ field: 'priority', values: ['SOON'] }, 'VALIDATION_FAILED', 'values[0]');
  await refuseCondition({ field: 'text', values: ['a'] }, 'VALIDATION_FAILED', 'operator');
  await refuseCondition({ field: 'tags' }, 'VALIDATION_FAILED', 'values');
  await refuseCondition({ field: 'tags', operator: 'IS_SET', values: ['a'] }, 'VALIDATION_FAILED', 'values');
  await refuseCondition({ field: 'custom_field', values: ['a'] }, 'VALIDATION_FAILED', 'custom_field');
  const unknown = { field: 'custom_field', custom_field: 'nothing', values: ['a'] };
  await refuseCondition(unknown, 'UNKNOWN_REFERENCE', 'custom_field');
  const rule = await create({ is_active: false, actions });
  for (const [method, path] of [
    ['GET', `${PATH}/${rule._id}`],
    ['DELETE', `${PATH}/${rule._id}`],
    ['GET', `${PATH}/${rule._id}/runs`],
  ] as const)
    expectProblem(await call(404, method, path, { key: other.key }), 'NOT_FOUND');
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'agents:read' });
  const { token: key } = await platform.createKey(demo._id, ['agents:*', 'conversations:update']);
  const asked = { key, body: { ...body, actions: { reply: 'Oi' } } };
  expectProblem(await call(403, 'POST', PATH, asked), 'FORBIDDEN', 'authorization');
  const replying = await create({ is_active: false, actions: { reply: 'Oi' } });
  const turnOn = { key, body: { is_active: true } };
  expectProblem(await call(403, 'PATCH', `${PATH}/${replying._id}`, turnOn), 'FORBIDDEN', 'authorization');
  await remove(rule, replying);
});

test('a company has a limited number of rules, and runs are deleted after 30 days', async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into rules (company_id, _id, name, event, is_active, position, conditions, actions)
      select $1, lpad(to_hex(n), 24, '0'), 'x', 'TAG_ADDED', false, 0, '[]', '{}' from generate_series(1, $2) n`,
    [company._id, MAX_RULES],
  );
  const body = { name: 'x', event: 'TAG_ADDED', actions: { add_tags: ['a'] } };
  const answer = await call(400, 'POST', PATH, { key: company.key, body });
  assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
  const rule = await create({ actions: { priority: 'LOW' } });
  await write('Oi');
  const kept = await write('Olá');
  const [, old] = await listRuns(rule);
  await database.sql(`update rule_runs set created_at = now() - interval '31 days' where _id = $1`, [old?.['_id']]);
  await purgeRuns(platform.running.kit);
  assert.deepEqual(
    (await listRuns(rule)).map(({ conversation }) => conversation),
    [kept.conversation._id],
  );
  await remove(rule);
});
