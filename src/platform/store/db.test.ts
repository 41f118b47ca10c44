import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { toDatabaseProblem, exec, isUnavailable, many, maybeOne, one, openPool, violates } from './db.ts';
import { createExecutor } from './executors.ts';
import { ROLES } from './roles.ts';
import { emit, DELIVERIES, type EventItem } from './events.ts';
import { newId } from '../values/ids.ts';
import { createLogin } from './migrations.ts';
import { makePage, pageQuery, pageWindow, type PageQuery } from './paging.ts';
import { openDatabase } from './open-database.ts';
import { inTransaction } from './transaction.ts';

const database = await openTestDatabase();
const pool = openPool(database.url, ROLES.system, 1);
const executor = createExecutor(pool);
const platform = openDatabase({ url: database.url, poolSize: 2 });
after(async () => {
  await platform.close();
  await pool.end();
  await database.close();
});

const raw = (text: string) => ({ name: '', text, values: [] });
const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error as Error,
  );

describe('a query function', () => {
  test('the functions one, maybeOne, many and exec check the number of rows and name the statement that returned another number', async () => {
    const rows = (count: number, name = 'test.rows') => ({
      name: '',
      text: `select 1 as n from generate_series(1, ${count}) -- ${name}`,
      values: [],
    });
    assert.deepEqual(await one(executor, rows(1)), { n: 1 });
    assert.equal(await maybeOne(executor, rows(0)), null);
    assert.equal((await many(executor, rows(3))).length, 3);
    assert.equal(await exec(executor, rows(2)), 2);
    for (const count of [0, 2])
      await assert.rejects(
        one(executor, { ...rows(count), name: `test.${count}` }),
        new RegExp(`test\\.${count}: ${count} rows, expected one`),
      );
    await assert.rejects(
      maybeOne(executor, { ...rows(2), name: 'test.two' }),
      /test\.two: 2 rows, expected at most one/,
    );
  });

  test('timestamps are returned as ISO 8601 in UTC with milliseconds', async () => {
    for (const [given, expected] of [
      ['2026-11-20 05:17:28.1+00', '2026-11-20T05:17:28.100Z'],
      ['2026-11-20 05:17:28+00', '2026-11-20T05:17:28.000Z'],
      ['2026-11-20 05:17:28.123456+03', '2026-11-20T02:17:28.123Z'],
      ['1999-12-31 23:59:59.999-01', '2000-01-01T00:59:59.999Z'],
    ] as const) {
      assert.deepEqual(await one(executor, raw(`select '${given}'::timestamptz as at`)), { at: expected });
    }
    assert.deepEqual(await one(executor, raw('select null::timestamptz as at')), { at: null });
  });
});

describe('a failure of the database', () => {
  test('a temporary database failure (time-out, lock, no free connection, no server, a read-only server) is answered with 503 and Retry-After', async () => {
    const slow = await failure(exec(executor, raw(`set statement_timeout = '50ms'; select pg_sleep(5)`)));
    const held = openPool(database.url, ROLES.system, 1, { waitMs: 50 });
    // The limit holds for opening the connection as well, which takes longer on a busy machine.
    const client = await waitUntil('a connection', () => held.connect().catch(() => null));
    const busy = await failure(held.query('select 1'));
    client.release();
    await held.end();
    const gone = await failure(openPool('postgres://parley@127.0.0.1:1/parley', ROLES.app, 1).query('select 1'));
    const standby = await failure(
      exec(executor, raw(`begin read only; insert into companies (_id, name) values ('x', 'x')`)),
    );
    await exec(executor, raw('rollback'));
    const collision = Object.assign(new Error(), { code: '40P01' });
    for (const error of [slow, busy, gone, standby, collision]) {
      assert.equal(isUnavailable(error), true, error.message);
      const problem = toDatabaseProblem(error);
      assert.deepEqual([problem?.code, problem?.headers], ['UNAVAILABLE', { 'retry-after': '1' }]);
    }
  });

  test('a database error that is a defect of the platform is not shown to the caller', async () => {
    for (const text of ['select nothing', 'select 1/0', `select 'x'::int`]) {
      assert.equal(toDatabaseProblem(await failure(exec(executor, raw(text)))), null, text);
    }
    assert.equal(toDatabaseProblem(new Error('anything')), null);
    assert.equal(toDatabaseProblem(null), null);
  });

  test('the error for an unknown reference names the field of the body', async () => {
    const company = newId();
    await database.sql(`insert into companies (_id, name) values ($1, 'x')`, [company]);
    const insert = `insert into inboxes (company_id, _id, name, channel, default_owner) values ('${company}', '${newId()}', 'x', 'EMAIL', '${newId()}')`;
    const error = await failure(platform.tenantTx(company, (tx) => exec(tx, raw(insert))));
    assert.deepEqual(
      toDatabaseProblem(error)?.errors.map(({ path, code }) => [path, code]),
      [['default_owner', 'UNKNOWN_REFERENCE']],
    );
  });
});

test('a violated unique constraint is recognised by its name, and no other error is mistaken for it', async () => {
  const twice = [newId(), newId()].map((id) => `('${id}', 'global', 'x', '', 'same hash')`).join(', ');
  const error = await failure(
    exec(
      executor,
      raw(
        `insert into api_keys (_id, type, name, prefix, token_hash, scopes) select v.*, '{}' from (values ${twice}) v`,
      ),
    ),
  );
  assert.equal(violates(error, 'api_keys_token_hash_key'), false, 'the types did not fit');
  const bytes = [newId(), newId()].map((id) => `('${id}', 'global', 'x', '', '\\x00'::bytea, '{}')`).join(', ');
  const refused = await failure(
    exec(executor, raw(`insert into api_keys (_id, type, name, prefix, token_hash, scopes) values ${bytes}`)),
  );
  assert.equal(violates(refused, 'api_keys_token_hash_key'), true, refused.message);
  assert.equal(violates(refused, 'api_keys_pkey'), false);
  assert.equal(toDatabaseProblem(refused), null);
});

test('only a statement that asks for it is planned each time, even after one that failed', async () => {
  const mode = { name: 'test.mode', text: `select current_setting('plan_cache_mode') as mode`, values: [] };
  const [whole, fresh] = [{ mode: 'force_generic_plan' }, { mode: 'auto' }];
  assert.deepEqual(
    [
      await one(executor, mode),
      await one(executor, { ...mode, planEachTime: true }),
      (await failure(exec(executor, { ...raw('select 1/0'), planEachTime: true }))).message,
      await one(executor, mode),
    ],
    [whole, fresh, 'division by zero', whole],
  );
  await platform.tenantTx(newId(), async (tx) => {
    assert.deepEqual([await one(tx, { ...mode, planEachTime: true }), await one(tx, mode)], [fresh, whole]);
  });
});

describe('the events of a change', () => {
  const company = newId();
  const item = (event: EventItem['event']): EventItem => ({ event, data: { _id: newId(), company } });
  const queued = () =>
    database.sql<{ event: string; body: string }>(
      'select event, body from deliveries where company_id = $1 order by seq',
      [company],
    );

  test('events are queued with their change, in order, for listening webhooks only, and the delivery loop is woken after the commit', async () => {
    await database.sql(`insert into companies (_id, name) values ($1, 'x')`, [company]);
    for (const event of ['CONTACT_CREATED', 'MESSAGE_RECEIVED']) {
      await database.sql('insert into event_listeners (company_id, event, webhook_id, epoch) values ($1, $2, $3, 1)', [
        company,
        event,
        newId(),
      ]);
    }
    let woken = 0;
    const silence = platform.wakeUps.listen(DELIVERIES, () => (woken += 1));
    const items = [item('MESSAGE_RECEIVED'), item('MESSAGE_SENT'), item('CONTACT_CREATED')];
    const rolledBack = platform.tenantTx(company, async (tx) => {
      await emit(tx, items);
      throw new Error('rolled back');
    });
    await assert.rejects(rolledBack, /rolled back/);
    assert.deepEqual([await queued(), woken], [[], 0]);
    await platform.tenantTx(company, (tx) => emit(tx, [item('MESSAGE_SENT')]));
    await platform.tenantTx(company, (tx) => emit(tx, []));
    assert.equal(woken, 0, 'nothing was queued, nobody is woken');
    const before = Date.now();
    await platform.tenantTx(company, async (tx) => {
      await emit(tx, items);
      assert.equal(woken, 0);
    });
    silence();
    assert.equal(woken, 1);
    const rows = await queued();
    assert.deepEqual(
      rows.map((row) => row.event),
      ['MESSAGE_RECEIVED', 'CONTACT_CREATED'],
    );
    const { event, timestamp, data, ...rest } = JSON.parse(rows[0]?.body ?? '') as Record<string, unknown>;
    assert.deepEqual([event, data, rest], ['MESSAGE_RECEIVED', items[0]?.data, {}]);
    assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(String(timestamp)) >= before && Date.parse(String(timestamp)) <= Date.now());
  });
});

describe('a page of a list', () => {
  const query = (changes: Partial<PageQuery> = {}): PageQuery => ({
    limit: 2,
    skipCount: false,
    sort: '-createdAt',
    ...changes,
  });
  const row = (createdAt: string) => ({ _id: newId(), createdAt, updatedAt: createdAt, last_message_at: null });
  const first = pageWindow('things', query());
  const begun = [row('2026-01-03T00:00:00.001Z'), row('2026-01-02T00:00:00.001Z'), row('2026-01-01T00:00:00.001Z')];
  const findCursor = async (list: string, asked: PageQuery): Promise<string> =>
    (await makePage(pageWindow(list, asked), begun, () => Promise.resolve(5))).meta.nextCursor ?? '';

  test('a page selects one row more than it returns, which shows whether another page follows', async () => {
    const third = query({ page: 3 });
    assert.deepEqual(pageWindow('things', third), { ...first, offset: 4, asked: third });
    const page = await makePage(first, begun, () => Promise.resolve(5));
    assert.deepEqual(page.result, begun.slice(0, 2));
    const { nextCursor, ...meta } = page.meta;
    assert.deepEqual(meta, { page: 1, limit: 2, totalCount: 5, totalPages: 3, hasNextPage: true });
    const asked = query({ after: nextCursor ?? '' });
    const next = pageWindow('things', asked);
    assert.deepEqual(next, { ...first, after: { at: begun[1]?.createdAt, id: begun[1]?._id }, asked });
    const second = await makePage(next, [], () => Promise.resolve(5));
    assert.equal(second.meta.page, null);
  });

  test('the last page has no cursor, and with skipCount nothing is counted', async () => {
    const page = await makePage(
      { ...first, asked: query({ skipCount: true }) },
      [row('2026-01-01T00:00:00.000Z')],
      () => assert.fail('it counted'),
    );
    assert.deepEqual(page.meta, {
      page: 1,
      limit: 2,
      totalCount: null,
      totalPages: null,
      hasNextPage: false,
      nextCursor: null,
    });
    const empty = await makePage(first, [], () => Promise.resolve(0));
    assert.deepEqual([empty.result, empty.meta.totalPages], [[], 0]);
  });

  test('a cursor is accepted only for the same list, sort and filters, with any page size', async () => {
    const asked = { ...query({ updated_since: '2026-01-01T00:00:00.000Z' }), status: 'OPEN', search: ' Ana ' };
    const cursor = await findCursor('things', asked);
    for (const same of [
      { ...asked, limit: 9, skipCount: true },
      { ...asked, search: 'Ana' },
      { ...asked, owner: undefined },
    ])
      assert.ok(pageWindow('things', { ...same, after: cursor }).after);
    const others: [string, PageQuery][] = [
      ['others', asked],
      ['things', { ...asked, sort: 'createdAt' }],
      ['things', { ...asked, sort: '-updatedAt' }],
      ['things', { ...asked, status: 'CLOSED' } as PageQuery],
      ['things', { ...asked, search: 'Anna' } as PageQuery],
      ['things', { ...asked, updated_since: undefined }],
      ['things', { ...asked, owner: newId() } as PageQuery],
    ];
    for (const [list, other] of others) {
      assert.throws(() => pageWindow(list, { ...other, after: cursor }), {
        code: 'VALIDATION_FAILED',
        message: /^after is a cursor of another/,
      });
    }
    assert.throws(() => pageWindow('things', { ...asked, after: cursor, page: 1 }), {
      message: /^page cannot be combined with after/,
    });
  });

  test('a cursor after a record without a last message continues after all records that have one', async () => {
    const asked = query({ sort: '-last_message_at' });
    const next = pageWindow('things', { ...asked, after: await findCursor('things', asked) });
    assert.deepEqual(next.after, { at: '-infinity', id: begun[1]?._id });
  });

  test('a forged cursor and an offset that is too large are refused', () => {
    const { seal } = first;
    const encode = (text: string): string => Buffer.from(text).toString('base64url');
    for (const cursor of [
      '',
      'x',
      encode('|'),
      encode(`1|${'0'.repeat(23)}|${seal}`),
      encode(`-1|${newId()}|${seal}`),
      encode(`|${newId()}|${seal}`),
      encode(`253402300800000|${newId()}|${seal}`),
      encode(`1e3|${newId()}|${seal}`),
      encode(`1|${newId()}' or 1=1|${seal}`),
      encode(`1|${newId()}`),
    ]) {
      assert.throws(() => pageWindow('things', query({ after: cursor })), { code: 'VALIDATION_FAILED' }, cursor);
    }
    assert.ok(pageWindow('things', query({ after: encode(`1|${newId()}|${seal}`) })).after);
    assert.throws(() => pageWindow('things', query({ page: 1_000_000, limit: 100 })), { code: 'VALIDATION_FAILED' });
  });

  test('a list has its own default sort order and accepts no sort orders of other lists', () => {
    const { sort } = pageQuery('createdAt', {}).properties as { sort: { enum?: string[]; default?: string } };
    assert.deepEqual([sort.enum, sort.default], [['createdAt', '-createdAt', '-updatedAt'], 'createdAt']);
  });
});

test('when the server closes a new connection at once, the statement fails and the process survives', async (t) => {
  const message = (type: string, body: string) => {
    const text = Buffer.from(`${type}\0\0\0\0${body}`, 'latin1');
    text.writeInt32BE(text.length - 1, 1);
    return text;
  };
  // The bytes are the messages AuthenticationOk, ReadyForQuery and ErrorResponse of
  // https://www.postgresql.org/docs/current/protocol-message-formats.html.
  const answer = [message('R', '\0\0\0\0'), message('Z', 'I'), message('E', 'SFATAL\0C57P01\0Mthe server ends\0\0')];
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(Buffer.concat(answer)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `postgres://parley@127.0.0.1:${(server.address() as AddressInfo).port}/parley`;

  const ended = openPool(url, ROLES.app, 1);
  t.after(() => ended.end());
  await assert.rejects(inTransaction(ended, 'begin', async (tx) => many(tx, raw('select 1'))));
  await assert.rejects(createLogin(url, 'password'));
});

test('the statements that a transaction sends in one turn leave in one packet', async (t) => {
  const client = await pool.connect();
  client.release();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const sent = [t.mock.method(stream, '_write'), t.mock.method(stream, '_writev' as never)];
  await inTransaction(pool, 'begin', (tx) => Promise.all([1, 2, 3].map((n) => many(tx, raw(`select ${n}`)))), {
    startsWithBegin: true,
  });
  // The second one is COMMIT.
  assert.equal(
    sent.reduce((sum, { mock }) => sum + mock.callCount(), 0),
    2,
  );
});

test('a transaction that ignores the failure of a statement throws at its end, and nothing is stored', async () => {
  const work = platform.systemTx('upkeep', async (tx) => {
    await exec(tx, raw('select 1 / 0')).catch(() => undefined);
    return 'done';
  });
  assert.match((await failure(work)).message, /rolled back/);
});

describe('a transaction that does not wait for every answer', () => {
  const company = newId();
  const insert = (id: string) => raw(`insert into companies (_id, name) values ('${id}', 'x')`);
  const stored = () => database.sql('select _id from companies where _id = $1', [company]);
  const together = { startsWithBegin: true };

  test('when a statement fails whose answer was not awaited, nothing is stored and the error of that statement is thrown', async () => {
    const afterwards: string[] = [];
    const work = platform.flushTx(async (tx) => {
      await exec(tx, insert(company));
      tx.afterCommit(() => void afterwards.push('committed'));
      tx.awaitAtCommit(exec(tx, raw('select 1 / 0')));
      await many(tx, { name: 'first.asked.here', text: 'select 1', values: [] });
    }, together);
    assert.match((await failure(work)).message, /division by zero/);
    assert.deepEqual([await stored(), afterwards], [[], []]);
  });

  test('work that goes on after its transaction has ended is refused, because it would be lost or stored on its own', async () => {
    const work = platform.flushTx(async (tx) => {
      tx.awaitAtCommit(many(tx, raw('select 1')).then(() => exec(tx, insert(company))));
      await Promise.resolve();
    }, together);
    assert.match((await failure(work)).message, /a statement after COMMIT/);
    assert.deepEqual(await stored(), []);
  });

  test('statements whose answer was not awaited are committed, and a statement of a failed transaction can be prepared again', async () => {
    const answer = await platform.flushTx(async (tx) => {
      tx.awaitAtCommit(exec(tx, insert(company)));
      return many(tx, { name: 'first.asked.here', text: 'select 1 as one', values: [] });
    }, together);
    assert.deepEqual([answer, (await stored()).length], [[{ one: 1 }], 1]);
  });
});
