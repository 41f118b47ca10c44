/** The live stream through HTTP: what arrives, who sees it, and that nothing is missed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openLive, type LiveClient } from '../../../test/support/live.ts';
import { makePhoneNumber, startSecondProcess } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import {
  readMessage,
  reportStatuses,
  sendText,
  silenceNetwork,
  writeAsContact,
} from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const createContact = async (key?: string): Promise<Json> =>
  (
    await call(201, 'POST', '/v1/contacts', {
      body: { name: 'Ana', phone_number: `+${makePhoneNumber()}` },
      ...(key ? { key } : {}),
    })
  ).body;

const rename = (id: string, name: string): Promise<unknown> =>
  call(200, 'PATCH', `/v1/contacts/${id}`, { body: { name } });

const hasId =
  (id: string) =>
  (data: Json): boolean =>
    data._id === id;

/** Returns the last state of each record that the client has received. */
function lastStates({ events }: LiveClient, event: string): Map<string, Json> {
  return new Map(events.filter((each) => each.event === event).map(({ data }) => [data._id, data]));
}

test('a row of a table arrives when it is written, changed and removed', async () => {
  const body = { name: 'Prices', columns: [{ key: 'product', title: 'Product', type: 'TEXT' }] };
  const { body: table } = await call(201, 'POST', '/v1/tables', { body });
  const live = await openLive(platform);
  const path = `/v1/tables/${table._id}/rows`;
  const { body: row } = await call(201, 'POST', path, { body: { data: { product: 'Bread' } } });
  await live.waitFor('table_row', hasId(row._id));
  const change = { body: { data: { product: 'Cake' } } };
  const { body: changed } = await call(200, 'PATCH', `${path}/${row._id}`, change);
  await live.waitFor('table_row', (data) => data._id === row._id && data.data.product === 'Cake');
  assert.deepEqual(lastStates(live, 'table_row').get(row._id), changed);
  await call(200, 'DELETE', `${path}/${row._id}`);
  await live.waitFor('removed', (data) => data._id === row._id && data.event === 'table_row');
  await live.close();
});

test('a contact, a conversation and its messages arrive as their GET answers them, each time that they change', async () => {
  const live = await openLive(platform);
  const { message, conversation } = await writeAsContact(platform);
  await live.waitFor('message', hasId(message._id));
  await live.waitFor('contact', hasId(conversation.contact));
  await live.waitFor('conversation', (data) => data._id === conversation._id && data.last_message?._id === message._id);
  const sent = await sendText(platform, conversation._id);
  await reportStatuses(platform, { id: sent.external_id, status: 'read' });
  await live.waitFor('message', (data) => data._id === sent._id && data.status === 'READ');
  for (const id of [message._id, sent._id])
    assert.deepEqual(lastStates(live, 'message').get(id), await readMessage(platform, id));
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${conversation.contact}`);
  assert.deepEqual(lastStates(live, 'contact').get(contact._id), contact);
  const { body: latest } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual(lastStates(live, 'conversation').get(conversation._id), latest);
  const failing = await sendText(platform, conversation._id);
  await reportStatuses(platform, {
    id: failing.external_id,
    status: 'failed',
    errors: [{ code: 131026, title: 'Undeliverable' }],
  });
  const isMarked = ({ last_message: last }: Json): boolean => last?._id === failing._id && last.is_failed;
  await live.waitFor('conversation', isMarked);
  await live.close();
});

test('a stream brings only records of its company, and only those that its token may read', async () => {
  const other = await platform.createCompany();
  const { token } = await platform.createKey(demo._id, ['contacts:read']);
  const [foreign, narrow, all] = [
    await openLive(platform, { key: other.key }),
    await openLive(platform, { key: token }),
    await openLive(platform),
  ];
  const { message, conversation } = await writeAsContact(platform);
  const marker = await createContact(other.key);
  await foreign.waitFor('contact', hasId(marker._id));
  await all.waitFor('message', hasId(message._id));
  await narrow.waitFor('contact', hasId(conversation.contact));
  assert.deepEqual(
    foreign.events.filter(({ data }) => data.company === demo._id),
    [],
  );
  const later = await createContact();
  await narrow.waitFor('contact', hasId(later._id));
  assert.deepEqual([...new Set(narrow.events.map(({ event }) => event))].toSorted(), ['contact', 'ready']);
  for (const live of [foreign, narrow, all]) await live.close();
});

test('a client that comes back with its cursor receives what has changed meanwhile, and nothing else', async () => {
  const [before, during] = [await createContact(), await createContact()];
  const first = await openLive(platform);
  await rename(before._id, 'Before');
  await first.waitFor('contact', (data) => data.name === 'Before');
  const marker = await createContact();
  await first.waitFor('contact', hasId(marker._id));
  // While a transaction is open anywhere on the server that is older than the first stream, cursors are answered with reset.
  const after = await waitUntil('a cursor from which a stream goes on', async () => {
    const next = await openLive(platform, { after: first.cursor() });
    await next.close();
    return !next.events.some(({ event }) => event === 'reset') && next.cursor();
  });
  await first.close();
  await rename(during._id, 'During');
  const { body: gone } = await call(200, 'DELETE', `/v1/contacts/${marker._id}`);
  const again = await openLive(platform, { headers: { 'last-event-id': after } });
  assert.equal(lastStates(again, 'contact').get(during._id).name, 'During');
  assert.deepEqual(await again.waitFor('removed', hasId(gone._id)), { event: 'contact', _id: gone._id });
  assert.equal(lastStates(again, 'contact').has(before._id), false);
  assert.equal(
    again.events.some(({ event }) => event === 'reset'),
    false,
  );
  await again.close();
});

test('a cursor that is too old, or of another database, is answered with reset; a text that is none with 400', async () => {
  const live = await openLive(platform);
  const [, snapshot] = live.cursor().split(/\.(.*)/);
  const seconds = Math.floor(Date.now() / 1_000);
  for (const after of [`${seconds - 3_700}.${snapshot}`, `${seconds}.1:1:`, `${seconds}.900000000:900000001:`]) {
    const again = await openLive(platform, { after });
    assert.equal(again.events[0]?.event, 'reset', after);
    assert.ok(again.events[0].data.events.includes('conversation'));
    await again.close();
  }
  for (const after of ['', 'yesterday', `${seconds}.5:3:`, `${seconds}.3:9:5,4`, `${seconds}.0:0:`])
    expectProblem(await call(400, 'GET', `/v1/live?after=${after}`), 'VALIDATION_FAILED', 'after');
  await live.close();
});

test('a change that no one announced arrives all the same', async () => {
  const contact = await createContact();
  const live = await openLive(platform);
  await database.sql(`update contacts set name = 'Silent' where _id = $1`, [contact._id]);
  await live.waitFor('contact', (data) => data.name === 'Silent');
  await live.close();
});

test('a change of a transaction that began first and commits last arrives, also after others have arrived', async () => {
  const [slow, quick] = [await createContact(), await createContact()];
  const live = await openLive(platform);
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`update contacts set name = 'Slow' where _id = $1`, [slow._id]);
  await rename(quick._id, 'Quick');
  await live.waitFor('contact', (data) => data.name === 'Quick');
  const beside = await openLive(platform, { after: live.cursor() });
  await client.query('commit');
  await client.end();
  for (const each of [live, beside]) {
    await each.waitFor('contact', (data) => data.name === 'Slow');
    await each.close();
  }
});

test('more than 500 changes of a kind at once arrive as reset', async () => {
  const { _id, key } = await platform.createCompany();
  await database.sql(
    `insert into contacts (company_id, _id, name, source) select $1, lpad(to_hex(n), 24, '0'), 'Many', 'API' from generate_series(1, 501) n`,
    [_id],
  );
  const live = await openLive(platform, { key });
  await database.sql(`update contacts set name = 'More' where company_id = $1`, [_id]);
  // A stream that begins while another transaction is open is told first to read all lists again.
  await live.waitFor('reset', ({ events }) => events.join() === 'contact');
  assert.equal(lastStates(live, 'contact').size, 0);
  await live.close();
});

test('a change in one process arrives at the streams of another', async () => {
  const contact = await createContact();
  const other = await startSecondProcess(platform);
  const live = await openLive(platform, { url: other.url ?? '' });
  for (const name of ['here', 'there', 'farther', 'elsewhere', 'everywhere']) {
    await rename(contact._id, name);
    await live.waitFor('contact', (data) => data.name === name);
  }
  const endsItself = waitUntil('the stream to end', () => live.isClosed());
  await other.stop();
  await endsItself;
});

test('a stream ends soon after its key was revoked, and gains and loses events with the rights of its user', async () => {
  const { _id, token } = await platform.createKey(demo._id, ['contacts:read']);
  const user = await platform.createUser(demo._id, 'OPERATOR');
  const [live, person] = [await openLive(platform, { key: token }), await openLive(platform, { key: user.token })];
  await call(200, 'DELETE', `/v1/api-keys/${_id}`);
  await waitUntil('the stream to end', () => live.isClosed());
  await call(200, 'DELETE', `/v1/users/${user._id}`);
  await waitUntil('the stream of the removed user to end', () => person.isClosed());
});

test('a stream that begins while an older transaction is open is told to read its lists again when that has ended', async () => {
  const company = await platform.createCompany();
  const contact = await createContact(company.key);
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`update contacts set name = 'Unseen' where _id = $1`, [contact._id]);
  const live = await openLive(platform, { key: company.key });
  await client.query('commit');
  await client.end();
  const { events } = await live.waitFor('reset');
  assert.ok(events.includes('contact'));
  await live.close();
});

test('others see in every process who views a conversation and who types there, until they are away', async () => {
  const { conversation } = await writeAsContact(platform);
  const ana = await platform.createUser(demo._id, 'OPERATOR', 'Ana');
  const stranger = await platform.createCompany();
  const elsewhere = await startSecondProcess(platform);
  const [own, other, foreign] = [
    await openLive(platform, { key: ana.token }),
    await openLive(platform, { url: elsewhere.url ?? '' }),
    await openLive(platform, { key: stranger.key }),
  ];
  const path = `/v1/conversations/${conversation._id}/typing`;
  const say = (status: number, state: string, key = ana.token): Promise<Json> =>
    call(status, 'POST', path, { key, body: { state } });
  const { body } = await say(201, 'TYPING');
  assert.deepEqual(body, { conversation: conversation._id, by: { _id: ana._id, name: 'Ana' }, state: 'TYPING' });
  assert.deepEqual(await other.waitFor('presence'), body);
  await say(404, 'TYPING', stranger.key);
  expectProblem(await say(400, 'SLEEPING'), 'VALIDATION_FAILED', 'state');
  const late = await openLive(platform);
  assert.deepEqual(await late.waitFor('presence'), body);
  await own.close();
  for (const live of [other, late]) await live.waitFor('presence', ({ state }) => state === 'AWAY');
  assert.equal(
    foreign.events.some(({ event }) => event === 'presence'),
    false,
  );
  for (const live of [other, late, foreign]) await live.close();
});

test('a company with many streams is refused further ones while another company still gets some', async () => {
  const { url } = await startSecondProcess(platform, { CONNECTIONS: '120' });
  const other = await platform.createCompany();
  const open = (key: string): Promise<LiveClient> => openLive(platform, { key, url: url ?? '' });
  const streams = await Promise.all(Array.from({ length: 30 }, () => open(demo.key)));
  const refused = await fetch(`${url}/v1/live`, { headers: { authorization: `Bearer ${demo.key}` } });
  assert.equal(refused.status, 429);
  assert.equal(((await refused.json()) as Json).code, 'RATE_LIMITED');
  streams.push(await open(other.key));
  for (const stream of streams) await stream.close();
});
