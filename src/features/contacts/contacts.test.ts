import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  checkAnswers500,
  checkRefusals,
  checkAnswers503,
  type RefusedRequest,
} from '../../../test/support/refusals.ts';
import { readEvents, writeAsContact, readRawAnswer } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;

const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${id}`)).body;

const received = await writeAsContact(platform);
const READ: RefusedRequest = { method: 'GET', path: `/v1/contacts/${received.contact._id}`, scope: 'contacts:read' };

test('a contact that a first message creates has all its fields, null where they are empty, and its event has the same format', async () => {
  const { message, contact } = await writeAsContact(platform, { from: '5511988887777', name: 'Maria Silva' });
  const { _id, createdAt, updatedAt, ...rest } = contact;
  assert.match(_id, /^[0-9a-f]{24}$/);
  for (const at of [createdAt, updatedAt]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    company: demo._id,
    name: 'Maria Silva',
    email: null,
    phone_number: '+5511988887777',
    country_code: 'BR',
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
    source: 'INBOUND',
    last_inbound_at: message.sent_at,
    last_message_at: message.createdAt,
  });
  const [created, ...more] = await readEvents(platform, _id);
  assert.deepEqual(more, []);
  assert.deepEqual(created, { event: 'CONTACT_CREATED', data: contact });
});

test('a contact shows its tags, business, owner and custom fields, each value with its type', async () => {
  const { contact } = await writeAsContact(platform);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Padaria Silva' } })).body._id;
  const values = { colours: ['a', 'b'], done: false, nothing: null, plan: '7', score: 4.5, tries: 7 };
  const fields = Object.entries(values).map(([slug, value]) => ({ _id: newId(), slug, title: `The ${slug}`, value }));
  for (const { _id, slug, title } of fields) {
    await database.sql(
      `insert into custom_fields (company_id, _id, slug, title, context) values ($1, $2, $3, $4, 'contact')`,
      [demo._id, _id, slug, title],
    );
  }
  const held = Object.fromEntries([
    ...fields.map(({ _id, value }) => [_id, value]),
    [newId(), 'of a field that is gone'],
  ]);
  await database.sql(
    `update contacts set email = 'Maria@Example.com', professional_network_identifier = 'maria-s', external_id = 'crm-1',
        avatar_url = 'https://example.com/a.png', language = 'pt-BR', tags = '{vip}', business_id = $2, owner_id = $3,
        opted_out = true, blocked = true, source = 'IMPORT', custom_fields = $4 where _id = $1`,
    [contact._id, business, user._id, held],
  );
  assert.deepEqual(await read(contact._id), {
    ...contact,
    email: 'Maria@Example.com',
    professional_network_identifier: 'maria-s',
    external_id: 'crm-1',
    avatar_url: 'https://example.com/a.png',
    language: 'pt-BR',
    tags: ['vip'],
    business,
    owner: user._id,
    opted_out: true,
    blocked: true,
    source: 'IMPORT',
    custom_fields: fields,
  });
});

test('further messages change only the message times of a contact: updatedAt stays, and no event is emitted', async () => {
  const from = '5511977770001';
  const first = await writeAsContact(platform, { from });
  const second = await writeAsContact(platform, { from });
  assert.deepEqual(second.contact, {
    ...first.contact,
    last_inbound_at: second.message.sent_at,
    last_message_at: second.message.createdAt,
  });
  assert.equal((await readEvents(platform, first.contact._id)).length, 1);
});

test('GET /v1/contacts/{id} refuses callers without a token or the scope, and malformed requests', async () => {
  await checkRefusals(platform, READ);
});

test('reading a contact answers 503 while the database is busy, and 500 without details at a defect', async () => {
  await checkAnswers503(platform, ['contacts'], [READ]);
  await checkAnswers500(platform, 'contacts.tags', [READ]);
});

test("another company's contact is answered like an unknown one, byte for byte", async () => {
  const other = await platform.createCompany();
  const theirs = newId();
  await database.sql(`insert into contacts (company_id, _id, source) values ($1, $2, 'API')`, [other._id, theirs]);
  const answer = await readRawAnswer(platform, 'GET', `/v1/contacts/${theirs}`);
  assert.equal(answer.status, 404);
  for (const id of ['f'.repeat(24), 'not-an-id', theirs.toUpperCase(), 'a'.repeat(100)]) {
    assert.deepEqual(await readRawAnswer(platform, 'GET', `/v1/contacts/${id}`), answer);
  }
  assert.equal((await call(200, 'GET', `/v1/contacts/${theirs}`, { key: other.key })).body.source, 'API');
});

test('every role of a user may read contacts, and scopes may be given by wildcard', async () => {
  for (const role of ['OWNER', 'ADMIN', 'OPERATOR', 'VIEWER'] as const) {
    const user = await platform.createUser(demo._id, role);
    await call(200, 'GET', READ.path, { key: user.token });
  }
  const key = await platform.createKey(demo._id, ['contacts:*']);
  await call(200, 'GET', READ.path, { key: key.token });
});
