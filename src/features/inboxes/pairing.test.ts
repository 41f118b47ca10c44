/** The code by which a phone is paired with an inbox. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitConnection, connectInstance, setGateway } from '../../../test/support/gateway.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';

const platform = await startPlatform();
const { call, demo } = platform;

const readCode = async (inbox: string): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${inbox}/pairing`)).body;
const setState = (name: string, state: string): Promise<Json> =>
  platform.sandbox('PATCH', '/sandbox/gateway/instances', { name, state });

test('the code that pairs a phone is shown while it is needed, and is stored nowhere', async () => {
  const phone = await connectInstance(platform, { state: 'close' });
  await awaitConnection(platform, phone, 'ERROR');
  const waiting = await readCode(phone.inbox);
  assert.deepEqual([waiting.state, waiting.code, waiting.error], ['WAITING', 'WZYEH1YY', null]);
  assert.match(waiting.picture, /^data:image\/png;base64,/);
  const rows = await platform.database.sql<{ kept: string }>('select row_to_json(i)::text as kept from inboxes i');
  assert.ok(rows.every(({ kept }) => !kept.includes(waiting.code) && !kept.includes(waiting.picture)));
  await setState(phone.name, 'open');
  assert.deepEqual(await readCode(phone.inbox), { state: 'CONNECTED', picture: null, code: null, error: null });
  await awaitConnection(platform, phone, 'CONNECTED');
});

test('an inbox with which no phone is paired needs no code', async () => {
  assert.equal((await readCode(demo.inbox)).state, 'NOT_NEEDED');
  const closed = await connectInstance(platform);
  await call(200, 'PUT', `/v1/inboxes/${closed.inbox}`, { body: { status: 'DELETED' } });
  assert.equal((await readCode(closed.inbox)).state, 'NOT_NEEDED');
});

test('a gateway that refuses or breaks is told in a sentence', async () => {
  const wrong = await connectInstance(platform, { givenKey: 'another-key' });
  const refused = await readCode(wrong.inbox);
  assert.equal(refused.state, 'FAILED');
  assert.match(refused.error, /Unauthorized/);
  const phone = await connectInstance(platform);
  await setGateway(platform, { faults: { connect: [{ kind: 'reset' }] } });
  assert.equal((await readCode(phone.inbox)).state, 'FAILED');
  const message = 'Error: no session';
  await setGateway(platform, { faults: { connect: [{ code: 1, http_status: 200, message }] } });
  const broken = await readCode(phone.inbox);
  assert.equal(broken.state, 'FAILED');
  assert.match(broken.error, /no session/);
});

test('the code is refused to callers who may not change inboxes, and to other companies', async () => {
  const { inbox } = await connectInstance(platform);
  const path = `/v1/inboxes/${inbox}/pairing`;
  const other = await platform.createCompany();
  expectProblem(await call(404, 'GET', path, { key: other.key }), 'NOT_FOUND');
  const { token } = await platform.createUser(demo._id, 'VIEWER');
  expectProblem(await call(403, 'GET', path, { key: token }), 'FORBIDDEN');
  await checkRefusals(platform, { method: 'GET', path, scope: 'inboxes:update' });
});
