/** Campaigns that run: who gets which message, what stops them, and what is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../platform/values/ids.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { reportStatuses, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
await waitUntilCopied(platform, demo.inbox);

const PATH = '/v1/campaigns';
const HELLO = { name: 'hello_world', language: 'pt_BR' };
const addContact = async (body: Json = {}): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { phone_number: makePhoneNumber(), ...body } })).body;

/** Creates contacts with a tag of their own, and a campaign for them. */
async function createFor(count: number, body: Json = {}): Promise<{ campaign: Json; contacts: Json[]; tag: string }> {
  const tag = `t${newId()}`;
  const contacts = await Promise.all(
    Array.from({ length: count }, (_, n) => addContact({ tags: [tag], name: `N${n}` })),
  );
  const { body: campaign } = await call(201, 'POST', PATH, {
    body: { name: 'Spring', inbox: demo.inbox, steps: [{ template: HELLO }], audience: { tags: [tag] }, ...body },
  });
  return { campaign, contacts, tag };
}
const act = (status: number, verb: string, { _id }: Json) => call(status, 'POST', `${PATH}/${_id}/${verb}`);
const read = async ({ _id }: Json): Promise<Json> => (await call(200, 'GET', `${PATH}/${_id}`)).body;
const analytics = async ({ _id }: Json): Promise<Json> => (await call(200, 'GET', `${PATH}/${_id}/analytics`)).body;
const enrollments = async ({ _id }: Json): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/campaign-enrollments?campaign=${_id}&limit=100&sort=createdAt`)).body.result;
const awaitStatus = (campaign: Json, status: string): Promise<Json> =>
  waitUntil(`the campaign to be ${status}`, async () => {
    const now = await read(campaign);
    return now.status === status ? now : null;
  });
const sentTo = async ({ phone_number }: Json): Promise<Json[]> => {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
  return messages.filter(({ to }: Json) => to === phone_number.replace('+', ''));
};

/** Changes the state of the template at the network, because each copy of the account's templates has the state that it has there. */
async function changeAtNetwork(status: 'PAUSED' | 'APPROVED'): Promise<void> {
  await platform.sandbox('PATCH', '/sandbox/templates', { waba_id: '200000000000001', ...HELLO, status, notify: true });
  await waitUntil('the platform to know it', async () => {
    const { body } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}/templates?name=${HELLO.name}`);
    return body.result.every((template: Json) => template.language !== HELLO.language || template.status === status);
  });
}

test('a campaign sends its template once to each contact of its audience, completes, and counts each contact once', async () => {
  const { campaign, contacts, tag } = await createFor(3);
  const optedOut = await addContact({ tags: [tag], opted_out: true });
  const started = (await act(201, 'start', campaign)).body;
  assert.equal(started.status, 'RUNNING');
  const done = await awaitStatus(campaign, 'COMPLETED');
  assert.ok(done.started_at && done.completed_at);
  for (const contact of contacts) assert.equal((await sentTo(contact)).length, 1);
  assert.deepEqual(await sentTo(optedOut), []);
  const list = await enrollments(campaign);
  assert.equal(list.length, 4);
  const skipped = list.find(({ contact }) => contact === optedOut._id);
  assert.deepEqual([skipped?.status, skipped?.skip_reason], ['SKIPPED', 'OPTED_OUT']);
  const first = list.find(({ contact }) => contact === contacts[0]?._id);
  const { body: message } = await call(200, 'GET', `/v1/messages/${first?.message}`);
  assert.deepEqual([message.origin, message.campaign, message.enrollment], ['CAMPAIGN', campaign._id, first?._id]);
  const { body: conversation } = await call(200, 'GET', `/v1/conversations/${first?.conversation}`);
  assert.deepEqual([conversation.campaign, conversation.enrollment], [campaign._id, first?._id]);
  await waitUntil('the contacts to have read', async () => (await analytics(campaign)).read === 3);
  const { total_contacts, pending, sent, delivered, failed, ...rest } = await analytics(campaign);
  assert.deepEqual([total_contacts, pending, sent, delivered, failed, rest.skipped], [4, 0, 3, 3, 0, 1]);
  assert.deepEqual([rest.delivery_rate, rest.skip_reasons], [1, [{ reason: 'OPTED_OUT', count: 1 }]]);
  assert.deepEqual((await read(campaign)).totals, { enrolled: 4, sent: 3, failed: 0 });
});

/** Lets the sandbox hold every template back while `work` runs, and report nothing. */
async function holdingBack<T>(work: () => Promise<T>): Promise<T> {
  await silenceNetwork(platform);
  await platform.sandbox('PUT', '/sandbox/settings', { template_message_status: 'held_for_quality_assessment' });
  try {
    return await work();
  } finally {
    await platform.sandbox('PUT', '/sandbox/settings', {
      template_message_status: 'accepted',
      status_delays_ms: { sent: 50, delivered: 200, read: 600 },
    });
  }
}

test('a message that the network holds back counts as pending until the network sends it, and one that it drops as failed alone', async () => {
  const { campaign } = await createFor(2);
  const done = await holdingBack(async () => {
    await act(201, 'start', campaign);
    return awaitStatus(campaign, 'COMPLETED');
  });
  assert.deepEqual(done.totals, { enrolled: 2, sent: 0, failed: 0 });
  const counts = async (): Promise<Json> => {
    const { pending, sent, delivered, failed } = await analytics(campaign);
    return { pending, sent, delivered, failed };
  };
  assert.deepEqual(await counts(), { pending: 2, sent: 0, delivered: 0, failed: 0 });
  const [first, second] = await Promise.all(
    (await enrollments(campaign)).map(async ({ message }) => (await call(200, 'GET', `/v1/messages/${message}`)).body),
  );
  assert.deepEqual([first.status, first.sent_at], ['SENT', null]);
  await reportStatuses(platform, { id: first.external_id, status: 'sent' });
  assert.deepEqual(await counts(), { pending: 1, sent: 1, delivered: 0, failed: 0 });
  const errors = [{ code: 131_049, title: 'Not delivered' }];
  await reportStatuses(
    platform,
    { id: first.external_id, status: 'delivered' },
    { id: second.external_id, status: 'failed', errors },
  );
  assert.deepEqual(await counts(), { pending: 0, sent: 1, delivered: 1, failed: 1 });
});

test('a message whose outcome no one knows is counted as such, and stays pending', async () => {
  const { campaign } = await createFor(2);
  await holdingBack(async () => {
    await act(201, 'start', campaign);
    await awaitStatus(campaign, 'COMPLETED');
  });
  const [one] = await enrollments(campaign);
  await database.sql(
    `update messages set status = 'QUEUED', created_at = now() - interval '2 minutes' where _id = $1`,
    [one?.['message']],
  );
  const { pending, unknown } = await analytics(campaign);
  assert.deepEqual([pending, unknown], [2, 1]);
});

test('a template sent by itself that the network holds back is SENT without sent_at', async () => {
  const body = { inboxId: demo.inbox, phone: `+${makePhoneNumber()}`, message: { template: HELLO } };
  const sent = (await holdingBack(() => call(201, 'POST', '/v1/messages/send-template', { body }))).body;
  assert.deepEqual([sent.status, sent.sent_at], ['SENT', null]);
});

test('a paused campaign soon sends nothing more, and sends the rest when it is resumed', async () => {
  const { campaign, contacts } = await createFor(40, { messages_per_minute: 300 });
  const countSent = async (): Promise<number> => {
    const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
    const numbers = new Set(contacts.map(({ phone_number }) => phone_number.replace('+', '')));
    return messages.filter(({ to }: Json) => numbers.has(to)).length;
  };
  await act(201, 'start', campaign);
  await waitUntil('messages to arrive', async () => (await countSent()) >= 3);
  const paused = (await act(201, 'pause', campaign)).body;
  assert.deepEqual([paused.status, paused.pause_reason], ['PAUSED', 'USER']);
  assert.equal((await act(201, 'pause', campaign)).body.paused_at, paused.paused_at);
  // Five messages a second would be sent.
  const before = await waitUntil('the last messages on their way', async () => {
    const some = await countSent();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return (await countSent()) === some && some;
  });
  assert.ok(before < contacts.length, String(before));
  expectProblem(await act(409, 'start', campaign), 'CAMPAIGN_STATE');
  assert.equal((await act(201, 'resume', campaign)).body.status, 'RUNNING');
  await awaitStatus(campaign, 'COMPLETED');
  assert.equal(await countSent(), contacts.length);
  expectProblem(await act(409, 'pause', campaign), 'CAMPAIGN_STATE');
});

test('a cancelled campaign sends nothing more, and its waiting contacts are CANCELLED', async () => {
  const { campaign, contacts } = await createFor(20, { messages_per_minute: 60 });
  await act(201, 'start', campaign);
  await waitUntil('a message to be sent', async () => (await read(campaign)).totals.sent > 0);
  assert.equal((await act(201, 'cancel', campaign)).body.status, 'CANCELLED');
  await waitUntil('the rest to be cancelled', async () => (await analytics(campaign)).pending === 0);
  const { cancelled, sent } = await analytics(campaign);
  assert.equal(cancelled + sent, contacts.length);
  assert.ok(cancelled > 0 && sent > 0);
});

test('the values of a message are those that the contact had when the campaign began', async () => {
  const parameters = [{ variable_ref: 'contact.name' }, { text: '7' }];
  const template = { name: 'order_update', language: 'pt_BR', components: [{ parameters }] };
  const { campaign, contacts } = await createFor(1, { steps: [{ delay_minutes: 1, template }] });
  await act(201, 'start', campaign);
  const enrolled = await waitUntil('the contact to be enrolled', async () => (await enrollments(campaign))[0]);
  await call(200, 'PATCH', `/v1/contacts/${contacts[0]?._id}`, { body: { name: 'Later' } });
  await database.sql('update campaign_enrollments set next_run_at = now() where _id = $1', [enrolled._id]);
  await database.sql('update campaigns set held_until = now() where _id = $1 and claimed_at is null', [campaign._id]);
  await awaitStatus(campaign, 'COMPLETED');
  const [{ message }] = (await enrollments(campaign)) as [Json];
  const { content } = (await call(200, 'GET', `/v1/messages/${message}`)).body;
  assert.match(content, /N0/);
  assert.doesNotMatch(content, /Later/);
});

/** Makes the next step of all enrollments due. */
async function hurry({ _id }: Json): Promise<void> {
  await database.sql(
    'update campaign_enrollments set next_run_at = now() where campaign_id = $1 and next_run_at is not null',
    [_id],
  );
  await database.sql(
    'update campaigns set held_until = now() where _id = $1 and claimed_at is null and held_until is not null',
    [_id],
  );
}

test('a sequence goes on while the network holds the message of a step back', async () => {
  const { campaign, contacts } = await createFor(1, {
    steps: [{ template: HELLO }, { template: HELLO, delay_minutes: 60 }],
  });
  await holdingBack(async () => {
    await act(201, 'start', campaign);
    await waitUntil('the first step to be taken', async () => (await sentTo(contacts[0] ?? {})).length === 1);
    await waitUntil('the next step', async () => (await enrollments(campaign))[0]?.current_step === 1);
    await hurry(campaign);
    await awaitStatus(campaign, 'COMPLETED');
  });
  assert.equal((await sentTo(contacts[0] ?? {})).length, 2);
});

test('a sequence goes on after its delay, moves the conversation in the pipeline, and stops for a contact who has replied', async () => {
  const { body: pipeline } = await call(201, 'POST', '/v1/pipelines', {
    body: { name: 'Funnel', steps: [{ name: 'Contacted' }, { name: 'Reminded' }] },
  });
  const [contacted, reminded] = pipeline.steps;
  const steps = [
    { template: HELLO, funnel_step: contacted._id },
    { template: HELLO, delay_minutes: 60, funnel_step: reminded._id },
  ];
  const { campaign, contacts } = await createFor(2, { steps });
  const [silent, talker] = contacts as [Json, Json];
  await act(201, 'start', campaign);
  await waitUntil('the first step to be sent', async () => (await analytics(campaign)).sent === 2);
  assert.equal((await read(campaign)).status, 'RUNNING');
  await platform.receive({ from: talker.phone_number.replace('+', ''), text: 'Oi' });
  await waitUntil('the reply to be counted', async () => (await analytics(campaign)).replied === 1);
  await hurry(campaign);
  await awaitStatus(campaign, 'COMPLETED');
  assert.deepEqual([(await sentTo(silent)).length, (await sentTo(talker)).length], [2, 1]);
  const list = await enrollments(campaign);
  const states = new Map(list.map(({ contact, status, current_step }) => [contact, [status, current_step]]));
  await waitUntil('the last step to be settled', async () =>
    (await enrollments(campaign)).some(({ contact, status }) => contact === silent._id && status === 'COMPLETED'),
  );
  assert.equal(states.get(talker._id)?.[0], 'REPLIED');
  const { steps: counted, replied, reply_rate } = await analytics(campaign);
  assert.deepEqual([counted[0].sent, counted[1].sent, counted[0].replied, replied, reply_rate], [2, 1, 1, 1, 0.5]);
  const conversation = list.find(({ contact }) => contact === silent._id)?.conversation;
  const moves = await platform.deliveries(
    ({ body: { event, data } }) => event === 'CONVERSATION_STEP_CHANGED' && data.conversationId === conversation,
    2,
  );
  const shown = moves.map(({ body: { data } }) => [
    data.previousStep?.name ?? null,
    data.currentStep.name,
    data.origin,
    data.campaignId,
  ]);
  assert.deepEqual(shown, [
    [null, 'Contacted', 'CAMPAIGN', campaign._id],
    ['Contacted', 'Reminded', 'CAMPAIGN', campaign._id],
  ]);
});

test('a campaign of which too many messages fail pauses with ERROR_RATE, and its failures are counted by cause', async () => {
  const { campaign } = await createFor(30, { error_threshold: 30, messages_per_minute: 1_200 });
  await platform.sandbox('PUT', '/sandbox/settings', { fail_status: { code: 131026, times: 30 } });
  await act(201, 'start', campaign);
  const { pause_reason } = await awaitStatus(campaign, 'PAUSED');
  await platform.sandbox('PUT', '/sandbox/settings', { fail_status: null });
  assert.equal(pause_reason, 'ERROR_RATE');
  const { failures, failed } = await analytics(campaign);
  assert.equal(failures[0].code, 131026);
  const bad = (await enrollments(campaign)).find(({ status }) => status === 'FAILED');
  assert.equal(bad?.['failure_reason'].code, 131026);
  assert.ok(failed >= 6, String(failed));
});

test('a campaign takes its audience in at its start, and waits for its sending hours, even when these change meanwhile', async () => {
  const day = ((new Date().getUTCDay() + 2) % 7) + 1;
  const { campaign, contacts } = await createFor(1, {
    sending_hours: { from: '10:00', to: '11:00', days: [day] },
    time_zone: 'UTC',
  });
  await act(201, 'start', campaign);
  await waitUntil('the campaign to rest', async () => {
    const [row] = await database.sql<{ rests: boolean }>(
      `select claimed_at is null and held_until > now() + interval '1 hour' as rests from campaigns where _id = $1`,
      [campaign._id],
    );
    return row?.rests;
  });
  assert.deepEqual([await sentTo(contacts[0]), (await analytics(campaign)).total_contacts], [[], 1]);
  await call(200, 'PATCH', `${PATH}/${campaign._id}`, { body: { sending_hours: null } });
  await awaitStatus(campaign, 'COMPLETED');
  assert.equal((await sentTo(contacts[0])).length, 1);
});

test('a scheduled campaign waits for its time', async () => {
  const later = await createFor(1, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  assert.equal((await act(201, 'start', later.campaign)).body.status, 'SCHEDULED');
  await database.sql('update campaigns set held_until = now() where _id = $1', [later.campaign._id]);
  await awaitStatus(later.campaign, 'COMPLETED');
  assert.equal((await sentTo(later.contacts[0])).length, 1);
});

async function pauseByTemplate(
  refusal: string,
  spoil: () => Promise<unknown>,
  mend: () => Promise<unknown>,
): Promise<void> {
  const { campaign } = await createFor(2, { messages_per_minute: 1 });
  await act(201, 'start', campaign);
  await waitUntil('the first message to be sent', async () => (await read(campaign)).totals.sent === 1);
  await spoil();
  await waitUntil('the campaign to look at its template', async () => {
    // A turn that has begun before goes on, and the campaign then rests for a minute.
    await database.sql(
      'update campaigns set held_until = now() where _id = $1 and claimed_at is null and status = $2',
      [campaign._id, 'RUNNING'],
    );
    return (await read(campaign)).status === 'PAUSED';
  });
  const { pause_reason } = await read(campaign);
  const refused = await act(400, 'resume', campaign);
  await mend();
  expectProblem(refused, refusal);
  assert.equal(pause_reason, 'TEMPLATE');
}

test('a template that the network has paused lets the campaign pause with TEMPLATE', () =>
  pauseByTemplate(
    'TEMPLATE_NOT_SENDABLE',
    () => changeAtNetwork('PAUSED'),
    () => changeAtNetwork('APPROVED'),
  ));

test('a template that got a variable for which the campaign has no value lets it pause with TEMPLATE', async () => {
  const path = `/v1/inboxes/${demo.inbox}/templates`;
  const { body } = await call(200, 'GET', `${path}?name=${HELLO.name}&language=${HELLO.language}`);
  const { components } = body.result[0];
  const write = (contents: Json): Promise<unknown> =>
    call(200, 'PUT', `${path}/${HELLO.name}`, { body: { language: HELLO.language, components: contents } });
  const asked = { type: 'BODY', text: 'Hello {{1}}, welcome', example: { body_text: [['Ana']] } };
  await pauseByTemplate(
    'VALIDATION_FAILED',
    () => write([asked]),
    () => write(components),
  );
});

test('a campaign that has reached the daily limit of the business pauses with NETWORK_LIMIT and goes on by itself', async () => {
  const { campaign } = await createFor(3);
  await database.sql('update portfolios set people_limit = 1');
  await database.sql('delete from portfolio_minutes');
  await database.sql('delete from portfolio_people');
  await act(201, 'start', campaign);
  const { pause_reason } = await awaitStatus(campaign, 'PAUSED');
  assert.equal(pause_reason, 'NETWORK_LIMIT');
  await waitUntil('the message within the limit', async () => (await read(campaign)).totals.sent === 1);
  await database.sql('update portfolios set people_limit = -1');
  await database.sql('update campaigns set held_until = now() where _id = $1', [campaign._id]);
  await awaitStatus(campaign, 'COMPLETED');
  assert.equal((await read(campaign)).totals.sent, 3);
});

test('a contact that is erased gets nothing more and stays in the counters, and one that is merged hands its place on', async () => {
  const { campaign, contacts } = await createFor(3, { steps: [{ template: HELLO, delay_minutes: 60 }] });
  const [erased, source, stays] = contacts as [Json, Json, Json];
  const target = await addContact();
  await act(201, 'start', campaign);
  await waitUntil('the contacts to be enrolled', async () => (await enrollments(campaign)).length === 3);
  await call(200, 'DELETE', `/v1/contacts/${erased._id}`);
  await call(201, 'POST', `/v1/contacts/${target._id}/merge`, { body: { contact: source._id } });
  await hurry(campaign);
  await awaitStatus(campaign, 'COMPLETED');
  assert.deepEqual(await sentTo(erased), []);
  assert.equal((await sentTo(stays)).length, 1);
  assert.equal((await sentTo(source)).length + (await sentTo(target)).length, 1);
  const { total_contacts, sent, cancelled } = await analytics(campaign);
  assert.deepEqual([total_contacts, sent, cancelled], [3, 2, 1]);
  const named = (await enrollments(campaign)).map(({ contact }) => contact);
  assert.deepEqual(new Set(named), new Set([null, target._id, stays._id]));
});
