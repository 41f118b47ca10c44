/** The users who follow a conversation, through the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { sendText, silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const addUser = (name: string) => platform.createUser(demo._id, 'OPERATOR', name);
const ana = await addUser('Ana');
const bia = await addUser('Bia');
const open = async (): Promise<string> =>
  (await writeAsContact(platform, { from: makePhoneNumber() })).conversation._id;
const pathOf = (id: string): string => `/v1/conversations/${id}/participants`;
const toUsers = ({ participants }: Json): string[] => participants.map(({ user }: Json) => user);
const list = async (id: string): Promise<string[]> => toUsers((await call(200, 'GET', pathOf(id))).body);
const follow = (id: string, user: string, status = 200) => call(status, 'POST', pathOf(id), { body: { user } });
const unfollow = (id: string, user: string, status = 200) => call(status, 'DELETE', `${pathOf(id)}/${user}`);
const mention = (conversationId: string, by: string, mentions: string[]) =>
  call(201, 'POST', '/v1/messages/note', { key: by, body: { conversationId, message: { content: 'Look' }, mentions } });

test('a user follows a conversation and unfollows it, and repeating either changes nothing', async () => {
  const id = await open();
  for (let time = 0; time < 2; time += 1) assert.deepEqual(toUsers((await follow(id, ana._id)).body), [ana._id]);
  for (let time = 0; time < 2; time += 1) assert.deepEqual(toUsers((await unfollow(id, ana._id)).body), []);
});

test('users who reply, write a note or are mentioned follow the conversation, and a key that writes does not', async () => {
  const id = await open();
  await sendText(platform, id);
  assert.deepEqual(await list(id), []);
  await sendText(platform, id, { key: ana.token });
  assert.deepEqual(await list(id), [ana._id]);
  await mention(id, ana.token, [bia._id]);
  assert.deepEqual(await list(id), [ana._id, bia._id]);
  const other = await open();
  await mention(other, bia.token, []);
  assert.deepEqual(await list(other), [bia._id]);
});

test('a user who has unfollowed a conversation does not follow it after a reply, but after a mention', async () => {
  const id = await open();
  await unfollow(id, ana._id);
  await sendText(platform, id, { key: ana.token });
  assert.deepEqual(await list(id), []);
  await mention(id, bia.token, [ana._id]);
  assert.deepEqual(await list(id), [ana._id, bia._id]);
});

test('an unknown conversation or user, or one of another company, is neither followed nor follows', async () => {
  const other = await platform.createCompany();
  const stranger = await platform.createUser(other._id, 'OPERATOR');
  const id = await open();
  for (const user of [stranger._id, newId()]) {
    expectProblem(await follow(id, user, 400), 'UNKNOWN_REFERENCE', 'user');
    await unfollow(id, user, 404);
  }
  for (const [method, body] of [['GET'], ['POST', { user: stranger._id }]] as const)
    await call(404, method, pathOf(id), { key: other.key, ...(body && { body }) });
  await call(404, 'DELETE', `${pathOf(id)}/${stranger._id}`, { key: other.key });
  assert.deepEqual(await list(id), []);
});

test('a conversation has at most 50 followers, and a user who replies beyond them does not follow', async () => {
  const id = await open();
  await database.sql(
    `with made as (insert into users (company_id, _id, name, email, role)
        select $1, new_id(), 'Crowd', new_id() || '@example.test', 'VIEWER' from generate_series(1, 50) returning _id)
      insert into conversation_participants (company_id, conversation_id, user_id) select $1, $2, _id from made`,
    [demo._id, id],
  );
  expectProblem(await follow(id, ana._id, 400), 'VALIDATION_FAILED', 'user');
  await sendText(platform, id, { key: ana.token });
  assert.equal((await list(id)).length, 50);
});

test('a removed user follows no conversation and has no notifications any more', async () => {
  const gone = await addUser('Gone');
  const id = await open();
  await mention(id, ana.token, [gone._id]);
  await call(200, 'DELETE', `/v1/users/${gone._id}`);
  await waitUntil('the user to be gone', async () => {
    const rows = await database.sql('select 1 from users where _id = $1', [gone._id]);
    return rows.length === 0;
  });
  assert.deepEqual(await list(id), [ana._id]);
  assert.deepEqual(await database.sql('select 1 from notifications where user_id = $1', [gone._id]), []);
});

test('when contacts are merged, the conversation that stays open gets the followers of the one that is closed', async () => {
  const [first, second] = [await writeAsContact(platform), await writeAsContact(platform)];
  await follow(first.conversation._id, ana._id);
  await follow(second.conversation._id, bia._id);
  const body = { contact: second.contact._id };
  await call(201, 'POST', `/v1/contacts/${first.contact._id}/merge`, { body });
  assert.deepEqual(await list(first.conversation._id), [ana._id, bia._id]);
});
