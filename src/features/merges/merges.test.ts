import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { listEventNames, readEvents, writeAsContact, readRawAnswer, sendText } from '../../../test/support/traffic.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/contacts';

const create = async (body: Json): Promise<Json> => (await call(201, 'POST', PATH, { body })).body;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const merge = (status: number, target: string, source: string, options: Json = {}) =>
  call(status, 'POST', `${PATH}/${target}/merge`, { body: { contact: source }, ...options });
const define = async (slug: string, type: string): Promise<Json> =>
  (await call(201, 'POST', '/v1/custom-fields', { body: { title: slug, slug, context: 'contact', type } })).body;

const plan = await define('plan', 'TEXT');
const score = await define('score', 'NUMBER');
const colours = await define('colours', 'LIST');

/** Closes a conversation, so that the contact's next message opens another one. */
async function close(conversation: string): Promise<void> {
  await database.sql(`update conversations set status = 'CLOSED', closed_at = now() where _id = $1`, [conversation]);
}

test('a merged contact keeps its username, and takes over that of the other one if it has none', async () => {
  for (const [own, other, kept] of [
    [null, 'mari.s', 'mari.s'],
    ['maria.s', 'mari.s', 'maria.s'],
  ]) {
    const [target, source] = [await create({ name: 'Maria' }), await create({ name: 'Mari' })];
    for (const [{ _id }, username] of [[target, own] as const, [source, other] as const])
      await database.sql('update contacts set username = $2 where _id = $1', [_id, username]);
    assert.equal((await merge(201, target._id, source._id)).body.username, kept);
  }
});

test('a merge keeps the target’s fields, fills its empty ones and unites tags; CONTACT_UPDATED and one event per filled field are emitted', async () => {
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const business = (await call(201, 'POST', '/v1/businesses', { body: { name: 'B' } })).body._id;
  const [email, phone] = [`t-${newId()}@example.com`, makePhoneNumber()];
  const target = await create({
    name: 'Maria',
    email,
    tags: ['a', 'b'],
    custom_fields: { plan: 'gold', colours: [] },
  });
  const source = await create({
    name: 'Mari',
    email: `s-${newId()}@example.com`,
    phone_number: phone,
    external_id: newId(),
    professional_network_identifier: newId(),
    avatar_url: 'https://example.com/s.png',
    language: 'en',
    tags: ['b', 'c'],
    business,
    owner: user._id,
    opted_out: true,
    custom_fields: { plan: 'basic', score: 3, colours: ['red'] },
  });
  const merged = (await merge(201, target._id, source._id)).body;
  assert.deepEqual(merged, {
    ...source,
    _id: target._id,
    name: 'Maria',
    email,
    tags: ['a', 'b', 'c'],
    custom_fields: target.custom_fields
      .filter(({ slug }: Json) => slug === 'plan')
      .concat(source.custom_fields.filter(({ slug }: Json) => slug !== 'plan'))
      .toSorted((a: Json, b: Json) => (a.slug < b.slug ? -1 : 1)),
    createdAt: target.createdAt,
    updatedAt: merged.updatedAt,
  });
  assert.deepEqual(await read(`${PATH}/${target._id}`), merged);
  await call(404, 'GET', `${PATH}/${source._id}`);
  const events = (await readEvents(platform, target._id)).slice(2 + 1);
  const filled = ({ _id, slug, title }: Json, value: unknown) => ({
    event: 'FIELD_UPDATED',
    data: {
      field: { _id, slug, title, context: 'contact' },
      value,
      contactId: target._id,
      companyId: demo._id,
    },
  });
  assert.deepEqual(events.slice(0, 1), [{ event: 'CONTACT_UPDATED', data: merged }]);
  const byField = (a: Json, b: Json) => (a.data.field.slug < b.data.field.slug ? -1 : 1);
  assert.deepEqual(events.slice(1).toSorted(byField), [filled(colours, ['red']), filled(score, 3)]);
  assert.deepEqual(
    (await listEventNames(platform, source._id)).filter((name) => name !== 'FIELD_UPDATED'),
    ['CONTACT_CREATED'],
  );
  assert.ok(plan._id);
});

test('after a merge all identities of both contacts lead to the target: numbers, e-mails and network ids', async () => {
  const [a, b] = [makePhoneNumber(), makePhoneNumber()];
  const target = (await writeAsContact(platform, { from: a })).contact;
  const source = (await writeAsContact(platform, { from: b })).contact;
  const email = `old-${newId()}@example.com`;
  await call(200, 'PATCH', `${PATH}/${target._id}`, { body: { email: `new-${newId()}@example.com` } });
  await call(200, 'PATCH', `${PATH}/${source._id}`, { body: { email, external_id: 'crm-9' } });
  const merged = (await merge(201, target._id, source._id)).body;
  assert.deepEqual([merged.phone_number, merged.external_id], [`+${a}`, 'crm-9']);
  for (const from of [a, b]) assert.equal((await writeAsContact(platform, { from })).contact._id, target._id);
  for (const body of [{ phone_number: b }, { email }, { external_id: 'crm-9' }]) {
    const refused = await call(409, 'POST', PATH, { body });
    assert.equal(refused.body.existing_id, target._id);
  }
});

test('a merge moves conversations, messages and rows to the target, which has the later message times of both contacts', async () => {
  const from = makePhoneNumber();
  const old = await writeAsContact(platform, { from, text: 'first' });
  const sent = await sendText(platform, old.conversation._id);
  await close(old.conversation._id);
  const open = await writeAsContact(platform, { from, text: 'second' });
  const target = await create({ name: 'Maria' });
  const [table, row] = [newId(), newId()];
  await database.sql(`insert into tables (company_id, _id, name, slug) values ($1, $2, 'T', 't')`, [demo._id, table]);
  await database.sql(
    'insert into table_rows (company_id, _id, table_id, row_index, contact_id) values ($1, $2, $3, 1, $4)',
    [demo._id, row, table, open.contact._id],
  );
  const merged = (await merge(201, target._id, open.contact._id)).body;
  assert.deepEqual(
    [merged.last_inbound_at, merged.last_message_at],
    [open.contact.last_inbound_at, open.contact.last_message_at],
  );
  for (const { message, conversation } of [old, open]) {
    const moved = await read(`/v1/messages/${message._id}`);
    const { name, phone_number, email } = merged;
    const now = { contact: target._id, sender: target._id, contact_summary: { name, phone_number, email } };
    assert.deepEqual(moved, { ...message, ...now });
    assert.equal((await read(`/v1/conversations/${conversation._id}`)).contact, target._id);
  }
  const moved = await read(`/v1/messages/${sent._id}`);
  assert.deepEqual([moved.contact, moved.sender], [target._id, sent.sender]);
  assert.deepEqual(await database.sql('select contact_id from table_rows where _id = $1', [row]), [
    { contact_id: target._id },
  ]);
  const next = await writeAsContact(platform, { from, text: 'third' });
  assert.deepEqual([next.contact._id, next.conversation._id], [target._id, open.conversation._id]);
});

for (const older of ['target', 'source'] as const) {
  test(`a merge keeps the older of two open conversations in one inbox, here that of ${older}, and closes the other with an event`, async () => {
    const [first, second] = [await writeAsContact(platform), await writeAsContact(platform)];
    const [target, source] = older === 'target' ? [first, second] : [second, first];
    await merge(201, target.contact._id, source.contact._id);
    const stays = await read(`/v1/conversations/${first.conversation._id}`);
    const closed = await read(`/v1/conversations/${second.conversation._id}`);
    assert.deepEqual([stays.status, stays.contact], ['OPEN', target.contact._id]);
    assert.deepEqual([closed.status, closed.contact], ['CLOSED', target.contact._id]);
    assert.ok(closed.closed_at);
    const moved = older === 'source' ? ['CONVERSATION_UPDATED'] : [];
    assert.deepEqual(await listEventNames(platform, stays._id), ['CONVERSATION_CREATED', ...moved]);
    const [created, updated, ...more] = await readEvents(platform, closed._id);
    assert.equal(created?.event, 'CONVERSATION_CREATED');
    assert.deepEqual(updated, { event: 'CONVERSATION_UPDATED', data: closed });
    assert.deepEqual(more, []);
  });
}

/** Creates a contact of whom only a number is known, with a conversation that the company has opened. */
async function reachOut(): Promise<{ contact: string; conversation: Json }> {
  const { _id: contact } = await create({ phone_number: makePhoneNumber() });
  const { body } = await call(201, 'POST', '/v1/conversations', { body: { inbox: demo.inbox, contact } });
  return { contact, conversation: body };
}

test('unread messages and the reply window of a conversation that a merge closes count for the conversation that stays open', async () => {
  const target = await reachOut();
  const source = await writeAsContact(platform);
  await merge(201, target.contact, source.contact._id);
  const stays = await read(`/v1/conversations/${target.conversation._id}`);
  const { window_expires_at, last_inbound_at, waiting_since } = source.conversation;
  const { name, phone_number, email } = (await read(`/v1/contacts/${target.contact}`)) as Json;
  const now = { contact_summary: { name, phone_number, email }, unread_count: 1 };
  assert.deepEqual(stays, { ...target.conversation, window_expires_at, last_inbound_at, waiting_since, ...now });
  const closed = await read(`/v1/conversations/${source.conversation._id}`);
  assert.deepEqual([closed.unread_count, closed.waiting_since], [0, null]);
  assert.equal((await sendText(platform, stays._id)).status, 'SENT');
  assert.deepEqual(await listEventNames(platform, stays._id), ['CONVERSATION_CREATED']);
});

test('the conversation that a merge keeps has the later times of both, the longer waiting, and their unread messages together', async () => {
  const source = await writeAsContact(platform);
  await database.sql(
    `update conversations set window_expires_at = now(), last_inbound_at = last_inbound_at - interval '1 day',
      waiting_since = last_inbound_at - interval '1 day' where _id = $1`,
    [source.conversation._id],
  );
  const target = await writeAsContact(platform);
  await merge(201, target.contact._id, source.contact._id);
  const stays = await read(`/v1/conversations/${source.conversation._id}`);
  const { last_inbound_at, window_expires_at } = target.conversation;
  assert.equal(Date.parse(stays.waiting_since), Date.parse(source.conversation.waiting_since) - 86_400_000);
  assert.deepEqual([stays.last_inbound_at, stays.window_expires_at], [last_inbound_at, window_expires_at]);
  assert.deepEqual([stays.status, stays.unread_count, stays.last_message._id], ['OPEN', 2, source.message._id]);
});

test('the reply window of a closed conversation survives a merge', async () => {
  const target = await reachOut();
  const source = await writeAsContact(platform);
  await close(source.conversation._id);
  await merge(201, target.contact, source.contact._id);
  const { window_expires_at, unread_count } = await read(`/v1/conversations/${target.conversation._id}`);
  assert.deepEqual([window_expires_at, unread_count], [source.conversation.window_expires_at, 0]);
});

test('a snoozed conversation that a merge keeps is opened, with an event, when the other one has unread messages, and otherwise stays snoozed', async () => {
  for (const unread of [true, false]) {
    const target = await reachOut();
    const path = `/v1/conversations/${target.conversation._id}`;
    const asleep = (await call(200, 'PATCH', path, { body: { status: 'SNOOZED' } })).body;
    const source = await writeAsContact(platform);
    if (!unread) await call(200, 'PUT', `/v1/conversations/${source.conversation._id}/read`);
    await merge(201, target.contact, source.contact._id);
    const stays = await read(path);
    assert.deepEqual([stays.status, stays.unread_count], unread ? ['OPEN', 1] : ['SNOOZED', 0]);
    const events = await readEvents(platform, stays._id);
    const woken = unread ? [{ event: 'CONVERSATION_UPDATED', data: stays }] : [];
    assert.deepEqual(events.slice(1), [{ event: 'CONVERSATION_UPDATED', data: asleep }, ...woken]);
  }
});

test('a snoozed conversation that a merge both moves and opens is reported once', async () => {
  const source = await reachOut();
  const path = `/v1/conversations/${source.conversation._id}`;
  const asleep = (await call(200, 'PATCH', path, { body: { status: 'SNOOZED' } })).body;
  const target = await writeAsContact(platform);
  await merge(201, target.contact._id, source.contact);
  const stays = await read(path);
  assert.deepEqual([stays.status, stays.contact], ['OPEN', target.contact._id]);
  const updates = [asleep, stays].map((data) => ({ event: 'CONVERSATION_UPDATED', data }));
  assert.deepEqual((await readEvents(platform, stays._id)).slice(1), updates);
});

test('a merge emits an event with the new contact for each open conversation that moves, and none for a closed one', async () => {
  const from = makePhoneNumber();
  const old = await writeAsContact(platform, { from });
  await close(old.conversation._id);
  const open = await writeAsContact(platform, { from });
  const target = await create({ name: 'Maria' });
  await merge(201, target._id, open.contact._id);
  const moved = await read(`/v1/conversations/${open.conversation._id}`);
  assert.equal(moved.contact, target._id);
  assert.deepEqual((await readEvents(platform, moved._id)).slice(1), [{ event: 'CONVERSATION_UPDATED', data: moved }]);
  assert.deepEqual(await listEventNames(platform, old.conversation._id), ['CONVERSATION_CREATED']);
});

test('a merged contact has no more tags than a caller may write, the target’s own first', async () => {
  const tags = (letter: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${letter}${n}`);
  const target = await create({ name: 'T', tags: tags('t', 30) });
  const source = await create({ name: 'S', tags: ['t0', ...tags('s', 49)] });
  const merged = (await merge(201, target._id, source._id)).body;
  assert.deepEqual(merged.tags, [...tags('t', 30), ...tags('s', 20)]);
  const { body } = await call(200, 'PATCH', `${PATH}/${target._id}`, { body: { tags: merged.tags } });
  assert.deepEqual(body, merged);
});

test('a contact with 10,000 messages is merged within the time that a request has', async () => {
  const { contact, conversation } = await writeAsContact(platform);
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, sender_id, message_type,
        origin, content_type, content, status, external_id)
      select $1, new_id(), $2, $3, $4, 'WAP_AUTO_CLOSER', 'CONTACT', $3, 'INCOMING', 'CHANNEL', 'TEXT', 'Oi', 'RECEIVED', $3 || n
      from generate_series(1, 10000) n`,
    [demo._id, conversation._id, contact._id, demo.inbox],
  );
  const target = await create({ name: 'Maria' });
  await merge(201, target._id, contact._id);
  const [row] = await database.sql<{ count: number }>(
    'select count(*)::int as count from messages where contact_id = $1',
    [target._id],
  );
  assert.equal(row?.count, 10_001);
});

test('a merge of a contact with itself, with an unknown contact or one of another company is refused and changes nothing', async () => {
  const target = await create({ name: 'Maria' });
  const other = await platform.createCompany();
  const theirs = (await call(201, 'POST', PATH, { key: other.key, body: { name: 'Theirs' } })).body;
  expectProblem(await merge(400, target._id, target._id), 'VALIDATION_FAILED', 'contact');
  for (const id of [newId(), theirs._id]) {
    expectProblem(await merge(400, target._id, id), 'UNKNOWN_REFERENCE', 'contact');
  }
  const body = { contact: target._id };
  const answer = await readRawAnswer(platform, 'POST', `${PATH}/${theirs._id}/merge`, body);
  assert.equal(answer.status, 404);
  for (const id of [newId(), 'not-an-id'])
    assert.deepEqual(await readRawAnswer(platform, 'POST', `${PATH}/${id}/merge`, body), answer);
  assert.deepEqual(await read(`${PATH}/${target._id}`), target);
  assert.deepEqual((await call(200, 'GET', `${PATH}/${theirs._id}`, { key: other.key })).body, theirs);
});

test('a repeated merge answers with the contact as it is now when it has the same Idempotency-Key, and otherwise that the other is unknown', async () => {
  const [target, source] = [await create({ name: 'A' }), await create({ name: 'B' })];
  const headers = { 'idempotency-key': 'merge-1' };
  const first = await merge(201, target._id, source._id, { headers });
  assert.deepEqual((await merge(201, target._id, source._id, { headers })).body, first.body);
  expectProblem(await merge(400, target._id, source._id), 'UNKNOWN_REFERENCE', 'contact');
  assert.deepEqual(await listEventNames(platform, target._id), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('the audit records a merge and its author as contacts.merge', async () => {
  const [target, source] = [await create({ name: 'A' }), await create({ name: 'B' })];
  await merge(201, target._id, source._id);
  const { result } = (await call(200, 'GET', `/v1/audit?resource=${target._id}`)).body;
  assert.equal(result[0].action, 'contacts.merge');
});

test('when contacts are merged in a circle at the same time, one is left and it has everything', async () => {
  for (let round = 0; round < 5; round += 1) {
    const phones = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
    const received = await Promise.all(phones.map((from) => writeAsContact(platform, { from })));
    const ids = received.map(({ contact }) => contact._id as string);
    const ask = async (target = '', source = ''): Promise<number> => {
      const headers = { authorization: `Bearer ${demo.key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ contact: source });
      const path = `${platform.url}${PATH}/${target}/merge`;
      return (await fetch(path, { method: 'POST', headers, body })).status;
    };
    const writes = phones.map((from) => platform.sandbox('POST', '/sandbox/inbound', { from, text: 'meanwhile' }));
    const statuses = await Promise.all(ids.map((id, index) => ask(id, ids[(index + 1) % ids.length])));
    assert.deepEqual(
      (await Promise.all(writes)).map((answer: Json) => answer.status),
      [200, 200, 200],
    );
    const known = [201, 400, 404, 503];
    assert.ok(
      statuses.every((status) => known.includes(status)),
      statuses.join(),
    );
    const left = await database.sql<{ _id: string }>('select _id from contacts where _id = any($1)', [ids]);
    // Some of the merges were answered 503 because they collided with others, so the contacts that are left are merged now, one by one.
    for (const { _id } of left.slice(1)) await merge(201, left[0]?._id ?? '', _id);
    const [last] = await database.sql<{ _id: string }>('select _id from contacts where _id = any($1)', [ids]);
    const [row] = await database.sql<{ messages: number; open: number }>(
      `select (select count(*)::int from messages where contact_id = $1) as messages,
        (select count(*)::int from conversations where contact_id = $1 and status <> 'CLOSED') as open`,
      [last?._id],
    );
    assert.deepEqual(row, { messages: 6, open: 1 }, `round ${round}: ${statuses.join()}`);
    for (const from of phones) assert.equal((await writeAsContact(platform, { from })).contact._id, last?._id);
  }
});

test('merging refuses callers without a token or the scope, and malformed requests', async () => {
  const { _id } = await create({ name: 'A' });
  const body = { contact: newId() };
  await checkRefusals(platform, { method: 'POST', path: `${PATH}/${_id}/merge`, scope: 'contacts:update', body });
});
