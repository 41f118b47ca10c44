/** The delivery log, and replaying a delivery on request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createAnswerGate,
  createListeningCompany,
  waitForFinishedDeliveries,
  queueEvents,
  startReceiver,
  type ListeningCompany,
} from '../../../test/support/deliveries.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database } = platform;
const UNKNOWN_ID = 'f'.repeat(24);

let receiverStatus = 200;
const gate = createAnswerGate();
const receiver = await startReceiver(async (response, { path }) => {
  if (path === '/held') await gate.opened;
  response.writeHead(receiverStatus).end('received');
});

const list = async (company: ListeningCompany, query = ''): Promise<Json> =>
  (await call(200, 'GET', `/v1/webhooks/deliveries${query}`, { key: company.key })).body;
const replay = (status: number, company: { key: string }, id: string) =>
  call(status, 'POST', `/v1/webhooks/deliveries/${id}/replay`, { key: company.key });
const pageIds = (page: Json): string[] => page.result.map((delivery: Json) => delivery._id);

/** Creates five deliveries of two events, queued a second apart, the newest of which has failed. */
async function createLog(): Promise<ListeningCompany & { newestFirst: string[] }> {
  const company = await createListeningCompany(platform, `${receiver.url}/log`);
  await queueEvents(platform, company._id, 2);
  await queueEvents(platform, company._id, 3, 'CONTACT_UPDATED');
  await waitForFinishedDeliveries(platform, company, 5);
  await database.sql(
    `update deliveries d set queued_at = date_trunc('second', d.queued_at) - make_interval(secs => 5 - n.position),
        status = case when n.position = 5 then 'FAILED' else d.status end,
        error = case when n.position = 5 then 'HTTP_STATUS' end
      from (select _id, row_number() over (order by seq) as position from deliveries where company_id = $1) n
      where d._id = n._id`,
    [company._id],
  );
  const rows = await database.sql<{ _id: string }>(
    'select _id from deliveries where company_id = $1 order by seq desc',
    [company._id],
  );
  return { ...company, newestFirst: rows.map((row) => row._id) };
}

test('a delivered event is in the log with all its fields, and without secrets', async () => {
  const custom_headers = { 'x-origin-key': 'secret-value-1234' };
  const company = await createListeningCompany(platform, `${receiver.url}/one`, { custom_headers });
  const [resource] = await queueEvents(platform, company._id);
  const [delivery] = await waitForFinishedDeliveries(platform, company);
  const { _id, response_ms, queued_at, attempted_at, finished_at, createdAt, updatedAt, body, ...rest } = delivery;
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(rest, {
    company: company._id,
    webhook: company.webhook,
    event: 'CONTACT_CREATED',
    form: null,
    resource_id: resource,
    status: 'DELIVERED',
    response_status: 200,
    response_body: 'received',
    error: null,
    replay_of: null,
  });
  assert.ok(Number.isInteger(response_ms));
  for (const time of [queued_at, attempted_at, finished_at]) assert.match(time, /^\d{4}-.*T.*\.\d{3}Z$/);
  assert.deepEqual([createdAt, updatedAt], [queued_at, finished_at]);
  assert.deepEqual(body, receiver.at('/one')[0]?.body);
  const [row] = await database.sql('select * from deliveries where _id = $1', [_id]);
  assert.ok(!JSON.stringify([delivery, row]).includes('secret-value-1234'));
});

test('the log of deliveries of a company without events is empty', async () => {
  const company = await createListeningCompany(platform, receiver.url);
  const meta = { page: 1, limit: 20, totalCount: 0, totalPages: 0, hasNextPage: false, nextCursor: null };
  assert.deepEqual(await list(company), { result: [], meta });
});

test('the log of deliveries is sorted newest first, or oldest first with sort=createdAt, and can be filtered by event and status', async () => {
  const { newestFirst, ...company } = await createLog();
  assert.deepEqual(pageIds(await list(company)), newestFirst);
  assert.deepEqual(pageIds(await list(company, '?sort=-createdAt')), newestFirst);
  assert.deepEqual(pageIds(await list(company, '?sort=createdAt')), newestFirst.toReversed());
  assert.deepEqual(pageIds(await list(company, '?event=CONTACT_CREATED')), newestFirst.slice(3));
  assert.deepEqual(pageIds(await list(company, '?status=FAILED')), newestFirst.slice(0, 1));
  const both = await list(company, '?event=CONTACT_UPDATED&status=DELIVERED');
  assert.deepEqual(pageIds(both), newestFirst.slice(1, 3));
  assert.equal(both.meta.totalCount, 2);
  assert.equal((await list(company, '?status=QUEUED')).meta.totalCount, 0);
});

test('a delivery under way is SENDING since its attempt, in the log, by its status and by its last change', async (t) => {
  t.after(() => gate.open());
  const company = await createListeningCompany(platform, `${receiver.url}/held`);
  await queueEvents(platform, company._id, 3);
  // A company whose receiver has not answered yet has two slots.
  await waitUntil('two to be under way', () => receiver.at('/held').length === 2);
  await database.sql(
    `update deliveries set queued_at = '2000-01-01'::timestamptz + seq * interval '1 s' where company_id = $1`,
    [company._id],
  );
  const { result } = await list(company);
  const [waiting, second, first] = result as [Json, Json, Json];
  assert.deepEqual([waiting.status, waiting.attempted_at, waiting.updatedAt], ['QUEUED', null, waiting.queued_at]);
  for (const sending of [second, first]) {
    assert.deepEqual([sending.status, sending.finished_at, sending.updatedAt], ['SENDING', null, sending.attempted_at]);
    assert.ok(sending.attempted_at > '2001');
  }
  const both = [second._id, first._id];
  assert.deepEqual((await list(company, '?status=QUEUED')).result, [waiting]);
  for (const query of ['status=SENDING', 'updated_since=2001-01-01T00:00:00Z']) {
    const page = await list(company, `?${query}`);
    assert.deepEqual([pageIds(page), page.meta.totalCount], [both, 2]);
  }
  const byChange = [1, 2, 3].map((page) => list(company, `?sort=-updatedAt&limit=1&page=${page}`));
  const [last, middle, oldest] = (await Promise.all(byChange)).flatMap(pageIds);
  assert.deepEqual([new Set([last, middle]), oldest], [new Set(both), waiting._id]);
});

test('the log of deliveries is sorted by the last change with sort=-updatedAt, and shows what changed since a time', async () => {
  const { newestFirst, ...company } = await createLog();
  // The changes are in another order than the deliveries: two within one second, two at the same moment, and one much later.
  const times = ['12:00:07.500', '12:00:07.100', '23:00:00.000', '11:59:59.999', '12:00:07.100'];
  for (const [index, time] of times.entries())
    await database.sql('update deliveries set finished_at = $2::timestamptz where _id = $1', [
      newestFirst[index],
      `2100-01-01T${time}Z`,
    ]);
  const [a, b, c, d, e] = newestFirst as [string, string, string, string, string];
  const equal = [b, e].toSorted().toReversed();
  const expected = [c, a, ...equal, d];
  assert.deepEqual(pageIds(await list(company, '?sort=-updatedAt')), expected);
  const walked: string[] = [];
  for (let after = ''; ;) {
    const { result, meta } = await list(company, `?sort=-updatedAt&limit=1${after}`);
    walked.push(...pageIds({ result }));
    if (meta.nextCursor === null) break;
    after = `&after=${meta.nextCursor}`;
  }
  assert.deepEqual(walked, expected);
  for (const [since, sort, changed] of [
    ['12:00:07.100', '-updatedAt', [c, a, ...equal]],
    ['12:00:07.101', '-updatedAt', [c, a]],
    ['12:00:07.100', '-createdAt', newestFirst.filter((id) => id !== d)],
    ['23:00:00.001', '-createdAt', []],
  ] as const) {
    const { result, meta } = await list(company, `?sort=${sort}&updated_since=2100-01-01T${since}Z`);
    assert.deepEqual([pageIds({ result }), meta.totalCount], [changed, changed.length], since);
  }
  const failed = await list(company, `?status=FAILED&updated_since=2100-01-01T12:00:07.100Z`);
  assert.deepEqual([pageIds(failed), failed.meta.totalCount], [[a], 1]);
});

test('pages and the cursor list the log of deliveries without a gap or a repetition, in both directions', async () => {
  const { newestFirst, ...company } = await createLog();
  const first = await list(company, '?limit=2');
  const { nextCursor, ...meta } = first.meta;
  assert.deepEqual(meta, { page: 1, limit: 2, totalCount: 5, totalPages: 3, hasNextPage: true });
  assert.deepEqual(pageIds(first), newestFirst.slice(0, 2));
  assert.deepEqual(pageIds(await list(company, '?limit=2&page=2')), newestFirst.slice(2, 4));
  const last = await list(company, '?limit=2&page=3');
  assert.deepEqual([pageIds(last), last.meta.hasNextPage, last.meta.nextCursor], [newestFirst.slice(4), false, null]);
  assert.deepEqual(pageIds(await list(company, '?limit=2&page=4')), []);
  for (const [sort, expected] of [
    ['-createdAt', newestFirst],
    ['createdAt', newestFirst.toReversed()],
  ] as const) {
    const walked: string[] = [];
    let after = '';
    do {
      const page = await list(company, `?limit=2&sort=${sort}${after}`);
      walked.push(...pageIds(page));
      after = page.meta.nextCursor ? `&after=${page.meta.nextCursor}` : '';
    } while (after);
    assert.deepEqual(walked, expected);
  }
  // A delivery that is queued between two pages does not change which deliveries the cursor still has to show.
  await queueEvents(platform, company._id);
  assert.deepEqual(pageIds(await list(company, `?limit=2&after=${nextCursor}`)), newestFirst.slice(2, 4));
});

test('with skipCount=true the log of deliveries has null as totals and is otherwise the same', async () => {
  const { newestFirst, ...company } = await createLog();
  const { result, meta } = await list(company, '?limit=2&skipCount=true');
  assert.deepEqual(pageIds({ result }), newestFirst.slice(0, 2));
  assert.deepEqual([meta.totalCount, meta.totalPages, meta.hasNextPage], [null, null, true]);
});

test('an invalid query of the log of deliveries answers 400 and names the parameter', async () => {
  const { key } = await createListeningCompany(platform, receiver.url);
  const cases: [string, string][] = [
    ['event=MESSAGE', 'event'],
    ['status=LOST', 'status'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=two', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['skipCount=maybe', 'skipCount'],
    ['sort=updatedAt', 'sort'],
    ['after=nonsense', 'after'],
    ['company=1', 'company'],
  ];
  for (const [query, path] of cases) {
    const { body } = await call(400, 'GET', `/v1/webhooks/deliveries?${query}`, { key });
    assert.equal(body.code, 'VALIDATION_FAILED');
    assert.equal(body.errors[0].path, path, query);
  }
});

test("another company's deliveries are not in the log, and replaying one answers 404, byte-equal to an unknown one", async () => {
  const company = await createListeningCompany(platform, `${receiver.url}/mine`);
  const other = await createListeningCompany(platform, `${receiver.url}/theirs`);
  await queueEvents(platform, company._id);
  const [mine] = await waitForFinishedDeliveries(platform, company);
  assert.equal((await list(other)).meta.totalCount, 0);
  const problems = [mine._id, UNKNOWN_ID, 'abc'].map(async (id) => {
    const { request_id: _id, ...problem } = (await replay(404, other, id)).body;
    return JSON.stringify(problem);
  });
  assert.equal(new Set(await Promise.all(problems)).size, 1);
  assert.equal((await list(company)).meta.totalCount, 1);
});

test('a replay answers 201 with a new delivery of the same body, which is sent once, to the webhook as it is now', async () => {
  receiverStatus = 500;
  const company = await createListeningCompany(platform, `${receiver.url}/replay`);
  await queueEvents(platform, company._id);
  const [failed] = await waitForFinishedDeliveries(platform, company);
  assert.equal(failed.status, 'FAILED');
  receiverStatus = 200;
  const body = { url: `${receiver.url}/replayed`, custom_headers: { 'x-version': 'new' } };
  await call(200, 'PUT', `/v1/webhooks/${company.webhook}`, { key: company.key, body });
  const { body: queued } = await replay(201, company, failed._id);
  assert.notEqual(queued._id, failed._id);
  assert.deepEqual([queued.status, queued.replay_of, queued.attempted_at], ['QUEUED', failed._id, null]);
  assert.deepEqual(queued.body, failed.body);
  const [delivered, first] = await waitForFinishedDeliveries(platform, company, 2);
  assert.deepEqual([delivered._id, delivered.status], [queued._id, 'DELIVERED']);
  assert.deepEqual(first, failed);
  const [arrived, ...more] = receiver.at('/replayed');
  assert.equal(more.length, 0);
  assert.deepEqual(arrived?.body, failed.body);
  assert.deepEqual([arrived?.headers['x-version'], arrived?.event], ['new', 'CONTACT_CREATED']);
  const { 'x-webhook-delivery': id, 'x-webhook-replay-of': original } = arrived?.headers ?? {};
  assert.deepEqual([id, original], [queued._id, failed._id]);
});

test('a delivery that was delivered can be replayed any number of times', async () => {
  const company = await createListeningCompany(platform, `${receiver.url}/again`);
  await queueEvents(platform, company._id);
  const [original] = await waitForFinishedDeliveries(platform, company);
  const second = await replay(201, company, original._id);
  const third = await replay(201, company, second.body._id);
  assert.equal(third.body.replay_of, second.body._id);
  await waitForFinishedDeliveries(platform, company, 3);
  assert.equal(receiver.at('/again').length, 3);
});

test('a replay answers 409 WEBHOOK_INACTIVE while the webhook is INACTIVE or does not exist, and queues nothing', async () => {
  const company = await createListeningCompany(platform, `${receiver.url}/inactive`);
  await queueEvents(platform, company._id);
  const [delivery] = await waitForFinishedDeliveries(platform, company);
  const path = `/v1/webhooks/${company.webhook}`;
  await call(200, 'PUT', path, { key: company.key, body: { status: 'INACTIVE' } });
  assert.equal((await replay(409, company, delivery._id)).body.code, 'WEBHOOK_INACTIVE');
  await call(200, 'DELETE', path, { key: company.key });
  assert.equal((await replay(409, company, delivery._id)).body.code, 'WEBHOOK_INACTIVE');
  assert.equal((await list(company)).meta.totalCount, 1);
  assert.equal(receiver.at('/inactive').length, 1);
});
