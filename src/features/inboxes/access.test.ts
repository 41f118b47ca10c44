/** Which callers may do what with inboxes, how others are refused, and the list of inboxes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Company, type Json } from '../../../test/support/platform.ts';
import {
  checkAnswers500,
  checkRefusals,
  checkAnswers503,
  type RefusedRequest,
} from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo } = platform;
// With the templates comes the rating of the number, which changes the inbox.
await waitUntilCopied(platform, demo.inbox);
const UNKNOWN_ID = 'f'.repeat(24);
const WEB = { channel: 'WEB_V2', name: 'Site' };

const operations: (RefusedRequest & { status: number })[] = [
  { method: 'POST', path: '/v1/inboxes', scope: 'inboxes:create', status: 201, body: WEB },
  { method: 'GET', path: '/v1/inboxes', scope: 'inboxes:read', status: 200 },
  { method: 'GET', path: `/v1/inboxes/${demo.inbox}`, scope: 'inboxes:read', status: 200 },
  { method: 'PUT', path: `/v1/inboxes/${demo.inbox}`, scope: 'inboxes:update', status: 200, body: {} },
];

const list = async (company: Company, query = ''): Promise<Json> =>
  (await call(200, 'GET', `/v1/inboxes${query}`, { key: company.key })).body;
const listIds = (page: Json): string[] => page.result.map((inbox: Json) => inbox._id);

/** Creates five inboxes of two channels, of which the first is DELETED. */
async function createInboxes(): Promise<Company & { newestFirst: string[] }> {
  const company = await platform.createCompany();
  const ids: string[] = [];
  for (const [channel, status] of [
    ['WEB_V2', 'DELETED'],
    ['WEB_V2', 'ACTIVE'],
    ['PROFESSIONAL_NETWORK', 'ACTIVE'],
    ['PROFESSIONAL_NETWORK', 'ACTIVE'],
    ['PROFESSIONAL_NETWORK', 'ACTIVE'],
  ]) {
    const body = { channel, status, name: `${channel}` };
    ids.unshift((await call(201, 'POST', '/v1/inboxes', { key: company.key, body })).body._id);
  }
  return { ...company, newestFirst: ids };
}

for (const asked of operations) {
  test(`${asked.method} ${asked.path.replace(demo.inbox, '{id}')} answers with each error status that all operations share`, () =>
    checkRefusals(platform, asked));
}

test('a key that has only the scope of an operation can call this operation', async () => {
  for (const { method, path, scope, status, body } of operations) {
    const { token: key } = await platform.createKey(demo._id, [scope]);
    await call(status, method, path, { key, body });
  }
});

test('every operation on inboxes answers 503 while the table is locked, and 500 without details when the table is broken', async () => {
  await checkAnswers503(platform, ['inboxes'], operations);
  await checkAnswers500(platform, 'inboxes.test_mode', operations);
});

test('operators and viewers read inboxes but neither create nor change them; owners and admins do', async () => {
  for (const role of ['OPERATOR', 'VIEWER', 'ADMIN', 'OWNER'] as const) {
    const { token: key } = await platform.createUser(demo._id, role);
    const mayWrite = role === 'ADMIN' || role === 'OWNER';
    for (const { method, path, status, body } of operations) {
      await call(method === 'GET' || mayWrite ? status : 403, method, path, { key, body });
    }
  }
});

test('the list of inboxes is newest first, or oldest first with sort=createdAt, and is filtered by status and channel', async () => {
  const { newestFirst, ...company } = await createInboxes();
  const all = await list(company);
  assert.deepEqual(listIds(all), newestFirst);
  const meta = { page: 1, limit: 20, totalCount: 5, totalPages: 1, hasNextPage: false, nextCursor: null };
  assert.deepEqual(all.meta, meta);
  for (const inbox of all.result) {
    assert.deepEqual((await call(200, 'GET', `/v1/inboxes/${inbox._id}`, { key: company.key })).body, inbox);
  }
  assert.deepEqual(listIds(await list(company, '?sort=createdAt')), newestFirst.toReversed());
  assert.deepEqual(listIds(await list(company, '?status=DELETED')), newestFirst.slice(4));
  assert.deepEqual(listIds(await list(company, '?channel=PROFESSIONAL_NETWORK')), newestFirst.slice(0, 3));
  const both = await list(company, '?channel=WEB_V2&status=ACTIVE');
  assert.deepEqual([listIds(both), both.meta.totalCount], [newestFirst.slice(3, 4), 1]);
  assert.equal((await list(company, '?channel=PARTNER_API')).meta.totalPages, 0);
});

test('pages and the cursor have every inbox exactly once, also when several were created at the same moment', async () => {
  const { newestFirst, ...company } = await createInboxes();
  await platform.database.sql(`update inboxes set created_at = '2026-01-01T00:00:00.123Z' where company_id = $1`, [
    company._id,
  ]);
  assert.deepEqual(listIds(await list(company, '?limit=2&page=2')), newestFirst.slice(2, 4));
  for (const [sort, expected] of [
    ['-createdAt', newestFirst],
    ['createdAt', newestFirst.toReversed()],
  ] as const) {
    const walked: string[] = [];
    let after = '';
    do {
      const page = await list(company, `?limit=2&sort=${sort}${after}`);
      assert.equal(page.meta.totalCount, 5);
      assert.equal(page.meta.hasNextPage, page.meta.nextCursor !== null);
      walked.push(...listIds(page));
      after = page.meta.nextCursor ? `&after=${page.meta.nextCursor}` : '';
    } while (after);
    assert.deepEqual(walked, expected);
  }
  const { meta } = await list(company, '?limit=2&skipCount=true');
  assert.deepEqual([meta.totalCount, meta.totalPages, meta.hasNextPage], [null, null, true]);
});

test('an invalid query parameter of the list of inboxes is answered 400 with its name', async () => {
  const cursor = (text: string): string => Buffer.from(text).toString('base64url');
  const cases: [string, string][] = [
    ['status=INACTIVE', 'status'],
    ['channel=SMS', 'channel'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e9', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['skipCount=2', 'skipCount'],
    ['sort=name', 'sort'],
    ['after=nonsense', 'after'],
    ['updated_since=yesterday', 'updated_since'],
    ['sort=-last_message_at', 'sort'],
    [`after=${cursor(`99999999999999999999|${UNKNOWN_ID}`)}`, 'after'],
    [`after=${cursor('1|nobody')}`, 'after'],
    ['number=1', 'number'],
    ['status=ACTIVE&status=DELETED', 'status'],
  ];
  for (const [query, path] of cases) {
    const { body } = await call(400, 'GET', `/v1/inboxes?${query}`);
    assert.equal(body.code, 'VALIDATION_FAILED');
    assert.equal(body.errors[0].path, path, query);
  }
});
