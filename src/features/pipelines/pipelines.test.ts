import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Company, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/pipelines';

const STEPS = [{ name: 'New' }, { name: 'Offer' }, { name: 'Won', kind: 'WON' }, { name: 'Lost', kind: 'LOST' }];

async function create(company: Company = demo, body: Json = {}): Promise<Json> {
  return (await call(201, 'POST', PATH, { key: company.key, body: { name: 'Sales', steps: STEPS, ...body } })).body;
}

const patch = async (status: number, id: string, body: Json, key = demo.key) =>
  call(status, 'PATCH', `${PATH}/${id}`, { key, body });

async function listAll(key = demo.key): Promise<Json[]> {
  return (await call(200, 'GET', `${PATH}?limit=100`, { key })).body.result;
}

test('each company has a default pipeline from its first day, in its language', async () => {
  const names = { 'pt-BR': 'Funil de vendas', en: 'Sales pipeline', es: 'Embudo de ventas' };
  for (const [language, name] of Object.entries(names)) {
    const owner = { name: 'Ana', email: `${newId()}@example.test` };
    const body = { name: 'Acme', owner, general_config: { language } };
    const company = (await call(201, 'POST', '/v1/companies', { key: platform.globalKey, body })).body;
    const { token } = await platform.createKey(company._id, ['pipelines:read']);
    const [pipeline, ...others] = await listAll(token);
    assert.equal(others.length, 0);
    assert.deepEqual([pipeline.name, pipeline.is_default, pipeline.company], [name, true, company._id]);
    assert.deepEqual(
      pipeline.steps.map((step: Json) => [step.order, step.kind]),
      ['OPEN', 'OPEN', 'OPEN', 'WON', 'LOST'].map((kind, index) => [index, kind]),
    );
  }
});

test('a pipeline is created, read, listed, changed and removed', async () => {
  const created = await create();
  const { _id, createdAt, updatedAt, steps, ...rest } = created;
  assert.deepEqual(rest, { company: demo._id, name: 'Sales', is_default: false });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(
    steps.map(({ _id: step, ...fields }: Json) => (assert.match(step, /^[0-9a-f]{24}$/), fields)),
    STEPS.map((step, order) => ({ kind: 'OPEN', ...step, order })),
  );
  assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body, created);
  assert.deepEqual(
    (await listAll()).find((pipeline) => pipeline._id === _id),
    created,
  );
  const renamed = (await patch(200, _id, { name: 'Deals' })).body;
  assert.deepEqual({ ...renamed, updatedAt }, { ...created, name: 'Deals' });
  assert.ok(renamed.updatedAt > updatedAt);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${_id}`)).body, renamed);
  await call(404, 'GET', `${PATH}/${_id}`);
});

test('a change of a pipeline that changes nothing leaves the record as it is', async () => {
  const created = await create();
  const same = { name: created.name, is_default: false, steps: created.steps };
  assert.deepEqual((await patch(200, created._id, same)).body, created);
  assert.deepEqual((await patch(200, created._id, {})).body, created);
});

test('steps of a pipeline that are named by their id stay, new ones are added, and missing ones are removed', async () => {
  const { _id, steps } = await create();
  const [first, second, third] = steps;
  const { body } = await patch(200, _id, {
    steps: [{ _id: third._id, name: 'Signed' }, { name: 'Fresh' }, { _id: first._id, name: first.name, kind: 'LOST' }],
  });
  const [one, two, three] = body.steps;
  assert.equal(body.steps.length, 3);
  assert.deepEqual(one, { _id: third._id, name: 'Signed', order: 0, kind: 'WON' });
  assert.deepEqual([two.name, two.order, two.kind], ['Fresh', 1, 'OPEN']);
  assert.deepEqual(three, { ...first, order: 2, kind: 'LOST' });
  const gone = await patch(400, _id, { steps: [{ _id: second._id, name: 'Back' }] });
  expectProblem(gone, 'UNKNOWN_REFERENCE', 'steps[0]._id');
});

test('the order numbers of steps are stored as given, and no two steps of a pipeline have the same number', async () => {
  const { body } = await call(201, 'POST', PATH, {
    body: {
      name: 'x',
      steps: [
        { name: 'c', order: 30 },
        { name: 'a', order: 10 },
        { name: 'b', order: 20 },
      ],
    },
  });
  assert.deepEqual(
    body.steps.map((step: Json) => [step.name, step.order]),
    [
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ],
  );
  const steps = [{ name: 'a' }, { name: 'b', order: 0 }];
  expectProblem(await call(400, 'POST', PATH, { body: { name: 'x', steps } }), 'VALIDATION_FAILED', 'steps[1].order');
  const [{ _id }] = body.steps;
  const twice = [
    { _id, name: 'a' },
    { _id, name: 'b' },
  ];
  expectProblem(await patch(400, body._id, { steps: twice }), 'VALIDATION_FAILED', 'steps[1]._id');
});

test('a pipeline has between one and fifty steps', async () => {
  for (const count of [0, 51]) {
    const steps = Array.from({ length: count }, (_, index) => ({ name: `${index}` }));
    await call(400, 'POST', PATH, { body: { name: 'x', steps } });
  }
  const steps = Array.from({ length: 50 }, (_, index) => ({ name: `${index}` }));
  assert.equal((await create(demo, { steps })).steps.length, 50);
});

test('exactly one pipeline is the default: a pipeline that becomes the default replaces the old one, even when two requests do so at once', async () => {
  const company = await platform.createCompany();
  const defaults = async (): Promise<Json[]> => (await listAll(company.key)).filter((item) => item.is_default);
  const second = await create(company, { is_default: true });
  assert.deepEqual(
    (await defaults()).map((item) => item._id),
    [second._id],
  );
  const others = [await create(company), await create(company)];
  await Promise.all([
    ...others.map((item) => patch(200, item._id, { is_default: true }, company.key)),
    ...Array.from({ length: 4 }, () => create(company, { is_default: true })),
  ]);
  assert.equal((await defaults()).length, 1);
});

test('the default pipeline cannot be removed, and stops being the default only when another one becomes it', async () => {
  const company = await platform.createCompany();
  const [first] = await listAll(company.key);
  const options = { key: company.key };
  expectProblem(await call(409, 'DELETE', `${PATH}/${first._id}`, options), 'PIPELINE_IS_DEFAULT');
  const refused = await patch(400, first._id, { is_default: false }, company.key);
  expectProblem(refused, 'VALIDATION_FAILED', 'is_default');
  await create(company, { is_default: true });
  await call(200, 'DELETE', `${PATH}/${first._id}`, options);
});

test('a company has at most a hundred pipelines', async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into pipelines (company_id, _id, name) select $1, new_id(), 'x' from generate_series(1, 99)`,
    [company._id],
  );
  const refused = await call(400, 'POST', PATH, { key: company.key, body: { name: 'x', steps: STEPS } });
  expectProblem(refused, 'VALIDATION_FAILED', 'name');
  assert.equal(refused.body.errors[0].code, 'LIMIT_REACHED');
});

test('the operations on pipelines refuse callers without a token or the scope, and malformed requests', async () => {
  const { _id } = await create();
  const one = `${PATH}/${_id}`;
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'pipelines:read' });
  await checkRefusals(platform, { method: 'GET', path: one, scope: 'pipelines:read' });
  await checkRefusals(platform, { method: 'DELETE', path: one, scope: 'pipelines:delete' });
  await checkRefusals(platform, { method: 'PATCH', path: one, scope: 'pipelines:update', body: { name: 'x' } });
  const body = { name: 'x', steps: STEPS };
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'pipelines:create', body });
});
