/** Exports of conversations as CSV. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { insertConversations, insertInbox } from '../../../test/support/conversation-runs.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database } = platform;
const company = await platform.createCompany();
const { key } = company;
const inbox = await insertInbox(platform, company._id);
const PATH = '/v1/conversations/export';
const exported = async (query = ''): Promise<Json[]> => {
  const { body, headers } = await call(200, 'GET', PATH + query, { key });
  assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  assert.equal(headers.get('content-disposition'), 'attachment; filename="conversations.csv"');
  return parse(body, { columns: true });
};

test('an export of a filter has the conversations of the list with it, newest first, however many portions it takes', async () => {
  const asked = { company: company._id, inbox };
  const ids = await insertConversations(platform, asked, 1_234);
  const found = await insertConversations(platform, { ...asked, name: 'Zoe' }, 3);
  const { body: team } = await call(201, 'POST', '/v1/teams', { key, body: { name: '=Sales' } });
  const owner = await platform.createUser(company._id, 'OPERATOR', 'Olga');
  const change = { owner: owner._id, team: team._id, tags: ['vip', 'shop'] };
  for (const id of found.slice(0, 2)) await call(200, 'PATCH', `/v1/conversations/${id}`, { key, body: change });
  const all = (await exported()).map(({ _id }) => String(_id));
  assert.deepEqual(all.toSorted(), [...ids, ...found].toSorted());
  for (const query of ['?tag=vip', '?search=zoe', `?owner=${change.owner}&open=true`, '?status=CLOSED']) {
    const { body } = await call(200, 'GET', `/v1/conversations${query}&limit=100`, { key });
    const rows = await exported(query);
    assert.deepEqual(
      rows.map(({ _id }) => _id),
      body.result.map(({ _id }: Json) => _id),
    );
  }
  const [row] = await exported('?tag=vip');
  assert.deepEqual(
    ['contact_name', 'owner', 'owner_name', 'team_name', 'agent_name', 'tags', 'status'].map((title) => row?.[title]),
    ['Zoe', change.owner, 'Olga', "'=Sales", '', 'vip; shop', 'OPEN'],
  );
});

test('an export has custom fields under their slugs, and none of its cells begins like a formula', async () => {
  const field = { title: 'Plan', slug: 'plan', context: 'conversation', type: 'TEXT' };
  await call(201, 'POST', '/v1/custom-fields', { key, body: field });
  const [id] = await insertConversations(platform, { company: company._id, inbox, name: '=1+1' }, 1);
  await call(200, 'PATCH', `/v1/conversations/${id}`, { key, body: { custom_fields: { plan: '@SUM(A1)' } } });
  const row = (await exported()).find(({ _id }) => _id === id);
  assert.deepEqual([row?.['contact_name'], row?.['custom_fields.plan']], ["'=1+1", "'@SUM(A1)"]);
});

test('an export is refused for a filter that names an unknown record, and has nothing of another company', async () => {
  expectProblem(await call(400, 'GET', `${PATH}?inbox=${newId()}`, { key }), 'UNKNOWN_REFERENCE', 'inbox');
  expectProblem(await call(400, 'GET', `${PATH}?limit=10`, { key }), 'VALIDATION_FAILED', 'limit');
  const other = await platform.createCompany();
  const { body } = await call(200, 'GET', PATH, { key: other.key });
  assert.deepEqual(parse(body, { columns: true }), []);
  const rows = await database.sql('select 1 from conversations where company_id = $1', [other._id]);
  assert.deepEqual(rows, []);
});
