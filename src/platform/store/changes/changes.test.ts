/** The change feed within one process and between two that share a database. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../../test/support/database.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../values/ids.ts';
import { createLog } from '../../work/telemetry.ts';
import type { Database } from '../tenant.ts';
import { openDatabase } from '../open-database.ts';
import { createChangeFeed, type ChangeFeed } from './feed.ts';
import { connectOtherProcesses } from './neighbours.ts';

interface Process {
  feed: ChangeFeed;
  database: Database;
}

interface Heard {
  changes: number;
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
  const heard: Heard = { changes: 0, ended: 0 };
  feed.follow(company, { changed: () => (heard.changes += 1), ended: () => (heard.ended += 1) });
  return heard;
}

const change = ({ database }: Process, company: string): Promise<void> =>
  database.tenantTx(company, () => Promise.resolve());

/** Starts a process and waits until it listens. From then on its followers hear only of real changes. */
async function startListening(): Promise<Process> {
  const process = startProcess();
  const first = follow(process, 'first');
  await waitUntil('the process to listen', () => first.changes === 1);
  return process;
}

test('followers of its company in this and in other processes learn of a committed transaction, and nobody else does', async () => {
  const [company, stranger] = [newId(), newId()];
  const [here, elsewhere] = [await startListening(), await startListening()];
  const heards = [follow(here, company), follow(elsewhere, company)];
  const others = [follow(here, stranger), follow(elsewhere, stranger)];
  await change(here, company);
  await waitUntil('both followers to learn of it', () => heards.every(({ changes }) => changes === 1));
  assert.deepEqual(
    others.map(({ changes }) => changes),
    [0, 0],
  );
});

test('a transaction across companies is announced to those that it names', async () => {
  const companies = [newId(), newId(), newId()];
  const here = await startListening();
  const heards = companies.map((company) => follow(here, company));
  await here.database.systemTx('upkeep', (tx) => {
    tx.concerns(companies.slice(0, 2));
    return Promise.resolve();
  });
  await waitUntil('the followers to learn of it', () => heards[1]?.changes === 1);
  assert.deepEqual(
    heards.map(({ changes }) => changes),
    [1, 1, 0],
  );
});

test('a transaction that is rolled back, and a read, are announced to nobody', async () => {
  const [company, later] = [newId(), newId()];
  const here = await startListening();
  const [heard, last] = [follow(here, company), follow(here, later)];
  await assert.rejects(here.database.tenantTx(company, () => Promise.reject(new Error('changed my mind'))));
  await here.database.walk(company).query({ name: 'read', text: 'select 1', values: [] });
  await change(here, later);
  await waitUntil('the later change', () => last.changes === 1);
  assert.equal(heard.changes, 0);
});

test('changes at the same moment are announced together, and those of very many companies reach every follower elsewhere', async () => {
  const [company, other] = [newId(), newId()];
  const [here, elsewhere] = [startProcess(), await startListening()];
  const [heard, unnamed] = [follow(elsewhere, company), follow(elsewhere, other)];
  for (let n = 0; n < 60; n += 1) here.feed.publish([company]);
  await waitUntil('the changes', () => heard.changes === 1);
  here.feed.publish(Array.from({ length: 251 }, newId));
  await waitUntil('both to look', () => heard.changes === 2 && unnamed.changes === 1);
});

test('a follower looks for missed changes when the connection between processes broke', async () => {
  const company = newId();
  const [here, elsewhere] = [startProcess(), await startListening()];
  const heard = follow(elsewhere, company);
  await store.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query = 'listen parley_changes'`);
  await waitUntil('the follower to look', () => heard.changes === 1);
  await change(here, company);
  await waitUntil('the feed to go on', () => heard.changes === 2);
});

test('a stop ends the stream of every follower, and a follower that comes during the stop ends at once', () => {
  const here = startProcess();
  const before = follow(here, newId());
  here.feed.endFollowers();
  const during = follow(here, newId());
  assert.deepEqual([before.ended, during.ended], [1, 1]);
});
