/** Tests what the database reads for a page of the log of deliveries, and what it writes for an outcome. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectAs, openTestDatabase } from '../../../test/support/database.ts';
import type { Json } from '../../../test/support/platform.ts';
import { type Statement } from '../../platform/store/db.ts';
import { ROLES } from '../../platform/store/roles.ts';
import { QUEUE_MADE } from '../../platform/store/events.ts';
import { makeCursorAfter, pageWindow } from '../../platform/store/paging.ts';
import { claimDeliveries, recordOutcomes } from './delivery-queries.ts';
import type { DeliveryQuery } from './schemas.ts';
import { countChosen } from './replays/queries.ts';
import { pageDeliveries } from './webhooks.ts';

const COMPANY = 'a'.repeat(24);
const DELIVERIES = 50_000;
const LIMIT = 20;
// A page reads its own rows and, sorted by the last change, those of the same ten seconds. One delivery was queued each second.
const MOST_ROWS = 100;

const makeId = (n: number): string => n.toString(16).padStart(24, '0');
const database = await openTestDatabase();
await database.sql(`insert into companies (_id, name) values ($1, 'Large')`, [COMPANY]);
await database.sql(
  `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body, status, claimed_at, queued_at, attempted_at,
      finished_at)
    select $1, lpad(to_hex(n), 24, '0'), $1, 1, 'CONTACT_CREATED', $1, '{}', 'DELIVERED', now(), at, at, at + interval '3 s'
    from generate_series(1, ${DELIVERIES}) n, lateral (select now() - (${DELIVERIES} - n) * interval '1 s' as at) moment`,
  [COMPANY],
);
await database.sql('vacuum analyze deliveries');
const reader = await connectAs(ROLES.read, database);
const writer = await connectAs(ROLES.system, database);
after(async () => {
  await Promise.all([reader.end(), writer.end()]);
  await database.close();
});

const countRows = (node: Json): number =>
  /Scan/.test(node['Node Type']) && node['Relation Name']
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : (node.Plans ?? []).reduce((sum: number, inner: Json) => sum + countRows(inner), 0);

/** Returns how many rows the database reads for a page, and how many records the page has. */
async function explain(query: Partial<DeliveryQuery>): Promise<{ rows: number; found: number }> {
  let rows = 0;
  const run = async ({ text, values }: Statement): Promise<Json[]> => {
    const explained = await reader.query(`explain (analyze, format json) ${text}`, values);
    rows += countRows(explained.rows[0]['QUERY PLAN'][0].Plan);
    return (await reader.query(text, values)).rows;
  };
  const tenant = { companyId: COMPANY, read: { companyId: COMPANY, query: run } };
  const page = await pageDeliveries(tenant as never, { limit: LIMIT, skipCount: true, sort: '-createdAt', ...query });
  return { rows, found: page.result.length };
}

const AGO = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
const updatedAt = AGO(DELIVERIES / 2);
const window = pageWindow('deliveries', { limit: LIMIT, skipCount: true, sort: '-updatedAt' });
const middle = makeCursorAfter(window, { _id: 'f'.repeat(24), createdAt: updatedAt, updatedAt });
const PAGES: Record<string, Partial<DeliveryQuery>> = {
  'the last changes': { sort: '-updatedAt' },
  'the last changes, in the middle': { sort: '-updatedAt', after: middle },
  'the last changes since a moment': { sort: '-updatedAt', updated_since: AGO(60) },
  'what has changed within a minute': { updated_since: AGO(60) },
  'what will have changed': { updated_since: AGO(-60) },
};
for (const [name, query] of Object.entries(PAGES)) {
  test(`a page of the log of deliveries with ${name} reads little more than its own rows among ${DELIVERIES}`, async () => {
    const { rows, found } = await explain(query);
    assert.ok(rows <= MOST_ROWS, String(rows));
    assert.equal(found, query.updated_since && query.updated_since > AGO(0) ? 0 : LIMIT);
  });
}

test('a replay of deliveries that failed finds them without reading the others', async () => {
  await database.sql(`update deliveries set status = 'FAILED', error = 'HTTP_STATUS' where _id = any($1)`, [
    [7, 20_000, 49_000].map(makeId),
  ]);
  let rows = 0;
  const query = async ({ text, values }: Statement): Promise<Json[]> => {
    const explained = await reader.query(`explain (analyze, format json) ${text}`, values);
    rows += countRows(explained.rows[0]['QUERY PLAN'][0].Plan);
    return (await reader.query(text, values)).rows;
  };
  const replay = { status: 'FAILED', event: null, from: AGO(DELIVERIES * 2), to: AGO(0) };
  assert.equal(await countChosen({ companyId: COMPANY, query } as never, replay as never, 100_000), 3);
  assert.ok(rows <= MOST_ROWS, String(rows));
});

test('a claim does not write the row of a delivery, and its outcome writes it without changing an index', async () => {
  const tx = {
    query: async ({ text, values }: Statement) => (await writer.query(text, values)).rows,
    execute: async ({ text, values }: Statement) => (await writer.query(text, values)).rowCount,
  };
  const countUpdates = async (): Promise<Json> =>
    (
      await writer.query(`select pg_stat_get_xact_tuples_updated('deliveries_rest'::regclass)::int as all,
        pg_stat_get_xact_tuples_hot_updated('deliveries_rest'::regclass)::int as hot`)
    ).rows[0];
  await writer.query('begin');
  await writer.query(
    `insert into webhooks (company_id, _id, url, events, custom_headers) values ($1, $1, '', '{}', '')`,
    [COMPANY],
  );
  // In one transaction the delivery, its attempt and its outcome have the same time.
  await writer.query(
    `with made as (
        insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
        values ($1, 'new', $1, 1, '', $1, '{}') returning *
      ) ${QUEUE_MADE}`,
    [COMPANY],
  );
  const capacity = { slots: 1, first: 1, free: new Map<string, number>(), after: '' };
  const { claimed } = await claimDeliveries(tx as never, capacity, 60_000);
  assert.deepEqual(await countUpdates(), { all: 0, hot: 0 });
  const answer = { response_status: 200, response_ms: 3, response_body: 'ok', error: null };
  const outcomes = claimed.map((delivery) => ({ ...delivery, ...answer, status: 'DELIVERED' as const }));
  assert.equal(await recordOutcomes(tx as never, outcomes), 1);
  assert.deepEqual(await countUpdates(), { all: 1, hot: 1 });
  await writer.query('rollback');
});
