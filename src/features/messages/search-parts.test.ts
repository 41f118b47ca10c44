/** Tests the parts that the search looks through one after the other, with parts of a few messages. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { closePool, openPool } from '../../platform/store/db.ts';
import { createExecutor } from '../../platform/store/executors.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { searchMessages } from './search.ts';
import type { MessageSearchQuery } from './schemas.ts';

const INBOX = 'd'.repeat(24);
const INBOXES = [INBOX, 'e'.repeat(24)];
const SIZE = 200;

const database = await openTestDatabase();
const pool = openPool(database.url, ROLES.read, 1);
const { query: readRows } = createExecutor(pool);
after(async () => {
  await closePool(pool);
  await database.close();
});

/** Creates a company with two inboxes and a conversation in each. */
async function createCompany(companyId: string): Promise<void> {
  await database.sql(`insert into companies (_id, name) values ($1, 'A')`, [companyId]);
  await database.sql(`insert into contacts (company_id, _id, name, source) values ($1, $1, 'x', 'API')`, [companyId]);
  for (const inbox of INBOXES) {
    await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
      companyId,
      inbox,
    ]);
    await database.sql(
      `insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by) values ($1, $2, $1, $2, 'WEB_V2', 'NONE')`,
      [companyId, inbox],
    );
  }
}

/** Stores messages, one in four seconds, of which every second has the word "even" and every 500th the word "rare". */
const store = (companyId: string, from: number, to: number): Promise<unknown> =>
  database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, content, status, created_at)
      select $1, lpad(to_hex(n), 24, '0'), inbox, $1, inbox, 'WEB_V2', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT',
        concat_ws(' ', 'all', case when n % 2 = 0 then 'even' else 'odd' end, case when n % 500 = 0 then 'rare' end), 'RECEIVED',
        '2026-01-01'::timestamptz + n * interval '4 seconds'
      from generate_series($2::int, $3::int) n cross join lateral (select ($4::text[])[1 + (n % 10 = 0)::int] as inbox) place`,
    [companyId, from, to, INBOXES],
  );

/** Begins the first part, at a time when the test has no message. */
async function divide(companyId: string): Promise<void> {
  await database.sql('select find_undivided_messages(array[$1], $2)', [companyId, SIZE]);
  await database.sql(`update message_parts set starts_at = now() - interval '2 minutes' where company_id = $1`, [
    companyId,
  ]);
}

const movePortion = async (): Promise<number> =>
  (await database.sql<{ moved: number }>('select fill_message_part($1, 70) as moved', [SIZE]))[0]?.moved ?? 0;

/** Reads all pages of a search, or the one with a number, each with this much time, and returns the numbers of the messages. */
async function readAll(companyId: string, query: Partial<MessageSearchQuery>, budgetMs?: number) {
  const seen: number[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const asked = {
      limit: 30,
      skipCount: true,
      sort: '-createdAt' as const,
      ...query,
      ...(cursor && { after: cursor }),
    };
    const { result, meta } = await searchMessages(
      { companyId, read: { companyId, query: readRows } } as never,
      asked,
      budgetMs,
    );
    seen.push(...result.map(({ _id }) => Number.parseInt(_id, 16)));
    sizes.push(result.length);
    cursor = query.page === undefined ? meta.nextCursor : null;
  }
  return { seen, sizes };
}

const numbers = (last: number, matches: (n: number) => boolean): number[] =>
  Array.from({ length: last }, (_, index) => last - index).filter(matches);

/** The messages whose part is not the one of their time. */
const misplaced = (companyId: string): Promise<unknown[]> =>
  database.sql(
    `select _id, s.part from message_search s join list_message_parts($1) p on created_at >= starts_at and created_at < ends_at
      where company_id = $1 and s.part is distinct from p.part`,
    [companyId],
  );

test('messages are found once and in order while they move into parts, with those that are stored, edited and deleted meanwhile', async () => {
  const company = 'a'.repeat(24);
  await createCompany(company);
  await store(company, 1, 1_000);
  await store(company, 1_002, 3_000);
  await divide(company);
  const deleted = new Set([1_001]);
  const edited = new Set<number>();
  const isThere = (n: number): boolean => !deleted.has(n);
  const check = async (): Promise<void> => {
    for (const budgetMs of [0, 1_000]) {
      const rare = await readAll(company, { search: 'al rare' }, budgetMs);
      assert.deepEqual(
        rare.seen,
        numbers(3_000, (n) => n % 500 === 0 && isThere(n) && !edited.has(n)),
      );
      assert.deepEqual(
        (await readAll(company, { search: 'new' }, budgetMs)).seen,
        [...edited].toSorted((a, b) => b - a),
      );
    }
    const even = (n: number): boolean => n % 2 === 0 && n % 10 !== 0 && isThere(n) && !edited.has(n);
    const { seen } = await readAll(company, { search: 'even', inbox: INBOX, sort: 'createdAt' });
    assert.deepEqual(seen, numbers(3_000, even).toReversed());
  };
  for (let portion = 0; (await movePortion()) > 0; portion += 1) {
    if (portion % 8 > 0) continue;
    // One that is still in no part, and one that has moved.
    for (const n of [500 + 2 * portion, 2_900 - 2 * portion]) {
      await database.sql(`update messages set content = 'new' where company_id = $1 and _id = $2`, [
        company,
        n.toString(16).padStart(24, '0'),
      ]);
      edited.add(n);
    }
    await check();
    if (portion === 8) {
      await store(company, 1_001, 1_001);
      deleted.delete(1_001);
      await database.sql(`delete from messages where company_id = $1 and _id = $2`, [company, 'bb8'.padStart(24, '0')]);
      deleted.add(3_000);
    }
  }
  assert.deepEqual(await misplaced(company), []);
  const parts = await database.sql('select part, count(*)::int from message_search where company_id = $1 group by 1', [
    company,
  ]);
  assert.ok(parts.length >= 10, JSON.stringify(parts));
});

test('a search whose time is over ends its page early, and its cursor finds the others; with a total or a page number its pages are full', async () => {
  const company = 'b'.repeat(24);
  await createCompany(company);
  await store(company, 1, 6_000);
  await divide(company);
  while ((await movePortion()) > 0);
  // Each request looks at one of them at least.
  const parts = await database.sql('select from list_message_parts($1)', [company]);
  for (const sort of ['-createdAt', 'createdAt'] as const) {
    const found = numbers(6_000, (n) => n % 500 === 0);
    if (sort === 'createdAt') found.reverse();
    const early = await readAll(company, { search: 'rare', sort }, 0);
    assert.deepEqual(early.seen, found);
    assert.equal(early.sizes.length, parts.length);
    for (const query of [{ skipCount: false }, { page: 1 }])
      assert.deepEqual((await readAll(company, { search: 'rare', sort, ...query }, 0)).sizes, [found.length]);
  }
  const second = await readAll(company, { search: 'even', page: 2, limit: 100 });
  assert.deepEqual(second.seen, numbers(6_000, (n) => n % 2 === 0).slice(100, 200));
});

test('a company gets another part when the last one is full, and messages from a minute later on are in it', async () => {
  const company = 'c'.repeat(24);
  await createCompany(company);
  const readParts = (): Promise<Record<string, unknown>[]> =>
    database.sql(
      `select starts_at > now() + interval '50 seconds' as "isLater" from message_parts where company_id = $1`,
      [company],
    );
  // The rows of messages without words, which are stored much faster than messages.
  await database.sql(
    `insert into message_search (company_id, _id, inbox_id, created_at, words)
      select $1, lpad(to_hex(n), 24, '0'), $1, '2026-01-01'::timestamptz + n * interval '4 seconds', '' from generate_series(1, 65534) n`,
    [company],
  );
  await store(company, 0, 0);
  assert.deepEqual(await readParts(), []);
  // Only an id that ends in three zeros, one in 4,096, makes the database look whether the part is full.
  await store(company, 65_536, 65_536);
  assert.deepEqual(await readParts(), [{ isLater: true }]);
  await store(company, 69_632, 69_632);
  assert.deepEqual(await readParts(), [{ isLater: true }]);
  await database.sql(`update message_parts set starts_at = '2026-02-01', is_filling = false where company_id = $1`, [
    company,
  ]);
  await store(company, 700_000, 700_000);
  assert.deepEqual(await misplaced(company), []);
  assert.deepEqual((await readAll(company, { search: 'even' })).seen, [700_000, 69_632, 65_536, 0]);
});

test('a message that is stored while older ones move is in the part of its time, whichever commits first', async () => {
  const company = 'f'.repeat(24);
  await createCompany(company);
  await store(company, 1, 600);
  await divide(company);
  const [mover, writer] = [await connectAs(ROLES.system, database), await connectAs(ROLES.system, database)];
  const move = async (): Promise<unknown> =>
    (await mover.query('select fill_message_part($1, 70) as moved', [SIZE])).rows[0].moved;
  const write = (id: string, n: number): Promise<unknown> =>
    writer.query(
      `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
          content_type, content, status, created_at)
        values ($1, $2, $3, $1, $3, 'WEB_V2', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'late', 'RECEIVED',
          '2026-01-01'::timestamptz + $4 * interval '4 seconds')`,
      [company, id.repeat(24), INBOX, n],
    );
  await writer.query('begin');
  await write('1', 560);
  assert.equal(await move(), 0);
  await writer.query('commit');
  await mover.query('begin');
  assert.equal(await move(), 70);
  const written = write('2', 550);
  await waitUntil('the message to wait', async () => {
    const waiting = await database.sql(`select from pg_locks where locktype = 'advisory' and not granted`);
    return waiting.length > 0;
  });
  await mover.query('commit');
  await written;
  assert.deepEqual(await misplaced(company), []);
  assert.equal((await readAll(company, { search: 'late' })).seen.length, 2);
  await Promise.all([mover.end(), writer.end()]);
});
