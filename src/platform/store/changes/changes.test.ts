/** The change feed within one process and between two that share a database. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../../test/support/database.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../values/ids.ts';
import { createLog } from '../../work/telemetry.ts';
import { openDatabase, type Database } from '../tenant.ts';
import type { Change } from './change.ts';
import { createChangeFeed, type ChangeFeed } from './feed.ts';
import { connectOtherProcesses } from './neighbours.ts';

interface Process {
  feed: ChangeFeed;
  database: Database;
}

interface Heard {
  changes: Change[];
  missed: number;
  ended: number;
}

const store = await openTestDatabase();
const processes: Process[] = [];
after(async () => {
  for (const { feed, database } of processes) {
    await feed.close();
    await database.close();
  }
  await store.close();
});

function startProcess(): Process {
  const feed = createChangeFeed();
  const database = openDatabase({ url: store.url, poolSize: 2, publish: feed.publish });
  const log = createLog('silent');
  feed.connect((itself) => connectOtherProcesses({ url: store.url, system: database.system('changes'), log }, itself));
  processes.push({ feed, database });
  return { feed, database };
}

function follow({ feed }: Process, company: string): Heard {
  const heard: Heard = { changes: [], missed: 0, ended: 0 };
  feed.follow(company, {
    changed: (changes) => void heard.changes.push(...changes),
    missed: () => (heard.missed += 1),
    ended: () => (heard.ended += 1),
  });
  return heard;
}

const hears = (heard: Heard, id: string): boolean => heard.changes.some(({ ids }) => ids?.includes(id));

const change = ({ database }: Process, company: string, ids: string[]): Promise<void> =>
  database.tenantTx(company, (tx) => {
    tx.changed([{ company, kind: 'MESSAGE', ids }]);
    return Promise.resolve();
  });

/** A follower in another process that listens already. */
async function followElsewhere(company: string): Promise<{ process: Process; heard: Heard }> {
  const process = startProcess();
  const heard = follow(process, company);
  await waitUntil('the other process to listen', () => heard.missed === 1);
  return { process, heard };
}

test('a committed change is announced to followers of its company in this and in other processes, and to nobody else', async () => {
  const [company, stranger] = [newId(), newId()];
  const here = startProcess();
  const elsewhere = await followElsewhere(company);
  const heards = [follow(here, company), elsewhere.heard];
  const others = [follow(here, stranger), follow(elsewhere.process, stranger)];
  const id = newId();
  await change(here, company, [id]);
  await waitUntil('both followers to hear of it', () => heards.every((heard) => hears(heard, id)));
  assert.deepEqual(
    heards.map((heard) => heard.changes),
    [[{ company, kind: 'MESSAGE', ids: [id] }], [{ company, kind: 'MESSAGE', ids: [id] }]],
  );
  assert.deepEqual(
    others.map((heard) => heard.changes.length),
    [0, 0],
  );
});

test('a change that is rolled back is announced to nobody', async () => {
  const company = newId();
  const here = startProcess();
  const heard = follow(here, company);
  const [undone, done] = [newId(), newId()];
  await assert.rejects(
    here.database.tenantTx(company, (tx) => {
      tx.changed([{ company, kind: 'CONTACT', ids: [undone] }]);
      return Promise.reject(new Error('changed my mind'));
    }),
  );
  await change(here, company, [done]);
  await waitUntil('the later change', () => hears(heard, done));
  assert.equal(hears(heard, undone), false);
});

test('changes at the same moment are announced together, and more than a hundred of one kind without their ids', async () => {
  const company = newId();
  const here = startProcess();
  const heard = follow(here, company);
  const ids = Array.from({ length: 60 }, newId);
  here.feed.publish(ids.map((id) => ({ company, kind: 'MESSAGE', ids: [id] })));
  here.feed.publish([{ company, kind: 'MESSAGE', ids: ids.slice(0, 5) }]);
  await waitUntil('the changes', () => heard.changes.length > 0);
  assert.deepEqual(heard.changes, [{ company, kind: 'MESSAGE', ids }]);
  here.feed.publish([{ company, kind: 'MESSAGE', ids: Array.from({ length: 101 }, newId) }]);
  await waitUntil('the many changes', () => heard.changes.length > 1);
  assert.deepEqual(heard.changes[1], { company, kind: 'MESSAGE', ids: null });
});

test('changes that do not fit into one notice reach the other processes in several notices', async () => {
  const here = startProcess();
  const companies = Array.from({ length: 30 }, newId);
  const elsewhere = startProcess();
  const heards = companies.map((company) => follow(elsewhere, company));
  await waitUntil('the other process to listen', () => heards.every((heard) => heard.missed > 0));
  here.feed.publish(companies.map((company) => ({ company, kind: 'CONTACT', ids: Array.from({ length: 90 }, newId) })));
  await waitUntil('all companies to hear', () => heards.every((heard) => heard.changes[0]?.ids?.length === 90));
});

test('a follower is told that it may have missed changes when the connection between processes broke', async () => {
  const company = newId();
  const here = startProcess();
  const { heard } = await followElsewhere(company);
  await store.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query = 'listen parley_changes'`);
  await waitUntil('the gap to be reported', () => heard.missed === 2);
  const id = newId();
  await change(here, company, [id]);
  await waitUntil('the feed to go on', () => hears(heard, id));
});

test('a stop ends the stream of every follower, and a follower that comes during the stop ends at once', () => {
  const here = startProcess();
  const before = follow(here, newId());
  here.feed.endFollowers();
  const during = follow(here, newId());
  assert.deepEqual([before.ended, during.ended], [1, 1]);
});
