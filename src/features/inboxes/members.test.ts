/** The members of an inbox: who sees it with its conversations, and what that means for assignments, notifications, live streams and reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { openLive } from '../../../test/support/live.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { makeTextPdf } from '../../../test/support/pdf.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { lockRows } from '../../../test/support/rows.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo } = platform;

const member = await platform.createUser(demo._id, 'OPERATOR', 'Mia Member');
const outsider = await platform.createUser(demo._id, 'OPERATOR', 'Otto Outside');
const open = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Open to all' } });

const setMembers = async (members: Json, body: Json = {}, status = 200): Promise<Json> =>
  call(status, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members, ...body } });
const read = async (path: string, { token: key }: { token: string }): Promise<Json> =>
  (await call(200, 'GET', path, { key })).body;
const ids = ({ result }: Json): string[] => result.map(({ _id }: Json) => _id);
/** The rights of a user are looked up once a second. */
const waitUntilSeen = (user: { token: string }, isSeen: boolean): Promise<unknown> =>
  waitUntil('the rights of the user', async () =>
    ids(await read('/v1/inboxes', user)).includes(demo.inbox) === isSeen ? true : null,
  );
const hide = async (...members: { _id: string }[]): Promise<void> => {
  await setMembers({ users: members.map(({ _id }) => _id) });
  await waitUntilSeen(outsider, false);
};
const showToAll = async (): Promise<void> => {
  await setMembers(null);
  await waitUntilSeen(outsider, true);
};

test('members are users and teams that exist; null, the default, lets all users see the inbox', async () => {
  const { body: team } = await call(201, 'POST', '/v1/teams', { body: { name: 'Desk', members: [member._id] } });
  assert.equal((await call(200, 'GET', `/v1/inboxes/${demo.inbox}`)).body.members, null);
  const { body } = await setMembers({ teams: [team._id] });
  assert.deepEqual(body.members, { users: [], teams: [team._id] });
  await waitUntilSeen(member, true);
  await waitUntilSeen(outsider, false);
  const { inboxes } = await read('/v1/auth/me', outsider);
  assert.deepEqual(
    [open.body._id, demo.inbox].map((id) => inboxes.includes(id)),
    [true, false],
  );
  for (const field of ['users', 'teams'])
    expectProblem(await setMembers({ [field]: [newId()] }, {}, 400), 'UNKNOWN_REFERENCE', `members.${field}[0]`);
  // A team that is removed is no member any more.
  await call(200, 'DELETE', `/v1/teams/${team._id}`);
  await waitUntil('the removal of the team', async () => {
    const { members } = (await call(200, 'GET', `/v1/inboxes/${demo.inbox}`)).body;
    return members.teams.length === 0 ? true : null;
  });
  await waitUntilSeen(member, false);
  await showToAll();
  assert.equal((await read('/v1/auth/me', outsider)).inboxes, null);
});

test('a user who is no member finds neither the conversations nor the messages of the inbox; admins and API keys do', async () => {
  const word = `zebra${newId()}`;
  const { conversation, message } = await writeAsContact(platform, { text: word });
  await hide(member);
  const admin = await platform.createUser(demo._id, 'ADMIN');
  for (const [user, count] of [
    [member, 1],
    [admin, 1],
    [outsider, 0],
  ] as const) {
    assert.deepEqual(
      ids(await read(`/v1/conversations?contact=${conversation.contact}`, user)),
      count ? [conversation._id] : [],
    );
    for (const query of [`search=${word}`, `search=${word}&skipCount=true`, `search=${word}&sort=-updatedAt`])
      assert.deepEqual(ids(await read(`/v1/messages?${query}`, user)), count ? [message._id] : []);
    const { result, meta } = await read('/v1/messages?limit=1', user);
    assert.deepEqual([result.length, meta.totalCount > 0], [count, count > 0]);
  }
  const { body } = await call(200, 'GET', `/v1/messages?search=${word}`);
  assert.deepEqual(ids(body), [message._id]);
  await showToAll();
});

test('counts leave out the conversations of hidden inboxes, unread ones included', async () => {
  await writeAsContact(platform);
  await hide(member);
  const { open: mine, unread, inboxes } = await read('/v1/conversations/counts', outsider);
  assert.deepEqual([mine, unread, inboxes], [0, 0, []]);
  assert.ok((await read('/v1/conversations/counts', member)).unread > 0);
  await showToAll();
});

test('the files of a hidden inbox are hidden; what the user has uploaded and what quick replies show is not', async () => {
  const { conversation } = await writeAsContact(platform);
  const upload = async (key: string): Promise<string> =>
    (await uploadFile(platform, { name: 'prices.pdf', data: makeTextPdf([['Prices']]) }, key))._id;
  const [sent, own, shown] = [await upload(member.token), await upload(outsider.token), await upload(demo.key)];
  const body = { conversationId: conversation._id, message: { attachment: sent } };
  await call(201, 'POST', '/v1/messages/send-document', { body, key: member.token });
  await call(201, 'POST', '/v1/quick-replies', {
    body: { title: 'Prices', shortcut: 'prices', content: 'Our prices', attachment: shown },
  });
  await hide(member);
  const found = ids(await read('/v1/resource/attachments?limit=100', outsider));
  assert.deepEqual(
    [sent, own, shown].map((id) => found.includes(id)),
    [false, true, true],
  );
  await call(404, 'GET', `/v1/resource/attachments/${sent}`, { key: outsider.token });
  assert.ok(ids(await read('/v1/resource/attachments?limit=100', member)).includes(sent));
  await showToAll();
});

test('a conversation is assigned only to those who see its inbox, and so are new ones, mentions and followers', async () => {
  const { conversation } = await writeAsContact(platform);
  await hide(member);
  const path = `/v1/conversations/${conversation._id}`;
  for (const field of ['owner', 'attendant'])
    expectProblem(await call(400, 'PATCH', path, { body: { [field]: outsider._id } }), 'VALIDATION_FAILED', field);
  await call(200, 'PATCH', path, { body: { owner: member._id } });
  const user = { user: outsider._id };
  expectProblem(await call(400, 'POST', `${path}/participants`, { body: user }), 'VALIDATION_FAILED', 'user');
  const note = { conversationId: conversation._id, message: { content: 'Look' }, mentions: [outsider._id] };
  expectProblem(await call(400, 'POST', '/v1/messages/note', { body: note }), 'VALIDATION_FAILED', 'mentions[0]');
  const owner = { default_owner: outsider._id };
  expectProblem(await setMembers({ users: [member._id] }, owner, 400), 'VALIDATION_FAILED', 'default_owner');
  await showToAll();
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: owner });
  expectProblem(await setMembers({ users: [member._id] }, {}, 400), 'VALIDATION_FAILED', 'default_owner');
  // The owner of new conversations who no longer sees the inbox, such as an admin who has become an operator, gets none.
  const former = await platform.createUser(demo._id, 'ADMIN');
  await setMembers({ users: [member._id] }, { default_owner: former._id });
  assert.equal((await writeAsContact(platform)).conversation.owner, former._id);
  await call(200, 'PATCH', `/v1/users/${former._id}`, { body: { role: 'OPERATOR' } });
  assert.equal((await writeAsContact(platform)).conversation.owner, null);
  await setMembers(null, { default_owner: null });
  await waitUntilSeen(outsider, true);
});

test('nobody is notified of conversations that they do not see', async () => {
  const { body: team } = await call(201, 'POST', '/v1/teams', {
    body: { name: 'Both', members: [member._id, outsider._id] },
  });
  const { conversation, contact } = await writeAsContact(platform);
  const path = `/v1/conversations/${conversation._id}`;
  // The outsider follows the conversation before it is hidden.
  for (const { _id: user } of [outsider, member]) await call(200, 'POST', `${path}/participants`, { body: { user } });
  await hide(member);
  await call(200, 'PATCH', path, { body: { team: team._id } });
  await writeAsContact(platform, { from: contact.phone_number });
  const kinds = async (user: { token: string }): Promise<string[]> =>
    (await read('/v1/notifications', user)).result
      .filter((each: Json) => each.conversation === conversation._id)
      .map(({ kind }: Json) => kind)
      .toSorted();
  assert.deepEqual([await kinds(member), await kinds(outsider)], [['REPLIED', 'TEAM_ASSIGNED'], []]);
  await showToAll();
  assert.deepEqual(await kinds(outsider), []);
  await call(200, 'DELETE', `/v1/teams/${team._id}`);
});

test('a team gives a conversation only to a member who sees its inbox, even when the others own fewer', async () => {
  await call(200, 'PATCH', '/v1/auth/me', { key: member.token, body: { availability: 'ONLINE' } });
  await call(200, 'PATCH', '/v1/auth/me', { key: outsider.token, body: { availability: 'ONLINE' } });
  await hide(member);
  const { body: team } = await call(201, 'POST', '/v1/teams', {
    body: { name: 'Fair', members: [member._id, outsider._id], distribution: 'LEAST_LOADED' },
  });
  const owners: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { conversation } = await writeAsContact(platform);
    await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { team: team._id } });
    owners.push(
      await waitUntil(
        'an owner',
        async () => (await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.owner,
      ),
    );
  }
  assert.deepEqual(owners, [member._id, member._id, member._id]);
  // It waits while only those are free who do not see it, and is given out once one of them does.
  await hide();
  const { conversation } = await writeAsContact(platform);
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { team: team._id } });
  await setMembers({ users: [outsider._id] });
  const owner = await waitUntil(
    'an owner',
    async () => (await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body.owner,
  );
  assert.equal(owner, outsider._id);
  await call(200, 'DELETE', `/v1/teams/${team._id}`);
  await showToAll();
});

test('a campaign gives new conversations to its owner only as long as the owner sees the inbox, and can be changed afterwards', async () => {
  const steps = [{ template: { name: 'hello_world', language: 'pt_BR' } }];
  const body = { name: 'Spring', inbox: demo.inbox, owner: member._id, steps };
  const path = `/v1/campaigns/${(await call(201, 'POST', '/v1/campaigns', { body })).body._id}`;
  const phone = makePhoneNumber();
  await call(201, 'POST', `${path}/enrollments`, { body: { contacts: [{ phone }] } });
  await hide();
  await call(200, 'PATCH', path, { body: { name: 'Summer' } });
  await call(201, 'POST', `${path}/start`);
  await waitUntil('the campaign to complete', async () => (await call(200, 'GET', path)).body.status === 'COMPLETED');
  const { result } = (await call(200, 'GET', `/v1/conversations?inbox=${demo.inbox}&limit=1`)).body;
  assert.deepEqual([result[0].contact_summary.phone_number, result[0].owner], [`+${phone}`, null]);
  await showToAll();
});

test('a bulk send gives new conversations to its owner and attendant only as long as they see the inbox, also while it runs', async () => {
  const send = async (whileHeld: () => Promise<void>): Promise<Json> => {
    const contacts = JSON.stringify([{ name: 'Ana', phone: makePhoneNumber() }]);
    const named = { owner_user_id: member._id, attendant_user_id: member._id };
    const template = { templateName: 'hello_world', languageCode: 'pt_BR' };
    const letGo = await lockRows(platform, 'send_paces', [demo._id], 'company_id');
    const parts = { inboxId: demo.inbox, ...template, ...named, contacts };
    const sending = postForm(platform, [201, '/v1/messages/send-bulk-template'], parts);
    await waitUntil(
      'the run to wait for its number',
      async () =>
        (
          await platform.database.sql(
            `select from pg_stat_activity where query like '%reserve_slots%' and wait_event_type = 'Lock'`,
          )
        ).length > 0,
    );
    await whileHeld();
    await letGo();
    const [{ conversationId }] = (await sending).body.sentContacts;
    const { owner, attendant } = (await call(200, 'GET', `/v1/conversations/${conversationId}`)).body;
    return [owner, attendant];
  };
  assert.deepEqual(await send(async () => undefined), [member._id, member._id]);
  assert.deepEqual(await send(() => hide()), [null, null]);
  await showToAll();
});

test('a scheduled message that is not sent notifies its author only if the author still sees the conversation', async () => {
  const { conversation } = await writeAsContact(platform);
  const schedule = async (): Promise<string> => {
    const send = { conversation: conversation._id, message: { content: 'Later' } };
    const body = { ...send, send_at: new Date(Date.now() + 3_600_000).toISOString() };
    return (await call(201, 'POST', '/v1/scheduled-messages', { body, key: outsider.token })).body._id;
  };
  const fail = (id: string): Promise<unknown> =>
    platform.database.sql(`update scheduled_messages set status = 'FAILED' where _id = $1`, [id]);
  const count = async (): Promise<number> => {
    const { result } = await read('/v1/notifications', outsider);
    return result.filter(({ kind }: Json) => kind === 'NOT_SENT').length;
  };
  const [first, second] = [await schedule(), await schedule()];
  await fail(first);
  assert.equal(await count(), 1);
  await hide();
  await fail(second);
  await showToAll();
  assert.equal(await count(), 1);
});

test('a stream brings nothing of a hidden inbox, and tells its client to read its lists again when the members change', async () => {
  const earlier = await writeAsContact(platform);
  for (const { _id: user } of [outsider, member])
    await call(200, 'POST', `/v1/conversations/${earlier.conversation._id}/participants`, { body: { user } });
  const from = earlier.contact.phone_number;
  await writeAsContact(platform, { from });
  await call(200, 'PATCH', `/v1/conversations/${earlier.conversation._id}`, { body: { status: 'CLOSED' } });
  const { conversation, contact } = await writeAsContact(platform, { from });
  await hide(member);
  const [theirs, seen] = [
    await openLive(platform, { key: outsider.token }),
    await openLive(platform, { key: member.token }),
  ];
  const { message } = await writeAsContact(platform, { from: contact.phone_number });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { priority: 'HIGH' } });
  await call(201, 'POST', `/v1/conversations/${conversation._id}/typing`, { body: { state: 'TYPING' } });
  await seen.waitFor('message', ({ _id }) => _id === message._id);
  await seen.waitFor('history_entry', (entry) => entry.conversation === conversation._id);
  await seen.waitFor('presence', (presence) => presence.conversation === conversation._id);
  // A merge changes the notifications of a conversation, also those of users who no longer see it.
  const merged = { conversation: earlier.conversation._id };
  await call(201, 'POST', `/v1/conversations/${conversation._id}/merge`, { body: merged });
  await seen.waitFor('notification', (notification) => notification.conversation === conversation._id);
  // What is sent to both arrives after what only one of them receives.
  await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Last' } });
  await theirs.waitFor('contact', ({ name }) => name === 'Last');
  const named = theirs.events.filter(({ data }) =>
    [data.inbox, data._id, data.conversation].some((id) => id === demo.inbox || id === conversation._id),
  );
  assert.deepEqual(named, []);
  await setMembers(null);
  await theirs.waitFor('reset', ({ events }) => events.includes('conversation'));
  await Promise.all([theirs.close(), seen.close()]);
  await waitUntilSeen(outsider, true);
});

test('a report of a user who sees some inboxes counts only these, and refuses figures that would count others', async () => {
  await writeAsContact(platform);
  await hide(member);
  const range = 'from=2020-01-01T00:00:00Z'.replace('2020-01-01', new Date().toISOString().slice(0, 10));
  const summary = (user: { token: string }): Promise<Json> => read(`/v1/reports/summary?${range}`, user);
  assert.ok((await summary(member)).figures.opened > 0);
  assert.equal((await summary(outsider)).figures.opened, 0);
  assert.ok((await read('/v1/reports/now', member)).open > 0);
  assert.equal((await read('/v1/reports/now', outsider)).open, 0);
  const rows = (await read(`/v1/reports/breakdown?by=INBOX&${range}`, outsider)).rows.map(({ id }: Json) => id);
  assert.ok(!rows.includes(demo.inbox));
  const { token: key } = outsider;
  for (const [path, field] of [
    [`breakdown?by=USER&${range}`, 'by'],
    [`summary?user=${member._id}&${range}`, 'user'],
  ])
    expectProblem(await call(403, 'GET', `/v1/reports/${path}`, { key }), 'FORBIDDEN', field);
  await showToAll();
});

test('merging two contacts moves the conversations of inboxes that the caller does not see, too', async () => {
  const [hidden, other] = [await writeAsContact(platform), await writeAsContact(platform)];
  await hide(member);
  await call(201, 'POST', `/v1/contacts/${other.contact._id}/merge`, {
    key: outsider.token,
    body: { contact: hidden.contact._id },
  });
  const { body } = await call(200, 'GET', `/v1/conversations/${hidden.conversation._id}`);
  assert.equal(body.contact, other.contact._id);
  await showToAll();
});

test('what a member writes counts to what the company stores, up to its limit', async () => {
  const { conversation } = await writeAsContact(platform);
  await hide(member);
  await sendText(platform, conversation._id, { key: member.token });
  const rows = await platform.database.sql<{ is_bounded: boolean }>(
    'select is_bounded from stored_changes where company_id = $1 order by _id desc limit 1',
    [demo._id],
  );
  assert.deepEqual(rows, [{ is_bounded: true }]);
  await showToAll();
});
