/** Tests that run in the copy of the project that has the example channel: its gateway calls inboxes at their own paths. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startPlatform, type Company, type Json } from '../../support/platform.ts';

const platform = await startPlatform({ env: { EXAMPLE_LEAGUE: 'north', EXAMPLE_SECRET: 'of another channel' } });
const { call, database, demo } = platform;

/** The body of the last request that the gateway received. The gateway accepts every password but one. */
let told: Json;
const gateway = createServer((request, response) => {
  void json(request).then((body) => {
    told = body;
    response.writeHead(told.password === 'wrong-password' ? 403 : 200).end();
  });
}).listen(0, '127.0.0.1');
await once(gateway, 'listening');
after(() => gateway.close());
const gateway_url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;

async function connect(account: string, { key }: Pick<Company, 'key'> = demo, password = 'right-password') {
  const body = { channel: 'EXAMPLE', name: 'Club', example_config: { gateway_url, account, password } };
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body, key });
  return { inbox, url: told.callback.url, secret: told.callback.verifyToken };
}

async function post(status: number, url: string, secret: string | null, messages: Json[]): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(secret === null ? {} : { 'x-hook-secret': secret }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ messages }) });
  assert.equal(answer.status, status, await answer.text());
}

let ids = 0;
const written = (message: Json = {}): Json => ({
  id: `m${(ids += 1)}`,
  at: new Date().toISOString(),
  member: '#1',
  name: 'Ana',
  text: 'Oi',
  ...message,
});

const findStored = (id: string): Promise<{ _id: string; inbox_id: string; contact_id: string }[]> =>
  database.sql('select _id, inbox_id, contact_id from messages where external_id = $1', [id]);

test('an inbox of a new channel is created, shown with its secret masked, and changed', async () => {
  const { inbox } = await connect('first');
  assert.equal(inbox.connection.status, 'CONNECTED');
  assert.deepEqual(inbox.example_config, { gateway_url, account: 'first', password: '••••word' });
  const { body: read } = await call(200, 'GET', `/v1/inboxes/${inbox._id}`);
  assert.deepEqual(read, inbox);
  const example_config = { ...inbox.example_config, account: 'renamed' };
  const { body: changed } = await call(200, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { example_config } });
  assert.deepEqual(changed.example_config, example_config);
  assert.equal(told.password, 'right-password', 'the mask kept the stored secret');
});

test('a new channel is given what the operator has set for it, and nothing of other channels', async () => {
  await connect('set');
  assert.deepEqual(told.operator, { EXAMPLE_LEAGUE: 'north' });
});

test('a network that calls the path of an inbox with its secret delivers messages, and people get names of a new kind', async () => {
  const { inbox, url, secret } = await connect('members');
  assert.equal(url, `${platform.url}/hooks/example/${inbox._id}`);
  const [first, second] = [written({ email: 'Ana@example.test' }), written({ name: 'Ana Sá' })];
  await post(200, url, secret, [first]);
  await post(200, url, secret, [second, first]);
  const [stored, again] = [await findStored(first.id), await findStored(second.id)];
  assert.deepEqual([stored.length, stored[0]?.inbox_id, again[0]?.contact_id], [1, inbox._id, stored[0]?.contact_id]);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${stored[0]?.contact_id}`);
  assert.deepEqual([contact.name, contact.email, contact.phone_number], ['Ana', 'Ana@example.test', null]);
  const { body: message } = await call(200, 'GET', `/v1/messages/${stored[0]?._id}`);
  assert.deepEqual([message.channel, message.content], ['EXAMPLE', 'Oi']);
});

test('a call without the secret of its inbox is refused, whether or not the inbox exists', async () => {
  const { url } = await connect('locked');
  const { secret } = await connect('other');
  const [stranger, unknown] = [written(), `${platform.url}/hooks/example/${'0'.repeat(24)}`];
  for (const wrong of [null, '', 'guessed', secret]) await post(401, url, wrong, [stranger]);
  for (const path of [unknown, `${platform.url}/hooks/example/nothing`]) await post(401, path, secret, [stranger]);
  // The demo inbox belongs to another channel.
  await post(401, `${platform.url}/hooks/example/${demo.inbox}`, secret, [stranger]);
  assert.deepEqual(await findStored(stranger.id), []);
});

test('the secret of an inbox lets nobody write to another inbox', async () => {
  const victim = await connect('victim');
  const company = await platform.createCompany();
  const attacker = await connect('attacker', company);
  const forged = written({ account: 'victim' });
  await post(200, attacker.url, attacker.secret, [forged]);
  const [stored] = await findStored(forged.id);
  assert.equal(stored?.inbox_id, attacker.inbox._id);
  assert.notEqual(stored?.inbox_id, victim.inbox._id);
});

test('an inbox that is deleted or not accepted by its network receives nothing', async () => {
  const refused = await connect('refused', demo, 'wrong-password');
  assert.equal(refused.inbox.connection.status, 'ERROR');
  const closed = await connect('closed');
  await call(200, 'PUT', `/v1/inboxes/${closed.inbox._id}`, { body: { status: 'DELETED' } });
  // The network repeats a call that is answered 503. It may have accepted the inbox by then.
  for (const [status, { url, secret }] of [
    [503, refused],
    [200, closed],
  ] as const) {
    const message = written();
    await post(status, url, secret, [message]);
    assert.deepEqual(await findStored(message.id), []);
  }
});
