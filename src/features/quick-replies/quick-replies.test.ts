import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';
import { MAX_QUICK_REPLIES } from './schemas.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/quick-replies';
const operator = await platform.createUser(demo._id, 'OPERATOR');
const admin = await platform.createUser(demo._id, 'ADMIN');
let made = 0;
const make = (given: Json = {}): Json => {
  made += 1;
  return { title: 'Greeting', shortcut: `hello${made}`, content: 'Olá {{contact.name}}!', ...given };
};
const create = async (given: Json = {}, key = demo.key): Promise<Json> =>
  (await call(201, 'POST', PATH, { key, body: make(given) })).body;
const listIds = async (key: string, query = ''): Promise<string[]> =>
  (await call(200, 'GET', `${PATH}?limit=100${query}`, { key })).body.result.map(({ _id }: Json) => _id);

test('a quick reply is created once with an Idempotency-Key, read, found, changed and removed, and the audit knows it', async () => {
  const headers = { 'idempotency-key': 'quick-1' };
  const body = make({ title: 'Endereço' });
  const { body: reply } = await call(201, 'POST', PATH, { body, headers });
  assert.deepEqual([reply.title, reply.owner, reply.attachment], ['Endereço', null, null]);
  assert.deepEqual((await call(201, 'POST', PATH, { body, headers })).body, reply);
  const path = `${PATH}/${reply._id}`;
  assert.deepEqual((await call(200, 'GET', path)).body, reply);
  assert.deepEqual(await listIds(demo.key, '&search=ENDERECO'), [reply._id]);
  const changed = (await call(200, 'PATCH', path, { body: { content: 'Rua A' } })).body;
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...reply, content: 'Rua A', updatedAt: '' });
  assert.deepEqual((await call(200, 'PATCH', path, { body: { content: 'Rua A' } })).body, changed);
  assert.deepEqual((await call(200, 'DELETE', path)).body, changed);
  expectProblem(await call(404, 'GET', path), 'NOT_FOUND');
  const audit = (await call(200, 'GET', `/v1/audit?resource=${reply._id}`)).body.result;
  assert.deepEqual(audit.map(({ action }: Json) => action).toSorted(), [
    'quick-replies.create',
    'quick-replies.delete',
    'quick-replies.update',
    'quick-replies.update',
  ]);
});

test('a personal quick reply is seen and changed by its owner only', async () => {
  const own = await create({ owner: operator._id }, operator.token);
  const shared = await create();
  assert.deepEqual((await listIds(operator.token)).slice(0, 2), [shared._id, own._id]);
  const path = `${PATH}/${own._id}`;
  await call(200, 'PATCH', path, { key: operator.token, body: { title: 'Mine' } });
  for (const key of [admin.token, demo.key]) {
    assert.ok(!(await listIds(key)).includes(own._id));
    expectProblem(await call(404, 'GET', path, { key }), 'NOT_FOUND');
    expectProblem(await call(404, 'PATCH', path, { key, body: { title: 'x' } }), 'NOT_FOUND');
    expectProblem(await call(404, 'DELETE', path, { key }), 'NOT_FOUND');
    const body = make({ owner: operator._id });
    expectProblem(await call(400, 'POST', PATH, { key, body }), 'VALIDATION_FAILED', 'owner');
  }
  await call(200, 'DELETE', path, { key: operator.token });
});

test('a quick reply of the whole company is changed by owners, admins and keys with the right, and only read by operators', async () => {
  const { _id } = await create({}, admin.token);
  const asked = { key: operator.token };
  await call(200, 'GET', `${PATH}/${_id}`, asked);
  expectProblem(await call(403, 'POST', PATH, { ...asked, body: make() }), 'FORBIDDEN', 'authorization');
  expectProblem(
    await call(403, 'PATCH', `${PATH}/${_id}`, { ...asked, body: { title: 'x' } }),
    'FORBIDDEN',
    'authorization',
  );
  expectProblem(await call(403, 'DELETE', `${PATH}/${_id}`, asked), 'FORBIDDEN', 'authorization');
  await call(200, 'PATCH', `${PATH}/${_id}`, { key: admin.token, body: { title: 'x' } });
});

test('a shortcut belongs to one quick reply of the company and to one of each user, whatever its case', async () => {
  const { _id, shortcut } = await create();
  const body = make({ shortcut: shortcut.toUpperCase() });
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(409, 'POST', PATH, { body })));
  for (const answer of answers) {
    expectProblem(answer, 'QUICK_REPLY_EXISTS', 'shortcut');
    assert.equal(answer.body.existing_id, _id);
  }
  const other = await create();
  const taken = await call(409, 'PATCH', `${PATH}/${other._id}`, { body: { shortcut } });
  expectProblem(taken, 'QUICK_REPLY_EXISTS', 'shortcut');
  await create({ shortcut, owner: operator._id }, operator.token);
  await create({ shortcut, owner: admin._id }, admin.token);
});

test('an unknown variable, a shortcut with blanks and another property are refused with their place', async () => {
  for (const content of ['{{contact.password}}', '{{ nobody }}', 'Hi {{}}']) {
    const answer = await call(400, 'POST', PATH, { body: make({ content }) });
    expectProblem(answer, 'VALIDATION_FAILED', 'content');
    assert.equal(answer.body.errors[0].code, 'UNKNOWN_VARIABLE');
  }
  await create({ content: '{{ contact.first_name }} {{user.name}} {{company.name}} {not one} {{contact.email}}' });
  for (const [path, value] of [
    ['shortcut', 'a b'],
    ['shortcut', '/a'],
    ['content', '  '],
    ['title', ''],
  ]) {
    expectProblem(await call(400, 'POST', PATH, { body: make({ [String(path)]: value }) }), 'VALIDATION_FAILED', path);
  }
  const { _id } = await create();
  const owner = { owner: operator._id };
  expectProblem(await call(400, 'PATCH', `${PATH}/${_id}`, { body: owner }), 'VALIDATION_FAILED', 'owner');
});

test('an attachment of a quick reply cannot be removed before the quick reply, and one of another company is an unknown reference', async () => {
  const { _id: attachment } = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' });
  const reply = await create({ attachment });
  assert.equal(reply.attachment, attachment);
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${attachment}`), 'ATTACHMENT_IN_USE');
  await call(200, 'PATCH', `${PATH}/${reply._id}`, { body: { attachment: null } });
  await call(200, 'DELETE', `/v1/resource/attachments/${attachment}`);
  const other = await platform.createCompany();
  const theirs = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' }, other.key);
  for (const id of [theirs._id, newId()]) {
    const answer = await call(400, 'POST', PATH, { body: make({ attachment: id }) });
    expectProblem(answer, 'UNKNOWN_REFERENCE', 'attachment');
    const changed = await call(400, 'PATCH', `${PATH}/${reply._id}`, { body: { attachment: id } });
    expectProblem(changed, 'UNKNOWN_REFERENCE', 'attachment');
  }
});

test('the personal quick replies of a removed user are gone', async () => {
  const leaving = await platform.createUser(demo._id, 'OPERATOR');
  const { _id } = await create({ owner: leaving._id }, leaving.token);
  await database.sql('delete from users where _id = $1', [leaving._id]);
  assert.deepEqual(await database.sql('select from quick_replies where _id = $1', [_id]), []);
});

test(`a company shares at most ${MAX_QUICK_REPLIES} quick replies`, async () => {
  const company = await platform.createCompany();
  await database.sql(
    `insert into quick_replies (company_id, _id, title, shortcut, content)
      select $1, lpad(to_hex(n), 24, '0'), 'x', 'x' || n, 'x' from generate_series(1, $2) n`,
    [company._id, MAX_QUICK_REPLIES],
  );
  const answer = await call(400, 'POST', PATH, { key: company.key, body: make() });
  assert.equal(answer.body.errors[0].code, 'LIMIT_REACHED');
});

test('quick replies of another company are not found, and callers without a token or the scope are refused', async () => {
  const { _id } = await create();
  const { key } = await platform.createCompany();
  expectProblem(await call(404, 'GET', `${PATH}/${_id}`, { key }), 'NOT_FOUND');
  assert.deepEqual(await listIds(key), []);
  await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'messages:read' });
  await checkRefusals(platform, { method: 'POST', path: PATH, scope: 'messages:create', body: make() });
});
