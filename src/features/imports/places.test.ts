/** Imports that wait for a place, and imports of one company that two processes work on at the same time. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stopClock } from '../../../test/support/clock.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { createHurriedReaders } from '../../../test/support/hurried-readers.ts';
import { HURRIED, ROOMY, UNLIMITED } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { start } from '../../boot/start.ts';
import { loadConfig } from '../../config.ts';
import { pollDueWork } from '../../platform/work/due-work.ts';
import { createLog } from '../../platform/work/telemetry.ts';
import { newId } from '../../platform/values/ids.ts';
import { makeTenant } from '../../platform/http/trail.ts';
import { createCompany } from '../companies/companies.ts';
import { contactImporter } from '../contacts/import/importer.ts';
import { addImport } from './imports.ts';
import type { Import } from './schemas.ts';
import { startImports, type RowImporter } from './work.ts';

const PLACES = 4;
const PORTION = 1_000;

// A process without background work, so that the loop of a test has the imports for itself.
const store = await openTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'parley-data-'));
const settings = { DATABASE_URL: store.url, DATA_DIR: dataDir, PORT: '0', SANDBOX: 'off', LOG_LEVEL: 'silent' };
const { kit, stop } = await start(loadConfig({ ...settings, ...UNLIMITED, ...ROOMY, ...HURRIED }), 'api', {
  log: createLog('silent'),
});
after(async () => {
  await stop();
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Queues an import of a sheet. */
async function queueImport(company: string, csv: string): Promise<Import> {
  const caller = { type: 'company', id: newId(), companyId: company, name: 'Test', scopes: ['*'] } as const;
  const data = Buffer.from(csv);
  return addImport(kit.readers, makeTenant(kit.database, company, { ...caller, expiresAt: null }), {
    kind: 'CONTACTS',
    table: null,
    upload: {
      fileName: newId(),
      givenName: 'people.csv',
      bytes: data.length,
      sha256: '',
      async *read(from = 0, to = data.length) {
        yield data.subarray(from, to);
      },
    },
    mapping: undefined,
    find: (title) => title,
    silent: true,
    country: null,
    tag: null,
    identifying: null,
    update_existing: true,
    signal: new AbortController().signal,
  });
}

const addCompany = async (): Promise<string> =>
  (await kit.database.systemTx('upkeep', (tx) => createCompany(tx, { name: 'C' })))._id;

/** Queues an import of so many rows for each of five companies, one more than there are places. */
async function queueOneTooMany(rows: number): Promise<void> {
  for (let n = 0; n < PLACES + 1; n += 1) await queueImport(await addCompany(), `name\n${'A\n'.repeat(rows)}`);
}

/** Starts the loop of a process. Returns a function that stops it. */
function startLoop(importer: RowImporter, readers = kit.readers): () => Promise<void> {
  const loop = startImports({ ...kit, readers }, { CONTACTS: importer, TABLE: importer });
  const stopLooking = pollDueWork(kit.database.system('upkeep'), [loop.dueWork], { everyMs: 20, log: kit.log });
  return async () => {
    await stopLooking();
    await loop.stop();
  };
}

async function countEnded(): Promise<number> {
  const ended = await store.sql<{ status: string }>('select status from runs where finished_at is not null');
  assert.ok(ended.every(({ status }) => status === 'COMPLETED'));
  return ended.length;
}

/**
 * Runs the loop with an importer that stores nothing. Returns how many imports had ended when the first one began that had found no free
 * place.
 */
async function countEndedBeforeNext(onPortion: () => void): Promise<number> {
  const begun = new Set<string>();
  const allBusy = Promise.withResolvers<void>();
  const nextBegins = Promise.withResolvers<number>();
  const importer: RowImporter = {
    slots: async (tx, asked) => {
      const { file_name } = asked;
      // Within a transaction nothing waits, because the database would end it.
      if ('writable' in tx) return contactImporter.slots(tx, asked);
      const isAgain = begun.has(file_name);
      begun.add(file_name);
      if (begun.size === PLACES) allBusy.resolve();
      if (begun.size <= PLACES && !isAgain) await allBusy.promise;
      else if (isAgain) await nextBegins.promise;
      else nextBegins.resolve(countEnded());
      return contactImporter.slots(tx, asked);
    },
    take: async () => {
      onPortion();
      return { created: 0, changed: 0, failed: 0, errors: [] };
    },
  };
  const stopLoop = startLoop(importer);
  try {
    return await nextBegins.promise;
  } finally {
    await stopLoop();
    await store.sql('delete from runs');
  }
}

test('an import waits for a place as long as those that have one have worked for less than five seconds', async (t) => {
  stopClock(t);
  await queueOneTooMany(2 * PORTION);
  assert.notEqual(await countEndedBeforeNext(() => undefined), 0);
});

test('when all places are taken, an import gives its place after five seconds to one of another company, before it has ended', async (t) => {
  const move = stopClock(t);
  // Each import measures its five seconds from its first portion, or as long again as that took, so others have many portions meanwhile.
  await queueOneTooMany(60 * PORTION);
  assert.equal(await countEndedBeforeNext(() => move(2_600)), 0);
});

test('two imports of a company that two processes work on at once both end well, although their people are the same', async () => {
  const company = await addCompany();
  const people = Array.from({ length: 2 * PORTION }, (_, n) => `Ana,ana-${n}@example.com`);
  for (const rows of [people, people.toReversed()]) await queueImport(company, `name,email\n${rows.join('\n')}\n`);
  const begun = new Set<string>();
  const bothBegin = Promise.withResolvers<void>();
  const importer: RowImporter = {
    ...(contactImporter as RowImporter),
    slots: async (tx, asked) => {
      if (begun.add(asked.file_name).size === 2) bothBegin.resolve();
      await bothBegin.promise;
      return contactImporter.slots(tx, asked);
    },
  };
  const stops = [startLoop(importer), startLoop(importer)];
  await waitUntil('both imports to end', async () => (await countEnded()) === 2);
  for (const stopLoop of stops) await stopLoop();
  const [sums] = await store.sql(
    `select sum(created_count)::int as created, sum(changed_count)::int as updated, sum(failed_count)::int as failed from runs`,
  );
  assert.deepEqual(sums, { created: people.length, updated: people.length, failed: 0 });
  const contacts = await store.sql('select from contacts where company_id = $1', [company]);
  assert.equal(contacts.length, people.length);
});

test('a row that takes its reader too long is an error of that row, and the rows after it are imported', async () => {
  const readers = createHurriedReaders(new URL('../../../test/support/hanging-reader.ts', import.meta.url));
  const { _id } = await queueImport(
    await addCompany(),
    'name,external_id\nAna,slow-1\n\nhang,slow-2\nBia,slow-3\nEva,slow-4\n',
  );
  const stopLoop = startLoop(contactImporter as RowImporter, readers);
  const ended = await waitUntil('the import to end', async () => {
    const [row] = await store.sql(
      'select status, created_count, failures from runs where _id = $1 and finished_at is not null',
      [_id],
    );
    return row;
  });
  await stopLoop();
  readers.close();
  const fault = { row: 3, line: 4, field: null, value: null, message: 'takes too long to read', stored: false };
  assert.deepEqual(ended, { status: 'COMPLETED', created_count: 3, failures: [fault] });
});
