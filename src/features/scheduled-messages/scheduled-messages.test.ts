/** Messages that are sent at a time, and messages that can be taken back for some seconds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { openLive } from '../../../test/support/live.ts';
import { makeJpg } from '../../../test/support/media-samples.ts';
import { waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import {
  listEventNames,
  listNetworkMessages,
  readMessage,
  silenceNetwork,
  writeAsContact,
} from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { purgeScheduled } from './upkeep.ts';
import { newId } from '../../platform/values/ids.ts';

const PATH = '/v1/scheduled-messages';
const platform = await startPlatform();
const { call, database, demo } = platform;
await silenceNetwork(platform);
await waitUntilCopied(platform, demo.inbox);

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
const converse = async (): Promise<Json> => writeAsContact(platform);
const schedule = async (conversation: string, more: Json = {}, key = demo.key): Promise<Json> =>
  (
    await call(201, 'POST', PATH, {
      key,
      body: { conversation, message: { content: 'Bom dia!' }, send_at: inDays(1), ...more },
    })
  ).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `${PATH}/${id}`)).body;
const makeDue = (id: string): Promise<unknown> =>
  database.sql('update scheduled_messages set send_at = now(), held_until = now() where _id = $1', [id]);
const waitForEnd = (id: string): Promise<Json> =>
  waitUntil('the scheduled message to end', async () => {
    const found = await read(id);
    return found.status !== 'SCHEDULED' && found;
  });
const listMessages = async (conversation: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages/conversation/${conversation}`)).body.result.filter(
    ({ message_type }: Json) => message_type === 'OUTGOING',
  );

test('a scheduled message is sent once at its time, in the name of its author, and emits MESSAGE_SENT', async () => {
  const { conversation } = await converse();
  const author = await platform.createUser(demo._id, 'OPERATOR', 'Olga');
  const scheduled = await schedule(conversation._id, {}, author.token);
  const { _id, createdAt, updatedAt, send_at } = scheduled;
  assert.deepEqual(scheduled, {
    _id,
    createdAt,
    updatedAt,
    send_at,
    company: demo._id,
    conversation: conversation._id,
    contact: conversation.contact,
    inbox: demo.inbox,
    message: { contentType: 'TEXT', content: 'Bom dia!', attachment: null, template: null },
    reply_to: null,
    is_held: false,
    cancel_on_reply: false,
    status: 'SCHEDULED',
    sent_message: null,
    cancel_reason: null,
    failure: null,
    created_by: { type: 'USER', _id: author._id, name: 'Olga' },
  });
  assert.deepEqual(await listMessages(conversation._id), []);
  await makeDue(_id);
  const sent = await waitForEnd(_id);
  assert.equal(sent.status, 'SENT');
  const [message, ...others] = await listMessages(conversation._id);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [message?._id, message?.content, message?.sender, message?.origin, message?.status],
    [sent.sent_message, 'Bom dia!', author._id, 'DASHBOARD', 'SENT'],
  );
  assert.equal((await listNetworkMessages(platform, sent.sent_message)).length, 1);
  assert.deepEqual(await listEventNames(platform, sent.sent_message), ['MESSAGE_SENT']);
});

test('a scheduled file, template and reply are sent as normal sends send them', async () => {
  const { conversation, message } = await converse();
  const attachment = await uploadFile(platform, { data: makeJpg() });
  const template = { name: 'hello_world', language: 'pt_BR' };
  const all = [
    await schedule(conversation._id, {
      message: { contentType: 'IMAGE', attachment: attachment._id, content: 'Olha' },
    }),
    await schedule(conversation._id, { message: { contentType: 'TEMPLATE', template } }),
    await schedule(conversation._id, { reply_to: message._id }),
  ];
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${attachment._id}`), 'ATTACHMENT_IN_USE');
  const sent: Json[] = [];
  for (const { _id } of all) {
    await makeDue(_id);
    sent.push(await readMessage(platform, (await waitForEnd(_id)).sent_message));
  }
  assert.deepEqual(
    sent.map(({ contentType, content, attachment: file, reply_to, status }) => [
      contentType,
      content,
      file,
      reply_to,
      status,
    ]),
    [
      ['IMAGE', 'Olha', attachment._id, null, 'SENT'],
      ['TEMPLATE', sent[1]?.content, null, null, 'SENT'],
      ['TEXT', 'Bom dia!', null, message._id, 'SENT'],
    ],
  );
});

test('messages of a conversation that are due at the same time are sent in the order of their times', async () => {
  const { conversation } = await converse();
  const texts = ['1', '2', '3', '4', '5'];
  for (const [index, content] of texts.entries()) {
    const { _id } = await schedule(conversation._id, { message: { content } });
    await database.sql(
      `update scheduled_messages set send_at = now() - interval '1 minute' + $2 * interval '1 second' where _id = $1`,
      [_id, index],
    );
  }
  await database.sql('update scheduled_messages set held_until = now() where conversation_id = $1', [conversation._id]);
  const sent = await waitUntil('five messages', async () => {
    const found = await listMessages(conversation._id);
    return found.length === texts.length && found;
  });
  assert.deepEqual(
    sent.map(({ content }) => content),
    texts,
  );
});

test('a message is FAILED with the cause, as a message in the conversation, if the reply window has closed or the contact has opted out or is blocked', async () => {
  for (const [code, sql] of [
    ['WINDOW_EXPIRED', `update conversations set window_expires_at = now() - interval '1 hour' where _id = $1`],
    [
      'OPTED_OUT',
      'update contacts set opted_out = true where _id = (select contact_id from conversations where _id = $1)',
    ],
    ['BLOCKED', 'update contacts set blocked = true where _id = (select contact_id from conversations where _id = $1)'],
  ] as const) {
    const { conversation } = await converse();
    const { _id } = await schedule(conversation._id);
    await database.sql(sql, [conversation._id]);
    await makeDue(_id);
    const { status, failure, sent_message } = await waitForEnd(_id);
    assert.deepEqual([status, failure.code], ['FAILED', code]);
    const message = await readMessage(platform, sent_message);
    assert.deepEqual([message.status, message.errors[0].code], ['FAILED', code]);
    assert.deepEqual(await listNetworkMessages(platform, sent_message), []);
  }
});

test('the author of a message that failed for good is notified once, with the message and its conversation, and no one else is', async () => {
  const [author, owner] = [
    await platform.createUser(demo._id, 'OPERATOR', 'Olga'),
    await platform.createUser(demo._id, 'OPERATOR', 'Otto'),
  ];
  const { conversation } = await converse();
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { key: owner.token, body: { owner: owner._id } });
  const { _id } = await schedule(conversation._id, {}, author.token);
  await database.sql(`update conversations set window_expires_at = now() - interval '1 hour' where _id = $1`, [
    conversation._id,
  ]);
  await makeDue(_id);
  const { sent_message } = await waitForEnd(_id);
  const list = async ({ token: key }: { token: string }): Promise<unknown[]> =>
    (await call(200, 'GET', '/v1/notifications', { key })).body.result.map(
      ({ kind, actor, message, preview, count, conversation: about }: Json) => [
        kind,
        actor,
        message,
        preview,
        count,
        about,
      ],
    );
  assert.deepEqual(await list(author), [['NOT_SENT', null, sent_message, 'Bom dia!', 1, conversation._id]]);
  assert.deepEqual(await list(owner), []);
});

test('a message of a deactivated user, of one who may not send any more or has lost the inbox, or of a revoked key is not sent, and FAILED with AUTHOR_INACTIVE', async () => {
  const { conversation } = await converse();
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const demoted = await platform.createUser(demo._id, 'OPERATOR');
  const key = await platform.createKey(demo._id, ['messages:create', 'messages:read']);
  const ofUser = await schedule(conversation._id, {}, user.token);
  const ofDemoted = await schedule(conversation._id, {}, demoted.token);
  const ofKey = await schedule(conversation._id, {}, key.token);
  await call(200, 'PATCH', `/v1/users/${user._id}`, { body: { status: 'INACTIVE' } });
  await call(200, 'PATCH', `/v1/users/${demoted._id}`, { body: { role: 'VIEWER' } });
  await call(200, 'DELETE', `/v1/api-keys/${key._id}`);
  const outsider = await platform.createUser(demo._id, 'OPERATOR');
  const ofOutsider = await schedule(conversation._id, {}, outsider.token);
  const setMembers = (members: Json) => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members } });
  await setMembers({ users: [demoted._id] });
  for (const { _id } of [ofUser, ofDemoted, ofOutsider, ofKey]) {
    await makeDue(_id);
    const { status, failure, sent_message } = await waitForEnd(_id);
    assert.deepEqual([status, failure.code, sent_message], ['FAILED', 'AUTHOR_INACTIVE', null]);
  }
  await setMembers(null);
  assert.deepEqual(await listMessages(conversation._id), []);
});

test('a message that is cancelled on a reply is not sent if the contact writes first', async () => {
  const { conversation, contact } = await converse();
  const [quiet, other] = [
    await schedule(conversation._id, { cancel_on_reply: true }),
    await schedule(conversation._id),
  ];
  await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Já resolvi' });
  for (const { _id } of [quiet, other]) await makeDue(_id);
  const cancelled = await waitForEnd(quiet._id);
  assert.deepEqual([cancelled.status, cancelled.cancel_reason], ['CANCELLED', 'REPLIED']);
  assert.equal((await waitForEnd(other._id)).status, 'SENT');
});

test('a message to a closed conversation reopens it, or goes into the newer open one of the contact', async () => {
  const { conversation, contact } = await converse();
  const [first, second] = [await schedule(conversation._id), await schedule(conversation._id)];
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await makeDue(first._id);
  await waitForEnd(first._id);
  assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'OPEN');
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  const newer = await writeAsContact(platform, { from: contact.phone_number.slice(1), text: 'Oi' });
  assert.notEqual(newer.conversation._id, conversation._id);
  await makeDue(second._id);
  const { sent_message } = await waitForEnd(second._id);
  assert.equal((await readMessage(platform, sent_message)).conversation, newer.conversation._id);
});

test('a held message can be cancelled until its time, and is sent by itself afterwards', async () => {
  const { conversation } = await converse();
  const held = { send_at: undefined, hold_seconds: 60 };
  const back = await schedule(conversation._id, held);
  assert.equal(back.is_held, true);
  const { body } = await call(201, 'POST', `${PATH}/${back._id}/cancel`);
  assert.deepEqual([body.status, body.cancel_reason], ['CANCELLED', 'CANCELLED_BY_REQUEST']);
  expectProblem(await call(409, 'POST', `${PATH}/${back._id}/cancel`), 'SCHEDULED_MESSAGE_ENDED');
  const kept = await schedule(conversation._id, { ...held, hold_seconds: 1 });
  assert.equal((await waitForEnd(kept._id)).status, 'SENT');
  assert.equal((await listMessages(conversation._id)).length, 1);
});

test('a held text or template does not reopen a conversation that is closed meanwhile', async () => {
  const template = { contentType: 'TEMPLATE', template: { name: 'hello_world', language: 'pt_BR' } };
  for (const message of [{ content: 'Bom dia!' }, template]) {
    const { conversation } = await converse();
    const { _id } = await schedule(conversation._id, { message, send_at: undefined, hold_seconds: 60 });
    await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
    await makeDue(_id);
    assert.equal((await waitForEnd(_id)).status, 'SENT');
    assert.equal((await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.status, 'CLOSED');
  }
});

test('a held message reopens a conversation that was closed before', async () => {
  const { conversation } = await converse();
  const path = `/v1/conversations/${conversation._id}`;
  await call(200, 'PATCH', path, { body: { status: 'CLOSED' } });
  const { _id } = await schedule(conversation._id, { send_at: undefined, hold_seconds: 60 });
  await makeDue(_id);
  assert.equal((await waitForEnd(_id)).status, 'SENT');
  assert.equal((await call(200, 'GET', path)).body.status, 'OPEN');
});

test('a user who sends a message that is held takes the conversation over from its agent at once, and one who schedules a message does not', async () => {
  const { conversation } = await converse();
  const agent = (await call(201, 'POST', '/v1/agents', { body: { name: newId(), type: 'AI' } })).body;
  const path = `/v1/conversations/${conversation._id}`;
  await call(200, 'PATCH', path, { body: { agent: agent._id, handled_by: 'AI' } });
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const findHandler = async (): Promise<string> => (await call(200, 'GET', path)).body.handled_by;
  await schedule(conversation._id, {}, user.token);
  assert.equal(await findHandler(), 'AI');
  await schedule(conversation._id, { send_at: undefined, hold_seconds: 60 }, user.token);
  assert.equal(await findHandler(), 'HUMAN');
});

test('a scheduled message can be changed and sent at once until it ends, and each change is live and in the audit log', async () => {
  const { conversation } = await converse();
  const live = await openLive(platform);
  const { _id } = await schedule(conversation._id);
  await live.waitFor('scheduled_message', (data) => data._id === _id);
  const send_at = inDays(2);
  const changed = await call(200, 'PATCH', `${PATH}/${_id}`, { body: { send_at, message: { content: 'Boa tarde!' } } });
  assert.deepEqual([changed.body.send_at, changed.body.message.content], [send_at, 'Boa tarde!']);
  await live.waitFor('scheduled_message', (data) => data._id === _id && data.send_at === send_at);
  assert.equal((await call(201, 'POST', `${PATH}/${_id}/send`)).body.status, 'SENT');
  await live.waitFor('scheduled_message', (data) => data._id === _id && data.status === 'SENT');
  await live.close();
  expectProblem(await call(409, 'PATCH', `${PATH}/${_id}`, { body: { send_at } }), 'SCHEDULED_MESSAGE_ENDED');
  expectProblem(await call(409, 'POST', `${PATH}/${_id}/send`), 'SCHEDULED_MESSAGE_ENDED');
  assert.deepEqual(
    (await listMessages(conversation._id)).map(({ content }) => content),
    ['Boa tarde!'],
  );
  const log = await call(200, 'GET', `/v1/audit?resource=${_id}`);
  assert.deepEqual(log.body.result.map(({ action }: Json) => action).toSorted(), [
    'scheduled-messages.create',
    'scheduled-messages.send',
    'scheduled-messages.update',
  ]);
});

test('a scheduled message is sent in the name of the last user who changed its content; changing only its time keeps the name', async () => {
  const { conversation } = await converse();
  const [writer, editor] = [
    await platform.createUser(demo._id, 'OWNER'),
    await platform.createUser(demo._id, 'OPERATOR'),
  ];
  const { _id } = await schedule(conversation._id, {}, writer.token);
  const change = async (body: Json, { token }: { token: string }): Promise<string> =>
    (await call(200, 'PATCH', `${PATH}/${_id}`, { body, key: token })).body.created_by._id;
  assert.equal(await change({ send_at: inDays(3) }, editor), writer._id);
  assert.equal(await change({ message: { content: 'Boa noite!' } }, editor), editor._id);
  await makeDue(_id);
  assert.equal((await readMessage(platform, (await waitForEnd(_id)).sent_message)).sender, editor._id);
});

test('the list filters by conversation, status and user, and erasing the contact removes its scheduled messages', async () => {
  const { conversation, contact } = await converse();
  const { _id } = await schedule(conversation._id);
  const list = async (query: string): Promise<string[]> =>
    (await call(200, 'GET', `${PATH}?${query}`)).body.result.map((each: Json) => each._id);
  assert.deepEqual(await list(`conversation=${conversation._id}&status=SCHEDULED`), [_id]);
  assert.deepEqual(await list(`conversation=${conversation._id}&status=SENT`), []);
  const author = await platform.createUser(demo._id, 'OPERATOR');
  const own = await schedule(conversation._id, {}, author.token);
  assert.deepEqual(await list(`created_by=${author._id}`), [own._id]);
  expectProblem(await call(400, 'GET', `${PATH}?created_by=${conversation._id}`), 'UNKNOWN_REFERENCE');
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  expectProblem(await call(404, 'GET', `${PATH}/${_id}`), 'NOT_FOUND');
});

test('a wrong time, content or reference is refused, and names the field', async () => {
  const { conversation } = await converse();
  const body = { conversation: conversation._id, message: { content: 'Oi' }, send_at: inDays(1) };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'messages:create', body });
  for (const [change, path] of [
    [{ send_at: inDays(-1) }, 'send_at'],
    [{ send_at: inDays(400) }, 'send_at'],
    [{ send_at: undefined }, 'send_at'],
    [{ hold_seconds: 5 }, 'send_at'],
    [{ send_at: undefined, hold_seconds: 61 }, 'hold_seconds'],
    [{ message: { content: ' ' } }, 'message.content'],
    [{ message: { contentType: 'IMAGE' } }, 'message.attachment'],
    [{ message: { contentType: 'TEMPLATE', content: 'Oi' } }, 'message.template'],
    [{ message: { content: 'Oi', template: { name: 'hello_world', language: 'pt_BR' } } }, 'message.template'],
  ] as const)
    expectProblem(await call(400, 'POST', PATH, { body: { ...body, ...change } }), 'VALIDATION_FAILED', path);
  for (const [change, path] of [
    [{ conversation: newId() }, 'conversation'],
    [{ reply_to: newId() }, 'reply_to'],
    [{ message: { contentType: 'IMAGE', attachment: newId() } }, 'message.attachment'],
  ] as const)
    expectProblem(await call(400, 'POST', PATH, { body: { ...body, ...change } }), 'UNKNOWN_REFERENCE', path);
  expectProblem(await call(404, 'POST', `${PATH}/${newId()}/send`), 'NOT_FOUND');
});

test('an ended scheduled message is deleted after 30 days, and its message stays', async () => {
  const { conversation } = await converse();
  const [ended, open] = [await schedule(conversation._id), await schedule(conversation._id)];
  const { sent_message } = (await call(201, 'POST', `${PATH}/${ended._id}/send`)).body;
  await database.sql(
    `update scheduled_messages set updated_at = now() - interval '31 days' where conversation_id = $1`,
    [conversation._id],
  );
  await purgeScheduled(platform.running.kit);
  expectProblem(await call(404, 'GET', `${PATH}/${ended._id}`), 'NOT_FOUND');
  assert.equal((await read(open._id)).status, 'SCHEDULED');
  assert.equal((await readMessage(platform, sent_message)).status, 'SENT');
});

test('a conversation has at most 100 messages scheduled', async () => {
  const { conversation } = await converse();
  const { _id } = await schedule(conversation._id);
  await database.sql(
    `insert into scheduled_messages (company_id, _id, conversation_id, actor, message, send_at, held_until)
      select company_id, new_id(), conversation_id, actor, message, send_at, held_until
      from scheduled_messages, generate_series(2, 100) where _id = $1`,
    [_id],
  );
  const body = { conversation: conversation._id, message: { content: 'Oi' }, send_at: inDays(1) };
  const refused = await call(400, 'POST', PATH, { body });
  expectProblem(refused, 'VALIDATION_FAILED', 'conversation');
});
