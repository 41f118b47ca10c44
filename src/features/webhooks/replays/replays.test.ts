/** Replays of the deliveries of a period. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import {
  createListeningCompany,
  queueEvents,
  startReceiver,
  waitForFinishedDeliveries,
  type ListeningCompany,
} from '../../../../test/support/deliveries.ts';
import { holdRuns } from '../../../../test/support/conversation-runs.ts';
import { startPlatform, type Answer, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;
const PATH = '/v1/webhooks/deliveries/replay';

/** Answers of the receiver to requests at /slow are held back here. */
const held: ServerResponse[] = [];
let isSlow = true;
const receiver = await startReceiver((response) => {
  if (isSlow && response.req.url === '/slow') held.push(response);
  else response.writeHead(200).end('received');
});

const FROM = '2026-01-01T00:00:00.000Z';
const TO = '2026-01-02T00:00:00.000Z';
const start = (status: number, { key }: { key: string }, body: Json = {}): Promise<Answer> =>
  call(status, 'POST', PATH, { key, body: { status: 'FAILED', from: FROM, to: TO, ...body } });
const read = async ({ key }: { key: string }, id: string): Promise<Json> =>
  (await call(200, 'GET', `${PATH}/${id}`, { key })).body;
const awaitEnd = ({ key }: { key: string }, { _id }: Json): Promise<Json> =>
  waitUntil('the replay to end', async () => {
    const replay = await read({ key }, _id);
    return replay.finished_at && replay;
  });
const countsOf = ({ status, total, processed, replayed, error }: Json): unknown[] => [
  status,
  total,
  processed,
  replayed,
  error,
];

/** Creates a company with deliveries that failed, queued a minute apart from the first minute of the period on. The oldest is the first. */
async function createFailed(count: number, path: string): Promise<ListeningCompany & { failed: string[] }> {
  const company = await createListeningCompany(platform, receiver.url + path);
  const failed = Array.from({ length: count }, () => newId());
  await database.sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, status, body, error, queued_at, claimed_at,
        attempted_at, finished_at)
      select $1, n._id, $2, 1, 'CONTACT_CREATED', n._id, 'FAILED', json_build_object('event', 'CONTACT_CREATED', 'place', n.place)::text,
        'HTTP_STATUS', at, at, at, at
      from unnest($3::text[]) with ordinality as n (_id, place), lateral (select $4::timestamptz + (n.place - 1) * interval '1 min' as at) t`,
    [company._id, company.webhook, failed, FROM],
  );
  return { ...company, failed };
}

const listReplays = (company: ListeningCompany): Promise<{ replay_of: string; status: string }[]> =>
  database.sql(
    'select replay_of, status from deliveries where company_id = $1 and replay_of is not null order by queued_at, seq',
    [company._id],
  );

test('the deliveries of a period that failed are each sent again, and a second replay sends none of them again', async () => {
  const company = await createFailed(205, '/failed');
  const [first = '', second = '', third = ''] = company.failed;
  await database.sql(`update deliveries set queued_at = '2025-12-31T23:59:59.999Z' where _id = $1`, [first]);
  await database.sql('update deliveries set queued_at = $2 where _id = $1', [second, TO]);
  await database.sql('update deliveries set redacted_at = now() where _id = $1', [third]);
  const { body: begun } = await start(201, company);
  assert.deepEqual(
    [begun.total, begun.delivery_status, begun.event, begun.from, begun.to],
    [203, 'FAILED', null, FROM, TO],
  );
  assert.deepEqual(countsOf(await awaitEnd(company, begun)), ['COMPLETED', 203, 203, 202, null]);
  await waitUntil('the replays to arrive', async () =>
    (await listReplays(company)).every(({ status }) => status === 'DELIVERED'),
  );
  const replays = await listReplays(company);
  assert.deepEqual(new Set(replays.map((replay) => replay.replay_of)), new Set(company.failed.slice(3)));
  assert.equal(replays.length, 202);
  const arrived = receiver.at('/failed').map(({ body }) => (body as Json).place);
  assert.deepEqual(
    arrived.toSorted((a: number, b: number) => a - b),
    Array.from({ length: 202 }, (_, index) => index + 4),
  );
  const again = await awaitEnd(company, (await start(201, company)).body);
  assert.deepEqual(countsOf(again), ['COMPLETED', 203, 203, 0, null]);
  const { body: list } = await call(200, 'GET', `${PATH}?status=COMPLETED`, { key: company.key });
  assert.deepEqual(
    list.result.map(({ _id }: Json) => _id),
    [again._id, begun._id],
  );
});

test('a replay is of one status and, if it is given, of one event, also of deliveries that were delivered', async () => {
  const company = await createListeningCompany(platform, `${receiver.url}/events`);
  await queueEvents(platform, company._id, 2);
  await queueEvents(platform, company._id, 1, 'CONTACT_UPDATED');
  await waitForFinishedDeliveries(platform, company, 3);
  const now = { from: FROM, to: '2100-01-01T00:00:00.000Z' };
  assert.deepEqual(countsOf((await start(201, company, now)).body), ['COMPLETED', 0, 0, 0, null]);
  const updated = { ...now, status: 'DELIVERED', event: 'CONTACT_UPDATED' };
  for (const round of [1, 2]) {
    assert.deepEqual(countsOf(await awaitEnd(company, (await start(201, company, updated)).body)), [
      'COMPLETED',
      1,
      1,
      1,
      null,
    ]);
    await waitForFinishedDeliveries(platform, company, 3 + round);
  }
  const { body: log } = await call(200, 'GET', `/v1/webhooks/deliveries?from=${FROM}&to=${TO}`, { key: company.key });
  assert.equal(log.meta.totalCount, 0);
});

test('a replay queues nothing more while many deliveries of the company wait, and goes on afterwards', async () => {
  const company = await createFailed(3, '/slow');
  await queueEvents(platform, company._id, 220);
  const { body: begun } = await start(201, company);
  await waitUntil('the replay to be postponed', async () => {
    const [row] = await database.sql<{ waits: boolean }>(
      'select started_at is not null and claimed_at is null as waits from runs where _id = $1',
      [begun._id],
    );
    return row?.waits;
  });
  assert.deepEqual(countsOf(await read(company, begun._id)), ['RUNNING', 3, 0, 0, null]);
  expectProblem(await start(409, company), 'REPLAY_RUNNING');
  assert.equal((await start(409, company)).body.existing_id, begun._id);
  isSlow = false;
  for (const response of held) response.writeHead(200).end();
  assert.deepEqual(countsOf(await awaitEnd(company, begun)), ['COMPLETED', 3, 3, 3, null]);
});

test('a replay ends when the webhook stops, and its deliveries are not sent', async () => {
  const company = await createFailed(2, '/stopped');
  const release = await holdRuns(platform);
  const { body: begun } = await start(201, company);
  await call(200, 'PUT', `/v1/webhooks/${company.webhook}`, { key: company.key, body: { status: 'INACTIVE' } });
  await release();
  assert.deepEqual(countsOf(await awaitEnd(company, begun)), ['FAILED', 2, 0, 0, 'WEBHOOK_INACTIVE']);
  expectProblem(await start(409, company), 'WEBHOOK_INACTIVE');
  assert.deepEqual(await listReplays(company), []);
});

test('a replay whose period is empty or unknown is refused with the field', async () => {
  const company = await createFailed(1, '/refused');
  expectProblem(await start(400, company, { from: TO, to: TO }), 'VALIDATION_FAILED', 'to');
  expectProblem(await start(400, company, { from: undefined }), 'VALIDATION_FAILED', 'from');
  expectProblem(await start(400, company, { status: 'QUEUED' }), 'VALIDATION_FAILED', 'status');
});

test('a replay counts towards what its company may store, also one whose period has no deliveries', async () => {
  const company = await createFailed(1, '/full');
  const { stored_bytes } = (await call(200, 'GET', `/v1/companies/${company._id}`, { key: company.key })).body.usage;
  const empty = { from: TO, to: '2026-01-03T00:00:00.000Z' };
  await start(201, company, empty);
  const { usage } = (await call(200, 'GET', `/v1/companies/${company._id}`, { key: company.key })).body;
  assert.ok(usage.stored_bytes > stored_bytes);
  const limits = { stored_bytes: usage.stored_bytes };
  await call(200, 'PATCH', `/v1/companies/${company._id}`, { key: platform.globalKey, body: { limits } });
  expectProblem(await start(409, company, empty), 'QUOTA_EXCEEDED');
});
