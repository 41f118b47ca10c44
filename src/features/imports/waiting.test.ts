/** The limit on a company's sheets that wait or are processed: each one is stored whole until its import ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { awaitImport, postForm } from '../../../test/support/sheets.ts';
import { newId } from '../../platform/values/ids.ts';
import { makeTenant } from '../../platform/http/trail.ts';
import { addImport } from './imports.ts';
import { giveUpImportsJob } from './jobs.ts';

// Each of the twenty requests needs a connection of its own.
const platform = await startPlatform();
const { call, database } = platform;
const PLACES = 10;

const file = { name: 'people.csv', data: 'external_id\nAna\n' };
const upload = {
  fileName: file.name,
  givenName: file.name,
  bytes: file.data.length,
  sha256: '',
  async *read(start = 0, end = file.data.length) {
    yield Buffer.from(file.data.slice(start, end));
  },
};

test('ten of twenty sheets that are sent at once are accepted, and another one is accepted once an import has ended or was given up', async () => {
  const { _id: company, key } = await platform.createCompany();
  const principal = {
    type: 'company',
    id: newId(),
    companyId: company,
    name: 'Test',
    scopes: ['*'],
    expiresAt: null,
  } as const;
  // The trigger makes each import look as if another process worked on it, so that none starts during the test.
  await database.sql(`create function hold() returns trigger language plpgsql as
    $$ begin new.is_waiting = false; return new; end $$`);
  await database.sql(
    `create trigger held before insert on runs for each row when (new.company_id = '${company}') execute function hold()`,
  );
  const tenant = makeTenant(platform.running.kit.database, company, principal);
  const waiting = (): Promise<unknown> =>
    addImport(platform.running.kit.readers, tenant, {
      kind: 'CONTACTS',
      table: null,
      upload,
      mapping: undefined,
      find: (title) => title,
      silent: true,
      country: null,
      tag: null,
      identifying: null,
      update_existing: true,
      signal: new AbortController().signal,
    });
  const answers = await Promise.allSettled(Array.from({ length: 2 * PLACES }, waiting));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, PLACES);
  for (const answer of answers)
    if (answer.status === 'rejected') assert.equal(answer.reason.code, 'IMPORTS_WAITING', String(answer.reason));
  const stored = await database.sql('select _id from runs where company_id = $1', [company]);
  assert.equal(stored.length, PLACES);
  const table = { name: 'T', columns: [{ key: 'name', title: 'Name', type: 'TEXT' }] };
  const { body: made } = await call(201, 'POST', '/v1/tables', { key, body: table });
  for (const path of ['/v1/contacts/import', `/v1/tables/${made._id}/import`])
    expectProblem(await postForm(platform, [409, path], { file }, { key }), 'IMPORTS_WAITING');
  await postForm(platform, [201, '/v1/contacts/import'], { file });
  for (const change of [`status = 'COMPLETED', finished_at = now()`, `updated_at = now() - interval '25 hours'`]) {
    await database.sql(
      `update runs set ${change} where _id = (select _id from runs where company_id = $1 and finished_at is null limit 1)`,
      [company],
    );
    await giveUpImportsJob(platform.running.kit).handle({}, 0);
    await waiting();
    await postForm(platform, [409, '/v1/contacts/import'], { file }, { key });
  }
});

test('an import without progress for a day ends FAILED and its sheet is deleted; one with progress continues', async () => {
  const [old, young] = await Promise.all([1, 2].map(() => postForm(platform, [201, '/v1/contacts/import'], { file })));
  for (const asked of [old, young]) await awaitImport(platform, `/v1/contacts/import/${asked?.body._id}`);
  const restart = (id: string, age: string): Promise<unknown> =>
    database.sql(
      `with chunk as (insert into import_chunks (company_id, import_id, position, bytes) values ($3, $1, 0, 'x'))
        update runs set status = 'RUNNING', finished_at = null, updated_at = now() - $2::interval where _id = $1`,
      [id, age, platform.demo._id],
    );
  await restart(old?.body._id, '25 hours');
  await restart(young?.body._id, '23 hours');
  await giveUpImportsJob(platform.running.kit).handle({}, 0);
  const read = async (id: string) => (await call(200, 'GET', `/v1/contacts/import/${id}`)).body;
  const { status, error, finished_at } = await read(old?.body._id);
  assert.deepEqual([status, error.code, finished_at === null], ['FAILED', 'UNAVAILABLE', false]);
  assert.equal((await read(young?.body._id)).status, 'RUNNING');
  const kept = await database.sql('select import_id from import_chunks where company_id = $1', [platform.demo._id]);
  assert.deepEqual(kept, [{ import_id: young?.body._id }]);
});
