/** Bulk changes of contacts through the API; runs whose process is killed are tested with those of conversations (runs/killed.test.ts). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitRun, holdRuns } from '../../../../test/support/conversation-runs.ts';
import { openLive } from '../../../../test/support/live.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { readEvents } from '../../../../test/support/traffic.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const PATH = '/v1/contacts/bulk-changes';
const create = async (body: Json, key = demo.key): Promise<string> =>
  (await call(201, 'POST', '/v1/contacts', { key, body })).body._id;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${id}`)).body;
const start = async (body: Json, key = demo.key): Promise<Json> => (await call(201, 'POST', PATH, { key, body })).body;
const change = async (body: Json): Promise<Json> =>
  awaitRun(platform, (await start(body))._id, { key: demo.key, path: PATH });
const countsOf = ({ status, total, changed_count, failed_count }: Json): unknown[] => [
  status,
  total,
  changed_count,
  failed_count,
];

test('a bulk change makes in each contact what its PATCH would, with its event and its entry in the audit log', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'Bakery' } })).body._id;
  const field = { title: 'Plan', slug: 'plan', context: 'contact', type: 'TEXT' };
  await call(201, 'POST', '/v1/custom-fields', { body: field });
  const ids = [await create({ name: 'Ana', tags: ['old', 'kept'] }), await create({ name: 'Bea' })];
  const plain = { owner: user._id, business, custom_fields: { plan: 'Gold' }, opted_out: true, blocked: true };
  const live = await openLive(platform);
  const run = await change({ ids, change: { ...plain, add_tags: ['vip'], remove_tags: ['old'] } });
  assert.deepEqual(countsOf(run), ['COMPLETED', 2, 2, 0]);
  const seen = await live.waitFor('contact_run', ({ _id, finished_at }) => _id === run._id && finished_at !== null);
  assert.deepEqual(seen, run);
  for (const [index, id] of ids.entries()) {
    const contact = await read(id);
    const { owner, opted_out, blocked, tags } = contact;
    assert.deepEqual([owner, contact.business, opted_out, blocked], [user._id, business, true, true]);
    assert.deepEqual(tags, index === 0 ? ['kept', 'vip'] : ['vip']);
    assert.deepEqual(contact.custom_fields[0].value, 'Gold');
    const event = (await readEvents(platform, id)).find((each: Json) => each.event === 'CONTACT_UPDATED');
    assert.deepEqual(event?.data, contact);
    const [entry] = (await call(200, 'GET', `/v1/audit?resource=${id}`)).body.result;
    assert.deepEqual([entry.action, entry.actor.type], ['contacts.update', 'KEY']);
    assert.ok(entry.request_id);
  }
  assert.deepEqual(countsOf(await change({ ids, change: { add_tags: ['vip'] } })), ['COMPLETED', 2, 0, 0]);
});

test('a filter selects the contacts that the list shows when the run begins, and a contact with too many tags is reported', async () => {
  const marked = `Till ${newId()}`;
  const full = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const ids = [
    await create({ name: marked, tags: full }),
    await create({ name: marked }),
    await create({ name: 'Other' }),
  ];
  const filter = { filters: JSON.stringify([{ field: 'contact.name', operator: 'eq', value: marked }]) };
  const run = await change({ filter, change: { add_tags: ['one-more'] } });
  assert.deepEqual(countsOf(run), ['COMPLETED', 2, 1, 1]);
  assert.deepEqual(
    run.failures.map(({ contact, code }: Json) => [contact, code]),
    [[ids[0], 'VALIDATION_FAILED']],
  );
  assert.deepEqual((await read(ids[1] ?? '')).tags, ['one-more']);
  assert.deepEqual((await read(ids[2] ?? '')).tags, []);
});

test('a bulk change erases contacts with their conversations like a DELETE, and one that is gone already is reported', async () => {
  const [first, second, gone] = [
    await create({ name: 'Ana' }),
    await create({ name: 'Bea' }),
    await create({ name: 'Cid' }),
  ];
  const { body: conversation } = await call(201, 'POST', '/v1/conversations', {
    body: { contact: await create({ phone_number: '+5511977770001' }), inbox: demo.inbox },
  });
  const ids = [first, second, gone, conversation.contact];
  const release = await holdRuns(platform);
  const begun = await start({ ids, change: { delete: true } });
  await call(200, 'DELETE', `/v1/contacts/${gone}`);
  await release();
  const run = await awaitRun(platform, begun._id, { key: demo.key, path: PATH });
  assert.deepEqual(countsOf(run), ['COMPLETED', 4, 3, 1]);
  assert.deepEqual(
    run.failures.map(({ contact, code }: Json) => [contact, code]),
    [[gone, 'NOT_FOUND']],
  );
  for (const id of ids) await call(404, 'GET', `/v1/contacts/${id}`);
  await call(404, 'GET', `/v1/conversations/${conversation._id}`);
  const [entry] = (await call(200, 'GET', `/v1/audit?resource=${first}`)).body.result;
  assert.equal(entry.action, 'contacts.delete');
  const jobs = await database.sql(`select 1 from pgboss.job where name = 'contacts.redact'`);
  assert.ok(jobs.length >= 3);
});

test('an invalid bulk change is refused and changes nothing; erasing needs the right to erase', async () => {
  const id = await create({ name: 'Ana' });
  const other = await platform.createCompany();
  const foreign = await create({ name: 'Bea' }, other.key);
  const stranger = await platform.createUser(other._id, 'ADMIN');
  const tags = { add_tags: ['vip'] };
  const refused = async (body: Json, code: string, path: string): Promise<void> =>
    expectProblem(await call(400, 'POST', PATH, { body }), code, path);
  await refused({ change: tags }, 'VALIDATION_FAILED', 'ids');
  await refused({ ids: [id], filter: {}, change: tags }, 'VALIDATION_FAILED', 'filter');
  await refused({ ids: [id, foreign], change: tags }, 'UNKNOWN_REFERENCE', 'ids[1]');
  await refused({ ids: [id, newId()], change: tags }, 'UNKNOWN_REFERENCE', 'ids[1]');
  await refused({ ids: [id], change: { owner: stranger._id } }, 'UNKNOWN_REFERENCE', 'change.owner');
  await refused({ ids: [id], change: { business: newId() } }, 'UNKNOWN_REFERENCE', 'change.business');
  await refused({ ids: [id], change: { ...tags, delete: true } }, 'VALIDATION_FAILED', 'change.delete');
  await refused({ ids: [id], change: { delete: false } }, 'VALIDATION_FAILED', 'change.delete');
  await refused({ ids: [id], change: {} }, 'VALIDATION_FAILED', 'change');
  await refused({ ids: [id], change: { name: 'Ana' } }, 'VALIDATION_FAILED', 'change.name');
  const asked = { field: 'contact.gone', operator: 'eq', value: 'x' };
  await refused(
    { filter: { filters: JSON.stringify([asked]) }, change: tags },
    'VALIDATION_FAILED',
    'filter.filters[0].field',
  );
  const updates = await platform.createKey(demo._id, ['contacts:read', 'contacts:update']);
  const erases = { key: updates.token, body: { ids: [id], change: { delete: true } } };
  expectProblem(await call(403, 'POST', PATH, erases), 'FORBIDDEN', 'authorization');
  await start({ ids: [id], change: tags }, updates.token);
});
