/** Imports of contacts: what a row creates or updates, which events are emitted, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import {
  awaitImport,
  importSheet,
  listFaults,
  postForm,
  makeWorkbook,
  type FormParts,
  type TestCell,
} from '../../../../test/support/sheets.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const PATH = '/v1/contacts/import';

const define = async (slug: string, type: string, options?: string[]): Promise<Json> =>
  (
    await call(201, 'POST', '/v1/custom-fields', {
      body: { title: `Campo ${slug}`, slug, context: 'contact', type, ...(options ? { options } : {}) },
    })
  ).body;
const city = await define('city', 'TEXT');
await define('score', 'NUMBER');
await define('customer', 'BOOLEAN');
await define('since', 'DATE');
await define('plan', 'SELECT', ['gold', 'silver']);
await define('likes', 'LIST');

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const csv = (...lines: string[]): { name: string; data: string } => ({ name: 'people.csv', data: lines.join('\r\n') });
const run = (parts: FormParts): Promise<Json> => importSheet(platform, PATH, parts);
const found = async (search: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/contacts?search=${encodeURIComponent(search)}`)).body.result;
const counts = ({ processed, created_count, updated_count, failed_count }: Json): number[] => [
  processed,
  created_count,
  updated_count,
  failed_count,
];
const shownValues = (contact: Json): Json =>
  Object.fromEntries(contact.custom_fields.map(({ slug, value }: Json) => [slug, value]));

test('an import creates contacts with the values of all columns, from CSV and XLSX alike', async () => {
  const titles = 'Nome,phone_number,E-mail,tags,opted_out,city,Campo score,customer,since,plan,likes,Unknown'.split(
    ',',
  );
  const rowFor = (email: string, phone: string, since: TestCell): TestCell[] => [
    'José da Silva',
    `+${phone}`,
    email,
    'vip; novo',
    true,
    'São Paulo',
    12.5,
    'sim',
    since,
    'gold',
    'tea, coffee',
    'x',
  ];
  const date = { xml: (reference: string) => `<c r="${reference}" s="1"><v>46346</v></c>` };
  const quoted = (row: TestCell[]): string => row.map((cell) => `"${cell as string}"`).join(',');
  for (const format of ['CSV', 'XLSX']) {
    const [email, phone] = [`jose-${newId()}@example.com`, makePhoneNumber()];
    const file =
      format === 'CSV'
        ? csv(titles.join(','), quoted(rowFor(email, phone, '20/11/2026')))
        : { name: 'people.xlsx', data: makeWorkbook([titles, rowFor(email, phone, date)]) };
    const done = await run({ file });
    assert.deepEqual([done.status, done.format, done.total, counts(done)], ['COMPLETED', format, 1, [1, 1, 0, 0]]);
    assert.deepEqual(
      done.columns.map(({ field }: Json) => field),
      [
        'name',
        'phone_number',
        'email',
        'tags',
        'opted_out',
        ...['city', 'score', 'customer', 'since', 'plan', 'likes'].map((slug) => `custom_fields.${slug}`),
        null,
      ],
    );
    const [contact] = await found(email);
    const { name, phone_number, country_code, tags, opted_out, source } = contact;
    assert.deepEqual(
      { name, phone_number, country_code, tags, opted_out, source },
      {
        name: 'José da Silva',
        phone_number: `+${phone}`,
        country_code: 'BR',
        tags: ['vip', 'novo'],
        opted_out: true,
        source: 'IMPORT',
      },
    );
    assert.deepEqual(shownValues(contact), {
      city: 'São Paulo',
      score: 12.5,
      customer: true,
      since: '2026-11-20',
      plan: 'gold',
      likes: ['tea', 'coffee'],
    });
  }
});

test('an import reports an invalid row with its number and field, and stores the other rows', async () => {
  const mark = newId();
  const done = await run({
    file: csv(
      'name;email;phone;score;plan;blocked;business',
      `Good ${mark};good-${mark}@example.com;;1.234,5;gold;não;`,
      `Bad ${mark};nobody;123;much;bronze;perhaps;${newId()}`,
      ';;;;;;',
      `;;;7;;;`,
      `Alone ${mark};;;;;;`,
    ),
  });
  assert.deepEqual([done.status, done.total, counts(done)], ['COMPLETED', 4, [4, 2, 0, 2]]);
  assert.deepEqual(
    done.row_errors.map(({ row, field }: Json) => `${row} ${field}`).toSorted(byText),
    [
      '2 blocked',
      '2 business',
      '2 custom_fields.plan',
      '2 custom_fields.score',
      '2 email',
      '2 phone_number',
      '4 name',
    ].toSorted(byText),
  );
  assert.deepEqual((await found(mark)).map(({ name }) => name).toSorted(byText), [`Alone ${mark}`, `Good ${mark}`]);
  const [good] = await found(`good-${mark}`);
  assert.deepEqual(shownValues(good), { score: 1234.5, plan: 'gold' });
});

test('an import reports an invalid cell once', async () => {
  const done = await run({
    file: csv(
      'external_id,owner,business,avatar_url,tags',
      `A,nobody,${newId()}0,nowhere,"${'x'.repeat(101)};${'y'.repeat(101)}"`,
    ),
  });
  assert.deepEqual(done.row_errors.map(({ field }: Json) => field).toSorted(byText), [
    'avatar_url',
    'business',
    'owner',
    'tags',
  ]);
});

test('an import updates a contact that has any of the row’s identities with the filled cells, also from rows of the same sheet', async () => {
  const [mark, phone] = [newId(), makePhoneNumber()];
  const { body: known } = await call(201, 'POST', '/v1/contacts', {
    body: { name: `Ana ${mark}`, phone_number: phone, external_id: `crm-${mark}`, custom_fields: { city: 'Recife' } },
  });
  const done = await run({
    file: csv(
      'name,phone,email,external_id,city',
      // The number without the ninth digit belongs to the same person.
      `,+${phone.replace(/^(55\d\d)9/, '$1')},ana-${mark}@example.com,,`,
      `New ${mark},,new-${mark}@example.com,,Natal`,
      `,,NEW-${mark}@example.com,new-${mark},Manaus`,
      `,,ana-${mark}@example.com,new-${mark},`,
    ),
  });
  assert.deepEqual(counts(done), [4, 1, 2, 1]);
  assert.deepEqual(listFaults(done), [
    { row: 4, field: 'external_id', message: 'belongs to a different contact than email' },
  ]);
  const { body: ana } = await call(200, 'GET', `/v1/contacts/${known._id}`);
  assert.deepEqual([ana.name, ana.email, ana.source], [`Ana ${mark}`, `ana-${mark}@example.com`, 'API']);
  assert.deepEqual(shownValues(ana), { city: 'Recife' });
  const [fresh] = await found(`new-${mark}@`);
  assert.deepEqual(
    [fresh.name, fresh.external_id, shownValues(fresh)],
    [`New ${mark}`, `new-${mark}`, { city: 'Manaus' }],
  );
});

test('a row with an extra identity of a contact, such as a number from a merge, updates that contact and replaces none of its identities', async () => {
  const mark = newId();
  const [own, other] = [makePhoneNumber(), makePhoneNumber()];
  const create = async (body: Json): Promise<Json> => (await call(201, 'POST', '/v1/contacts', { body })).body;
  const kept = await create({ name: 'Kept', phone_number: own, email: `own-${mark}@example.com`, external_id: mark });
  const gone = await create({ phone_number: other, email: `other-${mark}@example.com`, external_id: `other-${mark}` });
  await call(201, 'POST', `/v1/contacts/${kept._id}/merge`, { body: { contact: gone._id } });
  const names = () =>
    database.sql('select kind, value from contact_identities where contact_id = $1 order by kind, value', [kept._id]);
  const before = await names();
  const done = await run({
    file: csv(
      'name,phone,email,external_id',
      `Ana,+${other},,`,
      `Bea,,OTHER-${mark}@example.com,`,
      `Renamed,,,other-${mark}`,
    ),
  });
  assert.deepEqual([counts(done), done.row_errors], [[3, 0, 3, 0], []]);
  const { body: now } = await call(200, 'GET', `/v1/contacts/${kept._id}`);
  assert.deepEqual(now, { ...kept, name: 'Renamed', updatedAt: now.updatedAt });
  assert.deepEqual(await names(), before);
  // When a row has a new number next to such an extra identity, the new number replaces the number of the contact, and only the replaced
  // number becomes free.
  const next = makePhoneNumber();
  await run({ file: csv('phone,email', `+${next},other-${mark}@example.com`) });
  assert.equal((await call(200, 'GET', `/v1/contacts/${kept._id}`)).body.phone_number, `+${next}`);
  await call(409, 'POST', '/v1/contacts', { body: { phone_number: other } });
  await call(201, 'POST', '/v1/contacts', { body: { phone_number: own } });
});

test('a row names its contact by _id; an unknown id and one of another company are reported in the same words', async () => {
  const mark = newId();
  const create = async (body: Json, key = demo.key): Promise<Json> =>
    (await call(201, 'POST', '/v1/contacts', { body, key })).body;
  const [ana, bea] = [await create({ name: 'Ana' }), await create({ name: 'Bea', email: `bea-${mark}@example.com` })];
  const theirs = await create({ name: 'Theirs' }, (await platform.createCompany()).key);
  const before = await database.sql('select _id from contacts');
  const done = await run({
    file: csv(
      '_id,name,email,id',
      `${ana._id},,ana-${mark}@example.com,7`,
      `${theirs._id},Mine,,`,
      `${newId()},Nobody,,`,
      `7,Seven,,`,
      `${ana._id},,bea-${mark}@example.com,`,
      `${bea._id},,,`,
      `,Ana Maria,ana-${mark}@example.com,`,
    ),
  });
  assert.deepEqual(
    done.columns.map(({ field }: Json) => field),
    ['_id', 'name', 'email', null],
  );
  assert.deepEqual(counts(done), [7, 0, 3, 4]);
  assert.deepEqual(listFaults(done), [
    { row: 2, field: '_id', message: 'refers to a record that does not exist' },
    { row: 3, field: '_id', message: 'refers to a record that does not exist' },
    { row: 4, field: '_id', message: 'must be the id of a contact' },
    { row: 5, field: 'email', message: 'belongs to a different contact than _id' },
  ]);
  const { body: now } = await call(200, 'GET', `/v1/contacts/${ana._id}`);
  assert.deepEqual([now.name, now.email], ['Ana Maria', `ana-${mark}@example.com`]);
  assert.deepEqual((await call(200, 'GET', `/v1/contacts/${bea._id}`)).body, bea);
  assert.equal((await database.sql('select _id from contacts')).length, before.length);
  const careful = await run({ file: csv('_id,name', `${ana._id},Eva`), update_existing: 'false' });
  assert.deepEqual(listFaults(careful), [{ row: 1, field: '_id', message: `belongs to contact ${ana._id}` }]);
});

test('an identity that a row replaces becomes free for another contact', async () => {
  const mark = newId();
  const [old, next] = [makePhoneNumber(), makePhoneNumber()];
  const body = { phone_number: old, email: `moved-${mark}@example.com` };
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body });
  await run({ file: csv('email,phone', `moved-${mark}@example.com,+${next}`) });
  const { body: moved } = await call(200, 'GET', `/v1/contacts/${contact._id}`);
  assert.equal(moved.phone_number, `+${next}`);
  await call(201, 'POST', '/v1/contacts', { body: { phone_number: old } });
  await call(409, 'POST', '/v1/contacts', { body: { phone_number: next } });
});

test('an import without update_existing reports rows about existing contacts and changes nothing', async () => {
  const mark = newId();
  const { body: known } = await call(201, 'POST', '/v1/contacts', {
    body: { name: 'Old', email: `old-${mark}@example.com` },
  });
  const done = await run({
    file: csv('name,email', `New,old-${mark}@example.com`, `A,a-${mark}@example.com`, `B,A-${mark}@example.com`),
    update_existing: 'false',
  });
  assert.deepEqual(counts(done), [3, 1, 0, 2]);
  assert.deepEqual(listFaults(done), [
    { row: 1, field: 'email', message: `belongs to contact ${known._id}` },
    { row: 3, field: 'email', message: 'is also in an earlier row' },
  ]);
  assert.equal((await call(200, 'GET', `/v1/contacts/${known._id}`)).body.name, 'Old');
});

test('an import emits an event for each contact and field that really changed, and a silent import emits none', async () => {
  const mark = newId();
  const sheet = csv(
    'name,email,city',
    `Eva ${mark},eva-${mark}@example.com,Natal`,
    `Leo ${mark},leo-${mark}@example.com,`,
  );
  await run({ file: csv('name,email', `Quiet ${mark},quiet-${mark}@example.com`), silent: 'true' });
  await run({ file: sheet });
  // The second import of the same sheet changes nothing.
  await run({ file: sheet });
  await run({ file: csv('email,city', `eva-${mark}@example.com,Recife`) });
  const about = (await found(mark)).map(({ _id }) => _id);
  assert.equal(about.length, 3);
  const delivered = await platform.deliveries(
    ({ body }) => about.includes(body.data._id) || about.includes(body.data.contactId),
    5,
  );
  assert.deepEqual(
    delivered.map(({ body }) => `${body.event} ${body.data.name ?? body.data.value}`).toSorted(byText),
    [
      `CONTACT_CREATED Eva ${mark}`,
      `CONTACT_CREATED Leo ${mark}`,
      `CONTACT_UPDATED Eva ${mark}`,
      'FIELD_UPDATED Natal',
      'FIELD_UPDATED Recife',
    ].toSorted(byText),
  );
  const created = delivered.find(({ body }) => body.event === 'CONTACT_CREATED' && body.data.name === `Leo ${mark}`);
  const [leo] = await found(`leo-${mark}`);
  assert.deepEqual(created?.body.data, leo);
  const queued = await database.sql('select 1 from deliveries where body like $1', [`%Quiet ${mark}%`]);
  assert.equal(queued.length, 0);
});

test('the mapping of an import names the field of each column, and columns that it does not name are ignored', async () => {
  const mark = newId();
  const done = await run({
    file: csv('A,B,name', `${mark},Olinda,Not me`),
    mapping: JSON.stringify({ A: 'external_id', B: city._id }),
  });
  assert.deepEqual(
    done.columns.map(({ field }: Json) => field),
    ['external_id', 'custom_fields.city', null],
  );
  const [row] = await database.sql<{ id: string }>('select _id as id from contacts where external_id = $1', [mark]);
  const { body } = await call(200, 'GET', `/v1/contacts/${row?.id}`);
  assert.deepEqual([body.name, shownValues(body)], [null, { city: 'Olinda' }]);
});

test('a sheet whose header cannot be imported is refused before anything is stored', async () => {
  const refused = async (parts: FormParts, code: string, path: string): Promise<void> => {
    const { body } = await postForm(platform, [400, PATH], parts);
    assert.deepEqual([body.code, body.errors[0].path], [code, path], JSON.stringify(body));
  };
  const [{ n: before } = { n: 0 }] = await database.sql<{ n: number }>('select count(*)::int as n from runs');
  await refused({ file: csv('foo,bar', '1,2') }, 'VALIDATION_FAILED', 'file');
  await refused({ file: csv('name,Nome', '1,2') }, 'VALIDATION_FAILED', 'file');
  await refused({ file: csv('name', 'x'), mapping: '{"other":"name"}' }, 'VALIDATION_FAILED', 'mapping.other');
  await refused({ file: csv('name', 'x'), mapping: '{"name":"nothing"}' }, 'UNKNOWN_REFERENCE', 'mapping.name');
  await refused({ file: csv('a,a', 'x,y'), mapping: '{"a":"name"}' }, 'VALIDATION_FAILED', 'mapping.a');
  await refused({ file: csv('name', 'x'), mapping: '["name"]' }, 'VALIDATION_FAILED', 'mapping');
  await refused({ file: { name: 'x.csv', data: '' } }, 'VALIDATION_FAILED', 'file');
  await refused({ file: { name: 'x.csv', data: '\n\n' } }, 'VALIDATION_FAILED', 'file');
  const [{ n: after } = { n: -1 }] = await database.sql<{ n: number }>('select count(*)::int as n from runs');
  assert.equal(after, before);
});

test('a repeated import with the same Idempotency-Key and sheet imports nothing twice; another sheet is refused', async () => {
  const mark = newId();
  const headers = { 'idempotency-key': mark };
  const send = (status: number, ...lines: string[]) =>
    postForm(platform, [status, PATH], { file: csv('external_id', ...lines), silent: 'true' }, { headers });
  const { body: first } = await send(201, `Once ${mark}`);
  const again = await send(201, `Once ${mark}`);
  assert.equal(again.body._id, first._id);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  expectProblem(await send(422, `Other ${mark}`), 'IDEMPOTENCY_KEY_REUSED');
});

test('imports are listed and read only by their own company', async () => {
  const done = await run({ file: csv('external_id', 'Somebody') });
  const { body: list } = await call(200, 'GET', `${PATH}?status=COMPLETED&limit=100`);
  assert.deepEqual(
    list.result.find(({ _id }: Json) => _id === done._id),
    done,
  );
  assert.equal((await call(200, 'GET', `${PATH}?status=FAILED`)).body.meta.totalCount, 0);
  const other = await platform.createCompany();
  const foreign = await call(404, 'GET', `${PATH}/${done._id}`, { key: other.key });
  const unknown = await call(404, 'GET', `${PATH}/${newId()}`, { key: other.key });
  const { request_id: _a, ...seen } = foreign.body;
  const { request_id: _b, ...expected } = unknown.body;
  assert.deepEqual(seen, expected);
  assert.deepEqual((await call(200, 'GET', PATH, { key: other.key })).body.result, []);
});

test('the sheet of an import is gone once it has ended', async () => {
  const done = await run({ file: csv('external_id', 'Nobody keeps this') });
  assert.deepEqual(await database.sql('select 1 from import_chunks where import_id = $1', [done._id]), []);
});

test('a caller who may only create contacts may import with update_existing false, which changes no contact', async () => {
  const mark = newId();
  const { body: known } = await call(201, 'POST', '/v1/contacts', {
    body: { name: 'Old', email: `old-${mark}@example.com` },
  });
  const { token: key } = await platform.createKey(demo._id, ['contacts:create', 'contacts:read']);
  const file = csv('name,email', `New,old-${mark}@example.com`, `New,new-${mark}@example.com`);
  const imports = async (): Promise<number> => (await database.sql('select 1 from runs')).length;
  const before = await imports();
  for (const parts of [{ file }, { file, update_existing: 'true' }])
    expectProblem(await postForm(platform, [403, PATH], parts, { key }), 'FORBIDDEN', 'update_existing');
  assert.equal(await imports(), before);
  const { body: begun } = await postForm(platform, [201, PATH], { file, update_existing: 'false' }, { key });
  assert.deepEqual(counts(await awaitImport(platform, `${PATH}/${begun._id}`)), [2, 1, 0, 1]);
  assert.deepEqual((await call(200, 'GET', `/v1/contacts/${known._id}`)).body, known);
  const both = await platform.createKey(demo._id, ['contacts:create', 'contacts:update']);
  await postForm(platform, [201, PATH], { file }, { key: both.token });
});

test('a caller who may not create contacts may not import them, and imports are recorded in the audit', async () => {
  const reader = await platform.createKey(demo._id, ['contacts:read']);
  await postForm(platform, [403, PATH], { file: csv('external_id', 'x') }, { key: reader.token });
  const done = await run({ file: csv('external_id', 'Audited') });
  const { body } = await call(200, 'GET', `/v1/audit?action=contacts.import&limit=100`);
  assert.ok(body.result.some(({ resource_id: id }: Json) => id === done._id));
});
