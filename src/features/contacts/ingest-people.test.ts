import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMAIL_ADDRESS, type Person } from '../../channels/identity.ts';
import { makePhoneNumber, makeMessageId } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  listEventNames,
  writeAsContact,
  listNetworkMessages,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { findOrCreatePeople } from './ingest-people.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { database, demo } = platform;

/** Finds or creates the contact of a person whom a network names like this, and returns it as the API shows it. */
async function resolve(person: Person): Promise<Json> {
  const { contacts } = await platform.running.kit.database.systemTx(`company:${demo._id}`, (tx) =>
    findOrCreatePeople(tx, [{ company: demo._id, person }]),
  );
  return (await platform.call(200, 'GET', `/v1/contacts/${contacts[0]}`)).body;
}

const freshVisitor = () => ({ kind: 'VISITOR', value: makeMessageId(), address: 'a visitor' });
const freshEmail = () => EMAIL_ADDRESS.identify(`Ana.${makeMessageId().slice(6)}@example.test`);

let ids = 0;
const freshBsuid = (): string => `BR.${1_000_000_000 + (ids += 1)}`;

/** Posts first messages at the same moment, and returns the contacts and conversations that they belong to. */
async function postAtOnce(
  messages: Record<string, unknown>[],
): Promise<{ contacts: string[]; conversations: string[] }> {
  const externalIds = messages.map(() => makeMessageId());
  const answers = await Promise.all(
    messages.map((message, index) =>
      platform.sandbox('POST', '/sandbox/inbound', { text: 'Oi', ...message, raw: { id: externalIds[index] } }),
    ),
  );
  for (const answer of answers) assert.equal(answer.status, 200);
  const rows = await database.sql<{ contact_id: string; conversation_id: string }>(
    'select contact_id, conversation_id from messages where external_id = any($1)',
    [externalIds],
  );
  assert.equal(rows.length, messages.length, 'each message is stored once');
  return {
    contacts: [...new Set(rows.map((row) => row.contact_id))],
    conversations: [...new Set(rows.map((row) => row.conversation_id))],
  };
}

async function countRows(table: 'contacts' | 'conversations'): Promise<number> {
  const [row] = await database.sql<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
}

const renamed = (from: string, to: string) => ({
  from,
  type: 'system',
  raw: { system: { type: 'user_changed_number', body: 'changed', wa_id: to } },
});

test('20 first messages of one person at the same moment create one contact and one conversation, with one event each', async () => {
  for (let round = 0; round < 5; round += 1) {
    const before = [await countRows('contacts'), await countRows('conversations')];
    const from = makePhoneNumber();
    const { contacts, conversations } = await postAtOnce(Array.from({ length: 20 }, () => ({ from })));
    assert.deepEqual([contacts.length, conversations.length], [1, 1]);
    assert.deepEqual(
      [await countRows('contacts'), await countRows('conversations')],
      before.map((count) => count + 1),
    );
    assert.deepEqual(await listEventNames(platform, contacts[0] ?? ''), ['CONTACT_CREATED']);
    assert.deepEqual(await listEventNames(platform, conversations[0] ?? ''), ['CONVERSATION_CREATED']);
  }
});

test('all spellings of a number are one contact, also when they write for the first time at the same moment', async () => {
  for (let round = 0; round < 5; round += 1) {
    const digits = String(70_000_000 + round);
    const { contacts } = await postAtOnce(
      Array.from({ length: 20 }, (_, index) => ({ from: index % 2 ? `55219${digits}` : `5521${digits}` })),
    );
    assert.equal(contacts.length, 1);
    const [row] = await database.sql<{ phone_number: string }>(
      'select phone_number from contacts where _id = $1',
      contacts,
    );
    assert.equal(row?.phone_number, `+55219${digits}`);
  }
});

test('first messages at the same moment, some with a number next to the user id and some without, create one contact', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [from, bsuid] = [makePhoneNumber(), freshBsuid()];
    const before = await countRows('contacts');
    const { contacts, conversations } = await postAtOnce(
      Array.from({ length: 20 }, (_, index) => ({ from: index % 2 ? from : null, bsuid })),
    );
    assert.deepEqual([contacts.length, conversations.length], [1, 1], `round ${round}`);
    assert.equal(await countRows('contacts'), before + 1);
    assert.equal(
      (await listEventNames(platform, contacts[0] ?? '')).filter((name) => name === 'CONTACT_CREATED').length,
      1,
    );
  }
});

test('20 people who write for the first time at the same moment are 20 contacts', async () => {
  const { contacts, conversations } = await postAtOnce(Array.from({ length: 20 }, () => ({ from: makePhoneNumber() })));
  assert.deepEqual([contacts.length, conversations.length], [20, 20]);
});

test('a user id that came with a number is stored: a message with only the user id is of the same person and conversation', async () => {
  const [from, bsuid] = [makePhoneNumber(), freshBsuid()];
  const first = await writeAsContact(platform, { from });
  await writeAsContact(platform, { from, bsuid });
  const alone = await writeAsContact(platform, { from: null, bsuid });
  assert.equal(alone.contact._id, first.contact._id);
  assert.equal(alone.conversation._id, first.conversation._id);
  assert.deepEqual(await listEventNames(platform, first.contact._id), ['CONTACT_CREATED']);
});

test('several messages of one callback about a known person store all that is new, with one event', async () => {
  const bsuid = freshBsuid();
  const { contact } = await writeAsContact(platform, { from: null, bsuid, name: '' });
  assert.deepEqual([contact.name, contact.phone_number], [null, null]);
  const from = makePhoneNumber();
  await platform.sandbox('PUT', '/sandbox/settings', { batch: 2 });
  const people = [
    { from, bsuid, name: '' },
    { from: null, bsuid, name: 'Ana' },
  ];
  await Promise.all(people.map((person) => platform.sandbox('POST', '/sandbox/inbound', { text: 'Oi', ...person })));
  await platform.sandbox('PUT', '/sandbox/settings', { batch: 1 });
  const { body: learnt } = await platform.call(200, 'GET', `/v1/contacts/${contact._id}`);
  assert.deepEqual([learnt.name, learnt.phone_number], ['Ana', `+${from}`]);
  assert.deepEqual(await listEventNames(platform, contact._id), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('a contact keeps its name: another name that the network reports later changes nothing and emits nothing', async () => {
  const from = makePhoneNumber();
  const first = await writeAsContact(platform, { from, name: 'Maria' });
  const second = await writeAsContact(platform, { from, name: 'Mary' });
  assert.equal(second.contact.name, 'Maria');
  assert.deepEqual(await listEventNames(platform, first.contact._id), ['CONTACT_CREATED']);
});

test('a changed number is used for answers from then on, also when the person returns to the old one', async () => {
  // The network writes Argentinian numbers with a 9 that the stored form does not have.
  const numbers = [
    [makePhoneNumber(), makePhoneNumber()],
    ['5491155550001', '5491155550002'],
    ['5215555550001', '5215555550002'],
  ] as const;
  for (const [old, next] of numbers) {
    const { contact, conversation } = await writeAsContact(platform, { from: old });
    const answeredAt = async (): Promise<string> => {
      const sent = await sendText(platform, conversation._id);
      return (await listNetworkMessages(platform, sent._id))[0]?.to;
    };
    assert.equal(await answeredAt(), old);
    await writeAsContact(platform, renamed(old, next));
    assert.equal(await answeredAt(), next);
    const back = await writeAsContact(platform, renamed(next, old));
    assert.equal(back.contact._id, contact._id);
    assert.equal(back.contact.phone_number, contact.phone_number);
    assert.equal(await answeredAt(), old);
    assert.deepEqual(await listEventNames(platform, contact._id), [
      'CONTACT_CREATED',
      'CONTACT_UPDATED',
      'CONTACT_UPDATED',
    ]);
  }
});

test('a change that many callbacks report at once is applied once', async () => {
  const [from, next] = [makePhoneNumber(), makePhoneNumber()];
  const { contact } = await writeAsContact(platform, { from });
  const notice = renamed(from, next);
  await Promise.all(
    Array.from({ length: 10 }, () =>
      platform.sandbox('POST', '/sandbox/inbound', { ...notice, raw: { ...notice.raw, id: makeMessageId() } }),
    ),
  );
  assert.deepEqual(await listEventNames(platform, contact._id), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
  const identities = await database.sql<{ value: string }>(
    `select value from contact_identities where contact_id = $1 and kind = 'PHONE' order by value`,
    [contact._id],
  );
  assert.deepEqual(
    identities.map(({ value }) => value),
    [from, next].toSorted(),
  );
});

test('one person who writes to two companies is a contact of each, and neither sees the other', async () => {
  const from = makePhoneNumber();
  const { contact } = await writeAsContact(platform, { from });
  const other = await platform.createCompany();
  await platform.call(404, 'GET', `/v1/contacts/${contact._id}`, { key: other.key });
  const [row] = await database.sql<{ count: number }>(
    'select count(*)::int as count from contact_identities where value = $1 and company_id <> $2',
    [from, demo._id],
  );
  assert.equal(row?.count, 0);
});

test('a person can have names of any kind, and the record shows those that are fields of a contact', async () => {
  const [visitor, email] = [freshVisitor(), freshEmail()];
  const contact = await resolve({ names: [visitor, email], displayName: 'Ana' });
  assert.deepEqual([contact.name, contact.email, contact.phone_number], ['Ana', email.address, null]);
  for (const name of [visitor, email]) assert.equal((await resolve({ names: [name] }))._id, contact._id, name.kind);
});

test('a name that the record of another contact shows stays with that contact', async () => {
  const [visitor, email] = [freshVisitor(), freshEmail()];
  const [first, second] = [await resolve({ names: [visitor] }), await resolve({ names: [email] })];
  const again = await resolve({ names: [visitor, email] });
  assert.deepEqual([again._id, again.email], [first._id, null]);
  assert.equal((await resolve({ names: [email] }))._id, second._id);
});
