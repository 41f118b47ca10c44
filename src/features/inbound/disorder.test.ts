import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSeed } from '../../../test/full/harness/chance.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  secondsAgo,
  startSecondProcess,
  findStoredMessage,
  makeMessageId,
  fillMessage,
  type Phone,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createRandom } from '../../../test/support/random.ts';
import { listEventNames } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { EVENT_NAMES } from '../../platform/store/events.ts';
import { newId } from '../../platform/values/ids.ts';

const seed = readSeed();

type Part = Parameters<typeof buildNotification>[0];

const platform = await startPlatform();
const network = await openNetwork(platform);
const peer = await startSecondProcess(platform, { WAP_APP_SECRET: network.appSecret });
const urls = [platform.url, peer.url ?? ''];

async function companyWithWebhook(): Promise<{ _id: string; key: string }> {
  const company = await platform.createCompany();
  const body = { url: `${platform.sandboxUrl}/receiver/disorder`, events: [...EVENT_NAMES] };
  await platform.call(201, 'POST', '/v1/webhooks', { key: company.key, body });
  return company;
}

async function connectShared(company: { _id: string; key: string }): Promise<Phone> {
  const phone = await connectPhone(platform, { company });
  const news = { phone, field: 'account_update', value: { event: 'ACCOUNT_RECONNECTED' } };
  await network.post(200, buildNotification(news));
  return phone;
}

const company = await companyWithWebhook();
const phone = await connectShared(company);

/** Posts each body `times` times, all at once, to both processes in turn. */
const postEverywhere = (bodies: Json[], times: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: times }, (_, index) =>
      bodies.map((body) => network.post(200, body, { url: urls[index % urls.length] ?? '' })),
    ).flat(),
  );

const parked = (at: Phone): Promise<unknown[]> =>
  platform.database.sql('select 1 from parked_updates where inbox_id = $1', [at.inbox]);

// All tests of this file count from the same time, so that two runs of one story have the same timestamps.
const beginning = Number(secondsAgo(0));
const ago = (seconds: number): string => String(beginning - seconds);

const statusPart = (at: Phone, status: Json, secondsBack = 0): Part => ({
  phone: at,
  value: { statuses: [{ timestamp: ago(secondsBack), recipient_id: '5511900000000', ...status }] },
});

test('the same callback 20 times at once over two processes is stored once, with one event for each message (defect 11)', async () => {
  const [a, b, ids] = [makePhoneNumber(), makePhoneNumber(), [makeMessageId(), makeMessageId(), makeMessageId()]];
  const body = buildMessageNotification(
    phone,
    { from: a, id: ids[0] },
    { from: b, id: ids[1] },
    { from: a, id: ids[2] },
  );
  await postEverywhere([body], 20);
  const stored = await Promise.all(ids.map((id) => findStoredMessage(platform, phone, id)));
  for (const message of stored) assert.deepEqual(await listEventNames(platform, message._id), ['MESSAGE_RECEIVED']);
  const contacts = [...new Set(stored.map((message) => message.contact))];
  const conversations = [...new Set(stored.map((message) => message.conversation))];
  assert.equal(contacts.length, 2);
  assert.equal(conversations.length, 2);
  for (const id of contacts) assert.deepEqual(await listEventNames(platform, id), ['CONTACT_CREATED']);
  for (const id of conversations) assert.deepEqual(await listEventNames(platform, id), ['CONVERSATION_CREATED']);
  const read = await platform.call(200, 'GET', `/v1/conversations/${stored[0].conversation}`, { key: company.key });
  assert.equal(read.body.unread_count, 2);
});

test('a message that ends a snooze, sent 20 times at once over two processes, ends it once with one event', async () => {
  const from = makePhoneNumber();
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(phone, { from, id }));
  const { conversation } = await findStoredMessage(platform, phone, id);
  await platform.database.sql(`update conversations set status = 'SNOOZED' where _id = $1`, [conversation]);
  await postEverywhere([buildMessageNotification(phone, { from, id: makeMessageId() })], 20);
  assert.deepEqual(await listEventNames(platform, conversation), ['CONVERSATION_CREATED', 'CONVERSATION_UPDATED']);
});

test('first messages of many people in many orders over two processes make one contact and one conversation per person', async () => {
  const people = Array.from({ length: 30 }, makePhoneNumber);
  const bodies = [people, people.toReversed(), people.toSorted()].map((order) =>
    buildMessageNotification(phone, ...order.map((from) => ({ from, id: makeMessageId() }))),
  );
  await postEverywhere(bodies, 4);
  const [row] = await platform.database.sql<Json>(
    `select count(*)::int as messages, count(distinct m.contact_id)::int as contacts,
       count(distinct m.conversation_id)::int as conversations
     from messages m join contacts c on c._id = m.contact_id where c.phone_number = any($1)`,
    [people.map((from) => `+${from}`)],
  );
  assert.deepEqual(row, { messages: 90, contacts: 30, conversations: 30 });
});

test('statuses that arrive before their message wait for it, and each is emitted once after it', async () => {
  const [to, id] = [makePhoneNumber(), makeMessageId()];
  const statuses = ['read', 'sent', 'delivered'].map((status) => buildNotification(statusPart(phone, { id, status })));
  await postEverywhere(statuses, 4);
  assert.equal(await findStoredMessage(platform, phone, id), null);
  const echo = fillMessage({ from: '551133334444', to, id, timestamp: secondsAgo(9) });
  await network.post(200, buildNotification({ phone, field: 'smb_message_echoes', value: { message_echoes: [echo] } }));
  const message = await findStoredMessage(platform, phone, id);
  assert.equal(message.status, 'READ');
  assert.ok(message.sent_at && message.delivered_at && message.read_at);
  const events = await listEventNames(platform, message._id);
  assert.equal(events[0], 'MESSAGE_RECEIVED');
  assert.equal(events.filter((event) => event === 'MESSAGE_READ').length, 1);
  assert.equal(new Set(events).size, events.length);
  assert.deepEqual(await parked(phone), []);
});

test('a status that was stored at the same moment as its message is found and emitted', async () => {
  const [to, id] = [makePhoneNumber(), makeMessageId()];
  const echo = fillMessage({ from: '551133334444', to, id, timestamp: secondsAgo(9) });
  await network.post(200, buildNotification({ phone, field: 'smb_message_echoes', value: { message_echoes: [echo] } }));
  const { _id } = await findStoredMessage(platform, phone, id);
  // This is the state after a status and its message were stored at the same moment, when neither transaction could see the other.
  const payload = { status: 'DELIVERED', errors: [], failure_reason: null, reportsFailures: true };
  await platform.database.sql(
    `insert into parked_updates (company_id, _id, inbox_id, external_id, kind, happened_at, payload, fingerprint)
     values ($1, $2, $3, $4, 'STATUS', now(), $5, 'crossed')`,
    [phone.company, newId(), phone.inbox, id, payload],
  );
  await waitUntil(
    'the status is applied',
    async () => (await findStoredMessage(platform, phone, id)).status === 'DELIVERED',
  );
  assert.deepEqual(await listEventNames(platform, _id), ['MESSAGE_RECEIVED', 'MESSAGE_DELIVERED']);
  assert.deepEqual(await parked(phone), []);
});

test('history of a known contact, in many parts over two processes, makes one conversation', async () => {
  const own = await connectShared(await companyWithWebhook());
  const person = makePhoneNumber();
  const chunk = (): Json => {
    const messages = [fillMessage({ from: person, timestamp: secondsAgo(9_000) })];
    const history = [{ threads: [{ id: person, messages }] }];
    return buildNotification({ phone: own, field: 'history', value: { history } });
  };
  await network.post(200, chunk());
  await platform.database.sql('delete from conversations where inbox_id = $1', [own.inbox]);
  await postEverywhere(Array.from({ length: 10 }, chunk), 4);
  const rows = await platform.database.sql('select status from conversations where inbox_id = $1', [own.inbox]);
  assert.deepEqual(rows, [{ status: 'CLOSED' }]);
});

/** The callbacks of one person's story with the business, in order: one part for each step. */
function buildStory(at: Phone, person: string, ids: Record<string, string>): Part[] {
  const said = (message: Json, secondsBack: number): Part => ({
    phone: at,
    value: { messages: [fillMessage({ from: person, timestamp: ago(secondsBack), ...message })] },
  });
  const echoed = (message: Json, secondsBack: number): Part => {
    const echo = fillMessage({ from: '551133334444', to: person, timestamp: ago(secondsBack), ...message });
    return { phone: at, field: 'smb_message_echoes', value: { message_echoes: [echo] } };
  };
  const edit = (of: string | undefined, body: string): Json => ({
    type: 'edit',
    edit: { original_message_id: of, message: { type: 'text', text: { body } } },
  });
  const revoke = (of: string | undefined): Json => ({ type: 'revoke', revoke: { original_message_id: of } });
  const { text, image, reply, reaction, read, failed, delivered } = ids;
  return [
    said({ id: text, type: 'text', text: { body: 'first' } }, 100),
    said({ id: image, type: 'image', image: { id: '1', mime_type: 'image/png', caption: 'Veja' } }, 95),
    said(edit(text, 'second'), 90),
    said(edit(text, 'third'), 85),
    said({ id: reply, type: 'text', text: { body: 'reply' }, context: { id: text } }, 80),
    said({ id: reaction, type: 'reaction', reaction: { message_id: read, emoji: '👍' } }, 75),
    echoed({ id: read, type: 'text', text: { body: 'read' } }, 70),
    ...['sent', 'delivered', 'read'].map((status, index) => statusPart(at, { id: read, status }, 65 - index)),
    echoed(edit(read, 'read, edited'), 60),
    echoed({ id: failed, type: 'text', text: { body: 'failed' } }, 55),
    statusPart(at, { id: failed, status: 'sent' }, 50),
    statusPart(at, { id: failed, status: 'failed', errors: [{ code: 131026, title: 'Undeliverable' }] }, 45),
    echoed({ id: delivered, type: 'text', text: { body: 'delivered' } }, 40),
    statusPart(at, { id: delivered, status: 'delivered' }, 35),
    said(revoke(image), 30),
    echoed(revoke(delivered), 25),
  ];
}

const STORY_IDS = ['text', 'image', 'reply', 'reaction', 'read', 'failed', 'delivered'];

/** The inbox as the API shows it, keyed by the network's ids, without fields that depend on the moment of arrival. */
async function settled(at: Phone): Promise<Json> {
  await waitUntil('nothing is parked any more', async () => (await parked(at)).length === 0);
  const conversations = await platform.database.sql<{ _id: string }>(
    'select _id from conversations where inbox_id = $1',
    [at.inbox],
  );
  const state: Json = {};
  for (const { _id } of conversations) {
    const read = async (path: string): Promise<Json> => (await platform.call(200, 'GET', path, { key: at.key })).body;
    const { result } = await read(`/v1/messages/conversation/${_id}?limit=100`);
    const names = new Map(result.map((message: Json) => [message._id, message.external_id]));
    const { contact, status, last_inbound_at, window_expires_at } = await read(`/v1/conversations/${_id}`);
    const { phone_number } = await read(`/v1/contacts/${contact}`);
    state[phone_number] = { status, last_inbound_at, window_expires_at };
    for (const message of result) {
      const {
        _id: id,
        company: _c,
        conversation: _v,
        contact: _p,
        inbox: _i,
        createdAt: _at,
        updatedAt: _u,
        ...rest
      } = message;
      const reaction = rest.reaction && { ...rest.reaction, message: names.get(rest.reaction.message) };
      const sender = rest.sender && (rest.sender === contact ? 'the contact' : rest.sender);
      state[names.get(id) as string] = { ...rest, sender, reaction, reply_to: names.get(rest.reply_to) ?? null };
    }
  }
  return state;
}

async function countEvents(at: Phone): Promise<Json> {
  const rows = await platform.database.sql<{ name: string; events: string[] }>(
    `select m.external_id as name, array_agg(d.event order by d.event) as events from deliveries d
       join messages m on m._id = d.resource_id where m.inbox_id = $1 group by 1`,
    [at.inbox],
  );
  return Object.fromEntries(rows.map(({ name, events }) => [name, events]));
}

test('callbacks over two processes in any order, repetition and batching give the same result as one by one in their order', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const people = Array.from({ length: 8 }, () => ({
    person: makePhoneNumber(),
    ids: Object.fromEntries(STORY_IDS.map((name) => [name, makeMessageId()])),
  }));
  const [orderly, mixed] = [
    await connectShared(await companyWithWebhook()),
    await connectShared(await companyWithWebhook()),
  ];
  const now = people.map(
    ({ person, ids }) => [buildStory(orderly, person, ids), buildStory(mixed, person, ids)] as const,
  );
  for (const [story] of now) for (const part of story) await network.post(200, buildNotification(part));
  const parts = now
    .flatMap(([, story]) => story)
    .flatMap((part) => Array.from({ length: 1 + Math.floor(random() * 3) }, () => part))
    .map((part) => ({ part, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ part }) => part);
  const bodies: Json[] = [];
  while (parts.length > 0) bodies.push(buildNotification(...parts.splice(0, 1 + Math.floor(random() * 6))));
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let next = bodies.pop(); next; next = bodies.pop()) {
      await network.post(200, next, { url: urls[lane % urls.length] ?? '' });
    }
  });
  await Promise.all(lanes);
  const [expected, actual] = [await settled(orderly), await settled(mixed)];
  assert.equal(Object.keys(expected).length, people.length * (STORY_IDS.length + 1));
  assert.deepEqual(actual, expected);
  const emitted = await countEvents(mixed);
  for (const [name, events] of Object.entries<string[]>(await countEvents(orderly))) {
    // A status DELIVERED that arrives after READ changes nothing and so emits no event, and neither does an edit that arrives after a later one
    // or after a revocation. Every other event is emitted equally often in both runs.
    const certain = (list: string[]): string[] =>
      list.filter((event) => event !== 'MESSAGE_DELIVERED' && event !== 'MESSAGE_EDITED');
    assert.deepEqual(certain(emitted[name]), certain(events), name);
    assert.ok(emitted[name].length <= events.length, name);
  }
});
