/** An import that crashes each worker: the test kills the real program with kill -9, and the third one gives the import up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { UNLIMITED } from '../../../test/support/platform.ts';
import { killProgram, prepareInstallation } from '../../../test/support/process.ts';
import { buildForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const PATH = '/v1/contacts/import';

test('an import that ended its process twice is FAILED and not started again', async (t) => {
  const database = await openTestDatabase();
  t.after(() => database.close());
  const { boot, readKey } = await prepareInstallation(t, { DATABASE_URL: database.url, ...UNLIMITED });
  // The worker waits in this trigger, where the test kills it.
  const hold = `create function hold() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return new; end $$;
    create trigger held before update of total on imports for each row execute function hold()`;
  await database.sql(hold);
  let { program, url } = await boot();
  const answer = await fetch(url + PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${await readKey()}` },
    body: buildForm({ file: { name: 'poison.csv', data: 'external_id\nAna\n' } }),
  });
  assert.equal(answer.status, 201);
  const { _id } = (await answer.json()) as { _id: string };
  const attempts = async (): Promise<number> =>
    (await database.sql<{ attempts: number }>('select attempts from imports where _id = $1', [_id]))[0]?.attempts ?? 0;
  for (const attempt of [1, 2]) {
    await waitUntil('it to be begun', async () => (await attempts()) === attempt);
    await killProgram(program);
    // This ends the claim of the dead worker at once, so that the test need not wait for its lease.
    await database.sql('update imports set held_until = now()');
    ({ program, url } = await boot());
  }
  const end = await waitUntil('the import to end', async () => {
    const [row] = await database.sql(
      'select status, error, processed from imports where _id = $1 and finished_at is not null',
      [_id],
    );
    return row;
  });
  assert.deepEqual(
    [end['status'], (end['error'] as { code: string }).code, end['processed']],
    ['FAILED', 'IMPORT_CRASHED', 0],
  );
  assert.deepEqual(await database.sql('select 1 from import_chunks where import_id = $1', [_id]), []);
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
});
