import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  secondsAgo,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listNetworkMessages, sendText, silenceNetwork } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call } = platform;
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const freshBsuid = (): string => `BR.${makePhoneNumber()}`;

/** Receives messages from the network and returns the conversation and contact of the last one. */
async function write(...messages: Record<string, unknown>[]): Promise<{ conversation: string; contact: string }> {
  const id = makeMessageId();
  const numbered = messages.map((message, index) => (index === messages.length - 1 ? { ...message, id } : message));
  await network.post(200, buildMessageNotification(phone, ...numbered));
  const [row] = await platform.database.sql<{ conversation_id: string; contact_id: string }>(
    'select conversation_id, contact_id from messages where external_id = $1',
    [id],
  );
  return { conversation: row?.conversation_id ?? '', contact: row?.contact_id ?? '' };
}

/** Sends a text in the conversation and returns the address to which the network was asked to send it. */
async function readReplyAddress(conversation: string): Promise<string> {
  const sent = await sendText(platform, conversation);
  assert.equal(sent.status, 'SENT');
  const [wire] = await listNetworkMessages(platform, sent._id);
  return wire.body.to ?? wire.body.recipient;
}

/** Creates a contact with a phone number that never wrote, and merges into it a contact that has just written as `source`. */
async function createMerged(source: Json): Promise<{ conversation: string; contact: string; number: string }> {
  const number = makePhoneNumber();
  const { _id: contact } = (await call(201, 'POST', '/v1/contacts', { body: { phone_number: number } })).body;
  const heard = await write(source);
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: heard.contact } });
  return { conversation: heard.conversation, contact, number };
}

const numberChange = (from: string, wa_id: string): Json => ({
  from,
  type: 'system',
  system: { type: 'user_changed_number', wa_id },
});

test('after a merge, each reply goes to the phone number from which the person wrote last', async () => {
  const from = makePhoneNumber();
  const { conversation, number } = await createMerged({ from });
  assert.equal(await readReplyAddress(conversation), from);
  await write({ from });
  assert.equal(await readReplyAddress(conversation), from);
  await write({ from: number });
  assert.equal(await readReplyAddress(conversation), number);
  await write({ from: number }, { from });
  assert.equal(await readReplyAddress(conversation), from);
});

test('after a merge, a reply goes to the user id from which the person wrote last', async () => {
  const bsuid = freshBsuid();
  const { conversation, number } = await createMerged({ from_user_id: bsuid });
  assert.equal(await readReplyAddress(conversation), bsuid);
  await write({ from: number });
  assert.equal(await readReplyAddress(conversation), number);
});

test("a reply goes to the sender of the contact's newest message, even if an older message arrives later", async () => {
  const from = makePhoneNumber();
  const { conversation, number } = await createMerged({ from });
  await write({ from: number, timestamp: secondsAgo(600) });
  assert.equal(await readReplyAddress(conversation), from);
});

test('a reply goes to the identity that wrote last, even in a conversation that a merge closed, that was opened later, or that was reopened', async () => {
  const from = makePhoneNumber();
  const { _id: contact } = (await call(201, 'POST', '/v1/contacts', { body: { phone_number: makePhoneNumber() } }))
    .body;
  const open = async (): Promise<string> =>
    (await call(201, 'POST', '/v1/conversations', { body: { inbox: phone.inbox, contact } })).body._id;
  const close = (id: string) => call(200, 'PATCH', `/v1/conversations/${id}`, { body: { status: 'CLOSED' } });
  const first = await open();
  const heard = await write({ from });
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: heard.contact } });
  assert.equal(await readReplyAddress(first), from);
  await close(first);
  const second = await open();
  assert.equal(await readReplyAddress(second), from);
  await close(second);
  await call(200, 'PATCH', `/v1/conversations/${first}`, { body: { status: 'OPEN' } });
  assert.equal(await readReplyAddress(first), from);
});

test('after the network reports a changed number, replies in all conversations of the contact go to the new number', async () => {
  const [from, next, last] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  const other = await connectPhone(platform);
  const { conversation, contact } = await createMerged({ from });
  await network.post(200, buildMessageNotification(other, { from }));
  const [row] = await platform.database.sql<{ _id: string }>(
    'select _id from conversations where contact_id = $1 and inbox_id = $2',
    [contact, other.inbox],
  );
  const conversations = [conversation, row?._id ?? ''];
  const expectAll = async (address: string): Promise<void> => {
    for (const id of conversations) assert.equal(await readReplyAddress(id), address);
  };
  await write(numberChange(from, next));
  await expectAll(next);
  await write(numberChange(next, last));
  await expectAll(last);
  await write(numberChange(last, from));
  await expectAll(from);
  await write(numberChange(from, next), numberChange(next, last), { from: last });
  await expectAll(last);
});

test('after the network has replaced a user id, a reply goes to the new one', async () => {
  const [bsuid, next] = [freshBsuid(), freshBsuid()];
  const { conversation } = await createMerged({ from_user_id: bsuid });
  const system = { type: 'user_changed_user_id', body: 'changed', previous_user_id: bsuid, user_id: next };
  await write({ from_user_id: next, type: 'system', system });
  assert.equal(await readReplyAddress(conversation), next);
});

test("after a caller replaces a contact's number, replies go to the new number and to no earlier one", async () => {
  const [from, next, given] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  const { conversation, contact } = await write({ from });
  await write(numberChange(from, next));
  assert.equal(await readReplyAddress(conversation), next);
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { phone_number: given } });
  assert.equal(await readReplyAddress(conversation), given);
});

test("in a conversation without a remembered sender, a reply goes to the contact's phone number as the network writes it", async () => {
  const long = makePhoneNumber();
  const short = long.slice(0, 4) + long.slice(5);
  const { conversation } = await write({ from: short });
  assert.equal(await readReplyAddress(conversation), short);
  await platform.database.sql('update conversations set heard_from = null where _id = $1', [conversation]);
  assert.equal(await readReplyAddress(conversation), short);
});
