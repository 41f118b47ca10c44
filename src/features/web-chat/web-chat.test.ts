/** The visitor API of the web chat: what visitors write, read and hear, and what their people in the company see of it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openLive } from '../../../test/support/live.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { readEvents } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { composeButtons, openSite, sendAsAgent, visit } from '../../../test/support/web-chat.ts';
import { makeInteractiveOffer } from '../../channels/content.ts';

const platform = await startPlatform();
const { call, demo, url } = platform;
const site = await openSite(platform);

/** The conversation that the company has with whoever wrote this message. */
async function findExchange(message: Json): Promise<{ message: Json; conversation: Json; contact: Json }> {
  const { body: stored } = await call(200, 'GET', `/v1/messages/${message._id}`);
  const { body: conversation } = await call(200, 'GET', `/v1/conversations/${stored.conversation}`);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${stored.contact}`);
  return { message: stored, conversation, contact };
}

async function answer(conversationId: string, content: string): Promise<Json> {
  const { body } = await call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId, message: { content } },
  });
  return body;
}

test('a text of a new visitor opens a conversation with a contact from the widget, and emits MESSAGE_RECEIVED', async () => {
  const visitor = await visit(platform, site);
  assert.deepEqual([visitor.session.has_conversation, visitor.session.is_known], [false, false]);
  const page = { url: 'https://shop.example/shoes', title: 'Shoes' };
  const written = await visitor.write('Are these in blue?', { page });
  const { message, conversation, contact } = await findExchange(written);
  assert.deepEqual(
    [message.content, message.status, message.channel, message.referral.source_url, message.inbox],
    ['Are these in blue?', 'RECEIVED', 'WEB_V2', page.url, site],
  );
  assert.deepEqual([conversation.status, conversation.window_expires_at, contact.source], ['OPEN', null, 'WIDGET']);
  assert.deepEqual(
    (await readEvents(platform, message._id)).map(({ event }) => event),
    ['MESSAGE_RECEIVED'],
  );
  assert.deepEqual(
    (await visit(platform, site, { token: visitor.session.token })).session.visitor,
    visitor.session.visitor,
  );
});

test('a message that is sent again with its client_id is stored once, also when both arrive at the same moment', async () => {
  const visitor = await visit(platform, site);
  const body = { client_id: randomUUID(), content: 'only once' };
  const post = () =>
    fetch(`${url}/web/v1/inboxes/${site}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${visitor.session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.json() as Promise<Json>);
  const all = await Promise.all([post(), post(), post()]);
  const { body: again } = await visitor.call(200, 'POST', '/messages', { body });
  assert.deepEqual(new Set([...all, again].map(({ _id }) => _id)).size, 1);
  assert.equal((await visitor.list()).result.length, 1);
});

test('an answer reaches the open page, and its receipts make the message DELIVERED and READ', async () => {
  const visitor = await visit(platform, site);
  const { conversation } = await findExchange(await visitor.write('Hello?'));
  const live = await visitor.live();
  const { _id } = await answer(conversation._id, 'Good morning');
  const heard = await live.waitFor('message', (message) => message._id === _id);
  assert.deepEqual(
    [heard.content, heard.author.kind, heard.client_id, heard.status],
    ['Good morning', 'AGENT', null, 'SENT'],
  );
  assert.equal((await visit(platform, site, { token: visitor.session.token })).session.unread_count, 1);
  await visitor.call(200, 'POST', '/receipts', { body: { delivered_to: _id } });
  assert.equal((await call(200, 'GET', `/v1/messages/${_id}`)).body.status, 'DELIVERED');
  const { body } = await visitor.call(200, 'POST', '/receipts', { body: { read_to: _id } });
  assert.equal(body.unread_count, 0);
  assert.equal((await call(200, 'GET', `/v1/messages/${_id}`)).body.status, 'READ');
  await live.waitFor('message', (message) => message._id === _id && message.status === 'READ');
  const names = (await readEvents(platform, _id)).map(({ event }) => event);
  assert.deepEqual(names, ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_READ']);
  await live.close();
});

test('a visitor sees the name and the picture of the person who answers, no notes, and what others write neither by list nor by stream', async () => {
  const visitor = await visit(platform, site);
  const other = await visit(platform, site);
  const { conversation } = await findExchange(await visitor.write('One'));
  const { conversation: foreign } = await findExchange(await other.write('Two'));
  const live = await visitor.live();
  const user = await platform.createUser(demo._id, 'OPERATOR', 'Olga Operator');
  const avatar_url = 'https://pictures.example/olga.png';
  await call(200, 'PATCH', `/v1/users/${user._id}`, { body: { avatar_url } });
  const note = { conversationId: conversation._id, message: { content: 'an internal remark' } };
  await call(201, 'POST', '/v1/messages/note', { body: note, key: user.token });
  await answer(foreign._id, 'for the other one');
  const body = { conversationId: conversation._id, message: { content: 'for you' } };
  await call(201, 'POST', '/v1/messages/send-text', { body, key: user.token });
  const heard = await live.waitFor('message', ({ content }) => content === 'for you');
  assert.deepEqual(heard.author, { kind: 'OPERATOR', name: 'Olga Operator', avatar_url });
  const seen = (await visitor.list()).result.map(({ content }: Json) => content);
  assert.deepEqual(seen, ['One', 'for you']);
  assert.deepEqual(
    new Set(live.events.filter(({ event }) => event === 'message').map(({ data }) => data.content)),
    new Set(['for you']),
  );
  await live.close();
});

test('a visitor sees at once that a message was deleted for everyone', async () => {
  const visitor = await visit(platform, site);
  const { conversation } = await findExchange(await visitor.write('One'));
  const live = await visitor.live();
  const body = { conversationId: conversation._id, message: { content: 'for somebody else' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  await live.waitFor('message', ({ content }) => content === 'for somebody else');
  await call(201, 'POST', `/v1/messages/${sent._id}/revoke`);
  await live.waitFor('message', ({ _id, is_revoked, content }) => _id === sent._id && is_revoked && content === null);
  await live.close();
});

test('the buttons that an agent offers reach the visitor, and a press tells the company which one it was, as on every channel', async () => {
  const visitor = await visit(platform, site);
  const { conversation } = await findExchange(await visitor.write('A shirt, please'));
  const live = await visitor.live();
  const offered = await sendAsAgent(platform, conversation._id, composeButtons('Which size?', ['Small', 'Large']));
  assert.equal(offered.status, 'SENT');
  const heard = await live.waitFor('message', ({ _id }) => _id === offered._id);
  const buttons = ['Small', 'Large'].map((title) => ({ id: `id ${title}`, title }));
  assert.deepEqual([heard.content, heard.author.kind, heard.buttons], ['Which size?', 'AGENT', buttons]);
  const pressed = await visitor.write('Large', { reply_to: offered._id, button: 'id Large' });
  const { message } = await findExchange(pressed);
  assert.deepEqual(
    [message.contentType, message.content, message.reply_to, message.interactive.type, message.interactive.id],
    ['INTERACTIVE', 'Large', offered._id, 'button_reply', 'id Large'],
  );
  const sections = [{ title: 'Sizes', rows: [{ id: 'xl', title: 'Very large' }] }];
  const list = makeInteractiveOffer('list', { action: { button: 'More', sections } });
  const { _id } = await sendAsAgent(platform, conversation._id, {
    contentType: 'INTERACTIVE',
    content: 'More sizes',
    interactive: list,
  });
  const { message: chosen } = await findExchange(await visitor.write('XL', { reply_to: _id, button: 'xl' }));
  assert.deepEqual([chosen.content, chosen.interactive.type], ['Very large', 'list_reply']);

  const stranger = await visit(platform, site);
  await stranger.write('Hi');
  for (const [presser, body, path] of [
    [visitor, { reply_to: offered._id, button: 'xl' }, 'button'],
    [visitor, { reply_to: pressed._id, button: 'id Large' }, 'button'],
    [visitor, { button: 'id Large' }, 'reply_to'],
    [stranger, { reply_to: offered._id, button: 'id Large' }, 'reply_to'],
  ] as const) {
    const post = { client_id: randomUUID(), content: 'Large', ...body };
    assert.equal((await presser.call(400, 'POST', '/messages', { body: post })).body.errors[0].path, path);
  }
  await live.close();
});

test('typing is shown to the other side in both directions', async () => {
  const visitor = await visit(platform, site);
  const { conversation, contact } = await findExchange(await visitor.write('Hello'));
  const [live, watching] = [await visitor.live(), await openLive(platform)];
  await call(201, 'POST', `/v1/conversations/${conversation._id}/typing`, { body: { state: 'TYPING' } });
  await live.waitFor('typing', ({ is_typing }) => is_typing);
  await visitor.call(200, 'POST', '/typing', { body: { state: 'TYPING' } });
  await watching.waitFor('presence', ({ by, state }) => by._id === contact._id && state === 'TYPING');
  await watching.close();
  await live.close();
});

test('the messages of a chat are read in pages in both directions, and a reconnect reads what came after the last one', async () => {
  const visitor = await visit(platform, site);
  const written: Json[] = [];
  for (let index = 0; index < 7; index += 1) written.push(await visitor.write(`text ${index}`));
  const ids = written.map(({ _id }) => _id);
  const toIds = ({ result }: Json): string[] => result.map(({ _id }: Json) => _id);
  const newest = await visitor.list('?limit=3');
  assert.deepEqual([toIds(newest), newest.has_more], [ids.slice(4), true]);
  assert.deepEqual(toIds(await visitor.list(`?limit=3&before=${ids[4]}`)), ids.slice(1, 4));
  const after = await visitor.list(`?limit=2&after=${ids[3]}`);
  assert.deepEqual([toIds(after), after.has_more], [ids.slice(4, 6), true]);
  const last = await visitor.list(`?after=${ids[6]}`);
  assert.deepEqual([last.result, last.has_more, last.unseen_count], [[], false, 7]);
});

test('a visitor who writes after the conversation was closed opens another one, and reads both as one chat', async () => {
  const visitor = await visit(platform, site);
  const first = await findExchange(await visitor.write('before'));
  await call(200, 'PATCH', `/v1/conversations/${first.conversation._id}`, { body: { status: 'CLOSED' } });
  const second = await findExchange(await visitor.write('after'));
  assert.notEqual(second.conversation._id, first.conversation._id);
  assert.equal(second.contact._id, first.contact._id);
  assert.deepEqual(
    (await visitor.list()).result.map(({ content }: Json) => content),
    ['before', 'after'],
  );
});

test('a change of a conversation that is over leaves the page of the newer one as it is', async () => {
  const visitor = await visit(platform, site);
  const { conversation: old } = await findExchange(await visitor.write('before'));
  await call(200, 'PATCH', `/v1/conversations/${old._id}`, { body: { status: 'CLOSED' } });
  const { conversation: current } = await findExchange(await visitor.write('after'));
  const [live, watching] = [await visitor.live(), await openLive(platform)];
  await call(200, 'PATCH', `/v1/conversations/${old._id}`, { body: { tags: ['late'] } });
  await watching.waitFor('conversation', ({ _id, tags }) => _id === old._id && tags.includes('late'));
  await answer(current._id, 'in the newer one');
  await live.waitFor('message', ({ content }) => content === 'in the newer one');
  const states = live.events.filter(({ event }) => event === 'conversation').map(({ data }) => data.is_open);
  assert.ok(!states.includes(false), 'the page is told of the conversation that is over');
  await call(201, 'POST', `/v1/conversations/${current._id}/typing`, { body: { state: 'TYPING' } });
  await live.waitFor('typing', ({ is_typing }) => is_typing);
  await watching.close();
  await live.close();
});

test('a picture of a visitor arrives with its file, is stored once, and a file that is no file of the table is refused by name', async () => {
  const visitor = await visit(platform, site);
  const client_id = randomUUID();
  const sent = await visitor.sendFile(201, { client_id, content: 'look' }, makePng(30, 20));
  assert.deepEqual([sent.contentType, sent.content, sent.media.mimeType], ['IMAGE', 'look', 'image/png']);
  assert.equal((await fetch(sent.media.url)).status, 200);
  assert.equal((await visitor.sendFile(200, { client_id, content: 'look' }, makePng(30, 20)))._id, sent._id);
  const { message } = await findExchange(sent);
  const { body: attachment } = await call(200, 'GET', `/v1/resource/attachments/${message.attachment}`);
  assert.deepEqual([attachment.file_type, attachment.storage_key], ['IMAGE', message.media.storage_key]);
  const refused = await visitor.sendFile(400, { client_id: randomUUID() }, Buffer.from('7f454c4602010100', 'hex'));
  assert.equal(refused.errors[0].path, 'file');
});

test('a deleted inbox ends the streams of its visitors and takes nothing any more', async () => {
  const inbox = await openSite(platform, {}, { name: 'Closing shop' });
  const visitor = await visit(platform, inbox);
  await visitor.write('still open?');
  const live = await visitor.live();
  await call(200, 'PUT', `/v1/inboxes/${inbox}`, { body: { status: 'DELETED' } });
  await waitUntil('the stream ends', () => live.isClosed());
  await visitor.call(404, 'POST', '/messages', { body: { client_id: randomUUID(), content: 'too late' } });
  await live.close();
});
