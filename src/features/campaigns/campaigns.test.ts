/** Campaigns as drafts: what is stored, what is refused, and what the preview tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { newId } from '../../platform/values/ids.ts';
import { makePhoneNumber, waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
await waitUntilCopied(platform, demo.inbox);

const PATH = '/v1/campaigns';
const HELLO = { name: 'hello_world', language: 'pt_BR' };
const ORDER = { name: 'order_update', language: 'pt_BR' };
const create = async (body: Json = {}): Promise<Json> =>
  (await call(201, 'POST', PATH, { body: { name: 'Spring', inbox: demo.inbox, ...body } })).body;
const preview = async (campaign: Json): Promise<Json> =>
  (await call(200, 'GET', `${PATH}/${campaign._id}/preview`)).body;
const addContact = async (body: Json = {}): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { phone_number: makePhoneNumber(), ...body } })).body;

test('a campaign is stored as a draft with all its settings, and a PATCH changes only what it gives', async () => {
  const plain = await create({ steps: [{ template: HELLO }] });
  assert.deepEqual(plain, {
    _id: plain._id,
    company: demo._id,
    name: 'Spring',
    description: null,
    inbox: demo.inbox,
    status: 'DRAFT',
    template: HELLO,
    steps: [{ index: 0, delay_minutes: 0, template: HELLO, funnel_step: null }],
    audience: {},
    agent: null,
    owner: null,
    scheduled_at: null,
    messages_per_minute: null,
    time_zone: null,
    sending_hours: null,
    error_threshold: 50,
    stop_on_reply: true,
    send_to_active_conversations: false,
    started_at: null,
    paused_at: null,
    pause_reason: null,
    completed_at: null,
    totals: { enrolled: 0, sent: 0, failed: 0 },
    createdAt: plain.createdAt,
    updatedAt: plain.updatedAt,
  });
  const hours = { from: '09:00', to: '18:30', days: [1, 2, 3] };
  const change = { sending_hours: hours, time_zone: 'America/Sao_Paulo', scheduled_at: '2099-01-01T12:00:00+03:00' };
  const { body: changed } = await call(200, 'PATCH', `${PATH}/${plain._id}`, { body: change });
  const { updatedAt } = changed;
  assert.deepEqual(changed, { ...plain, ...change, scheduled_at: '2099-01-01T09:00:00.000Z', updatedAt });
  const { body: same } = await call(200, 'PATCH', `${PATH}/${plain._id}`, { body: change });
  assert.deepEqual(same, changed);
  const steps = [{ template: HELLO }, { delay_minutes: 60, template: HELLO }];
  const { body: sequence } = await call(200, 'PATCH', `${PATH}/${plain._id}`, { body: { steps } });
  assert.deepEqual(
    sequence.steps.map((step: Json) => [step.index, step.delay_minutes]),
    [
      [0, 0],
      [1, 60],
    ],
  );
  const { body: list } = await call(200, 'GET', `${PATH}?search=SPRING&inbox=${demo.inbox}&status=DRAFT`);
  assert.deepEqual(list.result, [sequence]);
  assert.deepEqual((await call(200, 'DELETE', `${PATH}/${plain._id}`)).body, sequence);
  await call(404, 'GET', `${PATH}/${plain._id}`);
});

test('a campaign that names something that does not exist, or that contradicts itself, is refused with the field', async () => {
  const other = await platform.createCompany();
  const { body: theirs } = await call(201, 'POST', '/v1/contacts', { key: other.key, body: { name: 'Ana' } });
  const file = { name: 'x', language: 'pt_BR', components: [{ type: 'header', parameters: [{ imageId: newId() }] }] };
  const { body: web } = await call(201, 'POST', '/v1/inboxes', { body: { channel: 'WEB_V2', name: 'Web' } });
  for (const [body, code, path] of [
    [{ inbox: newId() }, 'UNKNOWN_REFERENCE', 'inbox'],
    [{ agent: newId() }, 'UNKNOWN_REFERENCE', 'agent'],
    [{ owner: newId() }, 'UNKNOWN_REFERENCE', 'owner'],
    [{ audience: { contacts: [theirs._id] } }, 'UNKNOWN_REFERENCE', 'audience.contacts[0]'],
    [
      { audience: { filters: [{ field: newId(), operator: 'is_empty' }] } },
      'UNKNOWN_REFERENCE',
      'audience.filters[0].field',
    ],
    [
      { audience: { filters: [{ field: 'contact.age', operator: 'eq', value: 1 }] } },
      'VALIDATION_FAILED',
      'audience.filters[0].field',
    ],
    [{ steps: [{ template: file }] }, 'UNKNOWN_REFERENCE', 'steps[0].template.components[0].parameters[0].imageId'],
    [{ steps: [{ template: { name: 'no_such', language: 'pt_BR' } }] }, 'VALIDATION_FAILED', 'steps[0].template.name'],
    [{ steps: [{ template: ORDER }] }, 'VALIDATION_FAILED', 'steps[0].template.components'],
    [{ steps: [{ template: HELLO, funnel_step: newId() }] }, 'UNKNOWN_REFERENCE', 'steps[0].funnel_step'],
    [{ time_zone: 'Moon/Sea' }, 'VALIDATION_FAILED', 'time_zone'],
    [{ sending_hours: { from: '18:00', to: '09:00', days: [1] } }, 'VALIDATION_FAILED', 'sending_hours.to'],
  ] as const) {
    const answer = await call(400, 'POST', PATH, { body: { name: 'Wrong', inbox: demo.inbox, ...body } });
    expectProblem(answer, code, path);
  }
  const refused = await call(400, 'POST', PATH, { body: { name: 'Wrong', inbox: web._id } });
  assert.equal(refused.body.code, 'TEMPLATES_NOT_SUPPORTED');
  const { body } = await call(200, 'GET', `${PATH}?search=wrong`);
  assert.deepEqual(body.result, []);
});

test('the preview counts who would be skipped by reason, and shows the messages of the others as they will read them', async () => {
  const tags = [`t${newId()}`];
  const { body: field } = await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Order', slug: `order_${newId()}`, context: 'contact', type: 'TEXT' },
  });
  const order = { custom_fields: { [field.slug]: '4821' } };
  const ana = await addContact({ ...order, tags, name: 'Ana Lima' });
  const bia = await addContact({ ...order, tags, name: 'Bia' });
  await addContact({ ...order, tags, name: 'Rui', opted_out: true });
  await addContact({ ...order, tags, name: 'Eva', blocked: true });
  await addContact({ ...order, tags, name: 'Leo', phone_number: null });
  await addContact({ tags, name: 'Has no order' });
  await addContact({ ...order, tags });
  const busy = await addContact({ ...order, tags, name: 'Busy' });
  await call(201, 'POST', '/v1/conversations', { body: { inbox: demo.inbox, contact: busy._id } });
  const listed = await addContact({ ...order, name: 'Listed' });
  await addContact({ ...order, name: 'Stranger' });
  const parameters = [{ variable_ref: 'contact.first_name' }, { variable_ref: `custom_fields.${field.slug}` }];
  const campaign = await create({
    steps: [{ template: { ...ORDER, components: [{ parameters }] } }],
    audience: { tags, filters: [{ field: 'contact.name', operator: 'neq', value: 'bia' }], contacts: [listed._id] },
  });
  const { total, sendable, skipped, messages, problems } = await preview(campaign);
  assert.deepEqual(problems, []);
  assert.deepEqual([total, sendable], [8, 2]);
  const counts = Object.fromEntries(skipped.map(({ reason, count }: Json) => [reason, count]));
  const expected = { ACTIVE_CONVERSATION: 1, BLOCKED: 1, INVALID_NUMBER: 1, MISSING_VARIABLE: 2, OPTED_OUT: 1 };
  assert.deepEqual(counts, expected);
  assert.deepEqual(
    messages.map(({ contact, name, phone_number }: Json) => [contact, name, phone_number]),
    [ana, listed].map(({ _id, name, phone_number }) => [_id, name, phone_number]),
  );
  assert.match(messages[0].content, /Ana.*4821/s);
  assert.doesNotMatch(messages[0].content, /Lima/);
  const { body: changed } = await call(200, 'PATCH', `${PATH}/${campaign._id}`, {
    body: { audience: { tags }, send_to_active_conversations: true },
  });
  const open = await preview(changed);
  assert.deepEqual([open.total, open.sendable, open.messages[1].contact], [8, 3, bia._id]);
});

test('the preview counts the same contacts as without a value whose messages cannot be filled in, whatever white space they have', async () => {
  const tags = [`t${newId()}`];
  const { body: field } = await call(201, 'POST', '/v1/custom-fields', {
    body: { title: 'Sizes', slug: `sizes_${newId()}`, context: 'contact', type: 'LIST' },
  });
  const names = [' ', '\u00a0', '\u0085', '\u2028 \u3000', '\ufeff\t\n', ' \u0085Ana ', '\u200b', 'Bia'];
  for (const name of names) {
    const { _id } = await addContact({ tags, name: 'Ana', custom_fields: { [field.slug]: ['S', 'M'] } });
    await database.sql('update contacts set name = $2 where _id = $1', [_id, name]);
  }
  await addContact({ tags, name: 'Rui', custom_fields: { [field.slug]: [] } });
  const parameters = [{ variable_ref: 'first_name' }, { variable_ref: field.slug }];
  const campaign = await create({
    steps: [{ template: { ...ORDER, components: [{ parameters }] } }],
    audience: { tags },
  });
  const { sendable, skipped, messages } = await preview(campaign);
  assert.deepEqual([sendable, skipped], [3, [{ reason: 'MISSING_VARIABLE', count: 6, message: null }]]);
  assert.equal(messages.length, 3);
});

test('the preview counts a contact whose value does not fit the message, and the campaign skips it with the variable and the value', async () => {
  const tags = [`t${newId()}`];
  const ana = await addContact({ tags, name: 'A'.repeat(100) });
  const long = `Rua ${'b'.repeat(990)}`;
  const parameters = [{ variable_ref: 'contact.name' }, { variable_ref: 'address' }];
  const campaign = await create({ steps: [{ template: { ...ORDER, components: [{ parameters }] } }] });
  const contacts = [long, 'Rua A'].map((address, place) => ({
    ...(place === 0 ? { contact: ana._id } : { phone: '+5511987650077', name: 'Bia' }),
    parameters: { address },
  }));
  await call(201, 'POST', `${PATH}/${campaign._id}/enrollments`, { body: { contacts } });
  const { total, sendable, skipped, messages } = await preview(campaign);
  assert.deepEqual([total, sendable, skipped.length], [2, 1, 1]);
  assert.deepEqual([skipped[0].reason, skipped[0].count], ['INVALID_PARAMETER', 1]);
  assert.match(skipped[0].message, /^address "Rua b{96}" makes the body longer than 1024 characters/);
  assert.deepEqual(
    messages.map(({ error }: Json) => error),
    [skipped[0].message, null],
  );
  await call(201, 'POST', `${PATH}/${campaign._id}/start`);
  const path = `/v1/campaign-enrollments?campaign=${campaign._id}&status=SKIPPED`;
  await waitUntil('the contact to be skipped', async () => (await call(200, 'GET', path)).body.result.length > 0);
  const [enrollment] = (await call(200, 'GET', path)).body.result;
  const { message } = skipped[0];
  assert.deepEqual(
    [enrollment.contact, enrollment.skip_reason, enrollment.failure_reason],
    [ana._id, 'INVALID_PARAMETER', { code: 'INVALID_PARAMETER', message }],
  );
});

test('the preview names what keeps a campaign from being sent, and counts its audience all the same', async () => {
  const tags = [`t${newId()}`];
  await addContact({ tags });
  const empty = await preview(await create({ audience: { tags } }));
  assert.deepEqual([empty.total, empty.messages], [1, []]);
  assert.deepEqual(
    empty.problems.map(({ path, code }: Json) => [path, code]),
    [['steps', 'REQUIRED']],
  );
  await database.sql(`update templates set status = 'PENDING' where name = 'order_update'`);
  const early = await create({ steps: [{ template: ORDER }], audience: { tags } });
  const { total, problems } = await preview(early);
  await database.sql(`update templates set status = 'APPROVED' where name = 'order_update'`);
  assert.deepEqual([total, problems[0].path, problems[0].code], [1, 'steps[0].template.name', 'TEMPLATE_NOT_SENDABLE']);
  const { token } = await platform.createKey(demo._id, ['campaigns:read']);
  const campaign = await create({ audience: { tags } });
  await call(403, 'GET', `${PATH}/${campaign._id}/preview`, { key: token });
});

test('only a caller that may read contacts chooses an audience', async () => {
  const campaign = await create();
  const { token: key } = await platform.createKey(demo._id, ['campaigns:create', 'campaigns:update']);
  const { token: reader } = await platform.createKey(demo._id, ['campaigns:update', 'contacts:read']);
  const path = `${PATH}/${campaign._id}`;
  const named = { contacts: [(await addContact())._id] };
  for (const audience of [named, { tags: ['vip'] }, { filters: [{ field: 'contact.name', operator: 'is_empty' }] }]) {
    const body = { name: 'Spring', inbox: demo.inbox, audience };
    expectProblem(await call(403, 'POST', PATH, { key, body }), 'FORBIDDEN', 'authorization');
    const refused = await call(403, 'PATCH', path, { key, body: { audience } });
    assert.equal(refused.body.detail, 'The scope contacts:read is missing');
    await call(200, 'PATCH', path, { key: reader, body: { audience } });
  }
  await call(200, 'PATCH', path, { key, body: { name: 'Summer', audience: {} } });
});

test('a contact that was merged into another one leaves its place in the audience to it', async () => {
  const [source, target] = [await addContact(), await addContact({ name: 'Target' })];
  const campaign = await create({ steps: [{ template: HELLO }], audience: { contacts: [source._id] } });
  await call(201, 'POST', `/v1/contacts/${target._id}/merge`, { body: { contact: source._id } });
  const { messages } = await preview(campaign);
  assert.deepEqual(
    messages.map(({ contact }: Json) => contact),
    [target._id],
  );
});

test('in test mode the preview counts only test numbers as reached, and marketing to the United States is never delivered', async () => {
  const tags = [`t${newId()}`];
  const [inside] = [await addContact({ tags }), await addContact({ tags })];
  const american = await addContact({ tags, phone_number: '+1 202 555 0123' });
  const setTestMode = (test_mode: Json): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { test_mode } });
  const campaign = await create({ steps: [{ template: HELLO }], audience: { tags } });
  await setTestMode({ enabled: true, test_numbers: [inside.phone_number] });
  const tested = await preview(campaign);
  await setTestMode({ enabled: false, test_numbers: [] });
  assert.deepEqual([tested.sendable, tested.skipped], [1, [{ reason: 'NOT_TEST_NUMBER', count: 2, message: null }]]);
  await database.sql(`update templates set category = 'MARKETING' where name = 'hello_world'`);
  const { sendable, skipped } = await preview(campaign);
  assert.deepEqual([sendable, skipped], [2, [{ reason: 'NOT_DELIVERABLE', count: 1, message: null }]]);
  assert.equal(american.country_code, 'US');
});

test('a campaign that changes while it is started is checked again and started as it has become', async () => {
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = await create({ steps: [{ template: HELLO }], scheduled_at });
  const changer = new pg.Client(database.ownerUrl);
  await changer.connect();
  await changer.query('begin');
  await changer.query(`update campaigns set name = 'Summer', updated_at = now() where _id = $1`, [campaign._id]);
  const started = call(201, 'POST', `${PATH}/${campaign._id}/start`);
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitUntil('the start to wait for the change', async () => (await database.sql(blocked)).length > 0);
  await changer.query('commit');
  await changer.end();
  const { name, status } = (await started).body;
  assert.deepEqual([name, status], ['Summer', 'SCHEDULED']);
});

test('the owner of a campaign who leaves the company is its owner no longer', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const campaign = await create({ owner: user._id });
  await call(200, 'DELETE', `/v1/users/${user._id}`);
  await waitUntil('the user is gone from the campaign', async () => {
    const { body } = await call(200, 'GET', `${PATH}/${campaign._id}`);
    return body.owner === null;
  });
});

test('a draft that was cancelled has not begun, and can be removed', async () => {
  const campaign = await create({});
  const contacts = [{ phone: '+5511987650001' }];
  await call(201, 'POST', `${PATH}/${campaign._id}/enrollments`, { body: { contacts } });
  await call(201, 'POST', `${PATH}/${campaign._id}/cancel`);
  await waitUntil('a worker has cancelled the contact', async () => {
    const { body } = await call(200, 'GET', `/v1/campaign-enrollments?campaign=${campaign._id}&status=CANCELLED`);
    return body.result.length === 1;
  });
  assert.equal((await call(200, 'GET', `${PATH}/${campaign._id}`)).body.started_at, null);
  await call(200, 'DELETE', `${PATH}/${campaign._id}`);
});
