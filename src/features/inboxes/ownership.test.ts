/** A network number belongs to the one ACTIVE inbox of the installation whose credentials the network has accepted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createListeningCompany, startReceiver } from '../../../test/support/deliveries.ts';
import { openLive } from '../../../test/support/live.ts';
import { waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database, demo, sandbox } = platform;
const other = await platform.createCompany();

let lastNumber = 600_000_000_000_000;
const networkId = (): string => String((lastNumber += 1));
/** Returns the body of a request that creates an inbox with an invented token. */
const wapInbox = (phone_number_id: string, extra: Record<string, unknown> = {}) => ({
  channel: 'WAP_AUTO_CLOSER',
  name: 'Phone',
  number: '+5511900000000',
  api_wap_config: { phone_number_id, business_id: '2', waba_id: '3', business_token: 'invented-token' },
  ...extra,
});
const wapConfig = (phone_number_id: string, business_token = `token-of-${phone_number_id}`) => ({
  api_wap_config: { phone_number_id, business_id: '2', waba_id: `9${phone_number_id}`, business_token },
});
/** Registers the number at the network, with this token. */
const register = (phone_number_id: string, token = `token-of-${phone_number_id}`): Promise<Json> =>
  sandbox('POST', '/sandbox/accounts', { phone_number_id, waba_id: `9${phone_number_id}`, token });
/** Returns the body of a request that creates an inbox with a token that the network accepts. */
const ownInbox = (phone_number_id: string) => wapInbox(phone_number_id, wapConfig(phone_number_id));

async function registered(): Promise<string> {
  const number = networkId();
  await register(number);
  return number;
}

/** Sends a message to the number and returns the inbox that stored it. */
async function receivingInbox(number: string): Promise<string | undefined> {
  const { id } = await platform.receive({ phone_number_id: number, text: 'Oi', from: '5511988887777' });
  const rows = await database.sql<{ inbox_id: string }>('select inbox_id from messages where external_id = $1', [id]);
  assert.ok(rows.length <= 1);
  return rows[0]?.inbox_id;
}

async function readConnection({ key }: Caller, id: string): Promise<Json> {
  return (await call(200, 'GET', `/v1/inboxes/${id}`, { key })).body.connection;
}

const partnerInbox = (base_url: string, instance_name: string) => ({
  channel: 'PARTNER_API',
  name: 'Gateway',
  number: '+5511900000000',
  partner_api_config: { base_url, api_key: 'partner-key-1234', instance_name },
});

interface Caller {
  key: string;
}

const create = async ({ key }: Caller, body: unknown): Promise<Json> =>
  (await call(201, 'POST', '/v1/inboxes', { key, body })).body;
const put = (status: number, { key }: Caller, id: string, body: unknown) =>
  call(status, 'PUT', `/v1/inboxes/${id}`, { key, body });

async function refuse({ key }: Caller, body: unknown): Promise<Json> {
  const answer = await call(409, 'POST', '/v1/inboxes', { key, body });
  assert.equal(answer.body.code, 'CHANNEL_IN_USE');
  return answer.body;
}

/** Sends many requests at the same moment and returns their statuses. */
async function race(
  method: 'POST' | 'PUT',
  requests: { caller: Caller; path: string; body: unknown }[],
): Promise<number[]> {
  const answers = await Promise.all(
    requests.map(({ caller, path, body }) => {
      const headers = { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' };
      return fetch(platform.url + path, { method, headers, body: JSON.stringify(body) });
    }),
  );
  return answers.map((answer) => answer.status).toSorted((a, b) => a - b);
}

async function connected(number: string): Promise<string[]> {
  const rows = await database.sql<{ _id: string }>(
    `select _id from inboxes where network_address = $1 and status = 'ACTIVE' and connection_status = 'CONNECTED'`,
    [number],
  );
  return rows.map(({ _id }) => _id);
}

test('a phone number that is already connected is refused with 409 CHANNEL_IN_USE, and the answer does not show to whom it belongs', async () => {
  const number = await registered();
  const owner = await create(demo, ownInbox(number));
  assert.equal(owner.connection.status, 'CONNECTED');
  await refuse(demo, wapInbox(number));
  const problem = await refuse(other, ownInbox(number));
  assert.deepEqual(problem.errors, []);
  for (const known of [owner._id, demo._id, number]) assert.ok(!JSON.stringify(problem).includes(known));
  const rows = await database.sql('select 1 from inboxes where network_address = $1', [number]);
  assert.equal(rows.length, 1);
});

test('an inbox with an invented token does not block its number, and becomes ERROR when the network accepts another inbox for the number', async () => {
  const number = await registered();
  const squatter = await create(other, wapInbox(number));
  const second = await create(demo, wapInbox(number, { channel: 'WAP_AUTO_CLOSER', name: 'Second' }));
  assert.equal(await receivingInbox(number), undefined);
  const owner = await create(demo, ownInbox(number));
  assert.equal(owner.connection.status, 'CONNECTED');
  for (const [caller, id] of [
    [other, squatter._id],
    [demo, second._id],
  ] as const) {
    const { status, error } = await readConnection(caller, id);
    assert.deepEqual([status, error], ['ERROR', 'Another inbox has already verified this number.']);
  }
  assert.equal(await receivingInbox(number), owner._id);
  await put(200, other, squatter._id, { name: 'Saved again' });
  assert.equal((await readConnection(other, squatter._id)).status, 'ERROR');
  assert.equal(await receivingInbox(number), owner._id);
});

test('of 20 inboxes with valid credentials for one number, created at the same moment, exactly one is connected', async () => {
  const number = await registered();
  const body = ownInbox(number);
  const requests = Array.from({ length: 20 }, (_, index) => ({
    caller: index % 2 ? demo : other,
    path: '/v1/inboxes',
    body,
  }));
  const statuses = await race('POST', requests);
  assert.ok(
    statuses.every((status) => status === 201 || status === 409),
    statuses.join(),
  );
  const [owner, ...rest] = await connected(number);
  assert.deepEqual(rest, []);
  assert.equal(await receivingInbox(number), owner);
  const left = await database.sql<{ connection_status: string; proven: boolean }>(
    'select connection_status, accepted_at is not null as proven from inboxes where network_address = $1 and _id <> $2',
    [number, owner],
  );
  assert.equal(left.length, statuses.filter((status) => status === 201).length - 1);
  for (const row of left) assert.deepEqual(row, { connection_status: 'ERROR', proven: false });
});

test('of ten closed inboxes with the same number that are opened at the same moment, exactly one is connected', async () => {
  const number = await registered();
  const closed: { caller: Caller; id: string }[] = [];
  for (const caller of Array.from({ length: 10 }, (_, index) => (index % 2 ? demo : other))) {
    const { _id } = await create(caller, { ...ownInbox(number), status: 'DELETED' });
    closed.push({ caller, id: _id });
  }
  assert.deepEqual(await connected(number), []);
  const body = { status: 'ACTIVE' };
  const requests = closed.map(({ caller, id }) => ({
    caller,
    method: 'PUT' as const,
    path: `/v1/inboxes/${id}`,
    body,
  }));
  const statuses = await race('PUT', requests);
  assert.ok(
    statuses.every((status) => status === 200 || status === 409),
    statuses.join(),
  );
  assert.equal((await connected(number)).length, 1);
});

test('a DELETED inbox frees its number, and cannot take it back while another one is connected', async () => {
  const number = await registered();
  const first = await create(demo, ownInbox(number));
  await put(200, demo, first._id, { status: 'DELETED' });
  const second = await create(other, ownInbox(number));
  const refused = await put(409, demo, first._id, { status: 'ACTIVE', name: 'Back' });
  assert.equal(refused.body.code, 'CHANNEL_IN_USE');
  const { body } = await call(200, 'GET', `/v1/inboxes/${first._id}`);
  assert.deepEqual([body.status, body.name], ['DELETED', 'Phone']);
  await put(200, other, second._id, { status: 'DELETED' });
  const back = await put(200, demo, first._id, { status: 'ACTIVE' });
  assert.deepEqual([back.body.status, back.body.connection.status], ['ACTIVE', 'CONNECTED']);
});

test('an inbox that moves to a connected phone number is answered 409 and stays unchanged; an inbox that moves away frees its old number', async () => {
  const [taken, own, free] = [await registered(), await registered(), await registered()];
  await create(other, ownInbox(taken));
  const { _id } = await create(demo, ownInbox(own));
  await put(409, demo, _id, { ...wapConfig(taken), name: 'Moved' });
  const { body } = await call(200, 'GET', `/v1/inboxes/${_id}`);
  assert.deepEqual([body.name, body.api_wap_config.phone_number_id], ['Phone', own]);
  await put(200, demo, _id, wapConfig(free));
  assert.equal((await create(other, ownInbox(own))).connection.status, 'CONNECTED');
  await put(200, demo, _id, { channel: 'WEB_V2' });
  assert.equal((await create(other, ownInbox(free))).connection.status, 'CONNECTED');
});

test('an inbox whose credentials the network refuses still receives, until the network accepts another inbox for the number', async () => {
  const number = await registered();
  const first = await create(demo, ownInbox(number));
  // The number has moved to another company, so the network accepts another token for it.
  await register(number, 'token-of-the-new-owner');
  await put(200, demo, first._id, wapConfig(number, 'another-old-token'));
  assert.equal((await readConnection(demo, first._id)).status, 'ERROR');
  assert.equal(await receivingInbox(number), first._id);
  const squatter = await create(other, wapInbox(number));
  assert.deepEqual([squatter.connection.status, await receivingInbox(number)], ['ERROR', first._id]);
  const second = await create(other, { ...ownInbox(number), ...wapConfig(number, 'token-of-the-new-owner') });
  assert.deepEqual([second.connection.status, await receivingInbox(number)], ['CONNECTED', second._id]);
  assert.equal((await readConnection(demo, first._id)).error, 'Another inbox has already verified this number.');
});

test('a company whose number is taken by another company is told by its webhook and its live stream, and no other company is', async () => {
  const receiver = await startReceiver();
  const listen = (path: string) =>
    createListeningCompany(platform, receiver.url + path, { events: ['INBOX_CONNECTION_CHANGED'] });
  const [loser, winner] = [await listen('/loser'), await listen('/winner')];
  const number = await registered();
  const first = await create(loser, ownInbox(number));
  await register(number, 'token-of-the-winner');
  await put(200, loser, first._id, wapConfig(number, 'an-old-token'));
  const [losing, winning] = [await openLive(platform, loser), await openLive(platform, winner)];
  const second = await create(winner, { ...ownInbox(number), ...wapConfig(number, 'token-of-the-winner') });
  const hasLost = ({ _id, connection }: Json): boolean =>
    _id === first._id && connection.error === 'Another inbox has already verified this number.';
  await losing.waitFor('inbox', hasLost);
  await winning.waitFor('inbox', ({ _id, connection }) => _id === second._id && connection.status === 'CONNECTED');
  const told = await waitUntil('the events of both companies', async () => {
    const [lost, won] = ['/loser', '/winner'].map((path) => receiver.at(path).map(({ body }) => body.data));
    return lost && lost.length >= 4 && won?.length ? { lost, won } : null;
  });
  assert.equal(told.lost.filter(hasLost).length, 1);
  assert.ok(told.lost.every(({ _id }) => _id === first._id));
  assert.deepEqual(
    told.won.map(({ _id }) => _id),
    [second._id],
  );
  for (const [live, own] of [
    [losing, first],
    [winning, second],
  ] as const) {
    const ids = live.events.filter(({ event }) => event === 'inbox').map(({ data }) => data._id);
    assert.deepEqual([...new Set(ids)], [own._id]);
    await live.close();
  }
});

test('an inbox keeps its number while the network cannot be reached and while its credentials change', async () => {
  const number = await registered();
  const { _id } = await create(demo, ownInbox(number));
  await waitUntilCopied(platform, _id);
  await sandbox('PUT', '/sandbox/settings', { faults: { phone: [{ kind: 'http_500', times: null }] } });
  await put(200, demo, _id, wapConfig(number, 'a-newer-token'));
  assert.equal((await readConnection(demo, _id)).status, 'PENDING');
  await refuse(other, ownInbox(number));
  await sandbox('PUT', '/sandbox/settings', { faults: { phone: [] } });
  assert.equal(await receivingInbox(number), _id);
});

test("a gateway instance is in use in every spelling of the gateway's address, but the same instance name at another gateway is free", async () => {
  const { _id } = await create(demo, partnerInbox('http://127.0.0.1:9009/api', 'main'));
  await create(other, partnerInbox('http://127.0.0.1:9009/api', 'main'));
  // The test sets the connection by SQL, because the channel cannot ask its gateway yet.
  await database.sql(`update inboxes set accepted_at = now(), connection_status = 'CONNECTED' where _id = $1`, [_id]);
  for (const base_url of ['http://127.0.0.1:9009/api', 'HTTP://127.0.0.1:9009/api/', 'http://127.1:9009/api//']) {
    await refuse(other, partnerInbox(base_url, 'main'));
  }
  await create(other, partnerInbox('http://127.0.0.1:9009/api', 'second'));
  await create(other, partnerInbox('http://127.0.0.1:9010/api', 'main'));
});
