import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, readEvents, writeAsContact, silenceNetwork } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const PATH = '/v1/conversations';

async function createContact(body: Json = {}): Promise<string> {
  return (await call(201, 'POST', '/v1/contacts', { body: { name: 'Maria', ...body } })).body._id;
}

async function createAgent(): Promise<string> {
  const id = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'x')`, [demo._id, id]);
  return id;
}

const open = (status: number, body: Json, key = demo.key) =>
  call(status, 'POST', PATH, { key, body: { inbox: demo.inbox, ...body } });

const setInbox = (body: Json) => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body });

test('a conversation that a caller opens has all its fields, is in no step, and has one event in the format of the GET', async () => {
  const contact = await createContact();
  const { body } = await open(201, { contact });
  const { _id, createdAt, updatedAt, ...rest } = body;
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    company: demo._id,
    contact,
    contact_summary: { name: 'Maria', phone_number: null, email: null },
    inbox: demo.inbox,
    channel: 'WAP_AUTO_CLOSER',
    status: 'OPEN',
    priority: null,
    handled_by: 'NONE',
    agent: null,
    owner: null,
    attendant: null,
    team: null,
    pipeline: null,
    step: null,
    campaign: null,
    enrollment: null,
    tags: [],
    custom_fields: [],
    unread_count: 0,
    last_message: null,
    last_message_at: null,
    last_inbound_at: null,
    waiting_since: null,
    window_expires_at: null,
    snoozed_until: null,
    woken_at: null,
    awaits_reply: false,
    sla: null,
    is_test: false,
    closed_at: null,
  });
  assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body, body);
  assert.deepEqual(await readEvents(platform, _id), [{ event: 'CONVERSATION_CREATED', data: body }]);
});

test('a conversation that is already open is answered with 200 and stays as it is, whatever its status', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  for (const status of ['OPEN', 'PENDING', 'SNOOZED']) {
    await call(200, 'PATCH', `${PATH}/${conversation._id}`, { body: { status } });
    const before = (await call(200, 'GET', `${PATH}/${conversation._id}`)).body;
    const events = await listEventNames(platform, conversation._id);
    assert.deepEqual((await open(200, { contact: contact._id })).body, before);
    assert.deepEqual(await listEventNames(platform, conversation._id), events);
  }
});

test('a conversation that is opened after a closed one has the reply window that the contact opened before', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await call(200, 'PATCH', `${PATH}/${conversation._id}`, { body: { status: 'CLOSED' } });
  const { body } = await open(201, { contact: contact._id });
  assert.notEqual(body._id, conversation._id);
  assert.equal(body.window_expires_at, conversation.window_expires_at);
});

test('twenty callers at the same moment open one conversation, with one event', async () => {
  const contact = await createContact();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(platform.url + PATH, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ inbox: demo.inbox, contact }),
      }),
    ),
  );
  const statuses = answers.map((answer) => answer.status).toSorted((a, b) => b - a);
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 200)]);
  const ids = new Set(await Promise.all(answers.map(async (answer) => ((await answer.json()) as Json)._id)));
  assert.equal(ids.size, 1);
  assert.deepEqual(await listEventNames(platform, [...ids][0]), ['CONVERSATION_CREATED']);
});

test('a phone number that no contact has becomes one contact, also when many callers use it at the same moment', async () => {
  const phone = makePhoneNumber();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(platform.url + PATH, {
        method: 'POST',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ inbox: demo.inbox, name: 'Rita', phone_number: `+${phone}` }),
      }),
    ),
  );
  const bodies = await Promise.all(answers.map(async (answer) => (await answer.json()) as Json));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1, JSON.stringify(bodies));
  assert.equal(new Set(bodies.map((body) => body.contact)).size, 1);
  const contact = (await call(200, 'GET', `/v1/contacts/${bodies[0].contact}`)).body;
  assert.deepEqual([contact.name, contact.phone_number, contact.source], ['Rita', `+${phone}`, 'API']);
  assert.deepEqual(await listEventNames(platform, contact._id), ['CONTACT_CREATED']);
});

test('a phone number in any format, with or without the ninth digit, is the same person; a known contact keeps its name', async () => {
  const { contact, conversation } = await writeAsContact(platform, { from: '5511987650001', name: 'Known' });
  const writings = [
    { phone_number: '+55 (11) 98765-0001' },
    { phone_number: '551187650001' },
    { phone_number: '11 98765-0001', country: 'BR' },
  ];
  for (const writing of writings) {
    const { body } = await open(200, { ...writing, name: 'Other' });
    assert.deepEqual([body._id, body.contact], [conversation._id, contact._id]);
  }
  assert.equal((await call(200, 'GET', `/v1/contacts/${contact._id}`)).body.name, 'Known');
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const { body } = await open(201, { phone_number: `+${makePhoneNumber()}` }, user.token);
  assert.equal((await call(200, 'GET', `/v1/contacts/${body.contact}`)).body.source, 'DASHBOARD');
});

test('a contact is found by the number that its record shows, also where a network reported one that is not valid', async () => {
  // Without this rule, +55 0… would be read without its 0, which is the number of someone else.
  for (const from of ['99912345678', '55011977772448']) {
    const { contact, conversation } = await writeAsContact(platform, { from });
    assert.equal(contact.phone_number, `+${from}`);
    const { body } = await open(200, { phone_number: contact.phone_number });
    assert.deepEqual([body._id, body.contact], [conversation._id, contact._id]);
  }
  await open(400, { phone_number: '+99912345679' });
});

test("a new conversation has the caller's owner and agent or else the inbox's; with an agent it is handled by AI", async () => {
  const [agent, other] = [await createAgent(), await createAgent()];
  const [owner, boss] = [await platform.createUser(demo._id, 'OPERATOR'), await platform.createUser(demo._id, 'ADMIN')];
  const people = ({ body }: { body: Json }) => [body.owner, body.agent, body.handled_by];
  await setInbox({ default_owner: owner._id, default_agent: agent });
  try {
    const of = async (body: Json) => people(await open(201, { contact: await createContact(), ...body }));
    assert.deepEqual(await of({}), [owner._id, agent, 'AI']);
    assert.deepEqual(await of({ owner: boss._id, agent: other }), [boss._id, other, 'AI']);
    assert.deepEqual(await of({ owner: null, agent: null }), [null, null, 'NONE']);
    const contact = await createContact();
    await of({ contact, owner: boss._id, agent: null });
    // The first call names no owner and no agent and keeps the assignment; the second call names both.
    assert.deepEqual(people(await open(200, { contact })), [boss._id, null, 'NONE']);
    const { body } = await open(200, { contact, owner: owner._id, agent: other });
    assert.deepEqual(people({ body }), [owner._id, other, 'AI']);
    assert.deepEqual(await listEventNames(platform, body._id), ['CONVERSATION_CREATED', 'CONVERSATION_UPDATED']);
    assert.deepEqual(people(await open(200, { contact, agent: null })), [owner._id, null, 'NONE']);
  } finally {
    await database.sql('update inboxes set default_owner = null, default_agent = null where _id = $1', [demo.inbox]);
  }
});

test('a conversation of an inbox in test mode is marked as a test', async () => {
  await setInbox({ test_mode: { enabled: true, test_numbers: [] } });
  assert.equal((await open(201, { contact: await createContact() })).body.is_test, true);
  await setInbox({ test_mode: { enabled: false, test_numbers: [] } });
});

test('a deleted inbox opens no conversation', async () => {
  await setInbox({ status: 'DELETED' });
  try {
    const refused = await open(400, { contact: await createContact() });
    expectProblem(refused, 'VALIDATION_FAILED', 'inbox');
    assert.equal(refused.body.errors[0].code, 'INBOX_INACTIVE');
  } finally {
    await setInbox({ status: 'ACTIVE' });
  }
});

test('opening a conversation needs either a contact or a valid phone number', async () => {
  const contact = await createContact();
  expectProblem(await open(400, {}), 'VALIDATION_FAILED', 'contact');
  expectProblem(await open(400, { name: 'x' }), 'VALIDATION_FAILED', 'contact');
  expectProblem(await open(400, { contact, phone_number: '+5511999990000' }), 'VALIDATION_FAILED', 'phone_number');
  expectProblem(await open(400, { contact, name: 'x' }), 'VALIDATION_FAILED', 'name');
  expectProblem(await open(400, { phone_number: '12345' }), 'VALIDATION_FAILED', 'phone_number');
});

test('opening a conversation with the id of an unknown record or of another company is answered 400 with the path of the field, and nothing is created', async () => {
  const other = await platform.createCompany();
  const theirs = {
    inbox: newId(),
    contact: (await call(201, 'POST', '/v1/contacts', { key: other.key, body: { name: 'x' } })).body._id,
    owner: (await platform.createUser(other._id, 'OWNER'))._id,
    agent: newId(),
  };
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
    other._id,
    theirs.inbox,
  ]);
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'x')`, [other._id, theirs.agent]);
  const phone_number = `+${makePhoneNumber()}`;
  for (const [field, id] of Object.entries(theirs)) {
    for (const value of [id, newId()]) {
      const whom = field === 'contact' ? {} : { phone_number };
      expectProblem(await open(400, { ...whom, [field]: value }), 'UNKNOWN_REFERENCE', field);
    }
  }
  const made = await database.sql('select 1 from contacts where phone_number = $1', [phone_number]);
  assert.deepEqual(made, []);
});

test('a repeated request with the same Idempotency-Key answers the same conversation with the same status', async () => {
  const contact = await createContact();
  const options = { headers: { 'idempotency-key': 'c1' }, body: { inbox: demo.inbox, contact } };
  const first = await call(201, 'POST', PATH, options);
  assert.deepEqual((await call(201, 'POST', PATH, options)).body, first.body);
  const again = { ...options, headers: { 'idempotency-key': 'c2' } };
  for (let time = 0; time < 2; time += 1) assert.deepEqual((await call(200, 'POST', PATH, again)).body, first.body);
});

test('POST /v1/conversations refuses callers without a token or the scope, and malformed requests', async () => {
  const body = { inbox: demo.inbox, contact: await createContact() };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'conversations:create', body });
});
