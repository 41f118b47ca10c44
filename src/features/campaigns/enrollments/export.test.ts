/** Exports of campaigns as CSV: everybody who takes part, the counters, and protection against formulas in spreadsheets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const campaign: Json = (
  await call(201, 'POST', '/v1/campaigns', { body: { name: 'Spring', inbox: demo.inbox, steps: [] } })
).body;
const PATH = `/v1/campaigns/${campaign._id}/export`;
const exported = async (query = ''): Promise<Json[]> => {
  const { body, headers } = await call(200, 'GET', PATH + query);
  assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  return parse(body, { columns: true });
};

const COUNT = 2_345;
await database.sql(
  `with made as (
      insert into contacts (company_id, _id, name, source) select $1, new_id(), '=Person ' || n, 'API' from generate_series(1, $3::int) n
        returning _id, name
    )
    insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, status, skip_reason, failure_reason, completed_at)
      select $1, new_id(), $2, _id, case when name like '%1' then 'SKIPPED' else 'FAILED' end, case when name like '%1' then 'OPTED_OUT' end,
        case when name not like '%1' then '{"code":"131026","message":"=cmd"}'::jsonb end, now() from made`,
  [demo._id, campaign._id, COUNT],
);

test('an export of a campaign has every contact once, however many portions it takes, and no cell begins like a formula', async () => {
  const rows = await exported();
  assert.equal(rows.length, COUNT);
  assert.equal(new Set(rows.map(({ contact }) => contact)).size, COUNT);
  const { body } = await call(200, 'GET', `/v1/campaign-enrollments?campaign=${campaign._id}&limit=3`);
  assert.deepEqual(
    rows.slice(0, 3).map(({ _id }) => _id),
    body.result.map(({ _id }: Json) => _id),
  );
  for (const { name, status, skip_reason, failure_message } of rows) {
    assert.match(name, /^'=Person/);
    assert.deepEqual([skip_reason, failure_message], status === 'SKIPPED' ? ['OPTED_OUT', ''] : ['', "'=cmd"]);
  }
});

test('an export of the analytics has a line for each counter', async () => {
  const lines = await exported('?content=ANALYTICS');
  const total = lines.find(({ counter }) => counter === 'total_contacts');
  assert.deepEqual([total?.group, total?.count], ['TOTAL', String(COUNT)]);
  const reason = lines.find(({ group }) => group === 'SKIP_REASON');
  const { body } = await call(200, 'GET', `/v1/campaigns/${campaign._id}/analytics`);
  assert.deepEqual([reason?.item, reason?.count], ['OPTED_OUT', String(body.skip_reasons[0].count)]);
});

test('another company cannot export a campaign, and a caller who may not read contacts cannot export its contacts', async () => {
  const other = await platform.createCompany();
  expectProblem(await call(404, 'GET', PATH, { key: other.key }), 'NOT_FOUND');
  const { token } = await platform.createKey(demo._id, ['campaigns:read']);
  expectProblem(await call(403, 'GET', PATH, { key: token }), 'FORBIDDEN');
  await call(200, 'GET', `${PATH}?content=ANALYTICS`, { key: token });
});
