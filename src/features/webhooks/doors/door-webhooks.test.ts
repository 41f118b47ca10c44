/** The webhooks of doors: who may set one, what it gets, and what never reaches it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createAnswerGate,
  startReceiver,
  waitForFinishedDeliveries,
  type AnswerGate,
} from '../../../../test/support/deliveries.ts';
import { connectPhone } from '../../../../test/support/network.ts';
import { startPlatform, type Company, type Json } from '../../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { emit } from '../../../platform/store/events.ts';
import { changeReceiverOrigin } from '../webhooks.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform({ env: { DELIVERY_SLOTS_PER_COMPANY: '1' } });
const { call, demo, database } = platform;
const PATH = '/v1/door-webhooks';
type EmittedEvent = Parameters<typeof emit>[1][number] & { data: { _id: string } };
const compareTexts = (a: string, b: string): number => a.localeCompare(b, 'en');
const gates = new Map<string, AnswerGate>();
const receiver = await startReceiver(async (response, { path, body }) => {
  await gates.get(path)?.opened;
  // It echoes the key, as some receivers do.
  response.writeHead(200).end(JSON.stringify({ got: body.apikey }));
});

const set = async (more: Json = {}, { key = demo.key, status = 200 } = {}): Promise<Json> => {
  const body = {
    door: 'EVOLUTION',
    inbox: demo.inbox,
    url: `${receiver.url}/door`,
    events: ['MESSAGES_UPSERT'],
    ...more,
  };
  return call(status, 'PUT', PATH, { key, body });
};

/** A company with an inbox and a door webhook at its own path. */
async function createDoorCompany(path: string, more: Json = {}): Promise<Company & { inbox: string; webhook: string }> {
  const company = await platform.createCompany();
  const { inbox } = await connectPhone(platform, { company });
  const { body } = await set({ inbox, url: receiver.url + path, ...more }, company);
  return { ...company, inbox, webhook: body._id };
}

/** Queues an event of a message in an inbox, as ingestion does. */
function makeMessage(company: string, inbox: string, event: 'MESSAGE_RECEIVED' | 'MESSAGE_SENT'): EmittedEvent {
  const data = {
    _id: newId(),
    company,
    inbox,
    contact: newId(),
    contact_summary: { phone_number: '+5511988887777' },
    contentType: 'TEXT',
    status: event === 'MESSAGE_SENT' ? 'SENT' : 'RECEIVED',
    content: 'Oi',
  };
  return { event, data };
}

const queue = (company: string, items: EmittedEvent[]): Promise<void> =>
  platform.running.kit.database.tenantTx(company, (tx) => emit(tx, items));

async function queueMessage(...given: Parameters<typeof makeMessage>): Promise<string> {
  const item = makeMessage(...given);
  await queue(given[0], [item]);
  return item.data._id;
}

test("a message of a contact is posted in the door's format with the key that set the webhook, and the log has the platform's event", async () => {
  await set({ options: { include_apikey: true }, custom_headers: { 'x-secret': 'of the receiver' } });
  const { id } = await platform.receive({ from: '5511977776666', name: 'Maria', text: 'Oi' });
  const [got] = await waitUntil('the delivery', () => (receiver.at('/door').length > 0 ? receiver.at('/door') : null));
  assert.deepEqual(
    [got?.body.event, got?.body.data.key.id, got?.body.data.pushName, got?.body.data.message],
    ['messages.upsert', id, 'Maria', { conversation: 'Oi' }],
  );
  assert.deepEqual([got?.body.apikey, got?.headers['x-secret']], [demo.key, 'of the receiver']);
  const { body: hook } = await call(200, 'GET', PATH);
  const filter = `?webhook=${hook.result[0]._id}`;
  const [logged, ...others] = await waitUntil('the log', async () => {
    const { body } = await call(200, 'GET', `/v1/webhooks/deliveries${filter}`);
    return body.result[0]?.finished_at ? body.result : null;
  });
  assert.deepEqual(others, []);
  assert.deepEqual(
    [logged.form, logged.event, logged.status, logged.webhook, logged.body.event],
    ['MESSAGES_UPSERT', 'MESSAGE_RECEIVED', 'DELIVERED', hook.result[0]._id, 'MESSAGE_RECEIVED'],
  );
  assert.equal(logged.body.data.external_id, id);
  const [stored] = await database.sql('select * from door_webhooks');
  // The receiver has echoed the key.
  for (const shown of [hook, logged, stored]) assert.ok(!JSON.stringify(shown).includes(demo.key));
  const own = await call(200, 'GET', `/v1/webhooks/deliveries?webhook=${demo.webhook}&event=MESSAGE_RECEIVED`);
  assert.deepEqual(
    own.body.result.map(({ form }: Json) => form),
    [null],
  );
});

test('a webhook that is set again is replaced: the address, the events, the options and the key', async () => {
  const { body: first } = await set({ options: { include_apikey: true, base64: true } });
  const other = await platform.createKey(demo._id, ['webhooks:update']);
  const { body: second } = await set({ url: `${receiver.url}/again`, events: [] }, { key: other.token });
  assert.equal(second._id, first._id);
  assert.deepEqual([second.url, second.events], [`${receiver.url}/again`, []]);
  assert.deepEqual(second.options, { by_events: false, base64: false, include_apikey: false });
  const rows = await database.sql('select api_key from door_webhooks where company_id = $1', [demo._id]);
  assert.deepEqual(rows, [{ api_key: null }]);
  assert.deepEqual(await database.sql('select 1 from door_listeners where company_id = $1', [demo._id]), []);
});

test('an event reaches the webhook of its inbox and that of all inboxes, once under each name, and none of another company', async () => {
  const company = await createDoorCompany('/own', { events: ['SEND_MESSAGE', 'MESSAGES_UPDATE', 'MESSAGES_UPSERT'] });
  const second = await connectPhone(platform, { company });
  await set({ inbox: second.inbox, url: `${receiver.url}/second`, events: ['SEND_MESSAGE'] }, company);
  await set({ inbox: null, url: `${receiver.url}/all`, events: ['SEND_MESSAGE'] }, company);
  const other = await createDoorCompany('/other', { events: ['SEND_MESSAGE'] });
  const id = await queueMessage(company._id, company.inbox, 'MESSAGE_SENT');
  const log = await waitForFinishedDeliveries(platform, company, 3);
  assert.deepEqual(
    log.map(({ form, status, resource_id }) => `${form} ${status} ${resource_id}`).toSorted(compareTexts),
    [`MESSAGES_UPDATE DELIVERED ${id}`, `SEND_MESSAGE DELIVERED ${id}`, `SEND_MESSAGE DELIVERED ${id}`],
  );
  assert.deepEqual(
    receiver
      .at('/own')
      .map(({ body }) => `${body.event} ${body.data.status}`)
      .toSorted(compareTexts),
    ['messages.update SERVER_ACK', 'send.message PENDING'],
  );
  assert.deepEqual(
    [receiver.at('/all').length, receiver.at('/second').length, receiver.at('/other').length],
    [1, 0, 0],
  );
  assert.deepEqual((await call(200, 'GET', '/v1/webhooks/deliveries', { key: other.key })).body.result, []);
});

test('many events at once reach a company that has no webhook but that of a door, and a contact without a conversation in its inbox makes no delivery', async () => {
  const company = await createDoorCompany('/many', { events: ['CONTACTS_UPSERT', 'MESSAGES_UPSERT'] });
  const events = Array.from({ length: 20 }, () => [
    { event: 'CONTACT_CREATED' as const, data: { _id: newId(), company: company._id } },
    makeMessage(company._id, company.inbox, 'MESSAGE_RECEIVED'),
  ]).flat();
  await queue(company._id, events);
  const log = await waitForFinishedDeliveries(platform, company, 20);
  assert.deepEqual(new Set(log.map(({ form, status }) => `${form} ${status}`)), new Set(['MESSAGES_UPSERT DELIVERED']));
  assert.equal(receiver.at('/many').length, 20);
});

test('deliveries that wait for a webhook that is deactivated or removed are never sent', async () => {
  for (const stop of ['PATCH', 'DELETE']) {
    const path = `/stopped-${stop}`;
    const gate = createAnswerGate();
    gates.set(path, gate);
    const company = await createDoorCompany(path);
    for (let n = 0; n < 3; n += 1) await queueMessage(company._id, company.inbox, 'MESSAGE_RECEIVED');
    await waitUntil('the first one to be held', () => receiver.at(path).length === 1);
    const at = `${PATH}/${company.webhook}`;
    const body = stop === 'PATCH' ? { status: 'INACTIVE' } : undefined;
    await call(200, stop, at, { key: company.key, body });
    if (stop === 'PATCH') await call(200, 'PATCH', at, { key: company.key, body: { status: 'ACTIVE' } });
    gate.open();
    const log = await waitForFinishedDeliveries(platform, company, 3);
    assert.deepEqual(log.map(({ error }) => String(error)).toSorted(compareTexts), [
      'null',
      'WEBHOOK_INACTIVE',
      'WEBHOOK_INACTIVE',
    ]);
    assert.equal(receiver.at(path).length, 1);
  }
});

test('a replay goes to the webhook of the door in its format, and a replay of a period only if it names this webhook', async () => {
  const company = await createDoorCompany('/replayed');
  await queueMessage(company._id, company.inbox, 'MESSAGE_RECEIVED');
  const [first] = await waitForFinishedDeliveries(platform, company);
  const { body: replay } = await call(201, 'POST', `/v1/webhooks/deliveries/${first._id}/replay`, { key: company.key });
  assert.deepEqual([replay.form, replay.webhook], ['MESSAGES_UPSERT', company.webhook]);
  await waitForFinishedDeliveries(platform, company, 2);
  const chosen = { status: 'DELIVERED', from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const start = (status: number, more: Json = {}): Promise<Json> =>
    call(status, 'POST', '/v1/webhooks/deliveries/replay', { key: company.key, body: { ...chosen, ...more } });
  expectProblem(await start(409), 'WEBHOOK_INACTIVE');
  expectProblem(await start(400, { webhook: demo.webhook }), 'UNKNOWN_REFERENCE', 'webhook');
  const { body: period } = await start(201, { webhook: company.webhook });
  assert.equal(period.total, 1);
  const log = await waitForFinishedDeliveries(platform, company, 3);
  assert.deepEqual(new Set(log.map(({ form }) => form)), new Set(['MESSAGES_UPSERT']));
  const got = receiver.at('/replayed').map(({ body }) => body);
  assert.equal(got.length, 3);
  assert.deepEqual(new Set(got.map((body) => JSON.stringify(body))).size, 1);
  // The webhook of the company does not get what the door's webhook has got.
  const own = { url: `${receiver.url}/own-webhook`, events: ['MESSAGE_RECEIVED'] };
  await call(201, 'POST', '/v1/webhooks', { key: company.key, body: own });
  await waitUntil('the replay to end', async () => {
    const { body } = await call(200, 'GET', `/v1/webhooks/deliveries/replay/${period._id}`, { key: company.key });
    return body.finished_at !== null;
  });
  assert.equal((await start(201)).body.total, 0);
});

test('a company has twenty webhooks of doors at most, however many are set at the same moment', async () => {
  const company = await createDoorCompany('/many');
  await database.sql(
    `insert into door_webhooks (company_id, _id, door, inbox_id, url, events, custom_headers, options)
      select company_id, 'w' || n, door || n, inbox_id, url, events, custom_headers, options from door_webhooks, generate_series(1, 18) n
      where company_id = $1`,
    [company._id],
  );
  const phones = await Promise.all(Array.from({ length: 7 }, () => connectPhone(platform, { company })));
  const asked = [null, ...phones.map(({ inbox }) => inbox)].map((inbox) =>
    call(200, 'PUT', PATH, {
      key: company.key,
      body: { door: 'EVOLUTION', inbox, url: receiver.url, events: [] },
    }).then(
      () => null,
      (error: unknown) => String(error),
    ),
  );
  const refused = (await Promise.all(asked)).filter((message) => message !== null);
  assert.equal(refused.length, 7);
  for (const message of refused) assert.match(message, /answered 400: .*LIMIT_REACHED/);
  await set({ inbox: company.inbox }, company);
});

test("an unknown event, another company's inbox and an address inside are refused, and only a company's key can be included", async () => {
  const other = await platform.createCompany();
  expectProblem(await set({ events: ['MESSAGES_UPSERT', 'toString'] }, { status: 400 }), 'VALIDATION_FAILED', 'events');
  expectProblem(await set({}, { key: other.key, status: 400 }), 'UNKNOWN_REFERENCE', 'inbox');
  expectProblem(await set({ url: 'http://169.254.169.254/' }, { status: 400 }), 'TARGET_NOT_ALLOWED', 'url');
  const { token } = await platform.createUser(demo._id, 'OWNER');
  const include = { options: { include_apikey: true } };
  expectProblem(await set(include, { key: token, status: 400 }), 'VALIDATION_FAILED', 'options.include_apikey');
});

test('a suspended company gets no deliveries, and the webhooks that point to the sandbox move with it', async () => {
  const company = await createDoorCompany('/receiver/moved');
  await database.sql(`update companies set status = 'SUSPENDED' where _id = $1`, [company._id]);
  await queueMessage(company._id, company.inbox, 'MESSAGE_RECEIVED');
  assert.deepEqual(await database.sql('select 1 from deliveries where company_id = $1', [company._id]), []);
  const { database: db } = platform.running.kit;
  await db.systemTx('upkeep', (tx) => changeReceiverOrigin(tx, receiver.url, 'http://127.0.0.1:9'));
  const rows = await database.sql('select url from door_webhooks where company_id = $1', [company._id]);
  assert.deepEqual(rows, [{ url: 'http://127.0.0.1:9/receiver/moved' }]);
});

test('a webhook of a door can be read by its id, but not by another company, and reading and changing need the scopes of webhooks', async () => {
  const { body: hook } = await set({ custom_headers: { 'x-secret': 'of the receiver' } });
  assert.deepEqual((await call(200, 'GET', `${PATH}/${hook._id}`)).body, hook);
  const other = await platform.createCompany();
  for (const [method, body] of [['GET'], ['PATCH', { status: 'INACTIVE' }], ['DELETE']] as const)
    expectProblem(await call(404, method, `${PATH}/${hook._id}`, { key: other.key, body }), 'NOT_FOUND');
  const reader = await platform.createKey(demo._id, ['webhooks:read']);
  const { body: shown } = await call(200, 'GET', `${PATH}?inbox=${demo.inbox}&door=EVOLUTION`, { key: reader.token });
  assert.deepEqual(shown.result[0].custom_headers, { 'x-secret': '••••iver' });
  await checkRefusals(platform, {
    method: 'PUT',
    path: PATH,
    scope: 'webhooks:update',
    body: { door: 'EVOLUTION', url: receiver.url, events: [] },
  });
});
