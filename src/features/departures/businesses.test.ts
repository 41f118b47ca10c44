/**
 * Tests of removed businesses: a removed business is answered like an unknown one at once, and a job then removes it from every record that
 * named it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { limitRowsPerStatement, lockRows } from '../../../test/support/rows.ts';
import { importSheet } from '../../../test/support/sheets.ts';
import { readEvents, readRawAnswer, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { removeBusinessReferences } from './release.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const make = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const addBusiness = async (): Promise<string> => (await make('/v1/businesses', { name: `Bakery ${newId()}` }))._id;
const remove = (id: string) => call(200, 'DELETE', `/v1/businesses/${id}`);
const release = (business: string): Promise<void> =>
  removeBusinessReferences(platform.running.kit, { company: demo._id, business });
const isStored = async (business: string): Promise<boolean> =>
  (await database.sql('select 1 from businesses where _id = $1', [business])).length > 0;
const awaitDeletion = (business: string): Promise<unknown> =>
  waitUntil('the business to be out of all records', async () => !(await isStored(business)));

const table = (await make('/v1/tables', { name: 'Orders', columns: [{ key: 'note', type: 'TEXT' }] }))._id;
const rows = `/v1/tables/${table}/rows`;

test('the removal of a business with 1,000 contacts is answered at once, changes at most 300 records per statement, and emits one event per contact', async () => {
  const business = await addBusiness();
  for (const bounded of ['contacts', 'table_rows']) await limitRowsPerStatement(platform, bounded, 300);
  await database.sql(
    `insert into contacts (company_id, _id, name, source, business_id) select $1, new_id(), 'x', 'API', $2 from generate_series(1, 1000)`,
    [demo._id, business],
  );
  await database.sql(
    `insert into table_rows (company_id, _id, table_id, row_index, business_id)
      select $1, new_id(), $3, n + 1000000, $2 from generate_series(1, 1000) n`,
    [demo._id, business, table],
  );
  const before = await read(`/v1/businesses/${business}`);
  assert.deepEqual((await remove(business)).body, before);
  await awaitDeletion(business);
  const [counts] = await database.sql(
    `select (select count(*)::int from contacts where name = 'x' and business_id is null) as contacts,
      (select count(*)::int from table_rows where row_index > 1000000 and business_id is null) as rows,
      (select count(*)::int from deliveries where event = 'CONTACT_UPDATED') as emitted,
      (select count(distinct resource_id)::int from deliveries where event = 'CONTACT_UPDATED') as which`,
  );
  assert.deepEqual(counts, { contacts: 1_000, rows: 1_000, emitted: 1_000, which: 1_000 });
});

test('contacts and rows of a removed business have no business any more, each contact has an event that shows it as GET does, and other records stay unchanged', async () => {
  const [business, stays] = [await addBusiness(), await addBusiness()];
  const contacts = [
    await make('/v1/contacts', { name: 'Maria', business }),
    await make('/v1/contacts', { name: 'Ana', business: stays }),
  ];
  const linked = [
    await make(rows, { data: { note: 'a' }, business_id: business }),
    await make(rows, { data: { note: 'b' }, business_id: stays }),
  ];
  await remove(business);
  await awaitDeletion(business);
  const [maria, ana] = await Promise.all(contacts.map(({ _id }) => read(`/v1/contacts/${_id}`)));
  assert.deepEqual({ ...maria, updatedAt: '' }, { ...contacts[0], business: null, updatedAt: '' });
  assert.deepEqual(ana, contacts[1]);
  const emitted = await Promise.all(contacts.map(async ({ _id }) => (await readEvents(platform, _id)).slice(1)));
  assert.deepEqual(emitted, [[{ event: 'CONTACT_UPDATED', data: maria }], []]);
  const listed = new Map((await read(rows)).result.map((row: Json) => [row._id, row.business_id]));
  assert.deepEqual(
    linked.map(({ _id }) => listed.get(_id)),
    [undefined, stays],
  );
});

test('a removed business is answered like an unknown one by its path, by the list and for new references, even while records still name it', async () => {
  const [business, stays] = [await addBusiness(), await addBusiness()];
  const { name } = await read(`/v1/businesses/${business}`);
  const contact = await make('/v1/contacts', { name: 'Maria', business });
  const [row, held] = [
    await make(rows, { data: {}, business_id: business }),
    await make(rows, { data: {}, business_id: business }),
  ];
  const letGo = await lockRows(platform, 'table_rows', [held._id]);
  await remove(business);

  for (const [method, sent] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as [string, Json?][]) {
    const unknown = await readRawAnswer(platform, method, `/v1/businesses/${newId()}`, sent);
    assert.deepEqual(await readRawAnswer(platform, method, `/v1/businesses/${business}`, sent), unknown);
  }
  const { result, meta } = await read('/v1/businesses?limit=100');
  assert.ok(result.every(({ _id }: Json) => _id !== business));
  assert.equal(meta.totalCount, result.length);
  assert.equal((await read(`/v1/businesses?search=${encodeURIComponent(name)}`)).meta.totalCount, 0);
  for (const [method, path, field, body] of [
    ['POST', '/v1/contacts', 'business', { name: 'Bia' }],
    ['PATCH', `/v1/contacts/${contact._id}`, 'business', {}],
    ['POST', rows, 'business_id', { data: {} }],
    ['PATCH', `${rows}/${row._id}`, 'business_id', {}],
  ] as const) {
    const answer = await call(400, method, path, { body: { ...body, [field]: business } });
    expectProblem(answer, 'UNKNOWN_REFERENCE', field);
  }
  const file = { name: 'people.csv', data: `external_id,business\nCaio,${business}\nDora,${stays}` };
  const imported = await importSheet(platform, '/v1/contacts/import', { file });
  assert.deepEqual([imported.created_count, imported.failed_count, imported.row_errors[0].field], [1, 1, 'business']);

  // The removal job fails instead of letting the foreign key clear the references, which would emit no event.
  await assert.rejects(release(business), /still name/);
  assert.ok(await isStored(business), 'still on the way out');
  await letGo();
  await release(business);
  assert.ok(!(await isStored(business)));
  assert.deepEqual(await database.sql('select business_id from table_rows where _id = $1', [held._id]), [
    { business_id: null },
  ]);
});

test('a reference to a business that is written at the moment of its removal is refused, or cleared with all other references', async () => {
  for (let round = 0; round < 5; round += 1) {
    const business = await addBusiness();
    const ask = async (method: string, path: string, body: Json): Promise<Json> => {
      const answer = await fetch(platform.url + path, {
        method,
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.ok([201, 400].includes(answer.status), `${answer.status}`);
      return answer.status === 201 ? answer.json() : null;
    };
    const writes = Array.from({ length: 4 }, () => [
      ask('POST', '/v1/contacts', { name: 'Eva', business }),
      ask('POST', rows, { data: {}, business_id: business }),
    ]).flat();
    const [made] = await Promise.all([Promise.all(writes), remove(business)]);
    await awaitDeletion(business);
    for (const record of made.filter((each) => each !== null)) {
      if ('row_index' in record) continue;
      assert.equal((await read(`/v1/contacts/${record._id}`)).business, null);
      const events = (await readEvents(platform, record._id)).map(({ data }) => data.business);
      assert.deepEqual(events, [business, null]);
    }
    assert.deepEqual(await database.sql('select 1 from table_rows where business_id = $1', [business]), []);
  }
});
