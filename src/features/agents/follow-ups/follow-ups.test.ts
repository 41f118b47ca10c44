/** When agents write to contacts who do not answer, and when they do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectInstance, writeThrough } from '../../../../test/support/gateway.ts';
import { setHour } from '../../../../test/support/daytime.ts';
import { openLive } from '../../../../test/support/live.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import {
  listNetworkMessages,
  readEvents,
  reportStatuses,
  silenceNetwork,
  writeAsContact,
} from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform({ env: { AGENT_WAIT: '1s' } });
const { call, database, demo } = platform;
await silenceNetwork(platform);

const create = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

const content = 'Entregamos bolos em toda a cidade.';
const item = await create('/v1/knowledge/autcl', { name: 'Padaria', content });
await waitUntil('the item to be prepared', async () => (await read(`/v1/knowledge/${item._id}`)).status === 'READY');
const template = { name: 'hello_world', language: 'en_US' };
const follow_ups = [
  { delay_minutes: 10, content: 'Ainda está aí?' },
  { delay_minutes: 60, content: 'Até logo!' },
];
const agent = await create('/v1/agents', { name: 'Ana', type: 'AI', follow_ups });
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent._id } });
await setHour(platform, 12);
await waitUntilCopied(platform, demo.inbox);

const listFollowUps = async (conversation: string, count: number): Promise<Json[]> =>
  waitUntil(`${count} follow-ups`, async () => {
    const { result } = await read(`/v1/agents/follow-ups?conversation=${conversation}&sort=createdAt`);
    return result.length === count && result;
  });
/** Creates a contact whose country is not known, and returns the number. */
async function meet(): Promise<string> {
  const from = makePhoneNumber();
  const contact = await create('/v1/contacts', { phone_number: `+${from}` });
  await database.sql('update contacts set country_code = null where _id = $1', [contact._id]);
  return from;
}
/** Writes as a contact whose country is not known, and returns the follow-up of the answer. */
async function converse(): Promise<{ conversation: string; followUp: Json; from: string }> {
  const from = await meet();
  const { conversation } = await writeAsContact(platform, { from, text: 'Vocês entregam bolo na cidade?' });
  const [followUp] = await listFollowUps(conversation._id, 1);
  return { conversation: conversation._id, followUp, from };
}
const makeDue = (id: string): Promise<unknown> =>
  database.sql('update follow_ups set scheduled_at = now(), held_until = now() where _id = $1', [id]);
const waitForEnd = (id: string): Promise<Json> =>
  waitUntil('the follow-up to end', async () => {
    const [found] = (await read(`/v1/agents/follow-ups?limit=100`)).result.filter(({ _id }: Json) => _id === id);
    return found?.status !== 'SCHEDULED' && found;
  });
const listTexts = async (conversation: string): Promise<Json[]> =>
  (await read(`/v1/messages/conversation/${conversation}?sort=createdAt`)).result;

test('a contact who does not answer gets the follow-ups of the agent one after the other, each with its event', async () => {
  const { conversation, followUp } = await converse();
  assert.deepEqual([followUp.status, followUp.index, followUp.content], ['SCHEDULED', 0, 'Ainda está aí?']);
  const delayMs = Date.parse(followUp.scheduled_at) - Date.parse(followUp.createdAt);
  assert.equal(Math.round(delayMs / 60_000), 10);
  await makeDue(followUp._id);
  const sent = await waitForEnd(followUp._id);
  assert.equal(sent.status, 'SENT');
  const message = await read(`/v1/messages/${sent.message}`);
  assert.deepEqual([message.content, message.origin, message.sender_type], ['Ainda está aí?', 'FOLLOWUP', 'AGENT']);
  assert.deepEqual(await readEvents(platform, sent._id), [{ event: 'FOLLOWUP_SENT', data: sent }]);
  const [, next] = await listFollowUps(conversation, 2);
  assert.deepEqual([next?.['index'], next?.['status']], [1, 'SCHEDULED']);
  await makeDue(next?.['_id']);
  await waitForEnd(next?.['_id']);
  assert.equal((await listFollowUps(conversation, 2)).length, 2);
});

test('a contact who answers gets no follow-up of the answer before', async () => {
  const { conversation, followUp, from } = await converse();
  await writeAsContact(platform, { from, text: 'Vocês entregam bolo na cidade?' });
  const [first, second] = await listFollowUps(conversation, 2);
  assert.deepEqual([first?.['_id'], first?.['cancel_reason']], [followUp._id, 'REPLIED']);
  assert.deepEqual([second?.['status'], second?.['index']], ['SCHEDULED', 0]);
});

test('a follow-up is cancelled when a person takes over, when the conversation is closed, and by request', async () => {
  for (const [body, reason] of [
    [{ handled_by: 'HUMAN' }, 'HANDED_OVER'],
    [{ status: 'CLOSED' }, 'CONVERSATION_CLOSED'],
    [{ agent: null }, 'HANDED_OVER'],
  ] as const) {
    const { conversation, followUp } = await converse();
    await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body });
    const { status, cancel_reason } = await waitForEnd(followUp._id);
    assert.deepEqual([status, cancel_reason], ['CANCELLED', reason]);
  }
  const { followUp } = await converse();
  const path = `/v1/agents/follow-ups/${followUp._id}/cancel`;
  const { body } = await call(201, 'POST', path);
  assert.deepEqual([body.status, body.cancel_reason], ['CANCELLED', 'CANCELLED_BY_REQUEST']);
  expectProblem(await call(409, 'POST', path), 'FOLLOW_UP_ENDED');
  expectProblem(await call(404, 'POST', `/v1/agents/follow-ups/${newId()}/cancel`), 'NOT_FOUND');
});

test('a follow-up of an agent that was switched off, or to a contact who has written since, is not sent', async () => {
  const off = await converse();
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { status: 'INACTIVE' } });
  await makeDue(off.followUp._id);
  assert.equal((await waitForEnd(off.followUp._id)).cancel_reason, 'AGENT_INACTIVE');
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { status: 'ACTIVE' } });
  const { followUp } = await converse();
  await database.sql(`update follow_ups set created_at = created_at - interval '1 day' where _id = $1`, [followUp._id]);
  await makeDue(followUp._id);
  assert.equal((await waitForEnd(followUp._id)).cancel_reason, 'REPLIED');
});

test('outside of the reply window a follow-up is sent as its template, or not at all', async () => {
  const closeWindow = (conversation: string) =>
    database.sql(`update conversations set window_expires_at = now() - interval '1 hour' where _id = $1`, [
      conversation,
    ]);
  const without = await converse();
  await closeWindow(without.conversation);
  await makeDue(without.followUp._id);
  assert.equal((await waitForEnd(without.followUp._id)).cancel_reason, 'WINDOW_EXPIRED');
  const rules = [{ ...follow_ups[0], template }];
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { follow_ups: rules } });
  const { conversation, followUp } = await converse();
  await closeWindow(conversation);
  await makeDue(followUp._id);
  const { status, message } = await waitForEnd(followUp._id);
  assert.equal(status, 'SENT');
  assert.equal((await read(`/v1/messages/${message}`)).template.name, template.name);
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { follow_ups } });
});

test('through a gateway a follow-up is sent as its template a day after the contact wrote, and as its text where there are no templates', async () => {
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { follow_ups: [{ ...follow_ups[0], template }] } });
  const follow = async (integration: 'business' | 'baileys', writtenAgo: string): Promise<string> => {
    const instance = await connectInstance(platform, { integration });
    await call(200, 'PUT', `/v1/inboxes/${instance.inbox}`, { body: { default_agent: agent._id } });
    const text = 'Vocês entregam bolo na cidade?';
    const { conversation } = await writeThrough(platform, instance, { from: await meet(), text });
    const [followUp] = await listFollowUps(conversation, 1);
    const older = 'update conversations set last_inbound_at = now() - $2::interval where _id = $1';
    await database.sql(older, [conversation, writtenAgo]);
    await makeDue(followUp?.['_id']);
    const { status, message } = await waitForEnd(followUp?.['_id']);
    assert.equal(status, 'SENT');
    return (await read(`/v1/messages/${message}`)).contentType;
  };
  assert.equal(await follow('business', '25 hours'), 'TEMPLATE');
  assert.equal(await follow('business', '1 hour'), 'TEXT');
  assert.equal(await follow('baileys', '25 hours'), 'TEXT');
  await call(200, 'PATCH', `/v1/agents/${agent._id}`, { body: { follow_ups } });
});

test('a follow-up whose worker died before the message was stored is sent once, and one that was being sent is not sent again', async () => {
  const { followUp } = await converse();
  await database.sql(
    `update follow_ups set attempts = 1, claimed_at = now() - interval '2 minutes', held_until = now() where _id = $1`,
    [followUp._id],
  );
  const { message } = await waitForEnd(followUp._id);
  assert.equal((await listNetworkMessages(platform, message)).length, 1);

  const other = await converse();
  const [asked] = await listTexts(other.conversation);
  await database.sql(`update follow_ups set message_id = $2, held_until = null, settle_until = now() where _id = $1`, [
    other.followUp._id,
    asked?.['_id'],
  ]);
  assert.equal((await waitForEnd(other.followUp._id)).status, 'SENT');
  assert.equal((await listTexts(other.conversation)).length, 2);
});

test('a follow-up whose outcome is unknown is SENT, with its event and the next one, once the network reports its message', async () => {
  const { conversation, followUp, from } = await converse();
  const send = [{ kind: 'reset_after_accept', times: 1, to: from }];
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send } });
  await makeDue(followUp._id);
  const readMessageId = async (): Promise<string | null> =>
    (await listFollowUps(conversation, 1)).find(({ _id }) => _id === followUp._id)?.['message'];
  const message = (await waitUntil('the message', readMessageId)) ?? '';
  const [wire] = await waitUntil('the network to have it', async () => {
    const found = await listNetworkMessages(platform, message);
    return found.length > 0 && found;
  });
  const lookAgain = (): Promise<unknown> =>
    database.sql('update follow_ups set settle_until = now() where _id = $1', [followUp._id]);
  await lookAgain();
  await waitUntil('a look at it', async () => {
    const late = 'select from follow_ups where _id = $1 and settle_until > now()';
    return (await database.sql(late, [followUp._id])).length > 0;
  });
  assert.equal((await listFollowUps(conversation, 1))[0]?.['status'], 'SCHEDULED');
  await reportStatuses(platform, { id: wire.id, status: 'sent', biz_opaque_callback_data: message });
  await lookAgain();
  const sent = await waitForEnd(followUp._id);
  assert.deepEqual(await readEvents(platform, followUp._id), [{ event: 'FOLLOWUP_SENT', data: sent }]);
  assert.equal((await listFollowUps(conversation, 2))[1]?.['index'], 1);
});

test('a follow-up that would be due at night waits for the morning', async () => {
  await setHour(platform, 22);
  const { followUp } = await converse();
  await setHour(platform, 12);
  const hours = (Date.parse(followUp.scheduled_at) - Date.parse(followUp.createdAt)) / 3_600_000;
  assert.ok(hours > 8 && hours < 10.5, `${hours}`);
});

test('follow-ups have limits, and those of another company are unknown', async () => {
  const path = `/v1/agents/${agent._id}`;
  const rule = { delay_minutes: 1, content: 'Oi' };
  for (const [rules, field] of [
    [Array.from({ length: 6 }, () => rule), 'follow_ups'],
    [[{ ...rule, delay_minutes: 0 }], 'follow_ups[0].delay_minutes'],
    [[{ ...rule, content: ' ' }], 'follow_ups[0].content'],
    [[{ ...rule, template: { name: 'x' } }], 'follow_ups[0].template.language'],
  ] as const)
    expectProblem(await call(400, 'PATCH', path, { body: { follow_ups: rules } }), 'VALIDATION_FAILED', field);
  const { followUp } = await converse();
  const { key } = await platform.createCompany();
  assert.deepEqual((await call(200, 'GET', '/v1/agents/follow-ups', { key })).body.result, []);
  await call(404, 'POST', `/v1/agents/follow-ups/${followUp._id}/cancel`, { key });
});

test('a follow-up arrives in the live stream as the list shows it, when it is scheduled and when it ends', async () => {
  const live = await openLive(platform);
  const { followUp } = await converse();
  assert.deepEqual(await live.waitFor('follow_up', ({ _id }) => _id === followUp._id), followUp);
  const cancelled = (await call(201, 'POST', `/v1/agents/follow-ups/${followUp._id}/cancel`)).body;
  const isEnded = ({ _id, status }: Json): boolean => _id === followUp._id && status === 'CANCELLED';
  assert.deepEqual(await live.waitFor('follow_up', isEnded), cancelled);
  await live.close();
});
