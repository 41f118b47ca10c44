/** Inboxes with `reopen_days` continue the last closed conversation of a contact instead of opening a new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildMessageNotification,
  buildNotification,
  connectPhone,
  fillMessage,
  findStoredMessage,
  makeMessageId,
  makePhoneNumber,
  openNetwork,
  postAndReadMessage,
  startSecondProcess,
  waitUntilCopied,
  type Phone,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { listEventNames, readEvents } from '../../../test/support/traffic.ts';
import { openSite, visit } from '../../../test/support/web-chat.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const network = await openNetwork(platform);
const peer = await startSecondProcess(platform, { WAP_APP_SECRET: network.appSecret });
const urls = [platform.url, peer.url ?? ''];
const DAYS = 7;
const phone = await connectPhone(platform, { inbox: { reopen_days: DAYS } });

const pathTo = (id: string): string => `/v1/conversations/${id}`;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', pathTo(id))).body;
const change = async (id: string, body: Json): Promise<Json> => (await call(200, 'PATCH', pathTo(id), { body })).body;
/** Makes a contact write, and returns the id of the conversation in which the message is. */
const write = async (from: string, at: Phone = phone): Promise<string> =>
  (await postAndReadMessage({ platform, network, phone: at }, { from })).conversation;
const countThreads = async (contact: string): Promise<number> =>
  (await call(200, 'GET', `/v1/conversations?contact=${contact}`)).body.meta.totalCount;

/** Makes a new contact write, and closes the conversation. */
async function writeAndClose(from = makePhoneNumber(), at: Phone = phone): Promise<Json> {
  return { from, ...(await change(await write(from, at), { status: 'CLOSED' })) };
}

async function createAgent(): Promise<string> {
  const id = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Bia')`, [demo._id, id]);
  return id;
}

/** Makes the fields of a conversation that stay as they are when it is reopened. */
async function makeKept(): Promise<Json> {
  const owner = (await platform.createUser(demo._id, 'OPERATOR'))._id as string;
  const pipeline = { name: newId(), steps: [{ name: 'New' }] };
  const { steps } = (await call(201, 'POST', '/v1/pipelines', { body: pipeline })).body;
  const { body: team } = await call(201, 'POST', '/v1/teams', { body: { name: newId() } });
  return { owner, attendant: owner, tags: ['vip'], step: steps[0]._id, priority: 'HIGH', team: team._id };
}
const pickKept = (conversation: Json, kept: Json): Json =>
  Object.fromEntries(Object.keys(kept).map((field) => [field, conversation[field]]));

test('an inbox reopens no conversation unless it says for how many days, at most 365', async () => {
  const path = `/v1/inboxes/${demo.inbox}`;
  assert.equal((await call(200, 'GET', path)).body.reopen_days, 0);
  for (const reopen_days of [-1, 366, 1.5, null])
    expectProblem(await call(400, 'PUT', path, { body: { reopen_days } }), 'VALIDATION_FAILED', 'reopen_days');
  const usual = await connectPhone(platform);
  const closed = await writeAndClose(makePhoneNumber(), usual);
  assert.notEqual(await write(closed.from, usual), closed._id);
});

test('a message within the days reopens the last conversation as it was, with its history, one event and the agent', async () => {
  const from = makePhoneNumber();
  const id = await write(from);
  const kept = { ...(await makeKept()), agent: await createAgent(), handled_by: 'AI' };
  const closed = await change(id, { ...kept, status: 'CLOSED' });
  const before = await listEventNames(platform, id);
  assert.equal(await write(from), id);
  const { status, closed_at, waiting_since, unread_count, contact, ...rest } = await read(id);
  assert.deepEqual(pickKept(rest, kept), kept);
  assert.deepEqual([status, closed_at, unread_count], ['OPEN', null, closed.unread_count + 1]);
  assert.notEqual(waiting_since, null);
  assert.equal(await countThreads(contact), 1);
  const events = (await readEvents(platform, id)).slice(before.length);
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.status]),
    [['CONVERSATION_UPDATED', 'OPEN']],
  );
  const [entry] = (await call(200, 'GET', `${pathTo(id)}/history`)).body.result;
  assert.deepEqual(
    [entry.actor, entry.changes.map((each: Json) => [each.field, each.from, each.to])],
    [null, [['status', 'CLOSED', 'OPEN']]],
  );
  const turns = await database.sql('select from pending_turns where conversation_id = $1', [id]);
  const ended = await database.sql('select from agent_turns where conversation_id = $1', [id]);
  assert.equal(turns.length + ended.length, 1);
});

test('a visitor of a web chat who writes within the days continues the last conversation with its owner, tags and stage', async () => {
  const site = await openSite(platform, {}, { reopen_days: DAYS });
  const visitor = await visit(platform, site);
  await visitor.write('Oi');
  const [{ _id }] = (await call(200, 'GET', `/v1/conversations?inbox=${site}`)).body.result;
  const kept = await makeKept();
  await change(_id, { ...kept, status: 'CLOSED' });
  await visitor.write('Olá de novo');
  const { contact, ...rest } = await read(_id);
  assert.deepEqual(pickKept(rest, { ...kept, status: 'OPEN' }), { ...kept, status: 'OPEN' });
  assert.equal(await countThreads(contact), 1);
});

test('a conversation that was closed before the days, of another inbox, of another contact or of test mode is not reopened', async () => {
  const old = await writeAndClose();
  await database.sql(
    `update conversations set closed_at = now() - make_interval(days => $2, secs => 60) where _id = $1`,
    [old._id, DAYS],
  );
  const other = await connectPhone(platform, { inbox: { reopen_days: DAYS } });
  const elsewhere = await writeAndClose();
  const tested = await writeAndClose();
  await database.sql('update conversations set is_test = true where _id = $1', [tested._id]);
  for (const [closed, at] of [
    [old, phone],
    [elsewhere, other],
    [tested, phone],
  ] as const)
    assert.notEqual(await write(closed.from, at), closed._id);
  const bystander = await writeAndClose();
  await write(makePhoneNumber());
  assert.equal((await read(bystander._id)).status, 'CLOSED');
  await database.sql(`update conversations set closed_at = closed_at + interval '2 minutes' where _id = $1`, [old._id]);
  const next = (await call(200, 'GET', `/v1/conversations?contact=${old.contact}&open=true`)).body.result[0];
  assert.notEqual(next._id, old._id);
});

test('of several closed conversations of a contact, the one that was closed last is reopened', async () => {
  const first = await writeAndClose();
  await database.sql(`update conversations set closed_at = now() - interval '1 year' where _id = $1`, [first._id]);
  const second = await writeAndClose(first.from);
  assert.notEqual(second._id, first._id);
  await database.sql(`update conversations set closed_at = now() - interval '1 day' where _id = $1`, [first._id]);
  assert.equal(await write(first.from), second._id);
  await change(second._id, { status: 'CLOSED' });
  await database.sql(`update conversations set closed_at = now() - interval '2 days' where _id = $1`, [second._id]);
  assert.equal(await write(first.from), first._id);
});

test('messages that arrive at the same moment in two processes reopen one conversation, with one event', async () => {
  const closed = await Promise.all(Array.from({ length: 6 }, () => writeAndClose()));
  const before = await Promise.all(closed.map(({ _id }) => listEventNames(platform, _id)));
  await Promise.all(
    [...closed, ...closed.toReversed(), ...closed].map(({ from }, place) =>
      network.post(200, buildMessageNotification(phone, { from }), { url: urls[place % 2] ?? '' }),
    ),
  );
  for (const [place, { _id, contact }] of closed.entries()) {
    const { status, unread_count } = await read(_id);
    assert.deepEqual([status, unread_count, await countThreads(contact)], ['OPEN', 4, 1]);
    const news = (await listEventNames(platform, _id)).slice(before[place]?.length);
    assert.deepEqual(news, ['CONVERSATION_UPDATED']);
  }
});

test('one batch reopens conversations, opens others and continues open ones', async () => {
  const [closed, other] = [await writeAndClose(), await writeAndClose()];
  const [open, fresh] = [makePhoneNumber(), makePhoneNumber()];
  const running = await write(open);
  const ids = Array.from({ length: 5 }, makeMessageId);
  const people = [closed.from, open, fresh, other.from, closed.from];
  await network.post(200, buildMessageNotification(phone, ...people.map((from, n) => ({ from, id: ids[n] }))));
  const stored = await Promise.all(ids.map((id) => findStoredMessage(platform, phone, id)));
  const [first, second, third, fourth, fifth] = stored.map(({ conversation }) => conversation);
  assert.deepEqual([first, second, fourth, fifth], [closed._id, running, other._id, closed._id]);
  assert.deepEqual(await listEventNames(platform, third), ['CONVERSATION_CREATED']);
});

test('a repeated message reopens nothing', async () => {
  const from = makePhoneNumber();
  const message = { from, id: makeMessageId() };
  await network.post(200, buildMessageNotification(phone, message));
  const { conversation } = await findStoredMessage(platform, phone, message.id);
  await change(conversation, { status: 'CLOSED' });
  await network.post(200, buildMessageNotification(phone, message));
  assert.equal((await read(conversation)).status, 'CLOSED');
});

test('a reopened conversation is not given back to a user who has left', async () => {
  const from = makePhoneNumber();
  const id = await write(from);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  await change(id, { owner: user._id, attendant: user._id, status: 'CLOSED' });
  // The work that removes the user from all conversations has not come to this one yet.
  await database.sql(`update users set status = 'INACTIVE' where _id = $1`, [user._id]);
  assert.equal(await write(from), id);
  const { owner, attendant } = await read(id);
  assert.deepEqual([owner, attendant], [null, null]);
});

test('a reaction and the history of a number reopen no conversation', async () => {
  const from = makePhoneNumber();
  const { conversation, external_id } = await postAndReadMessage({ platform, network, phone }, { from });
  await change(conversation, { status: 'CLOSED' });
  const reaction = { type: 'reaction', reaction: { message_id: external_id, emoji: '👍' } };
  await network.post(200, buildMessageNotification(phone, { from, ...reaction }));
  await network.post(
    200,
    buildNotification({
      phone,
      field: 'account_update',
      value: { event: 'ACCOUNT_RECONNECTED', metadata: undefined },
    }),
  );
  const thread = { id: from, messages: [fillMessage({ from, id: makeMessageId() })] };
  const chunk = { metadata: { phase: 0, chunk_order: 1, progress: 50 }, threads: [thread] };
  await network.post(200, buildNotification({ phone, field: 'history', value: { history: [chunk] } }));
  assert.equal((await read(conversation)).status, 'CLOSED');
});

test('a conversation that the company opens is the closed one within the days, with 200 and one event that names the caller', async () => {
  const owner = (await platform.createUser(demo._id, 'OPERATOR'))._id as string;
  await call(200, 'PUT', `/v1/inboxes/${phone.inbox}`, { body: { default_owner: owner } });
  const closed = await writeAndClose();
  await database.sql('update conversations set owner_id = null where _id = $1', [closed._id]);
  const before = await listEventNames(platform, closed._id);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      call(200, 'POST', '/v1/conversations', { body: { inbox: phone.inbox, contact: closed.contact } }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ body }) => body._id)), new Set([closed._id]));
  const { status, owner: kept, window_expires_at } = await read(closed._id);
  assert.deepEqual([status, kept, window_expires_at], ['OPEN', null, closed.window_expires_at]);
  const news = (await listEventNames(platform, closed._id)).slice(before.length);
  assert.deepEqual(news, ['CONVERSATION_UPDATED']);
  const [entry] = (await call(200, 'GET', `${pathTo(closed._id)}/history`)).body.result;
  assert.deepEqual([entry.actor.type, entry.changes[0].to], ['KEY', 'OPEN']);
  await call(200, 'PUT', `/v1/inboxes/${phone.inbox}`, { body: { default_owner: null } });
});

test('a text and a bulk send to a contact go into the closed conversation within the days', async () => {
  const closed = await writeAndClose();
  const body = { inboxId: phone.inbox, contact: closed.contact, message: { content: 'Olá' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.deepEqual([sent.conversation, sent.status], [closed._id, 'SENT']);
  await change(closed._id, { status: 'CLOSED' });
  await waitUntilCopied(platform, phone.inbox);
  const template = { inboxId: phone.inbox, templateName: 'hello_world', languageCode: 'pt_BR' };
  const contacts = JSON.stringify([{ name: 'Ana', phone: closed.from }]);
  const { body: run } = await postForm(platform, [201, '/v1/messages/send-bulk-template'], { ...template, contacts });
  const [{ conversationId, message }] = run.sentContacts;
  const { status, last_message } = await read(closed._id);
  assert.deepEqual([conversationId, status, last_message._id], [closed._id, 'OPEN', message]);
  assert.equal(await countThreads(closed.contact), 1);
});
