/** Imports that run alongside each other, and alongside callers who write the same contacts at the same moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { awaitImport, postForm } from '../../../../test/support/sheets.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PATH = '/v1/contacts/import';

const begin = async (lines: string[]): Promise<string> => {
  const file = { name: 'people.csv', data: `name,email,external_id\n${lines.join('\n')}` };
  return (await postForm(platform, [201, PATH], { file, silent: 'true' })).body._id;
};
const ended = (id: string): Promise<Json> => awaitImport(platform, `${PATH}/${id}`);
const people = async (mark: string): Promise<number> => {
  const [row] = await database.sql<{ n: number }>('select count(*)::int as n from contacts where external_id like $1', [
    `${mark}-%`,
  ]);
  return row?.n ?? -1;
};

test('two imports of the same people at the same moment, in opposite orders, create each person once', async () => {
  const mark = newId();
  const lines = Array.from({ length: 2_500 }, (_, n) => `Ana ${n},${mark}-${n}@example.com,${mark}-${n}`);
  const ids = [await begin(lines), await begin(lines.toReversed())];
  const done = await Promise.all(ids.map(ended));
  const sum = (field: string): number => done.reduce((total, each) => total + each[field], 0);
  assert.deepEqual(
    [done.map(({ status }) => status), sum('created_count'), sum('updated_count'), sum('failed_count')],
    [['COMPLETED', 'COMPLETED'], 2_500, 2_500, 0],
  );
  assert.equal(await people(mark), 2_500);
});

test('callers who create, change and remove people of a sheet while it is imported lose nothing, and no one is created twice', async () => {
  const mark = newId();
  const COUNT = 1_500;
  const known: string[] = [];
  for (let n = 0; n < COUNT; n += 50) {
    const body = { external_id: `${mark}-${n}`, language: 'en' };
    known.push((await call(201, 'POST', '/v1/contacts', { body })).body._id);
  }
  const lines = Array.from({ length: COUNT }, (_, n) => `Ana ${n},${mark}-${n}@example.com,${mark}-${n}`);
  const id = await begin(lines);
  const write = async (method: string, path: string, body?: Json): Promise<number> => {
    const response = await fetch(platform.url + path, {
      method,
      headers: { authorization: `Bearer ${platform.demo.key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    await response.text();
    return response.status;
  };
  const removed = new Set<string>();
  const patched = new Set<string>();
  for (const [index, contact] of known.entries()) {
    if (index % 3 === 0 && (await write('DELETE', `/v1/contacts/${contact}`)) === 200) removed.add(contact);
    else if ((await write('PATCH', `/v1/contacts/${contact}`, { tags: ['kept'] })) === 200) patched.add(contact);
    const status = await write('POST', '/v1/contacts', { external_id: `${mark}-${index * 7 + 1}` });
    assert.ok([201, 409, 503].includes(status), String(status));
  }
  const done = await ended(id);
  assert.deepEqual([done.status, done.processed, done.failed_count], ['COMPLETED', COUNT, 0], JSON.stringify(done));
  const rows = await database.sql<{ _id: string; tags: string[]; name: string | null; language: string | null }>(
    'select _id, tags, name, language from contacts where external_id like $1',
    [`${mark}-%`],
  );
  // A contact that was removed after the import of its row is gone. When it was removed earlier, the row has created it again.
  assert.ok(rows.length >= COUNT - removed.size && rows.length <= COUNT, `${rows.length}`);
  for (const row of rows.filter(({ _id }) => patched.has(_id)))
    assert.deepEqual([row.tags, row.language, row.name !== null], [['kept'], 'en', true], row._id);
  const [stray] = await database.sql<{ n: number }>(
    `select count(*)::int as n from contacts c where external_id like $1 and not exists (
      select 1 from contact_identities i where i.company_id = c.company_id and i.kind = 'EXTERNAL' and i.value = c.external_id
        and i.contact_id = c._id)`,
    [`${mark}-%`],
  );
  assert.equal(stray?.n, 0);
});
