import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals } from '../../../../test/support/refusals.ts';
import { silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const pathTo = (id: string): string => `/v1/conversations/${id}`;
const readHistory = async (id: string): Promise<Json[]> =>
  (await call(200, 'GET', `${pathTo(id)}/history?sort=createdAt`)).body.result;
/** The changes of an entry as [field, from, to], with the name where there is one. */
const listChanges = ({ changes }: Json): unknown[] =>
  (changes as Json[]).map(({ field, from, to, from_name, to_name }) => [field, from_name ?? from, to_name ?? to]);

test('each change of a conversation is one entry of its history, with who made it and the names of that time', async () => {
  const { conversation } = await writeAsContact(platform);
  const id = conversation._id as string;
  const ana = await platform.createUser(demo._id, 'OPERATOR', `Ana "d'Ávila" \\ 😀`);
  const { token: key } = ana;
  const steps = [{ name: 'New' }, { name: 'Offer' }];
  const pipeline = (await call(201, 'POST', '/v1/pipelines', { body: { name: 'Sales', steps } })).body;
  const agent = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Bia')`, [demo._id, agent]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const before = (await readHistory(id)).length;
  for (const body of [
    { owner: ana._id, tags: ['vip', 'new'] },
    { tags: ['new', 'vip'] },
    { status: 'SNOOZED', snoozed_until: until },
    { agent, handled_by: 'AI', tags: ['new'] },
  ])
    await call(200, 'PATCH', pathTo(id), { key, body });
  await call(200, 'PUT', `${pathTo(id)}/step`, { body: { step: pipeline.steps[1]._id } });
  await call(200, 'PATCH', pathTo(id), { key, body: { status: 'CLOSED', owner: null } });
  const history = (await readHistory(id)).slice(before);
  const { name } = (await call(200, 'GET', `/v1/users/${ana._id}`)).body;
  assert.deepEqual(history.map(listChanges), [
    [
      ['owner', null, name],
      ['tag', null, 'vip'],
      ['tag', null, 'new'],
    ],
    [
      ['status', 'OPEN', 'SNOOZED'],
      ['snoozed_until', null, until],
    ],
    [
      ['handled_by', history[2]?.changes[0].from, 'AI'],
      ['agent', null, 'Bia'],
      ['tag', 'vip', null],
    ],
    [['step', null, 'Offer']],
    [
      ['status', 'SNOOZED', 'CLOSED'],
      ['snoozed_until', until, null],
      ['owner', name, null],
    ],
  ]);
  assert.deepEqual(
    history.map(({ actor }) => [actor.type, actor._id, actor.name]),
    history.map((_, n) => (n === 3 ? ['KEY', history[3]?.actor._id, 'First company key'] : ['USER', ana._id, name])),
  );
});

test('a message of the contact that ends a snooze is an entry that names no one', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await call(200, 'PATCH', pathTo(conversation._id), { body: { status: 'SNOOZED', snoozed_until: null } });
  await platform.receive({ from: contact.phone_number.slice(1), name: contact.name, text: 'Back again' });
  await platform.deliveries(({ body }) => body.data.content === 'Back again');
  const entry = (await readHistory(conversation._id)).at(-1);
  assert.deepEqual([entry?.actor, listChanges(entry ?? {})], [null, [['status', 'SNOOZED', 'OPEN']]]);
});

test('the history is read page by page, and is refused like every list that a caller may not read', async () => {
  const { conversation } = await writeAsContact(platform);
  const path = `${pathTo(conversation._id)}/history`;
  for (const tags of [['a'], ['b']]) await call(200, 'PATCH', pathTo(conversation._id), { body: { tags } });
  const { result, meta } = (await call(200, 'GET', `${path}?limit=1`)).body;
  const next = (await call(200, 'GET', `${path}?limit=1&after=${meta.nextCursor}`)).body;
  assert.deepEqual(listChanges(result[0]), [
    ['tag', 'a', null],
    ['tag', null, 'b'],
  ]);
  assert.deepEqual(listChanges(next.result[0]), [['tag', null, 'a']]);
  await call(404, 'GET', `/v1/conversations/${newId()}/history`);
  await checkRefusals(platform, { method: 'GET', path, scope: 'conversations:read' });
});
