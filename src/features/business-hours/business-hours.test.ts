/** Business hours, through the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { deleteHours } from './queries.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/business-hours';
const BODY = {
  name: 'Shop',
  time_zone: 'America/Sao_Paulo',
  days: [{ day: 'MON', from: '09:00', to: '18:00' }],
};
const CHRISTMAS = { date: '2026-12-25', name: 'Christmas', spans: [] };
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const create = async (): Promise<Json> => (await call(201, 'POST', PATH, { body: BODY })).body;

test('business hours are created once with an Idempotency-Key, read, listed, changed and removed, and the audit knows it', async () => {
  const headers = { 'idempotency-key': 'hours-1' };
  const { body: hours } = await call(201, 'POST', PATH, { body: BODY, headers });
  const { _id, createdAt: _created, updatedAt: _updated, ...rest } = hours;
  assert.deepEqual(rest, { company: demo._id, ...BODY, special_dates: [] });
  assert.deepEqual((await call(201, 'POST', PATH, { body: BODY, headers })).body, hours);
  assert.deepEqual(await read(`${PATH}/${_id}`), hours);
  assert.deepEqual((await read(PATH)).result, [hours]);
  const body = { special_dates: [CHRISTMAS] };
  const changed = (await call(200, 'PATCH', `${PATH}/${_id}`, { body })).body;
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...hours, ...body, updatedAt: '' });
  assert.deepEqual((await call(200, 'PATCH', `${PATH}/${_id}`, { body })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${_id}`)).body, changed);
  expectProblem(await call(404, 'GET', `${PATH}/${_id}`), 'NOT_FOUND');
  const audit = (await read(`/v1/audit?resource=${_id}`)).result.map(({ action }: Json) => action);
  const verbs = ['create', 'delete', 'update', 'update'];
  assert.deepEqual(
    audit.toSorted(),
    verbs.map((verb) => `business-hours.${verb}`),
  );
});

test('an unknown time zone, hours that end before they begin, and a date that does not exist or is there twice are refused', async () => {
  const { _id } = await create();
  const spans = [{ from: '12:00', to: '09:00' }];
  const faults: [Json, string][] = [
    [{ time_zone: 'Moon/Crater' }, 'time_zone'],
    [{ days: [{ day: 'MON', from: '18:00', to: '09:00' }] }, 'days[0].to'],
    [{ days: [] }, 'days'],
    [{ special_dates: [{ ...CHRISTMAS, date: '2026-02-30' }] }, 'special_dates[0].date'],
    [{ special_dates: [CHRISTMAS, CHRISTMAS] }, 'special_dates[1].date'],
    [{ special_dates: [CHRISTMAS, { ...CHRISTMAS, date: '2026-12-24', spans }] }, 'special_dates[1].spans[0].to'],
  ];
  const before = await read(`${PATH}/${_id}`);
  for (const [fault, path] of faults) {
    expectProblem(await call(400, 'POST', PATH, { body: { ...BODY, ...fault } }), 'VALIDATION_FAILED', path);
    expectProblem(await call(400, 'PATCH', `${PATH}/${_id}`, { body: fault }), 'VALIDATION_FAILED', path);
  }
  assert.deepEqual(await read(`${PATH}/${_id}`), before);
});

test("an inbox has the company's hours, and those of another company are as unknown as none", async () => {
  const { _id } = await create();
  const path = `/v1/inboxes/${demo.inbox}`;
  const own = (await call(200, 'PUT', path, { body: { business_hours: _id, away_text: 'Back on Monday' } })).body;
  assert.deepEqual([own.business_hours, own.away_text], [_id, 'Back on Monday']);
  const other = await platform.createCompany();
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body: BODY })).body;
  for (const business_hours of [theirs._id, newId()])
    expectProblem(await call(400, 'PUT', path, { body: { business_hours } }), 'UNKNOWN_REFERENCE', 'business_hours');
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expectProblem(
      await call(404, method, `${PATH}/${theirs._id}`, method === 'PATCH' ? { body: {} } : {}),
      'NOT_FOUND',
    );
  expectProblem(await call(400, 'PUT', path, { body: { away_text: ' ' } }), 'VALIDATION_FAILED', 'away_text');
});

test('inboxes lose hours that are removed, and are always open then', async () => {
  const { _id } = await create();
  const path = `/v1/inboxes/${demo.inbox}`;
  await call(200, 'PUT', path, { body: { business_hours: _id } });
  await call(200, 'DELETE', `${PATH}/${_id}`);
  assert.equal((await read(path)).business_hours, null);
});

test('an inbox cannot get hours that someone removes at the same time', async () => {
  const { _id } = await create();
  const path = `/v1/inboxes/${demo.inbox}`;
  const put = await platform.running.kit.database.tenantTx(demo._id, async (tx) => {
    await deleteHours(tx, _id);
    const answer = call(400, 'PUT', path, { body: { business_hours: _id } });
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await waitUntil('the inbox to wait', async () => (await platform.database.sql(waiting)).length > 0);
    return { answer };
  });
  expectProblem(await put.answer, 'UNKNOWN_REFERENCE', 'business_hours');
});

test('callers without a token or the scope are refused, and operators only read business hours', async () => {
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'inboxes:read' });
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'inboxes:create', body: BODY });
  const { token: key } = await platform.createUser(demo._id, 'OPERATOR');
  await call(200, 'GET', PATH, { key });
  expectProblem(await call(403, 'POST', PATH, { key, body: BODY }), 'FORBIDDEN', 'authorization');
});
