/** One ACTIVE inbox of the whole installation owns a network number; the database decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsFor, startPlatform, type Json } from '../../../test/support/platform.ts';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8', ...connectionsFor(20) } });
const { call, database, demo } = platform;
const other = await platform.createCompany();

let lastNumber = 600_000_000_000_000;
const networkId = (): string => String((lastNumber += 1));
const wapInbox = (phone_number_id: string, extra: Record<string, unknown> = {}) => ({
  channel: 'WAP_AUTO_CLOSER',
  name: 'Phone',
  number: '+5511900000000',
  api_wap_config: { phone_number_id, business_id: '2', waba_id: '3' },
  ...extra,
});
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

/** Sends the same kind of request many times at once; answers the statuses. */
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

async function ownersOf(number: string): Promise<number> {
  const rows = await database.sql(`select 1 from inboxes where network_address = $1 and status = 'ACTIVE'`, [number]);
  return rows.length;
}

test('a number that is in use is 409 CHANNEL_IN_USE for the same and for another company, which learns nothing of its owner', async () => {
  const number = networkId();
  const owner = await create(demo, wapInbox(number));
  await refuse(demo, wapInbox(number));
  const problem = await refuse(other, wapInbox(number));
  assert.deepEqual(problem.errors, []);
  for (const known of [owner._id, demo._id, number]) assert.ok(!JSON.stringify(problem).includes(known));
  const rows = await database.sql('select 1 from inboxes where network_address = $1', [number]);
  assert.equal(rows.length, 1);
});

test('of 20 inboxes created at the same moment for one number, by two companies, exactly one exists', async () => {
  const number = networkId();
  const body = wapInbox(number);
  const requests = Array.from({ length: 20 }, (_, index) => ({
    caller: index % 2 ? demo : other,
    path: '/v1/inboxes',
    body,
  }));
  assert.deepEqual(await race('POST', requests), [201, ...Array.from({ length: 19 }, () => 409)]);
  const rows = await database.sql('select 1 from inboxes where network_address = $1', [number]);
  assert.equal(rows.length, 1);
});

test('of ten closed inboxes of one number that are opened at the same moment, exactly one becomes ACTIVE', async () => {
  const number = networkId();
  const closed: { caller: Caller; id: string }[] = [];
  for (const caller of Array.from({ length: 10 }, (_, index) => (index % 2 ? demo : other))) {
    const { _id } = await create(caller, wapInbox(number, { status: 'DELETED' }));
    closed.push({ caller, id: _id });
  }
  assert.equal(await ownersOf(number), 0);
  const body = { status: 'ACTIVE' };
  const requests = closed.map(({ caller, id }) => ({
    caller,
    method: 'PUT' as const,
    path: `/v1/inboxes/${id}`,
    body,
  }));
  assert.deepEqual(await race('PUT', requests), [200, ...Array.from({ length: 9 }, () => 409)]);
  assert.equal(await ownersOf(number), 1);
});

test('a DELETED inbox frees its number, and can not take it back while another one has it', async () => {
  const number = networkId();
  const first = await create(demo, wapInbox(number));
  await put(200, demo, first._id, { status: 'DELETED' });
  const second = await create(other, wapInbox(number));
  const refused = await put(409, demo, first._id, { status: 'ACTIVE', name: 'Back' });
  assert.equal(refused.body.code, 'CHANNEL_IN_USE');
  const { body } = await call(200, 'GET', `/v1/inboxes/${first._id}`);
  assert.deepEqual([body.status, body.name], ['DELETED', 'Phone']);
  await put(200, other, second._id, { status: 'DELETED' });
  assert.equal((await put(200, demo, first._id, { status: 'ACTIVE' })).body.status, 'ACTIVE');
});

test('moving to a number that is in use is 409 and changes nothing; moving away frees the old one', async () => {
  const [taken, own, free] = [networkId(), networkId(), networkId()];
  await create(other, wapInbox(taken));
  const { _id } = await create(demo, wapInbox(own));
  const configOf = (number: string) => ({ api_wap_config: wapInbox(number).api_wap_config });
  await put(409, demo, _id, { ...configOf(taken), name: 'Moved' });
  const { body } = await call(200, 'GET', `/v1/inboxes/${_id}`);
  assert.deepEqual([body.name, body.api_wap_config.phone_number_id], ['Phone', own]);
  await put(200, demo, _id, configOf(free));
  await create(other, wapInbox(own));
  await put(200, demo, _id, { channel: 'WEB_V2' });
  await create(other, wapInbox(free));
});

test('an instance belongs to its gateway: the same gateway in another spelling is in use, the same name elsewhere is not', async () => {
  await create(demo, partnerInbox('http://127.0.0.1:9009/api', 'main'));
  for (const base_url of ['http://127.0.0.1:9009/api', 'HTTP://127.0.0.1:9009/api/', 'http://127.1:9009/api//']) {
    await refuse(other, partnerInbox(base_url, 'main'));
  }
  await create(other, partnerInbox('http://127.0.0.1:9009/api', 'second'));
  await create(other, partnerInbox('http://127.0.0.1:9010/api', 'main'));
});
