/** Bulk changes of conversations through the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import {
  awaitRun,
  holdRuns,
  insertConversations,
  insertInbox,
  RUNS,
} from '../../../../test/support/conversation-runs.ts';
import { startPlatform, type Company, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { listEventNames, readEvents } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const defects: string[] = [];
const platform = await startPlatform({
  log: pino({ level: 'error' }, { write: (line) => void defects.push(line) }),
});
const { call, database, demo } = platform;

const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const insert = (count: number, name = 'Ana'): Promise<string[]> =>
  insertConversations(platform, { company: demo._id, inbox: demo.inbox, name }, count);
const start = async (body: Json, headers: Record<string, string> = {}): Promise<Json> =>
  (await call(201, 'POST', RUNS, { body, headers })).body;
const change = async (body: Json): Promise<Json> => awaitRun(platform, (await start(body))._id);
const countsOf = ({ status, total, processed, changed_count, failed_count }: Json): unknown[] => [
  status,
  total,
  processed,
  changed_count,
  failed_count,
];

test('one change is made in all conversations of a list of ids, each with the events, the audit and the shape of its PATCH', async () => {
  const ids = await insert(3);
  const [patched = '', ...others] = ids;
  const { steps } = (await call(201, 'POST', '/v1/pipelines', { body: { name: 'Sales', steps: [{ name: 'New' }] } }))
    .body;
  const field = { title: 'Plan', context: 'conversation', type: 'TEXT' };
  const { slug } = (await call(201, 'POST', '/v1/custom-fields', { body: field })).body;
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const plain = {
    status: 'CLOSED',
    owner: user._id,
    attendant: user._id,
    handled_by: 'HUMAN',
    step: steps[0]._id,
    custom_fields: { [slug]: 'Gold' },
  };
  await call(200, 'PATCH', `/v1/conversations/${patched}`, { body: { ...plain, tags: ['vip'] } });
  const begun = await start({ ids: others, change: { ...plain, add_tags: ['vip'] } });
  assert.deepEqual([begun.status, begun.total, begun.processed, begun.finished_at], ['QUEUED', 2, 0, null]);
  assert.deepEqual(begun.created_by.type, 'KEY');
  const run = await awaitRun(platform, begun._id);
  assert.deepEqual(countsOf(run), ['COMPLETED', 2, 2, 2, 0]);
  assert.deepEqual(run.failures, []);
  const own = { _id: '', contact: '', createdAt: '', updatedAt: '', closed_at: '' };
  const expected = { ...(await read(patched)), ...own };
  for (const id of others) {
    assert.deepEqual({ ...(await read(id)), ...own }, expected);
    assert.deepEqual(await listEventNames(platform, id), await listEventNames(platform, patched));
    const changed = (await readEvents(platform, id)).find(({ event }) => event === 'CONVERSATION_UPDATED');
    assert.deepEqual(changed?.data, await read(id));
    const { body: log } = await call(200, 'GET', `/v1/audit?resource=${id}`);
    assert.deepEqual(
      log.result.map((entry: Json) => [entry.action, entry.actor.type, entry.fields.includes('status')]),
      [['conversations.update', 'KEY', true]],
    );
    assert.ok(log.result[0].request_id);
  }
});

test('a bulk change marks conversations as unread or read, alone or with other changes, and leaves those without a message', async () => {
  const ids = await insert(3);
  const [, , silent = ''] = ids;
  await database.sql('update conversations set last_inbound_at = now() where _id = any($1) and _id <> $2', [
    ids,
    silent,
  ]);
  const countUnread = async (): Promise<number[]> =>
    Promise.all(ids.map(async (id) => (await read(id)).unread_count as number));
  assert.deepEqual(countsOf(await change({ ids, change: { unread: true } })), ['COMPLETED', 3, 3, 2, 0]);
  assert.deepEqual(await countUnread(), [1, 1, 0]);
  assert.deepEqual(await listEventNames(platform, silent), []);
  const both = await change({ ids, change: { unread: false, priority: 'HIGH' } });
  assert.deepEqual(countsOf(both), ['COMPLETED', 3, 3, 3, 0]);
  assert.deepEqual(await countUnread(), [0, 0, 0]);
  assert.equal((await read(silent)).priority, 'HIGH');
  assert.deepEqual(countsOf(await change({ ids, change: { unread: false } })), ['COMPLETED', 3, 3, 0, 0]);
});

test('a filter with a search selects the conversations that the list shows, as they were when the run began', async () => {
  const release = await holdRuns(platform);
  const ids = await insert(3, 'Zuleica Prado');
  const [closed = ''] = ids;
  await call(200, 'PATCH', `/v1/conversations/${closed}`, { body: { status: 'CLOSED' } });
  const begun = await start({ filter: { search: 'zuleica', open: true }, change: { add_tags: ['found'] } });
  assert.equal(begun.total, 2);
  await insert(1, 'Zuleica Prado');
  await release();
  assert.deepEqual(countsOf(await awaitRun(platform, begun._id)), ['COMPLETED', 2, 2, 2, 0]);
  const { body: tagged } = await call(200, 'GET', '/v1/conversations?tag=found');
  assert.deepEqual(new Set(tagged.result.map((each: Json) => each._id)), new Set(ids.slice(1)));
  const none = await start({ filter: { search: 'nobody is called so' }, change: { add_tags: ['found'] } });
  assert.deepEqual(countsOf(none), ['COMPLETED', 0, 0, 0, 0]);
  assert.ok(none.finished_at);
});

test('a search that finds very many contacts selects their conversations as well', async () => {
  const company = await platform.createCompany();
  const inbox = await insertInbox(platform, company._id);
  await insertConversations(platform, { company: company._id, inbox, name: 'Maria Souza' }, 2_100);
  await insertConversations(platform, { company: company._id, inbox, name: 'Ana Lima' }, 5);
  const body = { filter: { search: 'souza' }, change: { handled_by: 'HUMAN' } };
  const begun = (await call(201, 'POST', RUNS, { key: company.key, body })).body;
  assert.equal(begun.total, 2_100);
  await call(201, 'POST', `${RUNS}/${begun._id}/cancel`, { key: company.key });
});

test('a conversation that cannot be changed is reported with the code of its PATCH, not logged as a defect, and the others are changed', async () => {
  const ids = await insert(3);
  const [twice = '', gone = '', fine = ''] = ids;
  for (const id of ids) await call(200, 'PATCH', `/v1/conversations/${id}`, { body: { status: 'CLOSED' } });
  const { contact } = await read(twice);
  const { body: other } = await call(201, 'POST', '/v1/conversations', { body: { inbox: demo.inbox, contact } });
  const release = await holdRuns(platform);
  const begun = await start({ ids, change: { status: 'OPEN' } });
  await call(200, 'DELETE', `/v1/contacts/${(await read(gone)).contact}`);
  await release();
  const run = await awaitRun(platform, begun._id);
  assert.deepEqual(countsOf(run), ['COMPLETED', 3, 3, 1, 2]);
  const refused = await call(409, 'PATCH', `/v1/conversations/${twice}`, { body: { status: 'OPEN' } });
  assert.deepEqual(
    new Map(run.failures.map(({ conversation, code, message }: Json) => [conversation, [code, message]])),
    new Map([
      [twice, [refused.body.code, refused.body.detail]],
      [gone, ['NOT_FOUND', 'No such resource']],
    ]),
  );
  assert.deepEqual([(await read(fine)).status, (await read(other._id)).status], ['OPEN', 'OPEN']);
  assert.deepEqual(defects, []);
});

test('of several conversations of a contact, the one with the newest message is reopened and the others are reported', async () => {
  const ids = (await insert(3)).toSorted();
  const [oldest = '', newest = '', without = ''] = ids;
  const { contact } = await read(newest);
  for (const id of ids) await call(200, 'PATCH', `/v1/conversations/${id}`, { body: { status: 'CLOSED' } });
  await database.sql('update conversations set contact_id = $1 where _id = any($2)', [contact, ids]);
  for (const [id, at] of [
    [oldest, '2026-01-01'],
    [newest, '2026-01-02'],
  ])
    await database.sql('update conversations set last_message_at = $2 where _id = $1', [id, at]);
  const runs = [{ ids }, { filter: { contact } }];
  for (const selection of runs) {
    const run = await change({ ...selection, change: { status: 'OPEN' } });
    assert.equal((await read(newest)).status, 'OPEN');
    assert.deepEqual(
      run.failures.map(({ conversation, code }: Json) => [conversation, code]),
      [
        [oldest, 'CONVERSATION_OPEN'],
        [without, 'CONVERSATION_OPEN'],
      ],
    );
    await change({ ids: [newest], change: { status: 'CLOSED' } });
  }
});

test('a conversation that already is as the change makes it is counted as processed, and emits no event', async () => {
  const ids = await insert(2);
  const [same = ''] = ids;
  await call(200, 'PATCH', `/v1/conversations/${same}`, { body: { tags: ['a', 'b'] } });
  const before = await listEventNames(platform, same);
  const run = await change({ ids, change: { add_tags: ['b', 'a'], remove_tags: ['c'] } });
  assert.deepEqual(countsOf(run), ['COMPLETED', 2, 2, 1, 0]);
  assert.deepEqual(await listEventNames(platform, same), before);
});

test('tags are added to those of each conversation and removed from them, and more than 50 are reported', async () => {
  const [few = '', many = ''] = await insert(2);
  await call(200, 'PATCH', `/v1/conversations/${few}`, { body: { tags: ['old', 'keep'] } });
  const most = Array.from({ length: 50 }, (_, n) => `t${n}`);
  await call(200, 'PATCH', `/v1/conversations/${many}`, { body: { tags: most } });
  const run = await change({ ids: [few, many], change: { add_tags: ['new'], remove_tags: ['old'] } });
  assert.deepEqual((await read(few)).tags, ['keep', 'new']);
  assert.deepEqual((await read(many)).tags, most);
  assert.deepEqual(
    run.failures.map(({ conversation, code }: Json) => [conversation, code]),
    [[many, 'VALIDATION_FAILED']],
  );
});

test('conversations that a run has snoozed open again at the time that it gave', async () => {
  const ids = await insert(2);
  const snoozed_until = new Date(Date.now() + 1_500).toISOString();
  await change({ ids, change: { status: 'SNOOZED', snoozed_until } });
  for (const id of ids)
    await waitUntil('the snooze to end', async () => {
      const { status } = await read(id);
      return status === 'OPEN';
    });
});

test('a run shows the first hundred failures and counts all of them', async () => {
  const ids = await insert(120);
  const run = await change({ ids, change: { handled_by: 'AI' } });
  assert.deepEqual([...countsOf(run), run.failures.length], ['COMPLETED', 120, 120, 0, 120, 100]);
});

test('an invalid request is refused with the field named, and nothing is stored', async () => {
  const [id = ''] = await insert(1);
  const other = await platform.createCompany();
  const theirs = await platform.createUser(other._id, 'OPERATOR');
  const inbox = await insertInbox(platform, other._id);
  const [foreign = ''] = await insertConversations(platform, { company: other._id, inbox }, 1);
  const tags = { add_tags: ['x'] };
  const refused: [Json, string, string][] = [
    [{ change: tags }, 'VALIDATION_FAILED', 'ids'],
    [{ ids: [id], filter: {}, change: tags }, 'VALIDATION_FAILED', 'filter'],
    [{ ids: [], change: tags }, 'VALIDATION_FAILED', 'ids'],
    [{ ids: [id, id], change: tags }, 'VALIDATION_FAILED', 'ids'],
    [{ ids: [id] }, 'VALIDATION_FAILED', 'change'],
    [{ ids: [id], change: {} }, 'VALIDATION_FAILED', 'change'],
    [{ ids: [id], change: { tags: ['x'] } }, 'VALIDATION_FAILED', 'change.tags'],
    [{ ids: [id], change: { status: 'GONE' } }, 'VALIDATION_FAILED', 'change.status'],
    [{ ids: [id, foreign], change: tags }, 'UNKNOWN_REFERENCE', 'ids[1]'],
    [{ ids: [newId()], change: tags }, 'UNKNOWN_REFERENCE', 'ids[0]'],
    [{ filter: { surprise: 1 }, change: tags }, 'VALIDATION_FAILED', 'filter.surprise'],
    [{ filter: { owner: theirs._id }, change: tags }, 'UNKNOWN_REFERENCE', 'filter.owner'],
    [{ ids: [id], change: { owner: theirs._id } }, 'UNKNOWN_REFERENCE', 'change.owner'],
    [{ ids: [id], change: { step: newId() } }, 'UNKNOWN_REFERENCE', 'change.step'],
    [{ ids: [id], change: { agent: newId() } }, 'UNKNOWN_REFERENCE', 'change.agent'],
    [{ ids: [id], change: { custom_fields: { nothing: 1 } } }, 'UNKNOWN_REFERENCE', 'change.custom_fields.nothing'],
    [
      { ids: [id], change: { status: 'SNOOZED', snoozed_until: '2020-01-01T00:00:00.000Z' } },
      'VALIDATION_FAILED',
      'change.snoozed_until',
    ],
  ];
  const [before] = await database.sql('select count(*) from runs');
  for (const [body, code, path] of refused) expectProblem(await call(400, 'POST', RUNS, { body }), code, path);
  await checkRefusals(platform, {
    method: 'POST',
    path: RUNS,
    scope: 'conversations:update',
    body: { ids: [id], change: tags },
  });
  await checkRefusals(platform, { method: 'GET', path: RUNS, scope: 'conversations:read' });
  assert.deepEqual(await database.sql('select count(*) from runs'), [before]);
  assert.deepEqual((await read(id)).tags, []);
});

test('a filter that selects more than 10,000 conversations is refused, and ten of twenty runs that are started at once are accepted', async () => {
  const company: Company = await platform.createCompany();
  const inbox = await insertInbox(platform, company._id);
  const [id = ''] = await insertConversations(platform, { company: company._id, inbox }, 10_001);
  const begin = (status: number, body: Json) => call(status, 'POST', RUNS, { key: company.key, body });
  const tags = { add_tags: ['x'] };
  expectProblem(await begin(400, { filter: {}, change: tags }), 'VALIDATION_FAILED', 'filter');
  const release = await holdRuns(platform);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const headers = { authorization: `Bearer ${company.key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ids: [id], change: tags });
      return (await fetch(platform.url + RUNS, { method: 'POST', headers, body })).status;
    }),
  );
  await release();
  assert.deepEqual(
    [201, 409].map((status) => answers.filter((each) => each === status).length),
    [10, 10],
  );
});
