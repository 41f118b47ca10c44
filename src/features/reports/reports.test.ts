/** Reports: each figure from a small day, how facts become counters, and what stays of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { startPlatform, type Company, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { foldPortion } from './folding.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;

const read = async (path: string, key = demo.key): Promise<Json> =>
  (await call(200, 'GET', `/v1/reports/${path}`, { key })).body;
const change = async (id: string, body: Json, key = demo.key): Promise<Json> =>
  (await call(200, 'PATCH', `/v1/conversations/${id}`, { body, key })).body;
/** Lets all facts be counted, so that what follows reads counters only. */
const settle = (): Promise<unknown> =>
  waitUntil('all facts to be counted', async () => (await database.sql('select from report_facts')).length === 0);

interface Fact {
  at: string;
  kind: string;
  total?: number;
  inbox?: string;
  user?: string;
}
/** Writes facts of a company as triggers write them, at any time. */
async function write(company: Company, facts: Fact[], inbox: string): Promise<void> {
  await database.sql(
    `insert into report_facts (company_id, at, kind, total, inbox_id, user_id)
      select $1, f.at, f.kind, coalesce(f.total, 0), coalesce(f.inbox, $3), f."user"
      from jsonb_to_recordset($2::jsonb) f (at timestamptz, kind text, total bigint, inbox text, "user" text)`,
    [company._id, JSON.stringify(facts), inbox],
  );
}
async function startCompany(): Promise<{ company: Company; inbox: string }> {
  const company = await platform.createCompany();
  return { company, inbox: await insertInbox(platform, company._id) };
}

test('a conversation counts when it is opened, answered, closed and reopened, for its inbox, its team and the user who did it', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const { body: team } = await call(201, 'POST', '/v1/teams', { body: { name: 'Orders' } });
  const { conversation } = await writeAsContact(platform);
  await change(conversation._id, { team: team._id, owner: user._id, tags: ['cake'] });
  await database.sql(
    `update conversations set waiting_since = now() - interval '100 s', created_at = now() - interval '1000 s' where _id = $1`,
    [conversation._id],
  );
  await sendText(platform, conversation._id, { key: user.token });
  await sendText(platform, conversation._id, { key: user.token });
  await change(conversation._id, { status: 'CLOSED' });
  await change(conversation._id, { status: 'OPEN' });
  for (const isCounted of [false, true]) {
    if (isCounted) await settle();
    for (const filter of [`inbox=${demo.inbox}`, `team=${team._id}`, `user=${user._id}`, 'tag=cake', '']) {
      const { figures, previous } = await read(`summary?${filter}`);
      // The team and the tag were given later, and a user opens nothing.
      const isNamedSince = /^(?:team|tag|user)/.test(filter);
      assert.deepEqual(
        [
          figures.opened,
          figures.reopened,
          figures.first_response.count,
          figures.reply_time.count,
          figures.resolution.count,
        ],
        [isNamedSince ? 0 : 1, filter.startsWith('user') ? 0 : 1, 1, 1, 1],
        filter,
      );
      assert.ok(figures.first_response.average >= 100 && figures.first_response.average < 160);
      assert.ok(Math.abs(figures.first_response.median / figures.first_response.average - 1) < 0.1);
      assert.ok(figures.resolution.average >= 1000 && figures.resolution.average < 1060);
      assert.equal(figures.costs, null);
      assert.equal(previous.opened, 0);
    }
  }
  const { rows } = await read('breakdown?by=USER');
  assert.deepEqual(
    rows.map(({ id, name, figures }: Json) => [id, name, figures.reply_time.count, figures.resolution.count]),
    [[user._id, 'Olga Operator', 1, 1]],
  );
});

test('the periods of a series are those of the time zone, and the backlog of each ends with what is open now', async () => {
  const { company, inbox } = await startCompany();
  const [stays = ''] = await insertConversations(platform, { company: company._id, inbox }, 3);
  await database.sql('delete from conversations where company_id = $1 and _id <> $2', [company._id, stays]);
  await settle();
  await database.sql('delete from report_counters where company_id = $1', [company._id]);
  const facts = [
    // 23:30 of 31 January in São Paulo, and the day after.
    { at: '2026-02-01T02:30:00Z', kind: 'OPENED' },
    { at: '2026-02-01T12:00:00Z', kind: 'OPENED' },
    { at: '2026-02-01T13:00:00Z', kind: 'CLOSED', total: 40 },
    { at: '2026-02-01T13:10:00Z', kind: 'CLOSED', total: 20 },
    { at: '2026-02-03T13:00:00Z', kind: 'OPENED' },
    // After the end of the series.
    { at: '2026-05-20T10:00:00Z', kind: 'OPENED' },
    { at: '2026-06-20T10:00:00Z', kind: 'GONE' },
  ];
  await write(company, facts, inbox);
  const path = 'from=2026-01-31T03:00:00Z&to=2026-02-04T03:00:00Z&time_zone=America/Sao_Paulo';
  for (const isCounted of [false, true]) {
    if (isCounted) await settle();
    const { periods } = await read(`series?${path}`, company.key);
    assert.deepEqual(
      periods.map((each: Json) => [
        each.start.slice(0, 13),
        each.opened,
        each.closed,
        each.resolution,
        each.open_at_end,
      ]),
      [
        ['2026-01-31T03', 1, 0, null, 1],
        ['2026-02-01T03', 1, 2, 30, 0],
        ['2026-02-02T03', 0, 0, null, 0],
        ['2026-02-03T03', 1, 0, null, 1],
      ],
    );
  }
  const months = await read(
    'series?by=MONTH&from=2026-01-15T00:00:00Z&to=2026-03-02T00:00:00Z&time_zone=UTC',
    company.key,
  );
  assert.deepEqual(
    months.periods.map((each: Json) => [each.start.slice(0, 10), each.opened]),
    [
      ['2026-01-15', 0],
      ['2026-02-01', 3],
      ['2026-03-01', 0],
    ],
  );
});

test('hours, days and months of counters give together exactly what the hours between two times have', async () => {
  const { company, inbox } = await startCompany();
  const hours = Array.from({ length: 24 * 100 }, (_, hour) => new Date(Date.UTC(2026, 0, 10) + hour * 3_600_000));
  await write(
    company,
    hours.map((at) => ({ at: at.toISOString(), kind: 'FIRST_REPLY', total: 60 })),
    inbox,
  );
  await settle();
  for (const [from, to, count] of [
    ['2026-01-10T00:00:00Z', '2026-04-20T00:00:00Z', 2400],
    ['2026-01-12T05:00:00Z', '2026-04-18T07:00:00Z', 2400 - 53 - 41],
    ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', 28 * 24],
    ['2026-02-01T03:10:00Z', '2026-02-01T07:10:00Z', 5],
    ['2026-02-01T23:00:00Z', '2026-02-02T01:00:00Z', 2],
  ]) {
    const { figures } = await read(`summary?from=${from}&to=${to}`, company.key);
    assert.deepEqual([figures.first_response.count, figures.first_response.average], [count, 60]);
  }
});

test('facts that three workers count at once, of which one is killed in the middle, count once', async () => {
  const { company, inbox } = await startCompany();
  const at = '2026-03-01T10:00:00Z';
  await write(
    company,
    Array.from({ length: 5_000 }, () => ({ at, kind: 'CLOSED', total: 7 })),
    inbox,
  );
  const killed = kit.database.systemTx('upkeep', async (tx) => {
    const { foldFacts } = await import('./fold-queries.ts');
    await foldFacts(tx, company._id, 500);
    throw new Error('killed');
  });
  await assert.rejects(killed, /killed/);
  const fold = async (): Promise<void> => {
    for (let left = true; left;) {
      await foldPortion(kit, company._id);
      left = (await database.sql('select from report_facts where company_id = $1 limit 1', [company._id])).length > 0;
    }
  };
  await Promise.all([fold(), fold(), fold()]);
  const { figures } = await read('summary?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z', company.key);
  assert.deepEqual([figures.resolution.count, figures.resolution.average], [5_000, 7]);
});

test('figures stay when the contact, the user and the inbox are gone; an open conversation that is erased leaves the backlog', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const { conversation, contact } = await writeAsContact(platform);
  await sendText(platform, conversation._id, { key: user.token });
  const before = await read('series?by=HOUR');
  const opened = (await read('summary')).figures.opened;
  await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
  await waitUntil(
    'the conversation to be erased',
    async () => (await database.sql('select from conversations where _id = $1', [conversation._id])).length === 0,
  );
  const after = await read('series?by=HOUR');
  assert.equal(after.periods.at(-1).open_at_end, before.periods.at(-1).open_at_end - 1);
  assert.equal((await read('summary')).figures.opened, opened);
  await call(200, 'DELETE', `/v1/users/${user._id}`);
  await waitUntil(
    'the user to be gone',
    async () => (await database.sql('select from users where _id = $1', [user._id])).length === 0,
  );
  const { rows } = await read('breakdown?by=USER');
  const row = rows.find(({ id }: Json) => id === user._id);
  assert.deepEqual([row.name, row.figures.reply_time.count], [null, 1]);
});

test('what is open and waits now is counted, and who is online', async () => {
  const { company, inbox } = await startCompany();
  const [waiting] = await insertConversations(platform, { company: company._id, inbox }, 2);
  await database.sql(`update conversations set waiting_since = '2026-01-01T00:00:00Z' where _id = $1`, [waiting]);
  const away = await platform.createUser(company._id, 'OPERATOR');
  const { users, users_online } = await read('now', company.key);
  await call(200, 'PATCH', '/v1/auth/me', { body: { availability: 'AWAY' }, key: away.token });
  await waitUntil(
    'the answer before to be forgotten',
    async () => (await read('now', company.key)).users_online !== users_online,
  );
  assert.deepEqual(await read('now', company.key), {
    open: 2,
    waiting: 1,
    oldest_waiting_since: '2026-01-01T00:00:00.000Z',
    unassigned: 2,
    users,
    users_online: users_online - 1,
  });
});

test('a CSV has a line for each period or row, and no cell begins like a formula', async () => {
  const { company, inbox } = await startCompany();
  await database.sql(`update inboxes set name = '=Shop' where _id = $1`, [inbox]);
  await write(company, [{ at: '2026-03-01T10:00:00Z', kind: 'CLOSED', total: 7 }], inbox);
  const range = 'from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z';
  const load = async (path: string): Promise<Json[]> =>
    parse((await call(200, 'GET', `/v1/reports/${path}`, { key: company.key })).body, { columns: true });
  const [row] = await load(`breakdown/export?by=INBOX&${range}`);
  assert.deepEqual([row?.['name'], row?.['closed'], row?.['resolution_average']], ["'=Shop", '1', '7']);
  const days = await load(`series/export?time_zone=UTC&${range}`);
  assert.deepEqual(
    days.map(({ start, closed, resolution }) => [start, closed, resolution]),
    [
      ['2026-03-01T00:00:00.000Z', '1', '7'],
      ['2026-03-02T00:00:00.000Z', '0', ''],
    ],
  );
});

test('a report refuses what it cannot answer, and names it', async () => {
  const other = await startCompany();
  const unknown = async (filter: string): Promise<Json> => call(400, 'GET', `/v1/reports/summary?${filter}`);
  expectProblem(await unknown(`inbox=${other.inbox}`), 'UNKNOWN_REFERENCE', 'inbox');
  expectProblem(await unknown(`inbox=${demo.inbox}&tag=cake`), 'VALIDATION_FAILED', 'tag');
  expectProblem(await unknown('from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'), 'VALIDATION_FAILED', 'from');
  expectProblem(await unknown('from=2024-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'), 'VALIDATION_FAILED', 'from');
  const series = async (query: string): Promise<Json> => call(400, 'GET', `/v1/reports/series?${query}`);
  expectProblem(await series('time_zone=%2B03:00'), 'VALIDATION_FAILED', 'time_zone');
  expectProblem(await series('by=HOUR&from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z'), 'VALIDATION_FAILED', 'by');
  expectProblem(await unknown('to=9999-12-31T23:59:59Z'), 'VALIDATION_FAILED', 'to');
  const first = 'from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z';
  assert.equal((await read(`summary?${first}`)).figures.opened, 0);
  assert.equal((await read(`series?by=HOUR&${first}`)).periods.length, 24);
  const { token } = await platform.createKey(demo._id, ['conversations:read']);
  expectProblem(await call(403, 'GET', '/v1/reports/breakdown?by=USER', { key: token }), 'FORBIDDEN');
  await checkRefusals(platform, { method: 'GET', path: '/v1/reports/now', scope: 'conversations:read' });
});
