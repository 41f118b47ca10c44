/** Creating and updating many contacts in one call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/contacts/bulk';

for (const [slug, type] of [
  ['plan', 'TEXT'],
  ['score', 'NUMBER'],
])
  await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type } });

const upsert = async (contacts: Json[], more: Json = {}): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { contacts, ...more } })).body;
const create = async (body: Json): Promise<Json> => (await call(201, 'POST', '/v1/contacts', { body })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${id}`)).body;
const statuses = ({ items }: Json): string[] => items.map(({ status }: Json) => status);
const shownValues = (contact: Json): Json =>
  Object.fromEntries(contact.custom_fields.map(({ slug, value }: Json) => [slug, value]));

test('an item creates a contact, or updates the one that has its external id, phone number or e-mail, and each has its result', async () => {
  const [mark, phone] = [newId(), makePhoneNumber()];
  const [byPhone, byMail] = [
    await create({ name: 'Phone', phone_number: phone, custom_fields: { plan: 'a', score: 1 } }),
    await create({ name: 'Mail', email: `mail-${mark}@example.com`, tags: ['old'] }),
  ];
  const done = await upsert([
    { external_id: `new-${mark}`, name: 'New', email: `new-${mark}@example.com`, custom_fields: { score: 2.5 } },
    { phone_number: `+${phone}`, external_id: `phone-${mark}`, custom_fields: { plan: 'b', score: null } },
    { email: `MAIL-${mark}@example.com`, tags: ['vip'], name: null },
    { email: `mail-${mark}@example.com`, tags: ['vip'] },
    { external_id: `new-${mark}`, language: 'pt-BR' },
  ]);
  const { created, updated, unchanged, failed } = done;
  assert.deepEqual({ created, updated, unchanged, failed }, { created: 1, updated: 3, unchanged: 1, failed: 0 });
  assert.deepEqual(statuses(done), ['CREATED', 'UPDATED', 'UPDATED', 'UNCHANGED', 'UPDATED']);
  assert.deepEqual(
    done.items.map(({ index }: Json) => index),
    [0, 1, 2, 3, 4],
  );
  const fresh = await read(done.items[0].contact);
  assert.deepEqual(
    [fresh.name, fresh.language, fresh.source, shownValues(fresh)],
    ['New', 'pt-BR', 'API', { score: 2.5 }],
  );
  assert.equal(done.items[4].contact, fresh._id);
  const called = await read(byPhone._id);
  assert.deepEqual([called.name, called.external_id, shownValues(called)], ['Phone', `phone-${mark}`, { plan: 'b' }]);
  const written = await read(byMail._id);
  assert.deepEqual([written.name, written.tags], [null, ['vip']]);
  const again = await upsert([{ external_id: `phone-${mark}`, custom_fields: { plan: 'b' } }]);
  assert.deepEqual(statuses(again), ['UNCHANGED']);
  assert.deepEqual(await read(byPhone._id), called);
});

test('an item that cannot be stored fails with its reasons, and the others are stored', async () => {
  const mark = newId();
  const [a, b] = [await create({ external_id: `a-${mark}` }), await create({ email: `b-${mark}@example.com` })];
  const done = await upsert([
    { name: 'Nobody' },
    { external_id: `c-${mark}`, email: 'nobody', phone_number: '123', custom_fields: { score: 'much' } },
    { external_id: `a-${mark}`, email: `b-${mark}@example.com` },
    { external_id: `d-${mark}`, name: 'Stored' },
  ]);
  assert.deepEqual(statuses(done), ['FAILED', 'FAILED', 'FAILED', 'CREATED']);
  assert.deepEqual(
    done.items.map(({ errors }: Json) => errors.map(({ field }: Json) => field).toSorted()),
    [[null], ['custom_fields.score', 'email', 'phone_number'], ['external_id'], []],
  );
  assert.deepEqual([await read(a._id), await read(b._id)], [a, b]);
});

test("an owner, business or custom field that the company does not have refuses the call, and another company's is unknown", async () => {
  const mark = newId();
  const other = await platform.createCompany();
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'B' }, key: other.key })).body._id;
  const owner = (await platform.createUser(other._id, 'OPERATOR'))._id;
  const good = { external_id: mark };
  for (const [field, value] of Object.entries({ business, owner, custom_fields: { colour: 'red' } })) {
    const answer = await call(400, 'POST', PATH, { body: { contacts: [good, { ...good, [field]: value }] } });
    expectProblem(answer, 'UNKNOWN_REFERENCE', `contacts[1].${field}${field === 'custom_fields' ? '.colour' : ''}`);
  }
  assert.deepEqual(await database.sql('select 1 from contacts where external_id = $1', [mark]), []);
});

test('a body that has no list, too many items or an unknown property is refused, and nothing is stored', async () => {
  const mark = newId();
  const good = { external_id: mark };
  for (const [body, path] of [
    [{}, 'contacts'],
    [{ contacts: [] }, 'contacts'],
    [{ contacts: Array.from({ length: 501 }, () => good) }, 'contacts'],
    [{ contacts: [good, { ...good, surname: 'x' }] }, 'contacts[1].surname'],
    [{ contacts: [good, { ...good, email: null }] }, 'contacts[1].email'],
  ] as const)
    expectProblem(await call(400, 'POST', PATH, { body }), 'VALIDATION_FAILED', path);
  assert.deepEqual(await database.sql('select 1 from contacts where external_id = $1', [mark]), []);
});

test('events are emitted for what was created and for what really changed, and none by a silent call', async () => {
  const mark = newId();
  await upsert([{ external_id: `quiet-${mark}`, name: `Quiet ${mark}` }], { silent: true });
  const { items } = await upsert([{ external_id: `eva-${mark}`, name: 'Eva', custom_fields: { plan: 'a' } }]);
  await upsert([
    { external_id: `eva-${mark}`, name: 'Eva' },
    { external_id: `eva-${mark}`, custom_fields: { plan: 'b' } },
  ]);
  const id = items[0].contact;
  const delivered = await platform.deliveries(({ body }) => [body.data._id, body.data.contactId].includes(id), 4);
  assert.deepEqual(
    delivered.map(({ body }) => `${body.event} ${body.data.value ?? ''}`).toSorted((x, y) => (x < y ? -1 : 1)),
    ['CONTACT_CREATED ', 'CONTACT_UPDATED ', 'FIELD_UPDATED a', 'FIELD_UPDATED b'],
  );
  assert.deepEqual(await database.sql('select 1 from deliveries where body like $1', [`%Quiet ${mark}%`]), []);
});

test('a caller without contacts:update creates contacts, and changes none with update_existing false', async () => {
  const mark = newId();
  const known = await create({ external_id: mark, name: 'Old' });
  const { token: key } = await platform.createKey(demo._id, ['contacts:create', 'contacts:read']);
  const contacts = [
    { external_id: mark, name: 'New' },
    { external_id: `other-${mark}`, name: 'New' },
  ];
  expectProblem(await call(403, 'POST', PATH, { key, body: { contacts } }), 'FORBIDDEN', 'update_existing');
  const { body } = await call(201, 'POST', PATH, { key, body: { contacts, update_existing: false } });
  assert.deepEqual(statuses(body), ['FAILED', 'CREATED']);
  assert.deepEqual(await read(known._id), known);
});

test('a repeat with the same Idempotency-Key writes nothing and says which contacts the items have now', async () => {
  const mark = newId();
  const headers = { 'idempotency-key': mark };
  const body = {
    contacts: [{ external_id: `a-${mark}`, name: 'A' }, { name: 'Nobody' }, { external_id: `b-${mark}` }],
  };
  const first = (await call(201, 'POST', PATH, { headers, body })).body;
  const [a, , b] = first.items;
  await call(200, 'PATCH', `/v1/contacts/${a.contact}`, { body: { name: 'Renamed' } });
  await call(200, 'DELETE', `/v1/contacts/${b.contact}`);
  const repeated = (await call(201, 'POST', PATH, { headers, body })).body;
  assert.deepEqual(statuses(repeated), ['UNCHANGED', 'FAILED', 'FAILED']);
  assert.deepEqual([repeated._id, repeated.items[0].contact], [first._id, a.contact]);
  assert.equal((await read(a.contact)).name, 'Renamed');
  assert.deepEqual(await database.sql('select _id from contacts where external_id = $1', [`b-${mark}`]), []);
  expectProblem(
    await call(422, 'POST', PATH, { headers, body: { contacts: [{ external_id: mark }] } }),
    'IDEMPOTENCY_KEY_REUSED',
  );
});

test('calls about the same new people at the same moment make one contact of each', async () => {
  const mark = newId();
  const contacts = Array.from({ length: 20 }, (_, index) => ({
    external_id: `${mark}-${index}`,
    email: `${index}-${mark}@example.com`,
  }));
  const calls = Array.from({ length: 4 }, (_, index) => upsert(index % 2 ? contacts : contacts.toReversed()));
  const results = await Promise.all(calls);
  assert.equal(
    results.reduce((sum, { created }) => sum + created, 0),
    20,
  );
  assert.deepEqual(
    results.map(({ failed }) => failed),
    [0, 0, 0, 0],
  );
  assert.equal((await call(200, 'GET', `/v1/contacts?search=${mark}`)).body.meta.totalCount, 20);
});
