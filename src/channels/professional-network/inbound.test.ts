/** What the network reports: log-ins, messages of contacts and of the account itself, and changes of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitConnection, findByExternalId } from '../../../test/support/gateway.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import {
  askForLink,
  connectAccount,
  logIn,
  reportAbout,
  setNetwork,
  silenceAccounts,
  writeAs,
} from '../../../test/support/professional-network.ts';

const platform = await startPlatform();
await silenceAccounts(platform);
const account = await connectAccount(platform, { profile: { name: 'Vera Lima', public_identifier: 'vera-lima' } });
const { call } = platform;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;
const readInbox = async (id: string, key = platform.demo.key): Promise<Json> =>
  (await call(200, 'GET', `/v1/inboxes/${id}`, { key })).body;
const createInbox = async (key: string): Promise<string> =>
  (await call(201, 'POST', '/v1/inboxes', { key, body: { channel: 'PROFESSIONAL_NETWORK', name: 'N' } })).body._id;

test('the log-in behind a link gives the inbox its account, and the inbox shows whose it is', async () => {
  const { connection, professional_network_config: config } = await readInbox(account.inbox);
  assert.equal(connection.status, 'CONNECTED');
  assert.deepEqual(config, {
    account_id: account.id,
    provider: 'LINKEDIN',
    display_name: 'Vera Lima',
    profile_url: 'https://www.linkedin.com/in/vera-lima',
    public_identifier: 'vera-lima',
  });
});

test('the gateway is told one webhook for each source, however many inboxes it has', async () => {
  await connectAccount(platform);
  await call(200, 'PUT', `/v1/inboxes/${account.inbox}`, { body: { webhook_url: null, name: 'Vera again' } });
  const { webhooks } = await platform.sandbox('GET', '/sandbox/network/webhooks');
  assert.deepEqual(webhooks.map(({ source }: Json) => source).toSorted(), ['account_status', 'messaging']);
  for (const { request_url: url } of webhooks) assert.equal(url, `${platform.url}/hooks/network`);
});

test('an inbox without an account waits, and its link begins a new log-in; one with an account logs in again', async () => {
  const inbox = await createInbox(platform.demo.key);
  assert.equal((await readInbox(inbox)).connection.status, 'PENDING');
  const url = await askForLink(platform, account.inbox);
  const { account: same } = await logIn(platform, url);
  assert.equal(same, account.id);
  assert.equal((await readInbox(account.inbox)).professional_network_config.account_id, account.id);
});

test("a notice of a log-in needs the token of a link, and never gives an inbox another company's account", async () => {
  const company = await platform.createCompany();
  const inbox = await createInbox(company.key);
  const post = async (body: string): Promise<number> =>
    (await fetch(`${platform.url}/hooks/network/connected`, { method: 'POST', body })).status;
  for (const body of [
    '',
    '{}',
    'no json',
    JSON.stringify({ status: 'CREATION_SUCCESS', account_id: 'a', name: inbox }),
  ])
    assert.equal(await post(body), 401);
  const url = await askForLink(platform, inbox, company.key);
  assert.equal((await logIn(platform, url, { token: `${company._id}${inbox}-1-${'a'.repeat(43)}` })).status, 401);
  const old = { id: 'acc_old', created_at: '2026-01-01T00:00:00.000Z' };
  await platform.sandbox('POST', '/sandbox/network/accounts', old);
  assert.equal((await logIn(platform, url, { account: 'acc_old' })).status, 200);
  assert.equal((await readInbox(inbox, company.key)).professional_network_config, undefined);
  assert.equal((await logIn(platform, url, { account: account.id })).status, 200);
  assert.match((await readInbox(inbox, company.key)).connection.error, /Another inbox/);
  assert.equal((await readInbox(account.inbox)).connection.status, 'CONNECTED');
});

test('an inbox of another channel, a deleted one and a foreign one get no link', async () => {
  const path = (id: string): string => `/v1/inboxes/${id}/connect-link`;
  const { body } = await call(400, 'POST', path(platform.demo.inbox));
  assert.equal(body.code, 'LOG_IN_NOT_SUPPORTED');
  const inbox = await createInbox(platform.demo.key);
  await call(200, 'PUT', `/v1/inboxes/${inbox}`, { body: { status: 'DELETED' } });
  assert.equal((await call(400, 'POST', path(inbox))).body.errors[0].code, 'INBOX_INACTIVE');
  const company = await platform.createCompany();
  await call(404, 'POST', path(account.inbox), { key: company.key });
  await setNetwork(platform, { faults: { link: [{ code: 422, message: 'invalid_parameters' }] } });
  const fresh = await createInbox(platform.demo.key);
  assert.equal((await call(400, 'POST', path(fresh))).body.code, 'NETWORK_REFUSED');
  await setNetwork(platform, { faults: { link: [{ kind: 'http_500' }] } });
  assert.equal((await call(503, 'POST', path(fresh))).body.code, 'UNAVAILABLE');
});

test('a person whose profile has no name in its address is known by the id, and keeps the conversation once it has one', async () => {
  const attendee_provider_id = 'ACoAABhidHidHidHidHidHidHidHidHidHid01';
  const sender = { attendee_provider_id, attendee_name: 'Rui', attendee_public_identifier: null };
  const hidden = await writeAs(platform, account, { from: 'rui-1', more: { sender } });
  const named = { ...sender, attendee_public_identifier: 'rui-costa' };
  const known = await writeAs(platform, account, { from: 'rui-1', more: { sender: named } });
  assert.equal(known.conversation, hidden.conversation);
});

test('messages of groups and notices of a chat are answered and never stored', async () => {
  for (const more of [{ is_group: true }, { is_group: 1 }, { is_event: 1 }, { attendees: [{}, {}] }])
    assert.equal(await writeAs(platform, account, { more }), null);
});

test('who wrote a message is decided by the ids before the flag of the gateway', async () => {
  const unflagged = await writeAs(platform, account, { from: 'carla', is_sender: true, more: { is_sender: false } });
  assert.deepEqual([unflagged.is_echo, unflagged.message_type], [true, 'OUTGOING']);
});

test('edits, removals and reactions change what is stored, or are stored with it', async () => {
  const first = await writeAs(platform, account, { from: 'dora' });
  await reportAbout(platform, first.external_id, 'message_edited', { message: 'Olá' });
  assert.equal((await read(first._id)).content, 'Olá');
  await reportAbout(platform, first.external_id, 'message_reaction', { reaction: '👍' });
  await reportAbout(platform, first.external_id, 'message_reaction', { reaction: '👍' });
  const { body: list } = await call(200, 'GET', `/v1/messages/conversation/${first.conversation}`);
  const reactions = list.result.filter(({ contentType }: Json) => contentType === 'REACTION');
  assert.deepEqual(
    reactions.map(({ reaction, message_type }: Json) => [reaction.emoji, message_type]),
    [['👍', 'INCOMING']],
  );
  await reportAbout(platform, first.external_id, 'message_deleted');
  assert.notEqual((await read(first._id)).revoked_at, null);
});

test("statuses of a contact's message change nothing", async () => {
  const heard = await writeAs(platform, account, { from: 'eva' });
  await reportAbout(platform, heard.external_id, 'message_read');
  assert.equal((await read(heard._id)).status, 'RECEIVED');
});

test('a call without the secret of the installation is refused, whatever else it has', async () => {
  const { webhooks } = await platform.sandbox('GET', '/sandbox/network/webhooks');
  const [{ headers }] = webhooks;
  const body = JSON.stringify({
    event: 'message_received',
    account_id: account.id,
    message_id: 'FORGED',
    message: 'x',
  });
  const post = async (sent: Record<string, string>): Promise<number> =>
    (await fetch(`${platform.url}/hooks/network`, { method: 'POST', headers: sent, body })).status;
  for (const sent of [{}, { 'x-hook-secret': 'guessed' }, { 'unipile-auth': 'guessed' }])
    assert.equal(await post(sent), 401);
  const secret = headers.find(({ key }: Json) => key === 'x-hook-secret').value;
  // The gateway sends no content type unless it is told to.
  assert.equal(await post({ 'x-hook-secret': secret, 'content-type': 'text/plain' }), 200);
  assert.equal(await findByExternalId(platform, account, 'FORGED'), null, 'it names no person');
});

test('the inbox follows the state of the account: signed out is ERROR, logged in again is CONNECTED', async () => {
  const own = await connectAccount(platform);
  const setStatus = (status: string): Promise<Json> =>
    platform.sandbox('PATCH', '/sandbox/network/accounts', { id: own.id, status });
  await setStatus('CREDENTIALS');
  assert.match((await awaitConnection(platform, { name: '', apiKey: '', ...own }, 'ERROR')).error, /log in again/);
  await logIn(platform, await askForLink(platform, own.inbox));
  await awaitConnection(platform, { name: '', apiKey: '', ...own }, 'CONNECTED');
});

test('events of an account that no inbox has are answered and dropped', async () => {
  const { id } = await platform.sandbox('POST', '/sandbox/network/accounts', {});
  const sent = await platform.sandbox('POST', '/sandbox/network/inbound', { account: id, text: 'Oi', from: 'x' });
  assert.equal(sent.status, 200);
});
