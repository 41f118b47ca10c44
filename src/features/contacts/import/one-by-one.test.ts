/** Many rows about the same people in one request have the same result as one request for each row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE_NUMBER } from '../../../channels/identity.ts';
import { readSeed } from '../../../../test/full/harness/chance.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { createRandom } from '../../../../test/support/random.ts';
import { importSheet } from '../../../../test/support/sheets.ts';

const seed = readSeed();
const random = createRandom(seed);
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const chance = (share: number): boolean => random() < share;

const platform = await startPlatform();
const { database } = platform;

/** Each inner list has the writings of one identity. */
const VALUES = {
  email: [['a@one.example', 'A@one.example'], ['b@one.example'], ['c@one.example', 'c@ONE.example']],
  phone_number: [['+55 11 98888-2571', '+55 11 8888-2571'], ['+5511988882572'], ['+55 (11) 98888-2573']],
  external_id: [['x1'], ['x2']],
  professional_network_identifier: [['n1'], ['n2']],
};
type Field = keyof typeof VALUES;
const FIELDS = Object.keys(VALUES) as Field[];

function makeRow(): Json {
  const named = FIELDS.filter(() => chance(0.4));
  const row: Json = {};
  for (const field of named.length > 0 ? named : [pick(FIELDS)]) row[field] = pick(pick(VALUES[field]));
  if (chance(0.6)) row.name = pick(['Ana', 'Bia', 'Caio']);
  if (chance(0.3)) row.tags = pick([['vip'], ['club', 'vip']]);
  if (chance(0.4)) row.custom_fields = Object.fromEntries([[pick(['plan', 'level']), pick(['a', 'b'])]]);
  return row;
}

/** The contacts that a company has before its rows are imported. */
interface Beginning {
  before: Json[];
  merged: [number, number] | null;
  /** A number that the network reported as the former one of a contact; null for none. */
  former: string | null;
}

async function openCompany({ before, merged, former }: Beginning): Promise<string> {
  const { key } = await platform.createCompany();
  for (const slug of ['plan', 'level']) {
    const body = { title: slug, slug, context: 'contact', type: 'TEXT' };
    await platform.call(201, 'POST', '/v1/custom-fields', { key, body });
  }
  const stored = (await upsert(key, before)).items.map(({ contact }: Json) => contact);
  const [target, source] = merged ? merged.map((place) => stored[place]) : [];
  if (target && source && target !== source)
    await platform.call(201, 'POST', `/v1/contacts/${target}/merge`, { key, body: { contact: source } });
  await database.sql(
    `insert into contact_identities (company_id, kind, value, contact_id, address)
      select company_id, kind, $2, contact_id, address from contact_identities
      where kind = 'PHONE' and contact_id = any($1) and $2 <> '' order by value limit 1 on conflict do nothing`,
    [stored, former ?? ''],
  );
  return key;
}

const upsert = async (key: string, contacts: Json[], update_existing = true): Promise<Json> =>
  (await platform.call(201, 'POST', '/v1/contacts/bulk', { key, body: { contacts, update_existing } })).body;

/** All contacts of the company with their identities, without what differs from company to company. */
async function readPeople(key: string): Promise<Json[]> {
  const { result } = (await platform.call(200, 'GET', '/v1/contacts?limit=100', { key })).body;
  const names = await database.sql<{ contact_id: string; kind: string; value: string; address: string }>(
    'select contact_id, kind, value, address from contact_identities where contact_id = any($1) order by kind, value',
    [result.map(({ _id }: Json) => _id)],
  );
  const people = result.map((contact: Json) => ({
    ...Object.fromEntries([...FIELDS, 'name', 'country_code', 'tags'].map((field) => [field, contact[field]])),
    custom_fields: contact.custom_fields.map(({ slug, value }: Json) => `${slug} ${value}`).toSorted(),
    identities: names
      .filter(({ contact_id }) => contact_id === contact._id)
      .map(({ kind, value, address }) => `${kind} ${value} ${address}`),
  }));
  return people.toSorted((a: Json, b: Json) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The outcome of each item: its status, and the first item that has the same contact. */
function readOutcomes(items: Json[]): [string, number][] {
  const contacts = items.map(({ contact }) => contact);
  return items.map(({ status, contact }) => [status, contact === null ? -1 : contacts.indexOf(contact)]);
}

async function runOneByOne(key: string, rows: Json[], updates: boolean): Promise<Json[]> {
  const items: Json[] = [];
  for (const row of rows) items.push(...(await upsert(key, [row], updates)).items);
  return items;
}

const toCsv = (rows: Json[]): string =>
  [
    [...FIELDS, 'name', 'tags', 'plan', 'level'].join(','),
    ...rows.map(({ tags = [], custom_fields = {}, ...row }) =>
      [
        ...[...FIELDS, 'name'].map((field) => row[field]),
        tags.join(';'),
        custom_fields.plan,
        custom_fields.level,
      ].join(),
    ),
  ].join('\n');

/** Draws contacts that exist before, and rows about them and others; says the seed and the rows where both ways differ. */
function drawRound(count: number): { open(): Promise<string>; rows: Json[]; updates: boolean; said: string } {
  const before = Array.from({ length: 3 }, makeRow);
  const merged: [number, number] | null = chance(0.5) ? [0, 1] : null;
  const former = chance(0.5) ? PHONE_NUMBER.identify(pick(pick(VALUES.phone_number))).value : null;
  const rows = Array.from({ length: count }, makeRow);
  const updates = chance(0.8);
  const said = `SEED=${seed}: ${JSON.stringify({ before, merged, former, rows, updates })}`;
  return { open: () => openCompany({ before, merged, former }), rows, updates, said };
}

test('one call with many items leaves the contacts, identities and results of as many calls with one item each', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  for (let round = 0; round < 15; round += 1) {
    const { open, rows, updates, said } = drawRound(12);
    const [one, many] = [await open(), await open()];
    const { items } = await upsert(one, rows, updates);
    const singles = await runOneByOne(many, rows, updates);
    assert.deepEqual(readOutcomes(items), readOutcomes(singles), said);
    assert.deepEqual(await readPeople(one), await readPeople(many), said);
  }
});

test('an item that takes back what an earlier one changed counts as a change, and the contact stays as it was', async () => {
  const { key } = await platform.createCompany();
  const [created] = (await upsert(key, [{ external_id: 'x1', name: 'Ana' }])).items;
  const read = async (): Promise<Json> =>
    (await platform.call(200, 'GET', `/v1/contacts/${created.contact}`, { key })).body;
  const before = await read();
  const names = ['Bia', 'Ana', 'Ana'];
  const { items } = await upsert(
    key,
    names.map((name) => ({ external_id: 'x1', name })),
  );
  assert.deepEqual(readOutcomes(items), [
    ['UPDATED', 0],
    ['UPDATED', 0],
    ['UNCHANGED', 0],
  ]);
  assert.deepEqual(await read(), before);
});

test('one import leaves the contacts, identities and counts of as many calls with one item each', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  for (let round = 0; round < 5; round += 1) {
    const { open, rows, updates, said } = drawRound(20);
    const [one, many] = [await open(), await open()];
    const file = { name: 'people.csv', data: toCsv(rows) };
    const form = { file, update_existing: String(updates) };
    const done = await importSheet(platform, '/v1/contacts/import', form, { key: one });
    const singles = await runOneByOne(many, rows, updates);
    const failed = singles.flatMap(({ status }, place) => (status === 'FAILED' ? [place + 1] : []));
    const created = singles.filter(({ status }) => status === 'CREATED').length;
    assert.deepEqual([done.created_count, done.row_errors.map(({ row }: Json) => row)], [created, failed], said);
    assert.deepEqual(await readPeople(one), await readPeople(many), said);
  }
});

test('a row does not find a contact by an e-mail that an earlier row of the same sheet has replaced', async () => {
  const data = [
    'name,email,phone_number',
    'C,c@one.example,+55 11 98888-2571',
    'D,d@one.example,+55 11 98888-2571',
    'C2,c@one.example,+55 11 98888-2572',
  ].join('\n');
  const { key } = await platform.createCompany();
  const file = { name: 'people.csv', data };
  const done = await importSheet(platform, '/v1/contacts/import', { file }, { key });
  assert.deepEqual([done.created_count, done.updated_count, done.failed_count], [2, 1, 0]);
  assert.deepEqual(
    (await readPeople(key)).map(({ name, email, phone_number }) => [name, email, phone_number]),
    [
      ['C2', 'c@one.example', '+5511988882572'],
      ['D', 'd@one.example', '+5511988882571'],
    ],
  );
});
