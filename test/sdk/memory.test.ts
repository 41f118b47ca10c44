/** The memory that iterating over a long list takes, in a process of its own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPlatform } from '../support/platform.ts';

const CONTACTS = 100_000;
const MAX_MEGABYTES = 20;
/** With these limits a process ends when its whole heap needs more. Without them V8 collects garbage only when there is much of it. */
const LIMITS = [`--max-old-space-size=${MAX_MEGABYTES}`, '--max-semi-space-size=1'];

const platform = await startPlatform();

/** Iterates over all contacts, and prints how many there are. */
const PROGRAM = `
  import { createClient } from '${new URL('../../sdk/src/index.ts', import.meta.url).href}';
  const parley = createClient({ url: '${platform.url}', token: process.env.PARLEY_KEY });
  const ids = new Uint8Array(${CONTACTS});
  let count = 0;
  for await (const { name } of parley.contacts.list.all()) {
    ids[Number(name.slice('Contact '.length))] += 1;
    count += 1;
  }
  console.log(JSON.stringify({ count, once: ids.every((times) => times === 1) }));
`;

test('iterating over 100,000 contacts visits each once and stays within 20 MB', async () => {
  const company = await platform.createCompany('Large');
  await platform.database.sql(
    `insert into contacts (company_id, _id, name, source, created_at)
     select $1, lpad(to_hex(n), 24, '0'), 'Contact ' || n, 'API', now() - n * interval '1 millisecond'
       from generate_series(0, $2::int - 1) n`,
    [company._id, CONTACTS],
  );
  const env = { ...process.env, PARLEY_KEY: company.key };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...LIMITS, '--input-type=module', '--eval', PROGRAM],
    { env },
  );
  assert.deepEqual(JSON.parse(stdout), { count: CONTACTS, once: true });
});
