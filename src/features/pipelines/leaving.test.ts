import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { readEvents, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const PATH = '/v1/pipelines';
const STEPS = [{ name: 'New' }, { name: 'Offer' }, { name: 'Won', kind: 'WON' }];

const create = async (): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { name: 'Sales', steps: STEPS } })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;

/** Creates this many conversations in a step. */
async function createConversations(step: Json, pipeline: Json, count = 1): Promise<string[]> {
  const rows = await database.sql<{ _id: string }>(
    `with c as (
      insert into contacts (company_id, _id, name, source) select $1, new_id(), 'x', 'API' from generate_series(1, $5::int) returning _id
    ) insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by, step_id, pipeline_id)
    select $1, new_id(), c._id, $2, 'WAP_AUTO_CLOSER', 'NONE', $3, $4 from c returning _id`,
    [demo._id, demo.inbox, step._id, pipeline._id, count],
  );
  return rows.map((row) => row._id);
}

test('a step with conversations is not removed unless the request names a replacement step', async () => {
  const pipeline = await create();
  const [first, second, third] = pipeline.steps;
  await createConversations(first, pipeline);
  const refused = await call(409, 'PATCH', `${PATH}/${pipeline._id}`, { body: { steps: [second] } });
  expectProblem(refused, 'STEP_IN_USE', `replacements.${first._id}`);
  assert.deepEqual((await call(200, 'GET', `${PATH}/${pipeline._id}`)).body, pipeline);
  expectProblem(await call(409, 'DELETE', `${PATH}/${pipeline._id}`), 'STEP_IN_USE', 'replacement');
  // A step without conversations needs no replacement.
  await call(200, 'PATCH', `${PATH}/${pipeline._id}`, { body: { steps: [first, second] } });
  assert.ok(third);
});

test('the conversations of a removed step move to its replacement, and CONVERSATION_STEP_CHANGED is the only event', async () => {
  const pipeline = await create();
  const [first, second, third] = pipeline.steps;
  const [id = ''] = await createConversations(first, pipeline);
  const before = await read(id);
  const user = await platform.createUser(demo._id, 'ADMIN');
  const { body } = await call(200, 'PATCH', `${PATH}/${pipeline._id}`, {
    key: user.token,
    body: { steps: [second, third], replacements: { [first._id]: third._id } },
  });
  assert.deepEqual(body.steps, [second, third]);
  const moved = await read(id);
  assert.deepEqual({ ...moved, updatedAt: before.updatedAt }, { ...before, step: third._id });
  const [event, ...more] = await readEvents(platform, id);
  assert.deepEqual(more, []);
  const { changedAt, ...data } = event?.data ?? {};
  assert.match(changedAt, /Z$/);
  assert.deepEqual(data, {
    conversationId: id,
    contactId: before.contact,
    companyId: demo._id,
    pipeline: pipeline._id,
    previousStep: { _id: first._id, name: 'New' },
    currentStep: { _id: third._id, name: 'Won' },
    origin: 'DASHBOARD',
    campaignId: null,
    userId: user._id,
  });
});

test('the conversations of a removed pipeline move to a step of another one', async () => {
  const [pipeline, other] = [await create(), await create()];
  const ids = [
    ...(await createConversations(pipeline.steps[0], pipeline)),
    ...(await createConversations(pipeline.steps[1], pipeline)),
  ];
  const target = other.steps[1]._id;
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${pipeline._id}?replacement=${target}`)).body, pipeline);
  for (const id of ids) {
    const { step, pipeline: current } = await read(id);
    assert.deepEqual([step, current], [target, other._id]);
    assert.equal((await readEvents(platform, id)).length, 1);
  }
  assert.deepEqual(await database.sql('select 1 from pipelines where _id = $1', [pipeline._id]), []);
});

test('a replacement step that is unknown, belongs to another company or is removed itself is answered 400 with the path of its field', async () => {
  const pipeline = await create();
  const [first, second, third] = pipeline.steps;
  await createConversations(first, pipeline);
  const other = await platform.createCompany();
  const body = { name: 'x', steps: STEPS };
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body })).body.steps[0]._id;
  const path = `replacements.${first._id}`;
  for (const replacement of [newId(), theirs, second._id, first._id]) {
    const asked = { steps: [third], replacements: { [first._id]: replacement } };
    expectProblem(await call(400, 'PATCH', `${PATH}/${pipeline._id}`, { body: asked }), 'UNKNOWN_REFERENCE', path);
  }
  for (const replacement of [newId(), theirs, first._id]) {
    const answer = await call(400, 'DELETE', `${PATH}/${pipeline._id}?replacement=${replacement}`);
    expectProblem(answer, 'UNKNOWN_REFERENCE', 'replacement');
  }
  const wrong = { steps: [first, second], replacements: { [second._id]: first._id } };
  const stays = await call(400, 'PATCH', `${PATH}/${pipeline._id}`, { body: wrong });
  expectProblem(stays, 'VALIDATION_FAILED', `replacements.${second._id}`);
  const strange = await call(400, 'PATCH', `${PATH}/${pipeline._id}`, {
    body: { replacements: { [theirs]: first._id } },
  });
  expectProblem(strange, 'UNKNOWN_REFERENCE', `replacements.${theirs}`);
});

test('a job moves thousands of conversations while their step is hidden, with one event for each', async () => {
  const pipeline = await create();
  const [first, second, third] = pipeline.steps;
  const ids = await createConversations(first, pipeline, 2_600);
  await call(200, 'PATCH', `${PATH}/${pipeline._id}`, {
    body: { steps: [second, third], replacements: { [first._id]: second._id } },
  });
  const [id = ''] = ids;
  const refused = await call(400, 'PUT', `/v1/conversations/${id}/step`, { body: { step: first._id } });
  expectProblem(refused, 'UNKNOWN_REFERENCE', 'step');
  // The request moved 2,000 conversations. If the replacement is removed before the job has moved the others to it, they move directly to the
  // last step.
  await call(200, 'DELETE', `${PATH}/${pipeline._id}?replacement=${(await create()).steps[0]._id}`);
  const arrived = async (): Promise<unknown> =>
    database.sql(
      `select count(*)::int from deliveries
        where resource_id = any($1) and body::jsonb #>> '{data,currentStep,_id}' = $2`,
      [ids, second._id],
    );
  const halfway = await arrived();
  await waitUntil('all to have left', async () => {
    return (await database.sql('select 1 from pipelines where _id = $1', [pipeline._id])).length === 0;
  });
  const [counts] = await database.sql(
    `select (select count(*)::int from conversations where _id = any($1) and pipeline_id = $2) as left,
      (select count(*)::int from deliveries where resource_id = any($1) and body::jsonb #>> '{data,previousStep,_id}' = $3) as told`,
    [ids, pipeline._id, first._id],
  );
  assert.deepEqual(counts, { left: 0, told: ids.length });
  assert.deepEqual(await arrived(), halfway);
});

test('no conversation moves to a step that is being removed: the move happens before the removal, or is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const pipeline = await create();
    const [first, second, third] = pipeline.steps;
    const ids = await createConversations(second, pipeline, 6);
    const moves = ids.map(async (id) => {
      const answer = await fetch(`${platform.url}/v1/conversations/${id}/step`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ step: first._id }),
      });
      assert.ok([200, 400].includes(answer.status), `${answer.status}`);
    });
    const body = { steps: [second, third], replacements: { [first._id]: third._id } };
    await Promise.all([...moves, call(200, 'PATCH', `${PATH}/${pipeline._id}`, { body })]);
    await waitUntil('the step to be empty', async () => {
      return (await database.sql('select 1 from pipeline_steps where _id = $1', [first._id])).length === 0;
    });
    for (const id of ids) assert.ok([second._id, third._id].includes((await read(id)).step));
  }
});
