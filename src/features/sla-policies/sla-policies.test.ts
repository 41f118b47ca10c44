/** SLA policies, through the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const PATH = '/v1/sla-policies';
const BODY = { name: 'Usual', first_reply_minutes: 60 };
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

test('a policy is created once with an Idempotency-Key, read, listed, changed and removed, and the audit knows it', async () => {
  const headers = { 'idempotency-key': 'policy-1' };
  const { body: policy } = await call(201, 'POST', PATH, { body: BODY, headers });
  const { _id, createdAt: _created, updatedAt: _updated, ...rest } = policy;
  const unset = { next_reply_minutes: null, close_minutes: null, within_business_hours: false, position: 0 };
  assert.deepEqual(rest, { company: demo._id, ...BODY, ...unset, inboxes: null, teams: null, priorities: null });
  assert.deepEqual((await call(201, 'POST', PATH, { body: BODY, headers })).body, policy);
  assert.deepEqual(await read(`${PATH}/${_id}`), policy);
  assert.deepEqual((await read(PATH)).result, [policy]);
  const body = { inboxes: [demo.inbox], priorities: ['URGENT', 'NONE'], close_minutes: 600 };
  const changed = (await call(200, 'PATCH', `${PATH}/${_id}`, { body })).body;
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...policy, ...body, updatedAt: '' });
  assert.deepEqual((await call(200, 'PATCH', `${PATH}/${_id}`, { body })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${_id}`)).body, changed);
  expectProblem(await call(404, 'GET', `${PATH}/${_id}`), 'NOT_FOUND');
  const audit = (await read(`/v1/audit?resource=${_id}`)).result.map(({ action }: Json) => action);
  const verbs = ['create', 'delete', 'update', 'update'];
  assert.deepEqual(
    audit.toSorted(),
    verbs.map((verb) => `sla-policies.${verb}`),
  );
});

test("a policy without a target, and another company's inbox or team, are refused", async () => {
  const { body: policy } = await call(201, 'POST', PATH, { body: BODY });
  expectProblem(await call(400, 'POST', PATH, { body: { name: 'x' } }), 'VALIDATION_FAILED', 'first_reply_minutes');
  const none = { first_reply_minutes: null };
  expectProblem(
    await call(400, 'PATCH', `${PATH}/${policy._id}`, { body: none }),
    'VALIDATION_FAILED',
    'first_reply_minutes',
  );
  const other = await platform.createCompany();
  const { _id: team } = (await call(201, 'POST', '/v1/teams', { key: other.key, body: { name: 'Theirs' } })).body;
  for (const [fault, path] of [
    [{ inboxes: [demo.inbox, team] }, 'inboxes[1]'],
    [{ teams: [team] }, 'teams[0]'],
  ] as const) {
    expectProblem(await call(400, 'POST', PATH, { body: { ...BODY, ...fault } }), 'UNKNOWN_REFERENCE', path);
    expectProblem(await call(400, 'PATCH', `${PATH}/${policy._id}`, { body: fault }), 'UNKNOWN_REFERENCE', path);
  }
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expectProblem(
      await call(404, method, `${PATH}/${policy._id}`, { key: other.key, ...(method === 'PATCH' && { body: {} }) }),
      'NOT_FOUND',
    );
});

test('callers without a token or the scope are refused, and operators only read policies', async () => {
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'inboxes:read' });
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'inboxes:create', body: BODY });
  const { token: key } = await platform.createUser(demo._id, 'OPERATOR');
  await call(200, 'GET', PATH, { key });
  expectProblem(await call(403, 'POST', PATH, { key, body: BODY }), 'FORBIDDEN', 'authorization');
});
