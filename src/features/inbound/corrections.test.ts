import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  secondsAgo,
  findStoredMessage,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames, readEvents } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const post = (...messages: Record<string, unknown>[]): Promise<unknown> =>
  network.post(200, buildMessageNotification(phone, ...messages));
const read = (id: string): Promise<Json> => findStoredMessage(platform, phone, id);
const body = (text: string) => ({ type: 'text', text: { body: text } });
const edit = (of: string, text: string, secondsBack = 0): Record<string, unknown> => ({
  type: 'edit',
  timestamp: secondsAgo(secondsBack),
  edit: { original_message_id: of, message: body(text) },
});
const revoke = (of: string, secondsBack = 0): Record<string, unknown> => ({
  type: 'revoke',
  timestamp: secondsAgo(secondsBack),
  revoke: { original_message_id: of },
});

test('an edit changes the text of a message and its edit time, creates no message and emits MESSAGE_EDITED', async () => {
  const [from, id, change] = [makePhoneNumber(), makeMessageId(), makeMessageId()];
  await post({ from, id, timestamp: secondsAgo(60) });
  const before = await read(id);
  await post({ ...edit(id, 'Olá'), from, id: change });
  const { content, edited_at, updatedAt, ...rest } = await read(id);
  const { content: _content, edited_at: _edited, updatedAt: changedBefore, ...same } = before;
  assert.deepEqual(rest, same);
  assert.deepEqual([content, edited_at.slice(-4)], ['Olá', '000Z']);
  assert.ok(updatedAt > changedBefore);
  assert.equal(await read(change), null);
  assert.deepEqual(await listEventNames(platform, before._id), ['MESSAGE_RECEIVED', 'MESSAGE_EDITED']);
  const { body: conversation } = await platform.call(200, 'GET', `/v1/conversations/${before.conversation}`);
  assert.deepEqual([conversation.last_message.content, conversation.unread_count], ['Olá', 1]);
});

/** The network has no such file, which the platform finds out at some moment. */
const withoutError = ({ media: { error: _error, ...file } }: Json): Json => file;

test('an edit whose text is longer than a record may be is cut', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id });
  await post({ ...edit(id, '長'.repeat(30_000)), from });
  const { content } = await read(id);
  assert.match(content, /^長+…$/);
  assert.ok(Buffer.byteLength(content) <= 68 * 1024 && Buffer.byteLength(content) > 67 * 1024);
});

test("an edit of an image's caption keeps its file", async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id, type: 'image', image: { id: '7', mime_type: 'image/png', caption: 'A' } });
  const before = await read(id);
  const message = { type: 'image', image: { id: '8', mime_type: 'image/png', caption: 'B' } };
  await post({ from, type: 'edit', edit: { original_message_id: id, message } });
  const stored = await read(id);
  assert.deepEqual([stored.contentType, stored.content], ['IMAGE', 'B']);
  assert.deepEqual(withoutError(stored), withoutError(before));
  const other = await platform.database.sql("select from media_downloads where message_id = $1 and network_id <> '7'", [
    stored._id,
  ]);
  assert.deepEqual(other, []);
});

test('a message has the text of its newest edit, in whatever order the edits arrive', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id, timestamp: secondsAgo(60) });
  await post({ from, ...edit(id, 'third', 10) });
  await post({ from, ...edit(id, 'second', 20) });
  assert.equal((await read(id)).content, 'third');
  await post({ from, ...edit(id, 'fifth', 2) }, { from, ...edit(id, 'fourth', 5) });
  assert.equal((await read(id)).content, 'fifth');
});

test('a revoked message stays in the conversation without its content for ever', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id, timestamp: secondsAgo(60) });
  await post({ from, ...edit(id, 'Olá', 30) });
  await post({ from, ...revoke(id, 20) });
  const revoked = await read(id);
  assert.deepEqual([revoked.content, revoked.media], [null, null]);
  assert.notEqual(revoked.revoked_at, null);
  await post({ from, ...edit(id, 'Back', 0) });
  await post({ from, ...revoke(id, 0) });
  await post({ from, id });
  assert.deepEqual(await read(id), revoked);
  assert.deepEqual(await listEventNames(platform, revoked._id), [
    'MESSAGE_RECEIVED',
    'MESSAGE_EDITED',
    'MESSAGE_REVOKED',
  ]);
  const told = (await readEvents(platform, revoked._id)).at(-1)?.data;
  assert.deepEqual([told?.content, told?.revoked_at], [null, revoked.revoked_at]);
});

const PARTS: [string, Record<string, unknown>, string[]][] = [
  ['an image', { type: 'image', image: { id: '7', mime_type: 'image/png', caption: 'A' } }, ['content', 'media']],
  ['a location', { type: 'location', location: { latitude: 1, longitude: 2 } }, ['location']],
  ['contact cards', { type: 'contacts', contacts: [{ name: { formatted_name: 'Ana' } }] }, ['contacts']],
  [
    'an answer',
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'x', title: 'Y' } } },
    ['content', 'interactive'],
  ],
];

for (const [what, message, fields] of PARTS) {
  test(`after ${what} is revoked, nothing of its content can be read`, async () => {
    const [from, id] = [makePhoneNumber(), makeMessageId()];
    await post({ from, id, ...message });
    const before = await read(id);
    for (const field of fields) assert.notEqual(before[field], null);
    await post({ from, ...revoke(id) });
    const after = await read(id);
    for (const field of fields) assert.equal(after[field], null, field);
    const [row] = await platform.database.sql<{ media: Json }>('select media from messages where _id = $1', [
      after._id,
    ]);
    assert.equal(row?.media, null);
  });
}

test('an edit that arrives before its message is applied after it, and the event of the message has the original text', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, ...edit(id, 'first', 9) }, { from, ...edit(id, 'last', 5) }, { from, ...edit(id, 'middle', 7) });
  assert.equal(await read(id), null);
  await post({ from, id, timestamp: secondsAgo(30) });
  const stored = await read(id);
  assert.equal(stored.content, 'last');
  const events = await readEvents(platform, stored._id);
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.content]),
    [
      ['MESSAGE_RECEIVED', 'Oi'],
      ['MESSAGE_EDITED', 'last'],
    ],
  );
});

test('a revocation that arrives before its message and before edits leaves the message revoked', async () => {
  for (const revokedFirst of [true, false]) {
    const [from, id] = [makePhoneNumber(), makeMessageId()];
    const two = [revoke(id, 5), edit(id, 'x', 1)];
    for (const correction of revokedFirst ? two : two.toReversed()) await post({ from, ...correction });
    await post({ from, id, timestamp: secondsAgo(30) });
    const stored = await read(id);
    assert.equal(stored.content, null);
    assert.notEqual(stored.revoked_at, null);
  }
});

test('a message, its edit and its revocation in one callback end as a revoked message, in any order', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, ...revoke(id, 1) }, { from, ...edit(id, 'x', 2) }, { from, id, timestamp: secondsAgo(3) });
  const stored = await read(id);
  assert.equal(stored.content, null);
  assert.notEqual(stored.revoked_at, null);
});

test('an edit whose new content cannot be read changes nothing and is kept aside', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id, timestamp: secondsAgo(60) });
  const before = await read(id);
  await post({ from, type: 'edit', edit: { original_message_id: id, message: { type: 'hologram' } } });
  assert.deepEqual(await read(id), before);
  const asides = await platform.database.sql('select 1 from callbacks_aside where address = $1', [phone.id]);
  assert.equal(asides.length, 1);
});

test('an edit and a revocation change only a message of the inbox that received them', async () => {
  const company = await platform.createCompany();
  const other = await connectPhone(platform, { company });
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id });
  await network.post(200, buildMessageNotification(other, { from, ...edit(id, 'x') }, { from, ...revoke(id) }));
  assert.equal((await read(id)).content, 'Oi');
});

test('a status for a message that the contact sent changes nothing and is not kept', async () => {
  const [from, id] = [makePhoneNumber(), makeMessageId()];
  await post({ from, id });
  const before = await read(id);
  const status = { id, status: 'read', timestamp: secondsAgo(0), recipient_id: from };
  const value = { metadata: { phone_number_id: phone.id }, statuses: [status] };
  const entry = [{ id: phone.waba, changes: [{ field: 'messages', value }] }];
  await network.post(200, { object: 'whatsapp_business_account', entry });
  assert.deepEqual(await read(id), before);
  assert.deepEqual(await platform.database.sql('select 1 from parked_updates where external_id = $1', [id]), []);
});
