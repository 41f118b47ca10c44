/** What becomes of a message of a campaign that waits to be sent again, or whose call is still under way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeJpg } from '../../../test/support/media-samples.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { reportStatuses, silenceNetwork } from '../../../test/support/traffic.ts';
import { uploadFile } from '../../../test/support/attachments.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { giveUpUnknownOutcomes } from '../inbound/upkeep.ts';
import { sendLater } from './portion-queries.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo, database } = platform;
await waitUntilCopied(platform, demo.inbox);

const HELLO = { name: 'hello_world', language: 'pt_BR' };
const SEQUENCE = [{ template: HELLO }, { template: HELLO, delay_minutes: 60 }];

async function startFor(phone: string, options: Json = {}): Promise<Json> {
  const body = { name: 'Spring', inbox: demo.inbox, steps: [{ template: HELLO }], ...options };
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { body });
  await call(201, 'POST', `/v1/campaigns/${campaign._id}/enrollments`, { body: { contacts: [{ phone }] } });
  await act('start', campaign);
  return campaign;
}
const act = async (verb: string, { _id }: Json): Promise<Json> =>
  (await call(201, 'POST', `/v1/campaigns/${_id}/${verb}`)).body;
const findEnrollment = async ({ _id }: Json): Promise<Json> =>
  (await call(200, 'GET', `/v1/campaign-enrollments?campaign=${_id}`)).body.result[0];
const readMessage = async ({ message }: Json): Promise<Json> =>
  (await call(200, 'GET', `/v1/messages/${message}`)).body;
const countSent = async (phone: string): Promise<number> => {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  return messages.filter(({ to }: Json) => to === phone).length;
};
const awaitEnd = ({ _id }: Json): Promise<unknown> =>
  waitUntil('the campaign to complete', async () => {
    const { status } = (await call(200, 'GET', `/v1/campaigns/${_id}`)).body;
    return status === 'COMPLETED';
  });

/** The network takes only so many messages to one person at a time. */
const setPair = (next: string): Promise<unknown> =>
  database.sql(`update send_pairs set next_at = ${next} where company_id = $1`, [demo._id]);

/** Starts a campaign whose message to this person is stored, and whose call waits for an hour because the person just got another one. */
async function startCall(phone: string, options: Json = {}): Promise<Json> {
  const parts = { inboxId: demo.inbox, templateName: HELLO.name, languageCode: HELLO.language };
  await postForm(platform, [201, '/v1/messages/send-bulk-template'], {
    ...parts,
    contacts: JSON.stringify([{ phone }]),
  });
  await setPair(`now() + interval '1 hour'`);
  const campaign = await startFor(phone, { send_to_active_conversations: true, ...options });
  await waitUntil('the message to be stored', async () => (await findEnrollment(campaign))['message']);
  return campaign;
}
/** Starts a campaign whose call waits, and pauses it, so that its message waits to be sent again. */
async function startWaiting(phone: string, options: Json = {}): Promise<Json> {
  const campaign = await startCall(phone, options);
  await act('pause', campaign);
  await waitUntil('the message to wait for the campaign', async () => (await findEnrollment(campaign))['next_run_at']);
  return campaign;
}
async function goOn(campaign: Json): Promise<Json> {
  await setPair('now()');
  await act('resume', campaign);
  await awaitEnd(campaign);
  return findEnrollment(campaign);
}

test('a message that waits for its paused campaign for more than a day is sent when the campaign goes on', async () => {
  const phone = makePhoneNumber();
  const campaign = await startWaiting(phone);
  const { message } = await findEnrollment(campaign);
  for (const [table, column, id] of [
    ['messages', 'created_at', '_id'],
    ['campaign_enrollments', 'called_at', 'message_id'],
  ])
    await database.sql(`update ${table} set ${column} = now() - interval '25 hours' where ${id} = $1`, [message]);
  await giveUpUnknownOutcomes(platform.running.kit);
  assert.equal((await readMessage({ message })).status, 'QUEUED');
  await goOn(campaign);
  assert.deepEqual([(await readMessage({ message })).status, await countSent(phone)], ['SENT', 2]);
});

test('the day after which the outcome of a message counts as unknown begins with its last call', async () => {
  const campaign = await startWaiting(makePhoneNumber());
  const { message } = await findEnrollment(campaign);
  await database.sql(`update messages set created_at = now() - interval '25 hours' where _id = $1`, [message]);
  await act('resume', campaign);
  await waitUntil('the second call to wait', async () => (await findEnrollment(campaign))['next_run_at'] === null);
  await giveUpUnknownOutcomes(platform.running.kit);
  assert.equal((await readMessage({ message })).status, 'QUEUED');
  await database.sql(`update campaign_enrollments set called_at = now() - interval '25 hours' where message_id = $1`, [
    message,
  ]);
  await giveUpUnknownOutcomes(platform.running.kit);
  assert.equal((await readMessage({ message })).status, 'FAILED');
  await act('pause', campaign);
});

test('a contact who replies while their message waits gets nothing more and counts as replied, not as failed', async () => {
  const phone = makePhoneNumber();
  const campaign = await startWaiting(phone);
  await platform.receive({ from: phone, text: 'Oi' });
  await waitUntil('the reply', async () => (await findEnrollment(campaign))['status'] === 'REPLIED');
  const { status, message } = await goOn(campaign);
  const { status: end, errors } = await readMessage({ message });
  assert.deepEqual([status, end, errors[0].code], ['REPLIED', 'FAILED', 'CAMPAIGN_CANCELLED']);
  const { replied, failed } = (await call(200, 'GET', `/v1/campaigns/${campaign['_id']}/analytics`)).body;
  assert.deepEqual([replied, failed, await countSent(phone)], [1, 0, 1]);
});

test('a contact who replies while the call for a message waits gets nothing more, even when the message has to be sent again', async () => {
  const phone = makePhoneNumber();
  const campaign = await startCall(phone, { steps: SEQUENCE });
  await platform.receive({ from: phone, text: 'Oi' });
  await waitUntil('the reply', async () => (await findEnrollment(campaign))['status'] === 'REPLIED');
  await act('pause', campaign);
  await waitUntil('the message to fail', async () => {
    const { status } = await readMessage(await findEnrollment(campaign));
    return status === 'FAILED';
  });
  const { status, next_run_at } = await goOn(campaign);
  assert.deepEqual([status, next_run_at, await countSent(phone)], ['REPLIED', null, 1]);
});

test('a message that waits fails when its campaign goes on and its contact has opted out', async () => {
  const phone = makePhoneNumber();
  const campaign = await startWaiting(phone);
  const { contact } = await findEnrollment(campaign);
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { opted_out: true } });
  const { status, failure_reason, message } = await goOn(campaign);
  assert.deepEqual([status, failure_reason.code], ['FAILED', 'CAMPAIGN_CANCELLED']);
  assert.deepEqual([(await readMessage({ message })).status, await countSent(phone)], ['FAILED', 1]);
});

test('an enrollment keeps its conversation when that is closed while the message waits', async () => {
  const phone = makePhoneNumber();
  const campaign = await startWaiting(phone);
  const { conversation } = await findEnrollment(campaign);
  await call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { status: 'CLOSED' } });
  assert.equal((await goOn(campaign))['conversation'], conversation);
  assert.equal(await countSent(phone), 2);
});

test('a call that is under way when its campaign is cancelled ends its enrollment, whether its message is sent or not', async () => {
  const waiting = await startCall(makePhoneNumber());
  await act('cancel', waiting);
  await waitUntil('the message to fail', async () => {
    const { status } = await readMessage(await findEnrollment(waiting));
    return status === 'FAILED';
  });
  const unsent = await findEnrollment(waiting);
  assert.deepEqual(
    [unsent['status'], unsent['failure_reason'].code, unsent['next_run_at']],
    ['FAILED', 'CAMPAIGN_CANCELLED', null],
  );

  const phone = makePhoneNumber();
  await platform.sandbox('PUT', '/sandbox/settings', {
    faults: { send: [{ kind: 'reset_after_accept', times: 1, to: phone }] },
  });
  const sequence = await startFor(phone, { steps: SEQUENCE });
  await waitUntil('the network to have the message', async () => (await countSent(phone)) === 1);
  await act('cancel', sequence);
  const { message } = await findEnrollment(sequence);
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  const { id } = messages.find(({ to }: Json) => to === phone);
  await reportStatuses(platform, { id, status: 'sent', biz_opaque_callback_data: message });
  await waitUntil('the report to be stored', async () => (await findEnrollment(sequence))['sent_at']);
  const { status, next_run_at, completed_at } = await findEnrollment(sequence);
  assert.deepEqual([status, next_run_at, completed_at !== null], ['SENT', null, true]);
});

test('a message whose contact was erased during its call is not sent again', async () => {
  const campaign = await startCall(makePhoneNumber());
  const { _id, contact } = await findEnrollment(campaign);
  await call(200, 'DELETE', `/v1/contacts/${contact}`);
  const { database: store } = platform.running.kit;
  const acting = actAs(store, demo._id, { type: 'campaign', id: campaign['_id'], name: 'Spring' });
  const later = { enrollment: _id, seconds: 0, isRefused: true, isLastStep: true };
  assert.deepEqual(await acting.tx((tx) => sendLater(tx, [later])), [_id]);
  assert.equal((await findEnrollment(campaign))['next_run_at'], null);
  await act('pause', campaign);
});

test('an enrollment that is cancelled while the call for its message waits gets no further message', async () => {
  const phone = makePhoneNumber();
  const campaign = await startCall(phone, { steps: SEQUENCE });
  const { _id, status } = await findEnrollment(campaign);
  const { body } = await call(201, 'POST', `/v1/campaign-enrollments/${_id}/cancel`);
  assert.deepEqual([status, body.completed_at !== null], ['PENDING', true]);
  await act('pause', campaign);
  await waitUntil(
    'the message to fail',
    async () => (await readMessage(await findEnrollment(campaign))).status === 'FAILED',
  );
  await goOn(campaign);
  assert.equal(await countSent(phone), 1);
});

/** Starts a campaign whose messages show a picture, at whose uploads the network has this fault. */
async function startWithPicture(phone: string, fault: Json): Promise<Json> {
  const picture = await uploadFile(platform, { data: makeJpg(60, 40) });
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { media: [fault] } });
  const components = [
    { type: 'header', parameters: [{ imageId: picture._id }] },
    { parameters: [{ text: 'Ana' }, { text: '25%' }] },
    { index: 1, parameters: [{ text: 'verao' }] },
    { index: 2, parameters: [{ text: 'VERAO25' }] },
  ];
  return startFor(phone, { steps: [{ template: { name: 'summer_offer', language: 'pt_BR', components } }] });
}

test('a campaign whose file the network refuses pauses until a user has changed it, and fails no one', async () => {
  const campaign = await startWithPicture(makePhoneNumber(), { code: 131053, times: 1 });
  const { pause_reason } = await waitUntil('the campaign to pause', async () => {
    const { body } = await call(200, 'GET', `/v1/campaigns/${campaign['_id']}`);
    return body.status === 'PAUSED' && body;
  });
  const { status, message } = await findEnrollment(campaign);
  assert.deepEqual([pause_reason, status, message], ['TEMPLATE', 'PENDING', null]);
});

test('a campaign whose file the network does not take for a moment goes on by itself, and fails no one', async () => {
  const phone = makePhoneNumber();
  const campaign = await startWithPicture(phone, { kind: 'reset', times: 2 });
  await waitUntil('the uploads to fail', async () => {
    const { faults } = await platform.sandbox('GET', '/sandbox/settings');
    return faults.media.length === 0;
  });
  await awaitEnd(campaign);
  assert.equal(await countSent(phone), 1);
});

test('a campaign that is looked at again while it waits for its own pace waits no longer for that', async () => {
  const campaign = await startFor(makePhoneNumber(), { messages_per_minute: 1 });
  const add = (phone: string): Promise<Json> =>
    call(201, 'POST', `/v1/campaigns/${campaign['_id']}/enrollments`, { body: { contacts: [{ phone }] } });
  await waitUntil(
    'the first message',
    async () => (await findEnrollment(campaign))['sent_at'] ?? (await findEnrollment(campaign))['message'],
  );
  await add(makePhoneNumber());
  const rest = await waitUntil('the campaign to rest', async () => {
    const [row] = await database.sql<{ seconds: number | null }>(
      `select extract(epoch from held_until - (select min(called_at) from campaign_enrollments where campaign_id = c._id))::float8 as seconds
        from campaigns c where _id = $1 and claimed_at is null and not is_waiting and not is_nudged and held_until > now()`,
      [campaign['_id']],
    );
    return row?.seconds;
  });
  // The next slot begins a minute after the first one.
  assert.ok(rest < 90, `${rest}`);
});
