/** Creating and changing contacts: what is accepted, what is refused, and which events are emitted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import {
  listEventNames,
  readEvents,
  writeAsContact,
  listNetworkMessages,
  readRawAnswer,
  sendText,
} from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

// Agents wait for further messages as long as these tests take, so that their turns can be read.
const platform = await startPlatform({ env: { AGENT_WAIT: '1h' } });
const { call, database, demo } = platform;
const PATH = '/v1/contacts';

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', PATH, { body })).body;
const patch = (status: number, id: string, body: Json) => call(status, 'PATCH', `${PATH}/${id}`, { body });
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `${PATH}/${id}`)).body;
const define = async (slug: string, type: string): Promise<Json> =>
  (await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type } })).body;

const plan = await define('plan', 'TEXT');
const score = await define('score', 'NUMBER');

const EMPTY = {
  company: demo._id,
  name: null,
  email: null,
  phone_number: null,
  country_code: null,
  professional_network_identifier: null,
  external_id: null,
  username: null,
  avatar_url: null,
  language: null,
  tags: [],
  business: null,
  custom_fields: [],
  owner: null,
  opted_out: false,
  blocked: false,
  source: 'API',
  last_inbound_at: null,
  last_message_at: null,
};

async function everything(): Promise<{ given: Json; shown: Json }> {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Padaria' } })).body._id;
  const plain = {
    name: 'Maria Silva',
    email: `Maria-${newId()}@Example.com`,
    professional_network_identifier: `maria-${newId()}`,
    external_id: `CRM ${newId()}`,
    avatar_url: 'https://example.com/a.png',
    language: 'pt-BR',
    tags: ['vip', 'VIP', 'São Paulo'],
    business,
    owner: user._id,
    opted_out: true,
    blocked: true,
  };
  const phone = makePhoneNumber();
  return {
    given: { ...plain, phone_number: phone, custom_fields: { plan: 'gold', [score._id]: 7 } },
    shown: {
      ...EMPTY,
      ...plain,
      phone_number: `+${phone}`,
      country_code: 'BR',
      custom_fields: [
        { _id: plan._id, slug: 'plan', title: 'plan', value: 'gold' },
        { _id: score._id, slug: 'score', title: 'score', value: 7 },
      ],
    },
  };
}

test('a contact is created with all of its fields, and CONTACT_CREATED and one event per custom field are emitted', async () => {
  const { given, shown } = await everything();
  const contact = await create(given);
  const { _id, createdAt, updatedAt, ...rest } = contact;
  assert.deepEqual(rest, shown);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(await read(_id), contact);
  const about = { contactId: _id, companyId: demo._id };
  const field = ({ _id: id, slug, title }: Json) => ({ _id: id, slug, title, context: 'contact' });
  assert.deepEqual(await readEvents(platform, _id), [
    { event: 'CONTACT_CREATED', data: contact },
    { event: 'FIELD_UPDATED', data: { field: field(plan), value: 'gold', ...about } },
    { event: 'FIELD_UPDATED', data: { field: field(score), value: 7, ...about } },
  ]);
});

test('creating a contact without a name and without anything that identifies it is answered 400', async () => {
  const enough = [
    { name: 'M' },
    { email: `only-${newId()}@example.com` },
    { phone_number: makePhoneNumber() },
    { external_id: newId() },
    { professional_network_identifier: newId() },
  ];
  for (const body of enough) {
    const { _id: _made, createdAt: _created, updatedAt: _updated, ...rest } = await create(body);
    const phone = 'phone_number' in body ? { phone_number: `+${body.phone_number}`, country_code: 'BR' } : {};
    assert.deepEqual(rest, { ...EMPTY, ...body, ...phone });
  }
  for (const body of [{}, { name: null, email: null }, { tags: ['a'], language: 'en' }])
    expectProblem(await call(400, 'POST', PATH, { body }), 'VALIDATION_FAILED', 'name');
});

test('a contact that a user creates has the source DASHBOARD', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  assert.equal((await call(201, 'POST', PATH, { key: user.token, body: { name: 'M' } })).body.source, 'DASHBOARD');
});

test('a PATCH of a contact changes only the given fields; null clears a field', async () => {
  const { given } = await everything();
  const contact = await create(given);
  for (const [field, value] of Object.entries({
    name: 'Ana',
    language: null,
    tags: [],
    opted_out: false,
    blocked: false,
  })) {
    const before = await read(contact._id);
    const after = (await patch(200, contact._id, { [field]: value })).body;
    assert.deepEqual({ ...after, updatedAt: '' }, { ...before, [field]: value, updatedAt: '' });
  }
  const cleared = (
    await patch(200, contact._id, {
      ...Object.fromEntries(Object.keys(given).map((field) => [field, null])),
      name: 'Maria',
      tags: [],
      opted_out: false,
      blocked: false,
      custom_fields: { plan: null, score: null },
    })
  ).body;
  const { _id: _same, createdAt: _created, updatedAt: _updated, ...rest } = cleared;
  assert.deepEqual(rest, { ...EMPTY, name: 'Maria' });
});

test('a PATCH of a contact keeps custom fields that it does not name', async () => {
  const { _id } = await create({ name: 'M', custom_fields: { plan: 'gold', score: 1 } });
  const { custom_fields: values } = (await patch(200, _id, { custom_fields: { score: null } })).body;
  assert.deepEqual(values, [{ _id: plan._id, slug: 'plan', title: 'plan', value: 'gold' }]);
});

test('a PATCH that changes nothing keeps updatedAt and emits nothing, also when a value is written in another format', async () => {
  const { given } = await everything();
  const contact = await create(given);
  const eventsBefore = await listEventNames(platform, contact._id);
  const digits = given.phone_number as string;
  const same = [
    {},
    given,
    { phone_number: `+55 (${digits.slice(2, 4)}) ${digits.slice(4, 9)}-${digits.slice(9)}` },
    { phone_number: digits.slice(2), country: 'BR' },
    { custom_fields: {} },
    { custom_fields: { [plan._id]: 'gold', score: 7 } },
  ];
  for (const body of same) assert.deepEqual((await patch(200, contact._id, body)).body, contact);
  assert.deepEqual(await listEventNames(platform, contact._id), eventsBefore);
});

test('CONTACT_UPDATED has the format of the GET, and FIELD_UPDATED is emitted for each custom field that really changed', async () => {
  const { _id } = await create({ name: 'M', custom_fields: { plan: 'gold' } });
  const changed = (await patch(200, _id, { name: 'N', custom_fields: { plan: 'gold', score: 3 } })).body;
  const cleared = (await patch(200, _id, { custom_fields: { plan: null } })).body;
  const about = { contactId: _id, companyId: demo._id };
  const field = ({ _id: id, slug, title }: Json) => ({ _id: id, slug, title, context: 'contact' });
  assert.deepEqual((await readEvents(platform, _id)).slice(2), [
    { event: 'CONTACT_UPDATED', data: changed },
    { event: 'FIELD_UPDATED', data: { field: field(score), value: 3, ...about } },
    { event: 'CONTACT_UPDATED', data: cleared },
    { event: 'FIELD_UPDATED', data: { field: field(plan), value: null, ...about } },
  ]);
});

test('a body that is not a valid contact is refused with the path of the invalid field', async () => {
  const { _id } = await create({ name: 'M' });
  const other = await platform.createCompany();
  const theirUser = await platform.createUser(other._id, 'OPERATOR');
  const theirs = (await call(201, 'POST', '/v1/businesses', { key: other.key, body: { name: 'Theirs' } })).body._id;
  const bad: [Json, string, string][] = [
    ...['12345', 'abc', '+5511', '1-800-FLOWERS', '11 98888-7777 ramal 2', '++5511988887777', ''].map(
      (phone_number): [Json, string, string] => [{ phone_number }, 'VALIDATION_FAILED', 'phone_number'],
    ),
    [{ phone_number: 5_511_988_887_777 }, 'VALIDATION_FAILED', 'phone_number'],
    [{ email: 'maria' }, 'VALIDATION_FAILED', 'email'],
    [{ name: ' ' }, 'VALIDATION_FAILED', 'name'],
    [{ external_id: '' }, 'VALIDATION_FAILED', 'external_id'],
    [{ external_id: 'x'.repeat(256) }, 'VALIDATION_FAILED', 'external_id'],
    [{ professional_network_identifier: ' ' }, 'VALIDATION_FAILED', 'professional_network_identifier'],
    [{ avatar_url: 'javascript:alert(1)' }, 'VALIDATION_FAILED', 'avatar_url'],
    [{ language: 'português' }, 'VALIDATION_FAILED', 'language'],
    [{ tags: ['a', 'a'] }, 'VALIDATION_FAILED', 'tags'],
    [{ tags: [' a'] }, 'VALIDATION_FAILED', 'tags[0]'],
    [{ tags: ['a\n'] }, 'VALIDATION_FAILED', 'tags[0]'],
    [{ tags: [''] }, 'VALIDATION_FAILED', 'tags[0]'],
    [{ tags: ['x'.repeat(101)] }, 'VALIDATION_FAILED', 'tags[0]'],
    [{ tags: Array.from({ length: 51 }, (_, index) => `${index}`) }, 'VALIDATION_FAILED', 'tags'],
    [{ tags: null }, 'VALIDATION_FAILED', 'tags'],
    [{ opted_out: 'true' }, 'VALIDATION_FAILED', 'opted_out'],
    [{ country_code: 'BR' }, 'VALIDATION_FAILED', 'country_code'],
    [{ source: 'API' }, 'VALIDATION_FAILED', 'source'],
    [{ owner: theirUser._id }, 'UNKNOWN_REFERENCE', 'owner'],
    [{ owner: newId() }, 'UNKNOWN_REFERENCE', 'owner'],
    [{ business: theirs }, 'UNKNOWN_REFERENCE', 'business'],
    [{ business: newId() }, 'UNKNOWN_REFERENCE', 'business'],
    [{ custom_fields: { nothing: 1 } }, 'UNKNOWN_REFERENCE', 'custom_fields.nothing'],
    [{ custom_fields: { score: '7' } }, 'VALIDATION_FAILED', 'custom_fields.score'],
  ];
  for (const [body, code, path] of bad) {
    expectProblem(await patch(400, _id, body), code, path);
    expectProblem(await call(400, 'POST', PATH, { body: { name: 'N', ...body } }), code, path);
  }
  assert.deepEqual(await listEventNames(platform, _id), ['CONTACT_CREATED']);
});

test('a contact keeps a name or something that identifies it: clearing the last one is refused', async () => {
  const { _id } = await create({ name: 'M', email: `last-${newId()}@example.com` });
  await patch(200, _id, { name: null });
  expectProblem(await patch(400, _id, { email: null }), 'VALIDATION_FAILED', 'name');
  await patch(200, _id, { email: null, external_id: newId() });
});

test('a send to a contact who opted out or is blocked ends FAILED with its cause, and nothing is sent', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  for (const [change, code] of [
    [{ opted_out: true }, 'OPTED_OUT'],
    [{ opted_out: false, blocked: true }, 'BLOCKED'],
  ] as [Json, string][]) {
    await patch(200, contact._id, change);
    const message = await sendText(platform, conversation._id);
    assert.deepEqual([message.status, message.errors[0].code], ['FAILED', code]);
    assert.deepEqual(await listNetworkMessages(platform, message._id), []);
  }
  await patch(200, contact._id, { blocked: false });
  assert.equal((await sendText(platform, conversation._id)).status, 'SENT');
});

test('a message of a blocked contact is stored and emitted, and starts no agent', async () => {
  const { _id: company } = demo;
  const agent = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Ana')`, [company, agent]);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });
  const turns = async (id: string): Promise<Json[]> =>
    database.sql('select message_id from pending_turns where conversation_id = $1', [id]);
  const from = makePhoneNumber();
  const first = await writeAsContact(platform, { from });
  assert.equal((await turns(first.conversation._id)).length, 1);
  await database.sql('delete from pending_turns');
  await patch(200, first.contact._id, { blocked: true });
  const second = await writeAsContact(platform, { from });
  assert.deepEqual(await turns(first.conversation._id), []);
  assert.deepEqual(await listEventNames(platform, second.message._id), ['MESSAGE_RECEIVED']);
  await patch(200, first.contact._id, { blocked: false });
  const third = await writeAsContact(platform, { from });
  assert.deepEqual(await turns(first.conversation._id), [{ message_id: third.message._id }]);
  await database.sql('update inboxes set default_agent = null');
});

test('a repeated POST with the same Idempotency-Key makes one contact and answers with it as it is now', async () => {
  const headers = { 'idempotency-key': 'contact-1' };
  const body = { name: 'Once', phone_number: makePhoneNumber() };
  const first = await call(201, 'POST', PATH, { headers, body });
  const changed = (await patch(200, first.body._id, { name: 'Twice' })).body;
  assert.deepEqual((await call(201, 'POST', PATH, { headers, body })).body, changed);
  assert.deepEqual(await listEventNames(platform, first.body._id), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('writing contacts refuses callers without a token or the scope, malformed requests, and ids of another company', async () => {
  const { _id } = await create({ name: 'A' });
  const path = `${PATH}/${_id}`;
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'contacts:create', body: { name: 'B' } });
  await checkRefusals(platform, { method: 'PATCH', path, scope: 'contacts:update', body: { name: 'C' } });
  await checkRefusals(platform, { method: 'DELETE', path, scope: 'contacts:delete' });
  const other = await platform.createCompany();
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body: { name: 'Theirs' } })).body._id;
  for (const [method, sent] of [
    ['PATCH', { name: 'X' }],
    ['PATCH', { email: 'taken-from-another@example.com' }],
    ['DELETE'],
  ] as [string, Json?][]) {
    const answer = await readRawAnswer(platform, method, `${PATH}/${theirs}`, sent);
    assert.equal(answer.status, 404);
    for (const id of [newId(), 'not-an-id'])
      assert.deepEqual(await readRawAnswer(platform, method, `${PATH}/${id}`, sent), answer);
  }
  assert.equal((await call(200, 'GET', `${PATH}/${theirs}`, { key: other.key })).body.name, 'Theirs');
});
