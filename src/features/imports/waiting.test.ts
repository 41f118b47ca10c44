/** How many sheets of a company wait or are worked on: each is kept whole until its import has ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { awaitImport, postForm } from '../../../test/support/sheets.ts';
import { newId } from '../../platform/ids.ts';
import { makeTenant } from '../../platform/route.ts';
import { addImport } from './imports.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PLACES = 10;

const file = { name: 'people.csv', data: 'name\nAna\n' };
const upload = {
  fileName: file.name,
  bytes: file.data.length,
  sha256: '',
  async *read(start = 0, end = file.data.length) {
    yield Buffer.from(file.data.slice(start, end));
  },
};

test('of twenty sheets at the same moment ten are taken, and no further one of the company until one has ended or is a day old', async () => {
  const { _id: company, key } = await platform.createCompany();
  const principal = {
    type: 'company',
    id: newId(),
    companyId: company,
    name: 'Test',
    scopes: ['*'],
    expiresAt: null,
  } as const;
  const tenant = makeTenant(platform.running.kit.database, company, principal);
  const waiting = (): Promise<unknown> =>
    addImport(tenant, {
      kind: 'CONTACTS',
      table: null,
      upload,
      mapping: undefined,
      find: (title) => title,
      silent: true,
      update_existing: true,
      // Nobody works on it: it waits for as long as the test does.
      enqueue: async () => undefined,
    });
  const answers = await Promise.allSettled(Array.from({ length: 2 * PLACES }, waiting));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, PLACES);
  for (const answer of answers)
    if (answer.status === 'rejected') assert.equal(answer.reason.code, 'IMPORTS_WAITING', String(answer.reason));
  const stored = await database.sql('select _id from imports where company_id = $1', [company]);
  assert.equal(stored.length, PLACES);
  const table = { name: 'T', columns: [{ key: 'name', title: 'Name', type: 'TEXT' }] };
  const { body: made } = await call(201, 'POST', '/v1/tables', { key, body: table });
  for (const path of ['/v1/contacts/import', `/v1/tables/${made._id}/import`])
    expectProblem(await postForm(platform, [409, path], { file }, { key }), 'IMPORTS_WAITING');
  await postForm(platform, [201, '/v1/contacts/import'], { file });
  for (const change of [`status = 'COMPLETED', finished_at = now()`, `created_at = now() - interval '25 hours'`]) {
    await database.sql(
      `update imports set ${change} where _id = (select _id from imports where company_id = $1 and finished_at is null limit 1)`,
      [company],
    );
    const { body } = await postForm(platform, [201, `/v1/tables/${made._id}/import`], { file }, { key });
    await awaitImport(platform, `/v1/tables/${made._id}/import/${body._id}`, { key });
    await waiting();
    await postForm(platform, [409, '/v1/contacts/import'], { file }, { key });
  }
});
