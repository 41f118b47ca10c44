import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, readEvents, writeAsContact, sendText, silenceNetwork } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const conversationPath = (id: string): string => `/v1/conversations/${id}`;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', conversationPath(id))).body;
const patch = (status: number, id: string, body: Json, key = demo.key) =>
  call(status, 'PATCH', conversationPath(id), { key, body });
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Creates a conversation by an incoming message, after whose events the test starts. */
async function start(): Promise<Json> {
  return (await writeAsContact(platform)).conversation;
}

/** Returns the events of a conversation that follow CONVERSATION_CREATED. */
const listEvents = async (id: string): Promise<{ event: string; data: Json }[]> =>
  (await readEvents(platform, id)).filter(({ event }) => event !== 'CONVERSATION_CREATED');

async function createAgent(company = demo._id): Promise<string> {
  const id = newId();
  await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'x')`, [company, id]);
  return id;
}

async function createPipeline(key = demo.key): Promise<Json> {
  const body = { name: 'Sales', steps: [{ name: 'New' }, { name: 'Offer' }, { name: 'Won', kind: 'WON' }] };
  return (await call(201, 'POST', '/v1/pipelines', { key, body })).body;
}

async function createField(body: Json): Promise<Json> {
  const asked = { title: `Field ${newId()}`, context: 'conversation', type: 'TEXT', ...body };
  return (await call(201, 'POST', '/v1/custom-fields', { body: asked })).body;
}

test('each field of a conversation that a caller writes is stored, and CONVERSATION_UPDATED has the format of the GET', async () => {
  const { _id } = await start();
  const [user, agent] = [await platform.createUser(demo._id, 'OPERATOR'), await createAgent()];
  const steps: Json[] = [
    { status: 'PENDING' },
    { owner: user._id },
    { attendant: user._id },
    { agent },
    { handled_by: 'HUMAN' },
    { handled_by: 'AI' },
    { tags: ['vip', 'São Paulo'] },
    { status: 'OPEN', owner: null, attendant: null, agent: null, handled_by: 'NONE', tags: [] },
  ];
  for (const [index, change] of steps.entries()) {
    const before = await read(_id);
    const { body } = await patch(200, _id, change);
    assert.deepEqual({ ...body, updatedAt: 0 }, { ...before, ...change, updatedAt: 0 });
    assert.ok(body.updatedAt > before.updatedAt);
    assert.deepEqual(await read(_id), body);
    const events = await listEvents(_id);
    assert.equal(events.length, index + 1);
    assert.deepEqual(events.at(-1), { event: 'CONVERSATION_UPDATED', data: body });
  }
});

test('a change that changes nothing emits nothing and keeps all times of the conversation', async () => {
  const { _id } = await start();
  const { steps } = await createPipeline();
  const field = await createField({});
  const change = {
    status: 'SNOOZED',
    snoozed_until: inAnHour(),
    tags: ['a', 'b'],
    step: steps[0]._id,
    custom_fields: { [field.slug]: 'x' },
  };
  const { body } = await patch(200, _id, change);
  const events = await listEventNames(platform, _id);
  assert.deepEqual((await patch(200, _id, change)).body, body);
  const elsewhere = change.snoozed_until.replace('Z', '+00:00');
  for (const same of [{}, { snoozed_until: elsewhere }, { step: steps[0]._id }, { custom_fields: {} }]) {
    assert.deepEqual((await patch(200, _id, same)).body, body);
  }
  assert.deepEqual(
    (await call(200, 'PUT', `${conversationPath(_id)}/step`, { body: { step: steps[0]._id } })).body,
    body,
  );
  assert.deepEqual(await listEventNames(platform, _id), events);
});

test('closing a conversation sets closed_at once, and opening it again clears it', async () => {
  const { _id } = await start();
  const closed = (await patch(200, _id, { status: 'CLOSED' })).body;
  assert.ok(Math.abs(Date.parse(closed.closed_at) - Date.now()) < 60_000);
  assert.equal((await patch(200, _id, { status: 'CLOSED', tags: ['x'] })).body.closed_at, closed.closed_at);
  const opened = (await patch(200, _id, { status: 'OPEN' })).body;
  assert.deepEqual([opened.status, opened.closed_at], ['OPEN', null]);
});

test('opening a closed conversation while another one is open is answered 409 with its id; nothing is changed or emitted', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  await patch(200, conversation._id, { status: 'CLOSED' });
  const body = { inbox: demo.inbox, contact: contact._id };
  const second = (await call(201, 'POST', '/v1/conversations', { body })).body;
  const before = [await read(conversation._id), await listEvents(conversation._id)];
  for (const status of ['OPEN', 'PENDING', 'SNOOZED']) {
    const refused = await patch(409, conversation._id, { status, tags: ['x'] });
    expectProblem(refused, 'CONVERSATION_OPEN', 'status');
    assert.equal(refused.body.existing_id, second._id);
  }
  assert.deepEqual([await read(conversation._id), await listEvents(conversation._id)], before);
});

test('a reopened conversation has the reply window that the contact opened in a later conversation', async () => {
  const first = await writeAsContact(platform);
  await database.sql('update conversations set window_expires_at = now() where _id = $1', [first.conversation._id]);
  await patch(200, first.conversation._id, { status: 'CLOSED' });
  const second = await writeAsContact(platform, { from: first.contact.phone_number.slice(1) });
  await patch(200, second.conversation._id, { status: 'CLOSED' });
  const { body } = await patch(200, first.conversation._id, { status: 'OPEN' });
  assert.equal(body.window_expires_at, second.conversation.window_expires_at);
  assert.deepEqual((await listEvents(body._id)).at(-1)?.data, body);
  assert.equal((await sendText(platform, body._id)).status, 'SENT');
  // A conversation that is already open keeps its own reply window.
  const { body: pending } = await patch(200, body._id, { status: 'PENDING' });
  assert.equal(pending.window_expires_at, body.window_expires_at);
});

test('a closed conversation that is reopened while the contact writes ends with exactly one open conversation', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { conversation, contact } = await writeAsContact(platform);
    await patch(200, conversation._id, { status: 'CLOSED' });
    await Promise.all([
      platform.receive({ from: contact.phone_number.slice(1), text: 'Oi' }),
      fetch(platform.url + conversationPath(conversation._id), {
        method: 'PATCH',
        headers: { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' },
        body: '{"status":"OPEN"}',
      }).then((answer) => assert.ok([200, 409].includes(answer.status), `${answer.status}`)),
    ]);
    const [row] = await database.sql<{ open: number; messages: number }>(
      `select (select count(*)::int from conversations where contact_id = $1 and status <> 'CLOSED') as open,
        (select count(*)::int from messages m join conversations v on v._id = m.conversation_id where v.contact_id = $1) as messages`,
      [contact._id],
    );
    assert.deepEqual(row, { open: 1, messages: 2 });
  }
});

test('a snooze ends by itself at its time, with an event', async () => {
  const { _id } = await start();
  const ending = new Date(Date.now() + 4_000).toISOString();
  const snoozed = (await patch(200, _id, { status: 'SNOOZED', snoozed_until: ending })).body;
  assert.deepEqual([snoozed.status, snoozed.snoozed_until], ['SNOOZED', ending]);
  const woken = await waitUntil('the conversation to open', async () => {
    const body = await read(_id);
    return body.status === 'OPEN' && body;
  });
  assert.ok(Date.now() >= Date.parse(ending), 'not before its time');
  assert.equal(woken.snoozed_until, null);
  assert.ok(woken.woken_at >= ending, 'it is marked as back');
  const events = await listEvents(_id);
  assert.deepEqual(events.at(-1), { event: 'CONVERSATION_UPDATED', data: woken });
  assert.equal(events.length, 2);
  await call(200, 'PUT', `/v1/conversations/${_id}/read`);
  assert.equal((await read(_id)).woken_at, null);
});

test('a snooze whose end is changed opens the conversation at the last end only, and never a conversation that was closed meanwhile', async () => {
  const [prolonged, closed] = [await start(), await start()];
  const soon = new Date(Date.now() + 4_000).toISOString();
  for (const { _id } of [prolonged, closed]) await patch(200, _id, { status: 'SNOOZED', snoozed_until: soon });
  const later = inAnHour();
  await patch(200, prolonged._id, { snoozed_until: later });
  await patch(200, closed._id, { status: 'CLOSED' });
  await waitUntil('both jobs to be through', async () => {
    const jobs = await database.sql(
      `select 1 from pgboss.job where name = 'conversations.wake' and state <> 'completed' and data ->> 'until' = $1`,
      [soon],
    );
    return jobs.length === 0;
  });
  const kept = await read(prolonged._id);
  assert.deepEqual([kept.status, kept.snoozed_until], ['SNOOZED', later]);
  assert.deepEqual([(await read(closed._id)).status, (await read(closed._id)).snoozed_until], ['CLOSED', null]);
});

test('a snooze without an end lasts until the contact writes', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  const { body } = await patch(200, conversation._id, { status: 'SNOOZED' });
  assert.equal(body.snoozed_until, null);
  await platform.receive({ from: contact.phone_number.slice(1), text: 'Oi' });
  assert.equal((await read(conversation._id)).status, 'OPEN');
});

test('a snooze that would end in the past, or of a conversation that is not SNOOZED, is 400', async () => {
  const { _id } = await start();
  const past = new Date(Date.now() - 1_000).toISOString();
  for (const body of [{ status: 'SNOOZED', snoozed_until: past }, { snoozed_until: inAnHour() }]) {
    expectProblem(await patch(400, _id, body), 'VALIDATION_FAILED', 'snoozed_until');
  }
  expectProblem(
    await patch(400, _id, { status: 'CLOSED', snoozed_until: inAnHour() }),
    'VALIDATION_FAILED',
    'snoozed_until',
  );
});

test('a conversation is handled by AI only with an agent, else the request is answered 400; removing the agent sets the handler to NONE', async () => {
  const { _id } = await start();
  expectProblem(await patch(400, _id, { handled_by: 'AI' }), 'VALIDATION_FAILED', 'handled_by');
  const agent = await createAgent();
  assert.equal((await patch(200, _id, { agent })).body.handled_by, 'NONE');
  assert.equal((await patch(200, _id, { handled_by: 'AI' })).body.handled_by, 'AI');
  const { body } = await patch(200, _id, { agent: null });
  assert.deepEqual([body.agent, body.handled_by], [null, 'NONE']);
});

test('a step changed by PATCH emits CONVERSATION_UPDATED and CONVERSATION_STEP_CHANGED; a step changed by PUT emits only CONVERSATION_STEP_CHANGED', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  const { _id } = conversation;
  const { _id: pipeline, steps } = await createPipeline();
  const [first, second] = steps;
  const moved = (await patch(200, _id, { step: first._id })).body;
  assert.deepEqual([moved.step, moved.pipeline], [first._id, pipeline]);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const put = (await call(200, 'PUT', `${conversationPath(_id)}/step`, { key: user.token, body: { step: second._id } }))
    .body;
  assert.deepEqual({ ...put, updatedAt: 0 }, { ...moved, step: second._id, updatedAt: 0 });
  const events = await listEvents(_id);
  const names = ['CONVERSATION_UPDATED', 'CONVERSATION_STEP_CHANGED', 'CONVERSATION_STEP_CHANGED'];
  assert.deepEqual(
    events.map(({ event }) => event),
    names,
  );
  const described = events
    .slice(1)
    .map(({ data: { changedAt, ...data } }) => (assert.match(changedAt, /^\d.*Z$/), data));
  const common = { conversationId: _id, contactId: contact._id, companyId: demo._id, pipeline, campaignId: null };
  const shownStep = (step: Json) => ({ _id: step._id, name: step.name });
  assert.deepEqual(described, [
    { ...common, previousStep: null, currentStep: shownStep(first), origin: 'API', userId: null },
    {
      ...common,
      previousStep: shownStep(first),
      currentStep: shownStep(second),
      origin: 'DASHBOARD',
      userId: user._id,
    },
  ]);
});

test('clearing the step also clears the pipeline and emits CONVERSATION_UPDATED without a step change', async () => {
  const { _id } = await start();
  const { steps } = await createPipeline();
  await call(200, 'PUT', `${conversationPath(_id)}/step`, { body: { step: steps[0]._id } });
  const { body } = await patch(200, _id, { step: null });
  assert.deepEqual([body.step, body.pipeline], [null, null]);
  const events = (await listEvents(_id)).map(({ event }) => event);
  assert.deepEqual(events, ['CONVERSATION_STEP_CHANGED', 'CONVERSATION_UPDATED']);
  await call(400, 'PUT', `${conversationPath(_id)}/step`, { body: { step: null } });
});

test('a custom field of a conversation that really changes emits FIELD_UPDATED with the conversation', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  const { _id } = conversation;
  const [score, done] = [await createField({ type: 'NUMBER' }), await createField({ type: 'BOOLEAN' })];
  const { body } = await patch(200, _id, { custom_fields: { [score._id]: 4.5, [done.slug]: true } });
  const shown = [score, done].map(({ _id: field, slug, title }, index) => ({
    _id: field,
    slug,
    title,
    value: [4.5, true][index],
  }));
  assert.deepEqual(new Set(body.custom_fields), new Set(shown));
  await patch(200, _id, { custom_fields: { [score.slug]: null, [done.slug]: true } });
  const events = await listEvents(_id);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['CONVERSATION_UPDATED', 'FIELD_UPDATED', 'FIELD_UPDATED', 'CONVERSATION_UPDATED', 'FIELD_UPDATED'],
  );
  const field = { _id: score._id, slug: score.slug, title: score.title, context: 'conversation' };
  const around = { contactId: contact._id, companyId: demo._id, conversationId: _id };
  assert.deepEqual(events[4]?.data, { field, value: null, ...around });
  const wrong = await createField({ context: 'contact' });
  expectProblem(
    await patch(400, _id, { custom_fields: { [wrong.slug]: 'x' } }),
    'UNKNOWN_REFERENCE',
    `custom_fields.${wrong.slug}`,
  );
  expectProblem(
    await patch(400, _id, { custom_fields: { [score.slug]: 'x' } }),
    'VALIDATION_FAILED',
    `custom_fields.${score.slug}`,
  );
});

test('changes of a conversation at the same moment are all stored, and each real change has its event', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const { _id } = await start();
  const fields = await Promise.all(Array.from({ length: 4 }, () => createField({ type: 'NUMBER' })));
  const { steps } = await createPipeline();
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const values = fields.map(() => Math.floor(random() * 1_000));
  const changes: Json[] = [
    { owner: user._id },
    { attendant: user._id },
    { tags: ['a'] },
    { status: 'PENDING' },
    { step: steps[1]._id },
    ...fields.map((field, index) => ({ custom_fields: { [field.slug]: values[index] } })),
  ];
  await Promise.all(changes.toSorted(() => random() - 0.5).map((change) => patch(200, _id, change)));
  const after = await read(_id);
  assert.deepEqual(
    [after.owner, after.attendant, after.tags, after.status, after.step],
    [user._id, user._id, ['a'], 'PENDING', steps[1]._id],
  );
  const held = new Map(after.custom_fields.map((field: Json) => [field._id, field.value]));
  assert.deepEqual(
    fields.map((field) => held.get(field._id)),
    values,
  );
  const names = (await listEvents(_id)).map(({ event }) => event);
  assert.equal(names.filter((name) => name === 'CONVERSATION_UPDATED').length, changes.length);
  assert.equal(names.filter((name) => name === 'FIELD_UPDATED').length, fields.length);
});

test('a change of a conversation and a message in it at the same moment are both stored', async () => {
  const { conversation, contact } = await writeAsContact(platform);
  const from = contact.phone_number.slice(1);
  await Promise.all([
    ...Array.from({ length: 5 }, (_, index) => platform.receive({ from, text: `${index}` })),
    ...Array.from({ length: 5 }, (_, index) => patch(200, conversation._id, { tags: [`t${index}`] })),
  ]);
  const after = await read(conversation._id);
  assert.deepEqual([after.unread_count, after.tags.length], [6, 1]);
});

test('a change of a conversation with the id of an unknown record or of another company is answered 400 with the path of the field, and nothing is changed', async () => {
  const { _id } = await start();
  const other = await platform.createCompany();
  const user = (await platform.createUser(other._id, 'OWNER'))._id;
  const theirs = {
    owner: user,
    attendant: user,
    agent: await createAgent(other._id),
    step: (await createPipeline(other.key)).steps[0]._id,
  };
  const before = await read(_id);
  for (const [field, id] of Object.entries(theirs)) {
    for (const value of [id, newId()]) {
      expectProblem(await patch(400, _id, { [field]: value, tags: ['x'] }), 'UNKNOWN_REFERENCE', field);
    }
  }
  for (const step of [theirs.step, newId()]) {
    expectProblem(
      await call(400, 'PUT', `${conversationPath(_id)}/step`, { body: { step } }),
      'UNKNOWN_REFERENCE',
      'step',
    );
  }
  assert.deepEqual(await read(_id), before);
});

test("a change of another company's conversation gets the same bytes as a change of an unknown one, and changes nothing", async () => {
  const conversation = await start();
  const other = await platform.createCompany();
  const [step] = (await createPipeline(other.key)).steps;
  for (const [method, suffix, body] of [
    ['PATCH', '', { tags: ['x'] }],
    ['PATCH', '', { step: step._id }],
    ['PUT', '/step', { step: step._id }],
  ] as const) {
    const [a, b] = await Promise.all(
      [conversation._id, newId()].map(async (id) => {
        const answer = await call(404, method, conversationPath(id) + suffix, { key: other.key, body });
        return { ...answer.body, request_id: '' };
      }),
    );
    assert.deepEqual(a, b);
  }
  assert.deepEqual(await read(conversation._id), conversation);
});

test('a read-only or unknown property of a conversation is answered 400', async () => {
  const { _id } = await start();
  for (const name of ['contact', 'inbox', 'pipeline', 'unread_count', 'closed_at', 'surprise']) {
    expectProblem(await patch(400, _id, { [name]: newId() }), 'VALIDATION_FAILED', name);
  }
});

test('changing and moving a conversation refuse callers without a token or the scope, and malformed requests', async () => {
  const { _id } = await start();
  const scope = 'conversations:update';
  const { steps } = await createPipeline();
  await checkRefusals(platform, { method: 'PATCH', path: conversationPath(_id), scope, body: { tags: [] } });
  await checkRefusals(platform, {
    method: 'PUT',
    path: `${conversationPath(_id)}/step`,
    scope,
    body: { step: steps[0]._id },
  });
});
