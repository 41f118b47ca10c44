/** Campaigns next to everything else: refusals of the network, suspended companies, agents, other companies, and who watches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLive } from '../../../test/support/live.ts';
import {
  buildNotification,
  connectPhone,
  fillMessage,
  findStoredMessage,
  makeBsuid,
  makePhoneNumber,
  openNetwork,
  waitUntilCopied,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;

const HELLO = { name: 'hello_world', language: 'pt_BR' };
const SENDER = { key: demo.key, inbox: demo.inbox };

await waitUntilCopied(platform, demo.inbox);
// The large campaign writes to more people than the business may reach in a day. The limit is read again whenever an inbox connects.
await platform.sandbox('PUT', '/sandbox/settings', { messaging_limit: 'TIER_UNLIMITED' });
const liftDailyLimit = () => database.sql('update portfolios set people_limit = -1');

/** Creates a campaign for these phone numbers. */
async function createFor(phones: string[], options: Json = {}, { key, inbox } = SENDER): Promise<Json> {
  const body = { name: 'Spring', inbox, steps: [{ template: HELLO }], ...options };
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', { key, body });
  const contacts = phones.map((phone) => ({ phone }));
  if (contacts.length > 0)
    await call(201, 'POST', `/v1/campaigns/${campaign._id}/enrollments`, { key, body: { contacts } });
  return campaign;
}
const start = ({ _id }: Json, key = demo.key) => call(201, 'POST', `/v1/campaigns/${_id}/start`, { key });
const read = async ({ _id }: Json, key = demo.key): Promise<Json> =>
  (await call(200, 'GET', `/v1/campaigns/${_id}`, { key })).body;
const awaitEnd = (campaign: Json, key = demo.key): Promise<unknown> =>
  waitUntil('the campaign to complete', async () => (await read(campaign, key)).status === 'COMPLETED');
const listEnrollments = async ({ _id }: Json): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/campaign-enrollments?campaign=${_id}&limit=100`)).body.result;
const listSent = async (phone: string): Promise<Json[]> => {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  return messages.filter(({ to }: Json) => to === phone);
};
const sendBulk = async (phone: string): Promise<Json> => {
  const parts = { inboxId: demo.inbox, templateName: HELLO.name, languageCode: HELLO.language };
  const form = { ...parts, contacts: JSON.stringify([{ phone }]), send_to_active_conversations: 'true' };
  return (await postForm(platform, [201, '/v1/messages/send-bulk-template'], form)).body;
};
const failNext = (code: number): Promise<unknown> =>
  platform.sandbox('PUT', '/sandbox/settings', { fail_status: { code, times: 1 } });

test('after the network has held a message back from a contact (131049), campaigns and bulk runs send the contact nothing for a day', async () => {
  const active = { send_to_active_conversations: true };
  const [byCampaign, byBulk] = [makePhoneNumber(), makePhoneNumber()];
  await failNext(131049);
  const first = await createFor([byCampaign], active);
  await start(first);
  await waitUntil('the message to fail', async () => (await listEnrollments(first))[0]?.status === 'FAILED');
  await awaitEnd(first);
  await failNext(131049);
  const run = await sendBulk(byBulk);
  const path = `/v1/messages/${run.sentContacts[0].message}`;
  await waitUntil('the message to fail', async () => (await call(200, 'GET', path)).body.status === 'FAILED');
  assert.equal((await sendBulk(byCampaign)).errors[0]?.code, 'NOT_DELIVERABLE');
  assert.equal((await sendBulk(byBulk)).errors[0]?.code, 'NOT_DELIVERABLE');
  const second = await createFor([byCampaign, byBulk], active);
  const { body: preview } = await call(200, 'GET', `/v1/campaigns/${second._id}/preview`);
  assert.deepEqual([preview.sendable, preview.skipped], [0, [{ reason: 'NOT_DELIVERABLE', count: 2, message: null }]]);
  await start(second);
  await awaitEnd(second);
  const reasons = (await listEnrollments(second)).map(({ skip_reason }) => skip_reason);
  assert.deepEqual(reasons, ['NOT_DELIVERABLE', 'NOT_DELIVERABLE']);
  for (const phone of [byCampaign, byBulk]) assert.equal((await listSent(phone)).length, 1);
  await database.sql(`update messages set failed_at = failed_at - interval '25 hours' where failed_at is not null`);
  const third = await createFor([byCampaign], active);
  await start(third);
  await awaitEnd(third);
  assert.equal((await listSent(byCampaign)).length, 2);
});

test("a campaign sends to the same one of a contact's numbers as a single message", async () => {
  const [shown, newer] = [makePhoneNumber(), makePhoneNumber()];
  const create = async (phone: string): Promise<string> =>
    (await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana', phone_number: `+${phone}` } })).body._id;
  const [contact, other] = [await create(shown), await create(newer)];
  await call(201, 'POST', `/v1/contacts/${contact}/merge`, { body: { contact: other } });
  const body = { inboxId: demo.inbox, contact, message: { template: HELLO } };
  await call(201, 'POST', '/v1/messages/send-template', { body });
  const campaign = await createFor([], { audience: { contacts: [contact] }, send_to_active_conversations: true });
  await start(campaign);
  await awaitEnd(campaign);
  assert.deepEqual([(await listSent(shown)).length, (await listSent(newer)).length], [2, 0]);
});

test('a bulk send answers a conversation whose snooze has ended, as a single message does', async () => {
  const phone = makePhoneNumber();
  const { conversationId } = (await sendBulk(phone)).sentContacts[0];
  await database.sql('update conversations set woken_at = now(), unread_count = 1 where _id = $1', [conversationId]);
  await sendBulk(phone);
  const shown = await database.sql('select woken_at, unread_count from conversations where _id = $1', [conversationId]);
  assert.deepEqual(shown, [{ woken_at: null, unread_count: 0 }]);
});

test('a message of a campaign that the network refuses because of a rate limit is sent again later, and only once', async () => {
  const phone = makePhoneNumber();
  const faults = [
    { code: 130429, times: 1 },
    { code: 131056, times: 1 },
  ];
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: faults } });
  const campaign = await createFor([phone]);
  await start(campaign);
  await awaitEnd(campaign);
  assert.equal((await listSent(phone)).length, 1);
  const [row] = await database.sql<{ refusals: number; messages: number }>(
    `select refusals, (select count(*)::int from messages m where m.enrollment_id = e._id) as messages
      from campaign_enrollments e where campaign_id = $1`,
    [campaign._id],
  );
  assert.deepEqual([row?.refusals, row?.messages], [2, 1]);
});

test('the campaign of a suspended company sends nothing, and goes on when the company is active again', async () => {
  const phones = Array.from({ length: 20 }, makePhoneNumber);
  const campaign = await createFor(phones, { messages_per_minute: 300 });
  const setStatus = (status: string) =>
    database.sql('update companies set status = $2 where _id = $1', [demo._id, status]);
  const look = async (): Promise<{ rests: boolean; called: number }> => {
    const [row] = await database.sql<{ rests: boolean; called: number }>(
      `select claimed_at is null and held_until > now() as rests,
        (select count(*)::int from campaign_sends s where s.campaign_id = c._id) as called from campaigns c where _id = $1`,
      [campaign._id],
    );
    return row ?? { rests: false, called: 0 };
  };
  await start(campaign);
  await waitUntil('a message to be sent', async () => (await look()).called > 0);
  await setStatus('SUSPENDED');
  try {
    await waitUntil('the campaign to rest', async () => (await look()).rests);
    const { called } = await look();
    assert.ok(called < phones.length, String(called));
    await database.sql('update campaigns set held_until = now() where _id = $1', [campaign._id]);
    await waitUntil('the campaign to rest again', async () => (await look()).rests);
    assert.equal((await look()).called, called);
  } finally {
    await setStatus('ACTIVE');
  }
  await database.sql('update campaigns set held_until = now() where _id = $1', [campaign._id]);
  await awaitEnd(campaign);
  assert.equal((await read(campaign)).totals.sent, phones.length);
});

test('with disable_inbound_ai the contacts of a campaign stay with its agent when they reply', async () => {
  const agent = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Agent')`, [demo._id, agent]);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { disable_inbound_ai: true } });
  const phone = makePhoneNumber();
  const campaign = await createFor([phone], { agent });
  await start(campaign);
  await awaitEnd(campaign);
  await platform.receive({ from: phone, text: 'Oi' });
  const enrollment = await waitUntil('the reply to be counted', async () =>
    (await listEnrollments(campaign)).find(({ status }) => status === 'REPLIED'),
  );
  const { body } = await call(200, 'GET', `/v1/conversations/${enrollment.conversation}`);
  assert.deepEqual([body.handled_by, body.agent], ['AI', agent]);
  const waiting = await database.sql('select 1 from pending_turns where conversation_id = $1', [body._id]);
  assert.equal(waiting.length, 1);
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { disable_inbound_ai: false } });
});

test('people whom a campaign has reached are in no queue of unassigned conversations until they reply', async () => {
  const phones = [makePhoneNumber(), makePhoneNumber()];
  const campaign = await createFor(phones);
  const readQueues = async (): Promise<Json> => (await call(200, 'GET', '/v1/conversations/counts')).body.queues;
  const listIds = async (query: string): Promise<string[]> =>
    (await call(200, 'GET', `/v1/conversations?open=true&snoozed=false&limit=100&${query}`)).body.result.map(
      ({ _id }: Json) => _id,
    );
  const before = await readQueues();
  await start(campaign);
  await awaitEnd(campaign);
  await platform.receive({ from: phones[1] ?? '', text: 'Oi' });
  const enrollments = await waitUntil('the reply to be counted', async () => {
    const all = await listEnrollments(campaign);
    return all.some(({ status }) => status === 'REPLIED') && all;
  });
  const findConversation = (hasReplied: boolean): string =>
    enrollments.find(({ status }) => (status === 'REPLIED') === hasReplied)?.conversation;
  const [silent, replied] = [findConversation(false), findConversation(true)];
  const [unassigned, reached] = [await listIds('owner=none&awaits_reply=false'), await listIds('awaits_reply=true')];
  assert.deepEqual([unassigned.includes(silent), unassigned.includes(replied)], [false, true]);
  assert.deepEqual([reached.includes(silent), reached.includes(replied)], [true, false]);
  const after = await readQueues();
  assert.deepEqual(
    [after.unassigned - before.unassigned, after.awaiting_reply - before.awaiting_reply, after.all - before.all],
    [1, 1, 2],
  );
  await call(200, 'PATCH', `/v1/conversations/${replied}`, { body: { status: 'SNOOZED' } });
  assert.equal((await listIds('owner=none')).includes(replied), false);
  assert.equal((await readQueues()).unassigned, before.unassigned);
});

test("while a large campaign sends, another company's campaign completes and single messages are sent", async () => {
  const many = 3_000;
  await database.sql(
    `with made as (
        insert into contacts (company_id, _id, name, phone_number, country_code, source, tags)
          select $1, new_id(), 'N' || n, '+55118' || (10000000 + n), 'BR', 'API', '{large}' from generate_series(1, $2::int) n
          returning _id, phone_number
      )
      insert into contact_identities (company_id, kind, value, contact_id, address)
        select $1, 'PHONE', substr(phone_number, 2), _id, substr(phone_number, 2) from made`,
    [demo._id, many],
  );
  const other = await platform.createCompany();
  const sender = await connectPhone(platform, { company: other });
  await waitUntilCopied(platform, sender.inbox);
  const large = await createFor([makePhoneNumber()], { audience: { tags: ['large'] }, messages_per_minute: 6_000 });
  const small = await createFor(Array.from({ length: 5 }, makePhoneNumber), {}, sender);
  await liftDailyLimit();
  await start(large);
  await waitUntil('the large campaign to send', async () => (await read(large)).totals.sent > 50);
  await start(small, other.key);
  await awaitEnd(small, other.key);
  const inbound = await platform.receive({ from: makePhoneNumber(), text: 'Oi' });
  // The event of the message waits behind those of the campaign.
  const stored = `select conversation_id as "conversationId" from messages where external_id = $1`;
  await waitUntil('the inbound message', async () => (await database.sql(stored, [inbound.id])).length > 0);
  const body = { ...(await database.sql(stored, [inbound.id]))[0], message: { content: 'Olá' } };
  const { body: message } = await call(201, 'POST', '/v1/messages/send-text', { body });
  await waitUntil('the single message to be sent', async () =>
    ['SENT', 'DELIVERED', 'READ'].includes((await call(200, 'GET', `/v1/messages/${message._id}`)).body.status),
  );
  const { totals, status } = await read(large);
  assert.equal(status, 'RUNNING');
  assert.ok(totals.sent < many, `the large campaign had sent ${totals.sent} of ${many} by then`);
  await call(201, 'POST', `/v1/campaigns/${large._id}/cancel`);
});

test('who watches a company sees the progress of its campaigns', async () => {
  await liftDailyLimit();
  const live = await openLive(platform);
  const campaign = await createFor([makePhoneNumber()]);
  await live.waitFor('campaign', ({ _id, status }) => _id === campaign._id && status === 'DRAFT');
  await start(campaign);
  const shown = await live.waitFor(
    'campaign',
    ({ _id, status, totals }) => _id === campaign._id && status === 'COMPLETED' && totals.sent === 1,
  );
  assert.deepEqual(shown, await read(campaign));
  const draft = await createFor([makePhoneNumber()]);
  await call(200, 'DELETE', `/v1/campaigns/${draft._id}`);
  await live.waitFor('removed', ({ event, _id }) => event === 'campaign' && _id === draft._id);
  await live.close();
});

test('a send that the network refuses does not move its conversation in the pipeline', async () => {
  const { body: pipeline } = await call(201, 'POST', '/v1/pipelines', {
    body: { name: 'Funnel', steps: [{ name: 'Contacted' }] },
  });
  const funnel_step = pipeline.steps[0]._id;
  const [taken, refused, lost] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  const faults = [
    { code: 131009, times: 1, to: refused },
    { kind: 'reset_after_accept', times: 1, to: lost },
  ];
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: faults } });
  const campaign = await createFor([taken, refused, lost], { steps: [{ template: HELLO, funnel_step }] });
  await start(campaign);
  await awaitEnd(campaign);
  await waitUntil('the calls to be settled', async () =>
    (await listEnrollments(campaign)).every(({ status }) =>
      ['SENT', 'DELIVERED', 'READ', 'COMPLETED', 'FAILED'].includes(status),
    ),
  );
  const readStep = async (phone: string): Promise<string | null> =>
    (await call(200, 'GET', `/v1/conversations?search=%2B${phone}`)).body.result[0].step;
  for (const phone of [taken, lost])
    await waitUntil('the conversation to move', async () => (await readStep(phone)) === funnel_step);
  assert.equal(await readStep(refused), null);
});

test('a contact who is known by a business-scoped id alone gets the messages of a campaign, and the preview says so', async () => {
  const phone = await connectPhone(platform);
  await waitUntilCopied(platform, phone.inbox);
  const bsuid = makeBsuid();
  const message = fillMessage({ from_user_id: bsuid });
  await (await openNetwork(platform)).post(200, buildNotification({ phone, value: { messages: [message] } }));
  const { contact } = await findStoredMessage(platform, phone, String(message['id']));
  const nameless = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Nobody' } })).body._id;
  const { body: campaign } = await call(201, 'POST', '/v1/campaigns', {
    body: {
      name: 'By id',
      inbox: phone.inbox,
      audience: { contacts: [contact, nameless] },
      send_to_active_conversations: true,
      steps: [{ template: HELLO }],
    },
  });
  for (const [test_numbers, sendable] of [
    [[bsuid], 1],
    [['+55 11 95555-0000'], 0],
  ] as const) {
    await call(200, 'PUT', `/v1/inboxes/${phone.inbox}`, { body: { test_mode: { enabled: true, test_numbers } } });
    const { body: preview } = await call(200, 'GET', `/v1/campaigns/${campaign._id}/preview`);
    assert.equal(preview.sendable, sendable);
  }
  await call(200, 'PUT', `/v1/inboxes/${phone.inbox}`, { body: { test_mode: { enabled: false, test_numbers: [] } } });
  await start(campaign);
  await awaitEnd(campaign);
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  const [sent, ...others] = messages.filter(({ to }: Json) => to === bsuid);
  assert.deepEqual([sent?.['body'].recipient, sent?.['body'].to, others], [bsuid, undefined, []]);
  const reasons = (await listEnrollments(campaign)).map(({ skip_reason }) => skip_reason);
  assert.deepEqual(new Set(reasons), new Set([null, 'INVALID_NUMBER']));
});
