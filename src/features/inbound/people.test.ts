import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makeBsuid,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  findStoredMessage,
  makeMessageId,
  fillMessage,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, readEvents } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

/** Posts one message together with the people that the network lists next to it, and returns the stored message. */
async function receive(message: Record<string, unknown>, contacts?: Json[]): Promise<Json> {
  const filled = fillMessage(message);
  const value = { messages: [filled], ...(contacts ? { contacts } : {}) };
  await network.post(200, buildNotification({ phone, value }));
  return findStoredMessage(platform, phone, filled['id'] as string);
}

const readContact = async (message: Json): Promise<Json> =>
  (await platform.call(200, 'GET', `/v1/contacts/${message.contact}`)).body;
const named = (wa_id: string, name: string, more: Json = {}): Json => ({ wa_id, profile: { name }, ...more });

test('a first message makes a contact with name, number and country, with one event in the GET format', async () => {
  const from = makePhoneNumber();
  const message = await receive({ from }, [named(from, 'José Ávila')]);
  const contact = await readContact(message);
  const { _id, name, phone_number, country_code, source, last_inbound_at, last_message_at, tags } = contact;
  assert.deepEqual(
    { name, phone_number, country_code, source, tags },
    { name: 'José Ávila', phone_number: `+${from}`, country_code: 'BR', source: 'INBOUND', tags: [] },
  );
  assert.equal(last_inbound_at, message.sent_at);
  assert.equal(last_message_at, message.createdAt);
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'CONTACT_CREATED', data: contact }]);
  await receive({ from }, [named(from, 'Somebody else')]);
  assert.equal((await readContact(message)).name, 'José Ávila');
  assert.deepEqual(await listEventNames(platform, _id), ['CONTACT_CREATED']);
});

test('a number with and without the Brazilian ninth digit is one contact', async () => {
  const long = makePhoneNumber();
  const short = long.slice(0, 4) + long.slice(5);
  const [first, second] = [await receive({ from: short }), await receive({ from: long })];
  assert.equal(second.contact, first.contact);
  assert.equal((await readContact(first)).phone_number, `+${long}`);
});

test('a name that comes later completes the contact and emits CONTACT_UPDATED', async () => {
  const from = makePhoneNumber();
  const { contact } = await receive({ from });
  const message = await receive({ from }, [named(from, 'Ana')]);
  const after = await readContact(message);
  assert.equal(after.name, 'Ana');
  const events = await readEvents(platform, contact);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['CONTACT_CREATED', 'CONTACT_UPDATED'],
  );
  assert.deepEqual(events[1]?.data, after);
});

test('people in one callback are matched by their number, not by their position', async () => {
  const [a, b] = [makePhoneNumber(), makePhoneNumber()];
  const [ida, idb] = [makeMessageId(), makeMessageId()];
  const messages = [fillMessage({ from: a, id: ida }), fillMessage({ from: b, id: idb })];
  const contacts = [named(b, 'Bia'), named(a, 'Ana')];
  await network.post(200, buildNotification({ phone, value: { messages, contacts } }));
  assert.equal((await readContact(await findStoredMessage(platform, phone, ida))).name, 'Ana');
  assert.equal((await readContact(await findStoredMessage(platform, phone, idb))).name, 'Bia');
});

test('a person with only a business-scoped id is a contact without a number', async () => {
  const bsuid = makeBsuid();
  const first = await receive({ from_user_id: bsuid }, [{ user_id: bsuid, profile: { username: 'ana.sa' } }]);
  const contact = await readContact(first);
  assert.deepEqual([contact.phone_number, contact.country_code, contact.name], [null, null, 'ana.sa']);
  // Some senders put the business-scoped id where the phone number should be.
  assert.equal((await receive({ from: bsuid })).contact, first.contact);
  const { body: sent } = await platform.call(201, 'POST', '/v1/messages/send-text', {
    body: { conversationId: first.conversation, message: { content: 'Oi' } },
  });
  assert.equal(sent.status, 'SENT');
});

test('the username that the network reports is stored with the contact, and replaced only when the network reports another or none', async () => {
  const [from, next] = [makePhoneNumber(), 'ana.souza'];
  const receiveFrom = async (profile?: Json): Promise<Json> =>
    readContact(await receive({ from }, profile && [{ wa_id: from, profile: { name: 'Ana', ...profile } }]));
  const first = await receiveFrom({ username: '@Ana.Sa' });
  assert.deepEqual([first.name, first.username], ['Ana', 'ana.sa']);
  for (const said of [undefined, {}, { username: 7 }, { username: 'ana sá' }, { username: 'ana.sa' }])
    assert.deepEqual(await receiveFrom(said).then(({ username, updatedAt }) => [username, updatedAt]), [
      'ana.sa',
      first.updatedAt,
    ]);
  const renamed = await receiveFrom({ username: next });
  assert.equal(renamed.username, next);
  assert.deepEqual((await readEvents(platform, first._id)).at(-1), { event: 'CONTACT_UPDATED', data: renamed });
  for (const none of ['', null]) {
    assert.equal((await receiveFrom({ username: none })).username, null);
    assert.equal((await receiveFrom({ username: next })).username, next);
  }
});

test('of several usernames of a person in one callback, the last one is stored', async () => {
  for (const isKnown of [false, true]) {
    const from = makePhoneNumber();
    const profile = (username: string): Json => ({ wa_id: from, profile: { name: 'Bia', username } });
    if (isKnown) await receive({ from }, [profile('bia.0')]);
    const id = makeMessageId();
    const parts = ['bia.1', 'bia.2'].map((username, index) => ({
      phone,
      value: { messages: [fillMessage({ from, ...(index === 1 && { id }) })], contacts: [profile(username)] },
    }));
    await network.post(200, buildNotification(...parts));
    assert.equal((await readContact(await findStoredMessage(platform, phone, id))).username, 'bia.2');
  }
});

test('two people with the same username stay two contacts', async () => {
  const people = [makePhoneNumber(), makePhoneNumber()];
  const contacts = [];
  for (const from of people)
    contacts.push(await readContact(await receive({ from }, [{ wa_id: from, profile: { username: 'passed.on' } }])));
  assert.deepEqual(
    contacts.map(({ username }) => username),
    ['passed.on', 'passed.on'],
  );
  assert.notEqual(contacts[0]?._id, contacts[1]?._id);
});

test('a caller cannot write the username of a contact', async () => {
  const { contact } = await receive({ from: makePhoneNumber() });
  for (const [method, path] of [
    ['POST', '/v1/contacts'],
    ['PATCH', `/v1/contacts/${contact}`],
  ] as const)
    expectProblem(
      await platform.call(400, method, path, { body: { name: 'Ana', username: 'ana' } }),
      'VALIDATION_FAILED',
      'username',
    );
});

test('a number that becomes known for a business-scoped id is added to its contact, with an event', async () => {
  const [bsuid, from] = [makeBsuid(), makePhoneNumber()];
  const first = await receive({ from_user_id: bsuid });
  const second = await receive({ from, from_user_id: bsuid });
  assert.equal(second.contact, first.contact);
  assert.equal((await readContact(first)).phone_number, `+${from}`);
  assert.equal((await receive({ from })).contact, first.contact);
  assert.deepEqual(await listEventNames(platform, first.contact), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('a new contact has every fact about the person that any message of the callback contains', async () => {
  const [bsuid, from, ids] = [makeBsuid(), makePhoneNumber(), [makeMessageId(), makeMessageId(), makeMessageId()]];
  const people = [{ from_user_id: bsuid }, { from, from_user_id: bsuid }, { from }];
  const parts = people.map((person, index) => ({
    phone,
    value: {
      messages: [fillMessage({ ...person, id: ids[index] })],
      ...(index === 1 ? { contacts: [named(from, 'Ana')] } : {}),
    },
  }));
  await network.post(200, buildNotification(...parts));
  const stored = await Promise.all(ids.map((id) => findStoredMessage(platform, phone, id)));
  assert.equal(new Set(stored.map((message) => message.contact)).size, 1);
  const contact = await readContact(stored[0]);
  assert.deepEqual([contact.name, contact.phone_number], ['Ana', `+${from}`]);
  assert.deepEqual(await readEvents(platform, contact._id), [{ event: 'CONTACT_CREATED', data: contact }]);
});

test('a message with a number and a business-scoped id of two contacts belongs to the contact of the number', async () => {
  const [bsuid, from] = [makeBsuid(), makePhoneNumber()];
  const byId = await receive({ from_user_id: bsuid });
  const byNumber = await receive({ from });
  assert.notEqual(byId.contact, byNumber.contact);
  assert.equal((await receive({ from, from_user_id: bsuid })).contact, byNumber.contact);
  assert.equal((await receive({ from_user_id: bsuid })).contact, byNumber.contact);
});

for (const [type, field] of [
  ['user_changed_number', 'wa_id'],
  ['customer_changed_number', 'new_wa_id'],
]) {
  test(`after a notice of type ${type} the contact keeps its history under the new number, and repeated notices emit one event`, async () => {
    const [old, renewed, id] = [makePhoneNumber(), makePhoneNumber(), makeMessageId()];
    const before = await receive({ from: old }, [named(old, 'Ana')]);
    const system = { type, body: 'Ana mudou de número', [field as string]: renewed };
    const notice = await receive({ from: old, id, type: 'system', system });
    await receive({ from: old, id, type: 'system', system });
    const contact = await readContact(before);
    assert.equal(contact.phone_number, `+${renewed}`);
    const events = await readEvents(platform, contact._id);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['CONTACT_CREATED', 'CONTACT_UPDATED'],
    );
    assert.equal(events[1]?.data.phone_number, `+${renewed}`);
    assert.equal((await receive({ from: renewed })).contact, before.contact);
    assert.deepEqual([notice.message_type, notice.sender_type], ['SYSTEM', 'SYSTEM']);
    assert.deepEqual(await listEventNames(platform, notice._id), []);
    const { body: sent } = await platform.call(201, 'POST', '/v1/messages/send-text', {
      body: { conversationId: before.conversation, message: { content: 'Oi' } },
    });
    const { messages } = await platform.sandbox('GET', '/sandbox/messages');
    assert.equal(messages.find((item: Json) => item.biz_opaque_callback_data === sent._id).to, renewed);
  });
}

test('a person with a changed business-scoped id stays the same contact, and no visible field changes', async () => {
  const [old, renewed] = [makeBsuid(), makeBsuid()];
  const before = await receive({ from_user_id: old });
  const system = { type: 'user_changed_user_id', body: 'changed', previous_user_id: old, user_id: renewed };
  await receive({ from_user_id: renewed, type: 'system', system });
  assert.equal((await receive({ from_user_id: renewed })).contact, before.contact);
  assert.deepEqual(await listEventNames(platform, before.contact), ['CONTACT_CREATED']);
});

test("a notice that a person's identity key has changed renames no contact", async () => {
  const from = makePhoneNumber();
  const before = await receive({ from });
  await receive({ from, type: 'system', system: { type: 'customer_identity_changed', wa_id: makePhoneNumber() } });
  assert.equal((await readContact(before)).phone_number, `+${from}`);
  assert.deepEqual(await listEventNames(platform, before.contact), ['CONTACT_CREATED']);
});

test("the same number is one contact in each company, and no company sees another company's contact", async () => {
  const [company, from, id] = [await platform.createCompany(), makePhoneNumber(), makeMessageId()];
  const other = await connectPhone(platform, { company });
  const ours = await receive({ from });
  await network.post(200, buildMessageNotification(other, { from, id }));
  const theirs = await findStoredMessage(platform, other, id);
  assert.notEqual(theirs.contact, ours.contact);
  await platform.call(404, 'GET', `/v1/contacts/${theirs.contact}`);
});

test('first messages of one person at the same moment make one contact and one conversation', async () => {
  const [from, bsuid] = [makePhoneNumber(), makeBsuid()];
  const names = [{ from }, { from, from_user_id: bsuid }, { from_user_id: bsuid, from }, { from: `+${from}` }];
  const ids = Array.from({ length: 24 }, () => makeMessageId());
  await Promise.all(
    ids.map((id, index) => network.post(200, buildMessageNotification(phone, { ...names[index % 4], id }))),
  );
  const rows = await platform.database.sql<{ contact_id: string; conversation_id: string }>(
    'select distinct contact_id, conversation_id from messages where external_id = any($1)',
    [ids],
  );
  assert.equal(rows.length, 1);
  assert.deepEqual(await listEventNames(platform, rows[0]?.contact_id ?? ''), ['CONTACT_CREATED']);
  assert.deepEqual(await listEventNames(platform, rows[0]?.conversation_id ?? ''), ['CONVERSATION_CREATED']);
});
