import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPhone, freshPhone, incoming, openNetwork, secondsAgo, wamid } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listNetworkMessages, sendText, silenceNetwork } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call } = platform;
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const freshBsuid = (): string => `BR.${freshPhone()}`;

/** Answers the conversation of the last message. */
async function write(...messages: Record<string, unknown>[]): Promise<{ conversation: string; contact: string }> {
  const id = wamid();
  const numbered = messages.map((message, index) => (index === messages.length - 1 ? { ...message, id } : message));
  await network.post(200, incoming(phone, ...numbered));
  const [row] = await platform.database.sql<{ conversation_id: string; contact_id: string }>(
    'select conversation_id, contact_id from messages where external_id = $1',
    [id],
  );
  return { conversation: row?.conversation_id ?? '', contact: row?.contact_id ?? '' };
}

/** Where a text in the conversation goes, as the network sees it. */
async function answeredAt(conversation: string): Promise<string> {
  const sent = await sendText(platform, conversation);
  assert.equal(sent.status, 'SENT');
  const [wire] = await listNetworkMessages(platform, sent._id);
  return wire.body.to ?? wire.body.recipient;
}

/** A contact with a number of its own that never wrote, into which another one was merged that writes as `source`. */
async function merged(source: Json): Promise<{ conversation: string; contact: string; number: string }> {
  const number = freshPhone();
  const { _id: contact } = (await call(201, 'POST', '/v1/contacts', { body: { phone_number: number } })).body;
  const heard = await write(source);
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: heard.contact } });
  return { conversation: heard.conversation, contact, number };
}

const renamed = (from: string, wa_id: string): Json => ({
  from,
  type: 'system',
  system: { type: 'user_changed_number', wa_id },
});

test('who was merged into a contact with another number is answered where they write from, each time', async () => {
  const from = freshPhone();
  const { conversation, number } = await merged({ from });
  assert.equal(await answeredAt(conversation), from);
  await write({ from });
  assert.equal(await answeredAt(conversation), from);
  await write({ from: number });
  assert.equal(await answeredAt(conversation), number);
  await write({ from: number }, { from });
  assert.equal(await answeredAt(conversation), from);
});

test('so is who is known by a user id of the network alone', async () => {
  const bsuid = freshBsuid();
  const { conversation, number } = await merged({ from_user_id: bsuid });
  assert.equal(await answeredAt(conversation), bsuid);
  await write({ from: number });
  assert.equal(await answeredAt(conversation), number);
});

test('the newest word of the contact decides, whatever the order in which words arrive', async () => {
  const from = freshPhone();
  const { conversation, number } = await merged({ from });
  await write({ from: number, timestamp: secondsAgo(600) });
  assert.equal(await answeredAt(conversation), from);
});

test('a conversation that is closed by the merge, closed and followed by another, or reopened, is answered there as well', async () => {
  const from = freshPhone();
  const { _id: contact } = (await call(201, 'POST', '/v1/contacts', { body: { phone_number: freshPhone() } })).body;
  const open = async (): Promise<string> =>
    (await call(201, 'POST', '/v1/conversations', { body: { inbox: phone.inbox, contact } })).body._id;
  const close = (id: string) => call(200, 'PATCH', `/v1/conversations/${id}`, { body: { status: 'CLOSED' } });
  const first = await open();
  const heard = await write({ from });
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: heard.contact } });
  assert.equal(await answeredAt(first), from);
  await close(first);
  const second = await open();
  assert.equal(await answeredAt(second), from);
  await close(second);
  await call(200, 'PATCH', `/v1/conversations/${first}`, { body: { status: 'OPEN' } });
  assert.equal(await answeredAt(first), from);
});

test('a number that the network says has changed is not answered any more, in no conversation of the contact', async () => {
  const [from, next, last] = [freshPhone(), freshPhone(), freshPhone()];
  const other = await connectPhone(platform);
  const { conversation, contact } = await merged({ from });
  await network.post(200, incoming(other, { from }));
  const [row] = await platform.database.sql<{ _id: string }>(
    'select _id from conversations where contact_id = $1 and inbox_id = $2',
    [contact, other.inbox],
  );
  const conversations = [conversation, row?._id ?? ''];
  const expectAll = async (address: string): Promise<void> => {
    for (const id of conversations) assert.equal(await answeredAt(id), address);
  };
  await write(renamed(from, next));
  await expectAll(next);
  await write(renamed(next, last));
  await expectAll(last);
  await write(renamed(last, from));
  await expectAll(from);
  await write(renamed(from, next), renamed(next, last), { from: last });
  await expectAll(last);
});

test('a user id that the network has replaced is answered at the new one', async () => {
  const [bsuid, next] = [freshBsuid(), freshBsuid()];
  const { conversation } = await merged({ from_user_id: bsuid });
  const system = { type: 'user_changed_user_id', body: 'changed', previous_user_id: bsuid, user_id: next };
  await write({ from_user_id: next, type: 'system', system });
  assert.equal(await answeredAt(conversation), next);
});

test('a number that a caller replaces is not answered any more, nor one that it had replaced before', async () => {
  const [from, next, given] = [freshPhone(), freshPhone(), freshPhone()];
  const { conversation, contact } = await write({ from });
  await write(renamed(from, next));
  assert.equal(await answeredAt(conversation), next);
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { phone_number: given } });
  assert.equal(await answeredAt(conversation), given);
});

test('where nothing is remembered the phone number of the contact is answered, as the network writes it', async () => {
  const long = freshPhone();
  const short = long.slice(0, 4) + long.slice(5);
  const { conversation } = await write({ from: short });
  assert.equal(await answeredAt(conversation), short);
  await platform.database.sql('update conversations set heard_from = null where _id = $1', [conversation]);
  assert.equal(await answeredAt(conversation), short);
});
