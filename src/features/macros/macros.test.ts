/** Macros: what they change, in whose name, and who may use them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { awaitRun, holdRuns } from '../../../test/support/conversation-runs.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { readMessage, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_MACROS } from './schemas.ts';

const PATH = '/v1/macros';
const platform = await startPlatform();
const { call, database, demo } = platform;
await silenceNetwork(platform);

const operator = await platform.createUser(demo._id, 'OPERATOR', 'Olga');
const admin = await platform.createUser(demo._id, 'ADMIN');
const create = async (actions: Json, more: Json = {}, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', PATH, { key, body: { name: 'Done', actions, ...more } })).body;
const run = async (macro: string, conversation: string, more: Json = {}, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', `/v1/conversations/${conversation}/macro`, { key, body: { macro, ...more } })).body;
const listMessages = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}?sort=createdAt`)).body.result;
const listScheduled = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/scheduled-messages?conversation=${conversation}`)).body.result;

test('a macro writes a note, sends its text with variables filled in, and changes the conversation, in the name of its user', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Maria Silva' } });
  const reply = 'Olá {{contact.first_name}}, sou {{ user.name }}. {{contact.email}}';
  const { _id } = await create({
    reply,
    note: 'Ligar amanhã',
    status: 'CLOSED',
    priority: 'HIGH',
    owner: operator._id,
    add_tags: ['vip'],
  });
  const changed = await run(_id, conversation._id, {}, operator.token);
  assert.deepEqual(
    [changed.status, changed.priority, changed.owner, changed.tags],
    ['CLOSED', 'HIGH', operator._id, ['vip']],
  );
  const [scheduled] = await listScheduled(conversation._id);
  const { sent_message } = await waitUntil('the message to be sent', async () => {
    const { body } = await call(200, 'GET', `/v1/scheduled-messages/${scheduled?.['_id']}`);
    return body.status === 'SENT' && body;
  });
  const message = await readMessage(platform, sent_message);
  assert.deepEqual([message.content, message.sender], ['Olá Maria, sou Olga. ', operator._id]);
  const note = (await listMessages(conversation._id)).find(({ message_type }) => message_type === 'NOTE');
  assert.deepEqual([note?.['content'], note?.['sender']], ['Ligar amanhã', operator._id]);
  // What the macro closes stays closed.
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'CLOSED');
  const { result } = (await call(200, 'GET', `/v1/audit?resource=${conversation._id}`)).body;
  assert.deepEqual(
    result.map(({ action, actor }: Json) => [action, actor._id]),
    [['conversations.run-macro', operator._id]],
  );
});

test('a macro that cannot make all of its actions makes none', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  const body = { inbox: demo.inbox, contact: contact._id };
  await call(201, 'POST', '/v1/conversations', { body });
  const { _id } = await create({ note: 'Oi', reply: 'Oi', status: 'OPEN', add_tags: ['vip'] });
  const path = `/v1/conversations/${conversation._id}/macro`;
  expectProblem(await call(409, 'POST', path, { body: { macro: _id } }), 'CONVERSATION_OPEN', 'status');
  assert.deepEqual(await listScheduled(conversation._id), []);
  assert.equal((await listMessages(conversation._id)).length, 1);
  assert.deepEqual((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.tags, []);
});

test('a macro snoozes from the moment in which it is run, and its message can be held', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id } = await create({ snooze_minutes: 60, reply: 'Já volto' });
  const before = Date.now();
  const changed = await run(_id, conversation._id, { hold_seconds: 60 });
  assert.equal(changed.status, 'SNOOZED');
  const awayMs = Date.parse(changed.snoozed_until) - before;
  assert.ok(awayMs >= 3_600_000 && awayMs < 3_660_000, `${awayMs}`);
  const [{ status, is_held, _id: scheduled } = {} as Json] = await listScheduled(conversation._id);
  assert.deepEqual([status, is_held], ['SCHEDULED', true]);
  await call(201, 'POST', `/v1/scheduled-messages/${scheduled}/cancel`);
});

test('saving or running a macro requires the scopes for each of its actions', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id } = await create({ reply: 'Oi' });
  const noted = await create({ note: 'Oi' });
  const quiet = await create({ add_tags: ['a'] });
  const { token: key } = await platform.createKey(demo._id, ['conversations:*', 'messages:update']);
  const path = `/v1/conversations/${conversation._id}/macro`;
  for (const macro of [_id, noted._id])
    expectProblem(await call(403, 'POST', path, { key, body: { macro } }), 'FORBIDDEN', 'authorization');
  const body = { name: 'x', actions: { reply: 'Oi' } };
  expectProblem(await call(403, 'POST', PATH, { key, body }), 'FORBIDDEN', 'authorization');
  await run(quiet._id, conversation._id, {}, key);
});

test('a macro in many conversations does in each what it does alone, as it was when the run started, and reports where it cannot', async () => {
  const [first, second, gone] = [
    await writeAsContact(platform),
    await writeAsContact(platform),
    await writeAsContact(platform),
  ];
  const macro = await create({ note: 'Ligar amanhã', reply: 'Oi', add_tags: ['vip'] });
  const conversations = [first, second, gone].map(({ conversation }) => conversation._id);
  const [alone = '', ...ids] = conversations;
  await run(macro._id, alone, {}, operator.token);
  const release = await holdRuns(platform);
  const body = { ids };
  const { body: begun } = await call(201, 'POST', `${PATH}/${macro._id}/run`, { key: operator.token, body });
  assert.deepEqual([begun.change, begun.macro], [null, { _id: macro._id, name: 'Done' }]);
  await call(200, 'PATCH', `${PATH}/${macro._id}`, { body: { actions: { status: 'CLOSED' } } });
  await call(200, 'DELETE', `/v1/contacts/${gone.contact._id}`);
  await release();
  const ended = await awaitRun(platform, begun._id);
  assert.deepEqual(
    [
      ended.status,
      ended.processed,
      ended.changed_count,
      ended.failures.map(({ conversation, code }: Json) => [conversation, code]),
    ],
    ['COMPLETED', 2, 1, [[gone.conversation._id, 'NOT_FOUND']]],
  );
  const readResult = async (id: string): Promise<unknown> => {
    const { tags, status } = (await call(200, 'GET', `/v1/conversations/${id}`)).body;
    const [scheduled] = await listScheduled(id);
    const note = (await listMessages(id)).find(({ message_type }) => message_type === 'NOTE');
    const { result } = (await call(200, 'GET', `/v1/audit?resource=${id}`)).body;
    const lines = result.map(({ action, fields, actor, address }: Json) => [action, fields, actor, address]);
    return {
      tags,
      status,
      sent: [scheduled?.['message'], scheduled?.['created_by']],
      note: [note?.['content'], note?.['sender']],
      lines,
    };
  };
  assert.deepEqual(await readResult(second.conversation._id), await readResult(alone));
});

test('a macro in many conversations requires the scopes for each of its actions, and a selection', async () => {
  const { conversation } = await writeAsContact(platform);
  const { token: key } = await platform.createKey(demo._id, ['conversations:*']);
  const ids = [conversation._id];
  for (const actions of [{ reply: 'Oi' }, { note: 'Oi' }]) {
    const { _id } = await create(actions);
    const refused = await call(403, 'POST', `${PATH}/${_id}/run`, { key, body: { ids } });
    expectProblem(refused, 'FORBIDDEN', 'authorization');
  }
  const { _id } = await create({ add_tags: ['a'] });
  const path = `${PATH}/${_id}/run`;
  await awaitRun(platform, (await call(201, 'POST', path, { key, body: { ids } })).body._id);
  expectProblem(await call(400, 'POST', path, { body: {} }), 'VALIDATION_FAILED', 'ids');
  expectProblem(await call(400, 'POST', path, { body: { ids: [newId()] } }), 'UNKNOWN_REFERENCE', 'ids[0]');
  const own = await create({ add_tags: ['a'] }, { owner: operator._id }, operator.token);
  expectProblem(await call(404, 'POST', `${PATH}/${own._id}/run`, { body: { ids } }), 'NOT_FOUND');
});

test('personal macros are seen by their owner only, and shared ones are changed by owners and admins', async () => {
  const actions = { add_tags: ['a'] };
  const own = await create(actions, { owner: operator._id }, operator.token);
  for (const key of [admin.token, demo.key]) {
    expectProblem(await call(404, 'GET', `${PATH}/${own._id}`, { key }), 'NOT_FOUND');
    expectProblem(await call(404, 'PATCH', `${PATH}/${own._id}`, { key, body: { name: 'x' } }), 'NOT_FOUND');
    const body = { name: 'x', actions, owner: operator._id };
    expectProblem(await call(400, 'POST', PATH, { key, body }), 'VALIDATION_FAILED', 'owner');
  }
  await call(200, 'PATCH', `${PATH}/${own._id}`, { key: operator.token, body: { name: 'Mine' } });
  const shared = await create(actions, {}, admin.token);
  const asked = { key: operator.token, body: { name: 'x' } };
  expectProblem(await call(403, 'PATCH', `${PATH}/${shared._id}`, asked), 'FORBIDDEN', 'authorization');
  const { result } = (await call(200, 'GET', `${PATH}?limit=100`, { key: operator.token })).body;
  assert.deepEqual(
    result.slice(0, 2).map(({ _id }: Json) => _id),
    [shared._id, own._id],
  );
  await call(200, 'DELETE', `${PATH}/${own._id}`, { key: operator.token });
  await call(200, 'DELETE', `${PATH}/${shared._id}`, { key: admin.token });
});

test('actions that no conversation can take are refused with their field, and records of others are unknown', async () => {
  const other = await platform.createCompany();
  const theirs = await platform.createUser(other._id, 'OPERATOR');
  const refuse = async (actions: Json, code: string, path: string): Promise<void> =>
    expectProblem(await call(400, 'POST', PATH, { body: { name: 'x', actions } }), code, path);
  await refuse({}, 'VALIDATION_FAILED', 'actions');
  await refuse({ owner: theirs._id }, 'UNKNOWN_REFERENCE', 'actions.owner');
  await refuse({ team: newId() }, 'UNKNOWN_REFERENCE', 'actions.team');
  const components = [{ type: 'header', parameters: [{ type: 'image', image: { id: newId() } }] }];
  const template = { name: 'a', language: 'en', components };
  const file = 'actions.template.components[0].parameters[0].image.id';
  await refuse({ template }, 'UNKNOWN_REFERENCE', file);
  await refuse({ handled_by: 'AI' }, 'VALIDATION_FAILED', 'actions.agent');
  await refuse({ custom_fields: { nothing: 1 } }, 'UNKNOWN_REFERENCE', 'actions.custom_fields.nothing');
  await refuse({ reply: '{{nobody}}' }, 'VALIDATION_FAILED', 'actions.reply');
  await refuse({ reply: 'Oi', template: { name: 'a', language: 'en' } }, 'VALIDATION_FAILED', 'actions.template');
  await refuse({ status: 'OPEN', snooze_minutes: 5 }, 'VALIDATION_FAILED', 'actions.snooze_minutes');
  const { _id } = await create({ add_tags: ['a'] });
  const { conversation } = await writeAsContact(platform);
  const path = `/v1/conversations/${conversation._id}/macro`;
  expectProblem(await call(400, 'POST', path, { body: { macro: newId() } }), 'UNKNOWN_REFERENCE', 'macro');
  expectProblem(await call(404, 'POST', path, { key: other.key, body: { macro: _id } }), 'NOT_FOUND');
  expectProblem(await call(404, 'GET', `${PATH}/${_id}`, { key: other.key }), 'NOT_FOUND');
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'conversations:read' });
  const body = { name: 'x', actions: { add_tags: ['a'] } };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'conversations:update', body });
});

test('a company and each user have a limited number of macros', async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into macros (company_id, _id, name, actions) select $1, lpad(to_hex(n), 24, '0'), 'x', '{}' from generate_series(1, $2) n`,
    [company._id, MAX_MACROS],
  );
  const body = { name: 'x', actions: { add_tags: ['a'] } };
  const answer = await call(400, 'POST', PATH, { key: company.key, body });
  assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
});
