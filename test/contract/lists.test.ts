/** Properties that all lists have in common, tested for each list of the API document. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../src/platform/values/ids.ts';
import { makeCursorAfter, pageWindow } from '../../src/platform/store/paging.ts';
import { RECORDS_KEYWORD } from '../../src/platform/values/schema.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { expectProblem } from '../support/refusals.ts';
import { writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const document: Json = (await call(200, 'GET', '/openapi.json', { key: null })).body;

const { conversation } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Olá' });
const columns = [{ key: 'note', type: 'TEXT' }];
const table = (await call(201, 'POST', '/v1/tables', { body: { name: 'Prices', columns } })).body;
for (const note of ['a', 'b']) await call(201, 'POST', `/v1/tables/${table._id}/rows`, { body: { data: { note } } });
const user = await platform.createUser(demo._id, 'OPERATOR');
const mention = { conversationId: conversation._id, message: { content: 'x' }, mentions: [user._id] };
await call(201, 'POST', '/v1/messages/note', { body: mention });
const actions = { priority: 'LOW' };
const rule = (await call(201, 'POST', '/v1/rules', { body: { name: 'x', event: 'TAG_ADDED', actions } })).body;
/** Lists that only users have. */
const OF_USERS = ['/v1/notifications', '/v1/push-subscriptions', '/v1/auth/passkeys'];
/** The records whose lists are tested, by their kind. */
const IDS = new Map<string, string>([
  ['conversation', conversation._id],
  ['contact', conversation.contact],
  ['inbox', demo.inbox],
  ['rule', rule._id],
  ['table', table._id],
]);

interface List {
  path: string;
  /** The path of the list with its ids filled in. */
  address: string;
  parameters: Map<string, Json>;
  key: string;
}
const lists: List[] = Object.entries<Json>(document.paths).flatMap(([path, { get }]) => {
  const parameters = new Map<string, Json>(
    (get?.parameters ?? []).map((parameter: Json) => [parameter.name, parameter.schema]),
  );
  // The stream of changes continues after an event, and is no list.
  if (!parameters.has('after') || path === '/v1/live') return [];
  const address = path.replace(
    /\{(\w+)\}/,
    (_, name: string) => IDS.get(parameters.get(name)[RECORDS_KEYWORD][0]) ?? '',
  );
  const company = OF_USERS.includes(path) ? user.token : demo.key;
  return [{ path, address, parameters, key: get['x-global-only'] ? platform.globalKey : company }];
});
const list = async ({ address, key }: List, query: Record<string, string>, status = 200) =>
  call(status, 'GET', `${address}?${new URLSearchParams(query).toString()}`, { key });
const pageIn = (body: Json): Json => body.rows ?? body;

/** Lists with other sorts than createdAt, -createdAt and -updatedAt, and why. */
const OTHER_SORTS: Record<string, string[]> = {
  '/v1/contacts': ['createdAt', '-createdAt', '-updatedAt', '-last_message_at'],
  '/v1/conversations': ['createdAt', '-createdAt', '-updatedAt', '-last_message_at', 'waiting_since', '-priority'],
  '/v1/tables/{id}': ['createdAt', '-createdAt', '-updatedAt', 'row_index', '-row_index'],
  '/v1/tables/{tableId}/rows': ['createdAt', '-createdAt', '-updatedAt', 'row_index', '-row_index'],
};

for (const one of lists) {
  describe(`the list ${one.path}`, () => {
    const { parameters } = one;

    test(`${one.path} has its sorts, newest first by default (oldest first for the messages of a conversation)`, async () => {
      const { enum: sorts, default: first } = parameters.get('sort') ?? {};
      assert.deepEqual(sorts, OTHER_SORTS[one.path] ?? ['createdAt', '-createdAt', '-updatedAt']);
      assert.equal(first, one.path.includes('/messages/conversation/') ? 'createdAt' : '-createdAt');
      for (const sort of sorts) await list(one, { sort });
      expectProblem(await list(one, { sort: 'name' }, 400), 'VALIDATION_FAILED', 'sort');
    });

    test(`${one.path} shows and counts the records that changed since a time`, async () => {
      if (!parameters.has('updated_since')) return assert.ok(!OTHER_SORTS[one.path]?.includes('-updatedAt'));
      for (const sort of parameters.get('sort').enum) {
        const all = pageIn((await list(one, { sort, limit: '100' })).body);
        const moments: string[] = all.result.map(({ updatedAt }: Json) => updatedAt);
        const updated_since = moments.toSorted()[Math.floor(moments.length / 2)] ?? new Date().toISOString();
        const { result, meta } = pageIn((await list(one, { sort, limit: '100', updated_since })).body);
        const expected = all.result.filter(({ updatedAt }: Json) => updatedAt >= updated_since);
        assert.deepEqual(result, expected, sort);
        assert.equal(meta.totalCount, expected.length, sort);
        const later = { sort, updated_since: '2100-01-01T00:00:00.000Z' };
        assert.deepEqual(pageIn((await list(one, later)).body).result, []);
      }
      expectProblem(await list(one, { updated_since: 'today' }, 400), 'VALIDATION_FAILED', 'updated_since');
    });

    test(`${one.path} answers 400 to a cursor of another list, sort or filter, and to a cursor together with a page`, async () => {
      const window = pageWindow('another', { limit: 20, skipCount: false, sort: '-createdAt' });
      const stranger = makeCursorAfter(window, { _id: newId(), createdAt: new Date().toISOString() });
      expectProblem(await list(one, { after: stranger }, 400), 'VALIDATION_FAILED', 'after');
      expectProblem(await list(one, { after: stranger, page: '1' }, 400), 'VALIDATION_FAILED', 'page');
    });

    test(`${one.path} ignores blanks around a search, and a search of blanks only`, async () => {
      if (!parameters.has('search')) return;
      const page = async (query: Record<string, string>): Promise<Json> => pageIn((await list(one, query)).body);
      assert.deepEqual(await page({ search: ' \t ' }), await page({}));
      assert.deepEqual(await page({ search: '' }), await page({}));
      assert.deepEqual(await page({ search: '  a ' }), await page({ search: 'a' }));
    });
  });
}

test('all lists of the platform are tested here', () => assert.ok(lists.length >= 14, String(lists.length)));

test('a cursor can continue with another limit, and its page has no number', async () => {
  const first = pageIn((await call(200, 'GET', `/v1/tables/${table._id}/rows?limit=1&search=%20a`)).body);
  assert.deepEqual([first.meta.page, first.meta.nextCursor], [1, null]);
  const { nextCursor } = (await call(200, 'GET', `/v1/tables/${table._id}/rows?limit=1`)).body.meta;
  const next = (await call(200, 'GET', `/v1/tables/${table._id}/rows?limit=7&after=${nextCursor}`)).body;
  assert.deepEqual([next.meta.page, next.result.length], [null, 1]);
  const other = await call(400, 'GET', `/v1/tables/${table._id}/rows?search=a&after=${nextCursor}`);
  expectProblem(other, 'VALIDATION_FAILED', 'after');
});

test('contacts and conversations can be sorted by their last message, whoever wrote it; those without a message come last', async () => {
  const company = await platform.createCompany();
  const silent = await call(201, 'POST', '/v1/contacts', { key: company.key, body: { name: 'Silent' } });
  const inbox = newId();
  await database.sql(`insert into inboxes (company_id, _id, name, channel) values ($1, $2, 'x', 'WEB_V2')`, [
    company._id,
    inbox,
  ]);
  const opened: Json[] = [];
  for (const name of ['A', 'B', 'C']) {
    const contact = (await call(201, 'POST', '/v1/contacts', { key: company.key, body: { name } })).body._id;
    opened.push((await call(201, 'POST', '/v1/conversations', { key: company.key, body: { inbox, contact } })).body);
  }
  const note = (conversationId: string) =>
    call(201, 'POST', '/v1/messages/note', { key: company.key, body: { conversationId, message: { content: 'x' } } });
  const order = async (path: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let after = ''; ;) {
      const query = `sort=-last_message_at&limit=1${after}`;
      const { result, meta } = (await call(200, 'GET', `${path}?${query}`, { key: company.key })).body;
      ids.push(...result.map(({ _id }: Json) => _id));
      if (meta.nextCursor === null) return ids;
      after = `&after=${meta.nextCursor}`;
    }
  };
  const [a, b, c] = opened.map(({ _id }) => _id);
  assert.deepEqual(await order('/v1/conversations'), [c, b, a]);
  await note(a);
  assert.deepEqual(await order('/v1/conversations'), [a, c, b]);
  await note(b);
  assert.deepEqual(await order('/v1/conversations'), [b, a, c]);
  await call(200, 'PATCH', `/v1/conversations/${a}`, { key: company.key, body: { status: 'CLOSED' } });
  for (const [status, expected] of [
    ['CLOSED', [a]],
    ['OPEN', [b, c]],
  ] as const) {
    const query = `status=${status}&sort=-last_message_at`;
    const { result } = (await call(200, 'GET', `/v1/conversations?${query}`, { key: company.key })).body;
    assert.deepEqual(
      result.map(({ _id }: Json) => _id),
      expected,
    );
  }
  const people = (await call(200, 'GET', '/v1/contacts?sort=-last_message_at', { key: company.key })).body.result;
  assert.equal(people.at(-1)._id, silent.body._id);
});

/** Filters by records that may be gone while their lines stay. */
const MAY_BE_GONE = ['/v1/audit actor', '/v1/audit resource', '/v1/webhooks/deliveries webhook'];

test('a filter that names a record which does not exist is refused with its name', async () => {
  const filters = lists.flatMap((one) =>
    [...one.parameters]
      .filter(([name, schema]) => schema.pattern?.startsWith('^[0-9a-f]{24}$') && !one.path.includes(`{${name}}`))
      .map(([name]) => ({ one, name })),
  );
  assert.ok(filters.length > 15, `${filters.length}`);
  for (const { one, name } of filters)
    if (!MAY_BE_GONE.includes(`${one.path} ${name}`))
      expectProblem(await list(one, { [name]: newId() }, 400), 'UNKNOWN_REFERENCE', name);
});
