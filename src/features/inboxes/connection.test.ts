/**
 * Tests how the platform checks the credentials of an inbox at the network. An inbox receives nothing before the network has accepted them.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { waitUntilCopied } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { CheckConnection, ConfirmAll, ConfirmConnection } from './jobs.ts';
import { noteRefusal } from './refused.ts';

// The sandbox answers the next two calls badly. A check that the test file before has left would use one of them up.
const platform = await startPlatform({ isOwn: true });
const { call, database, sandbox } = platform;

interface Account {
  phone_number_id: string;
  business_id: string;
  waba_id: string;
  business_token: string;
}

let lastNumber = 700_000_000_000_000;
const networkId = (): string => String((lastNumber += 1));

/** Registers a new phone number at the network. */
async function register(extra: Record<string, unknown> = {}): Promise<Account> {
  const ids = { phone_number_id: networkId(), waba_id: networkId(), business_id: '2' };
  const business_token = `token-of-${ids.phone_number_id}`;
  await sandbox('POST', '/sandbox/accounts', { ...ids, token: business_token, ...extra });
  return { ...ids, business_token };
}

const wapInbox = (api_wap_config: Account) => ({
  channel: 'WAP_AUTO_CLOSER',
  name: 'Phone',
  number: '+5511900000000',
  api_wap_config,
});
const create = async (account: Account): Promise<Json> =>
  (await call(201, 'POST', '/v1/inboxes', { body: wapInbox(account) })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${id}`)).body;
const put = async (id: string, body: unknown): Promise<Json> =>
  (await call(200, 'PUT', `/v1/inboxes/${id}`, { body })).body;
const setFaults = (faults: Record<string, unknown>) => sandbox('PUT', '/sandbox/settings', { faults });

/** Sends a message to the number and returns whether the inbox has stored it. */
async function receives(inbox: string, account: Account): Promise<boolean> {
  const { id } = await platform.receive({
    phone_number_id: account.phone_number_id,
    text: 'Oi',
    from: '5511988887777',
  });
  const rows = await database.sql('select 1 from messages where inbox_id = $1 and external_id = $2', [inbox, id]);
  return rows.length === 1;
}

/** Makes the job that waits for this inbox run now. Returns false when no job waits. */
async function hurryJob(inbox: string): Promise<boolean> {
  const rows = await database.sql(
    `update pgboss.job set start_after = now() where name = $1 and data->>'inbox' = $2 and state in ('created', 'retry')
      returning 1`,
    [CheckConnection.name, inbox],
  );
  return rows.length > 0;
}

async function jobEnded(inbox: string): Promise<boolean> {
  const rows = await database.sql<{ state: string }>(
    `select state from pgboss.job where name = $1 and data->>'inbox' = $2`,
    [CheckConnection.name, inbox],
  );
  return rows.length > 0 && rows.every(({ state }) => state === 'completed');
}

// A network that never answers takes ten seconds, so this check begins first and its result is asserted in the last test.
const [silent, overtaken] = [await register(), await register()];
await setFaults({ phone: [{ kind: 'hang', times: 2 }] });
const started = performance.now();
const silence = create(silent).then(async (inbox) => {
  const took = performance.now() - started;
  // The test looks at the inbox at once, because half a minute later a job asks the network again.
  return { inbox, took, received: await receives(inbox._id, silent) };
});
const overtakenSave = create(overtaken);
await waitUntil(
  'the network to keep silent',
  async () => (await sandbox('GET', '/sandbox/settings')).faults.phone.length === 0,
);

test('an inbox whose credentials the network accepts is CONNECTED in the answer of POST, and receives', async () => {
  const account = await register();
  const inbox = await create(account);
  const { status, checked_at, error } = inbox.connection;
  assert.deepEqual([status, error], ['CONNECTED', null]);
  assert.match(checked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual((await read(inbox._id)).connection, inbox.connection);
  assert.ok(await receives(inbox._id, account));
});

test('the account of an accepted inbox is subscribed, so that the network notifies the platform', async () => {
  await sandbox('PUT', '/sandbox/settings', { require_subscription: true });
  const account = await register();
  const inbox = await create(account);
  assert.ok(await receives(inbox._id, account));
  await sandbox('PUT', '/sandbox/settings', { require_subscription: false });
});

test('an inbox with a wrong token is ERROR with a reason that does not show the token, receives nothing, and connects with the right token', async () => {
  const account = await register();
  const inbox = await create({ ...account, business_token: 'not-the-right-token' });
  assert.equal(inbox.connection.status, 'ERROR');
  assert.match(inbox.connection.error, /code 190/);
  assert.ok(!JSON.stringify(inbox).includes('not-the-right-token'));
  assert.equal(await receives(inbox._id, account), false);
  const mended = await put(inbox._id, { api_wap_config: account });
  assert.deepEqual([mended.connection.status, mended.connection.error], ['CONNECTED', null]);
  assert.ok(await receives(inbox._id, account));
});

test('an inbox with an unknown number, the wrong account or no token is ERROR', async () => {
  const account = await register();
  for (const wrong of [
    { ...account, phone_number_id: networkId() },
    { ...account, waba_id: networkId() },
    { ...account, business_token: null as unknown as string },
  ]) {
    const { connection, _id } = await create(wrong);
    assert.equal(connection.status, 'ERROR');
    assert.ok(connection.error.length > 0);
    await put(_id, { status: 'DELETED' });
  }
});

test('an inbox that is saved while the network cannot be reached is PENDING and receives nothing; a job connects it later', async () => {
  const account = await register();
  await setFaults({ phone: [{ kind: 'http_500', times: null }] });
  const inbox = await create(account);
  assert.equal(inbox.connection.status, 'PENDING');
  assert.equal(await receives(inbox._id, account), false);
  assert.ok(await hurryJob(inbox._id));
  const { checked_at } = inbox.connection;
  await waitUntil('the job to ask in vain', async () => (await read(inbox._id)).connection.checked_at > checked_at);
  assert.equal((await read(inbox._id)).connection.status, 'PENDING');
  await setFaults({ phone: [] });
  await waitUntil('the failed job to wait for its next try', () => hurryJob(inbox._id));
  await waitUntil('the job to connect it', async () => (await read(inbox._id)).connection.status === 'CONNECTED');
  assert.ok(await receives(inbox._id, account));
  await waitUntil('the job to end', () => jobEnded(inbox._id));
});

test('an inbox whose subscription fails for a moment is PENDING; one whose subscription is forbidden is ERROR', async () => {
  for (const [fault, status] of [
    [{ code: 4 }, 'PENDING'],
    [{ kind: 'reset' }, 'PENDING'],
    [{ kind: 'not_json' }, 'PENDING'],
    [{ code: 200 }, 'ERROR'],
  ] as const) {
    const account = await register();
    await setFaults({ subscribed_apps: [{ ...fault, times: 1 }] });
    const inbox = await create(account);
    assert.equal(inbox.connection.status, status, JSON.stringify(fault));
    assert.equal(await receives(inbox._id, account), false);
  }
});

test('the job does not check an inbox that was closed in the meantime', async () => {
  const account = await register();
  // The limit of the business may be read at the same moment, so the fault stays until the answer is here.
  await setFaults({ phone: [{ kind: 'http_500', times: null }] });
  const inbox = await create(account);
  await setFaults({ phone: [] });
  assert.equal(inbox.connection.status, 'PENDING');
  const closed = await put(inbox._id, { status: 'DELETED' });
  assert.ok(await hurryJob(inbox._id));
  await waitUntil('the job to end', () => jobEnded(inbox._id));
  assert.deepEqual((await read(inbox._id)).connection, closed.connection);
});

test('the credentials of an inbox are checked again only when they change or the inbox is opened again', async () => {
  const account = await register();
  const { _id, connection } = await create(account);
  const mask = `••••${account.business_token.slice(-4)}`;
  for (const body of [{ name: 'Renamed' }, { api_wap_config: account }, { status: 'DELETED' }]) {
    assert.deepEqual((await put(_id, body)).connection, connection);
  }
  await put(_id, { status: 'ACTIVE' });
  for (const business_token of [mask, account.business_token]) {
    const before = (await read(_id)).connection;
    assert.deepEqual((await put(_id, { api_wap_config: { ...account, business_token } })).connection, before);
  }
  const failed = await put(_id, { api_wap_config: { ...account, business_token: 'not-the-right-token' } });
  assert.equal(failed.connection.status, 'ERROR');
});

test('an inbox that moves to another number receives nothing there until the network accepts it', async () => {
  const [old, next] = [await register(), await register()];
  const { _id } = await create(old);
  const wrong = { ...next, business_token: 'not-the-right-token' };
  assert.equal((await put(_id, { api_wap_config: wrong })).connection.status, 'ERROR');
  assert.equal(await receives(_id, next), false);
  assert.equal(await receives(_id, old), false);
  assert.equal((await put(_id, { api_wap_config: next })).connection.status, 'CONNECTED');
  assert.ok(await receives(_id, next));
});

test('a DELETED inbox receives nothing; after it is opened again, it receives once the network accepts its credentials again', async () => {
  const account = await register();
  const { _id } = await create(account);
  await put(_id, { status: 'DELETED' });
  assert.equal(await receives(_id, account), false);
  // In the meantime the number belongs to another owner, who has another token.
  await sandbox('POST', '/sandbox/accounts', { ...account, token: 'token-of-another-owner' });
  const opened = await put(_id, { status: 'ACTIVE' });
  assert.deepEqual([opened.status, opened.connection.status], ['ACTIVE', 'ERROR']);
  assert.equal(await receives(_id, account), false);
  await sandbox('POST', '/sandbox/accounts', { ...account, token: account.business_token });
  await put(_id, { status: 'DELETED' });
  assert.equal((await put(_id, { status: 'ACTIVE' })).connection.status, 'CONNECTED');
  assert.ok(await receives(_id, account));
});

test('credentials that change while an inbox is DELETED are checked when it is opened again', async () => {
  const [old, next] = [await register(), await register()];
  const { _id } = await create(old);
  await put(_id, { status: 'DELETED' });
  const moved = await put(_id, { api_wap_config: { ...next, business_token: 'not-the-right-token' } });
  assert.equal(moved.connection.status, 'PENDING');
  assert.equal((await put(_id, { status: 'ACTIVE' })).connection.status, 'ERROR');
  assert.equal(await receives(_id, next), false);
});

/** Returns the callback address that the network stores for this number, or undefined when it stores none. */
async function toldAddress(account: Account): Promise<string | undefined> {
  const url = `${platform.sandboxUrl}/v26.0/${account.phone_number_id}?fields=webhook_configuration`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${account.business_token}` } });
  return ((await answer.json()) as Json).webhook_configuration.phone_number;
}

test('the network is set to notify the webhook_url of the inbox, and an inbox whose address the network cannot verify is not connected', async () => {
  const account = await register();
  const { _id } = await create(account);
  assert.equal(await toldAddress(account), undefined);
  const webhook_url = `${platform.url}/hooks/wap`;
  assert.equal((await put(_id, { webhook_url })).connection.status, 'CONNECTED');
  assert.equal(await toldAddress(account), webhook_url);
  assert.ok(await receives(_id, account));
  const wrong = await put(_id, { webhook_url: `${platform.url}/health/live` });
  assert.notEqual(wrong.connection.status, 'CONNECTED');
  assert.match(wrong.connection.error, /Callback verification failed/);
});

test('a cleared webhook_url is removed from the record and from the network', async () => {
  const account = await register();
  const { _id } = await create(account);
  await put(_id, { webhook_url: `${platform.url}/hooks/wap` });
  // The limit of the business may be read at the same moment, so the fault stays until the answer is here.
  await setFaults({ phone: [{ kind: 'http_500', times: null }] });
  const cleared = await put(_id, { webhook_url: null });
  await setFaults({ phone: [] });
  assert.ok(!('webhook_url' in cleared));
  assert.equal(cleared.connection.status, 'PENDING');
  assert.ok(await hurryJob(_id));
  await waitUntil('the job to connect it', async () => (await read(_id)).connection.status === 'CONNECTED');
  assert.equal(await toldAddress(account), undefined);
  assert.ok(await receives(_id, account));
});

/** Starts a tenant's server that answers the network's challenge and records the verification tokens that it gets. */
async function listen(context: TestContext): Promise<{ url: string; tokens: (string | null)[] }> {
  const tokens: (string | null)[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://tenant');
    tokens.push(searchParams.get('hub.verify_token'));
    response.end(searchParams.get('hub.challenge'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, tokens };
}

/** Sends a verification token to the platform's handshake and returns the status. */
const shake = async (token: string): Promise<number> => {
  const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '7' });
  return (await fetch(`${platform.url}/hooks/wap?${query.toString()}`)).status;
};

test("the webhook_url of an inbox gets a verification token of this inbox, never the installation's", async (context) => {
  const { url, tokens } = await listen(context);
  const [first, second] = [await create(await register()), await create(await register())];
  for (const { _id } of [first, second])
    assert.equal((await put(_id, { webhook_url: url })).connection.status, 'CONNECTED');
  const [one = '', two = ''] = tokens;
  assert.ok(
    one &&
      two &&
      one !== two &&
      one !== platform.running.kit.channels.get('WAP_AUTO_CLOSER').callbacks?.handshake?.token,
  );
  assert.deepEqual([await shake(one), await shake(two)], [200, 200]);
  const [kept] = await database.sql<{ row: string }>(
    'select row_to_json(i)::text as row from inboxes i where _id = $1',
    [first._id],
  );
  assert.ok(!kept?.row.includes(one.slice(-20)));
  // Refused are forged tokens, the token of an inbox without a webhook_url, and that of a closed inbox.
  assert.equal(await shake(`${one.slice(0, -1)}${one.endsWith('A') ? 'B' : 'A'}`), 403);
  assert.equal(await shake(one.slice(0, 48) + two.slice(48)), 403);
  await put(first._id, { webhook_url: null });
  await put(second._id, { status: 'DELETED' });
  assert.deepEqual([await shake(one), await shake(two)], [403, 403]);
});

test('a webhook_url that is no public address is refused like every address that a tenant gives', async () => {
  const account = await register();
  const { _id } = await create(account);
  // The rating of its number comes with the templates.
  await waitUntilCopied(platform, _id);
  const before = await read(_id);
  for (const webhook_url of [
    'http://169.254.169.254/latest',
    'http://10.0.0.1/hook',
    'http://[::1]:9000/',
    'https://user:pass@example.com/',
  ]) {
    for (const [method, path, body] of [
      ['PUT', `/v1/inboxes/${_id}`, { webhook_url }],
      ['POST', '/v1/inboxes', { channel: 'WEB_V2', name: 'Site', webhook_url }],
    ] as const) {
      const { body: problem } = await call(400, method, path, { body });
      assert.deepEqual([problem.code, problem.errors[0].path], ['TARGET_NOT_ALLOWED', 'webhook_url'], webhook_url);
    }
  }
  assert.deepEqual(await read(_id), before);
});

test('coexistence_enabled has the value that the network reports for the phone number', async () => {
  for (const is_on_biz_app of [true, false]) {
    assert.equal((await create(await register({ is_on_biz_app }))).coexistence_enabled, is_on_biz_app);
  }
});

/** Receives a message for this inbox and returns its conversation. */
async function conversationIn(inbox: string, account: Account): Promise<string> {
  assert.ok(await receives(inbox, account));
  const [row] = await database.sql<{ _id: string }>('select _id from conversations where inbox_id = $1', [inbox]);
  return row?._id ?? '';
}

const send = async (conversationId: string): Promise<Json> =>
  (
    await call(201, 'POST', '/v1/messages/send-text', {
      body: { conversationId, message: { content: 'Oi', contentType: 'TEXT' } },
    })
  ).body;

test('when the network refuses the token at a send, the inbox is ERROR at once; a job connects it when the token is accepted again', async () => {
  for (const code of [0, 190]) {
    const account = await register();
    const { _id } = await create(account);
    await waitUntil('the job of the save to end', async () => !(await hurryJob(_id)) && (await jobEnded(_id)));
    const conversation = await conversationIn(_id, account);
    await setFaults({ send: [{ code, times: 1 }] });
    const failed = await send(conversation);
    assert.deepEqual([failed.status, failed.errors[0].code], ['FAILED', code]);
    assert.notEqual(failed.errors[0].title, 'OAuthException');
    const { status, error } = (await read(_id)).connection;
    assert.equal(status, 'ERROR');
    assert.match(error, new RegExp(`code ${code}`));
    assert.ok(await receives(_id, account), 'what comes in is still received');
    assert.ok(await hurryJob(_id));
    await waitUntil('the job to connect it', async () => (await read(_id)).connection.status === 'CONNECTED');
  }
});

test('when the network refuses the token at a read mark, the inbox is ERROR, and the mark is not tried again', async () => {
  const account = await register();
  const { _id } = await create(account);
  const conversation = await conversationIn(_id, account);
  await sandbox('POST', '/sandbox/accounts', { ...account, token: 'a-newer-token' });
  await call(200, 'PUT', `/v1/conversations/${conversation}/read`);
  await waitUntil('the inbox to be marked', async () => (await read(_id)).connection.status === 'ERROR');
  const marks = `select state from pgboss.job where name = 'conversations.mark-read' and data->>'conversation' = $1`;
  await waitUntil('the job to end', async () =>
    (await database.sql<Json>(marks, [conversation])).every(({ state }) => state === 'completed'),
  );
});

test('an inbox stays CONNECTED after refusals for other reasons, and after a refusal of credentials that were replaced in the meantime', async () => {
  const account = await register();
  const { _id } = await create(account);
  const conversation = await conversationIn(_id, account);
  for (const code of [131026, 130429, 200, 613]) {
    await setFaults({ send: [{ code, times: 3 }] });
    assert.equal((await send(conversation)).status, 'FAILED');
    assert.equal((await read(_id)).connection.status, 'CONNECTED', `${code}`);
  }
  await setFaults({ send: [{ code: 190, times: 1 }] });
  await database.sql('update inboxes set connection_version = connection_version + 1 where _id = $1', [_id]);
  const { kit } = platform.running;
  await kit.database.tenantTx(platform.demo._id, (tx) =>
    noteRefusal(kit, tx, { inbox: _id, version: 0 }, { code: 190, message: 'Old' }),
  );
  assert.equal((await read(_id)).connection.status, 'CONNECTED');
  await setFaults({ send: [] });
});

test('an inbox in ERROR is checked again when it is saved', async () => {
  const account = await register();
  await sandbox('POST', '/sandbox/accounts', { ...account, token: 'not-yet-the-same' });
  const { _id, connection } = await create(account);
  assert.equal(connection.status, 'ERROR');
  await sandbox('POST', '/sandbox/accounts', { ...account, token: account.business_token });
  assert.equal((await put(_id, { name: 'Saved' })).connection.status, 'CONNECTED');
});

test('each change of a connection is emitted once, and a check that finds it as it was emits nothing', async () => {
  const { _id } = await create(await register());
  const { kit } = platform.running;
  const [{ version }] = (await database.sql<{ version: number }>(
    'select connection_version as version from inboxes where _id = $1',
    [_id],
  )) as [{ version: number }];
  for (let n = 0; n < 2; n += 1)
    await kit.database.tenantTx(platform.demo._id, (tx) =>
      noteRefusal(kit, tx, { inbox: _id, version }, { code: 190, message: 'Revoked' }),
    );
  for (const name of ['Saved', 'Saved again']) await put(_id, { name });
  const about = ({ body: { event, data } }: Json): boolean => event === 'INBOX_CONNECTION_CHANGED' && data._id === _id;
  await put(_id, { api_wap_config: { ...(await read(_id)).api_wap_config, business_token: 'wrong' } });
  const told = await platform.deliveries(about, 5);
  assert.deepEqual(
    told.map(({ body }) => body.data.connection.status),
    ['CONNECTED', 'ERROR', 'CONNECTED', 'PENDING', 'ERROR'],
  );
  const { updatedAt: _then, ...last } = told[4].body.data;
  const { updatedAt: _now, ...shown } = await read(_id);
  assert.deepEqual(last, shown);
});

/** Runs the daily check of these inboxes now, as if the last one had been a day ago. */
async function lookDaily(ids: string[]): Promise<void> {
  const checked = `update inboxes set connection_checked_at = now() - interval '1 day' where _id = any($1)`;
  await database.sql(checked, [ids]);
  const { kit } = platform.running;
  await kit.database.systemTx('upkeep', (tx) => kit.enqueue(tx, ConfirmAll, {}));
  await waitUntil('every inbox to be asked for', async () => {
    const rows = await database.sql(
      `update pgboss.job set start_after = now() where name = $1 and data->>'inbox' = any($2) returning 1`,
      [ConfirmConnection.name, ids],
    );
    return rows.length >= ids.length;
  });
}

test('every CONNECTED inbox is checked daily, which updates coexistence and notices a revoked token', async () => {
  const accounts = [await register({ is_on_biz_app: true }), await register(), await register()] as const;
  const [left, joined, lost] = await Promise.all(accounts.map(create));
  for (const { _id } of [left, joined, lost]) await waitUntilCopied(platform, _id);
  assert.deepEqual([left.coexistence_enabled, joined.coexistence_enabled], [true, false]);
  for (const [index, change] of [
    { is_on_biz_app: false },
    { is_on_biz_app: true },
    { token: 'a-newer-token' },
  ].entries()) {
    const { business_token: token, ...account } = accounts[index] as Account;
    await sandbox('POST', '/sandbox/accounts', { ...account, token, ...change });
  }
  await lookDaily([left._id, joined._id, lost._id]);
  await waitUntil('the lost token to be seen', async () => (await read(lost._id)).connection.status === 'ERROR');
  await waitUntil('the business app to be seen', async () => (await read(joined._id)).coexistence_enabled === true);
  await waitUntil('its end to be seen', async () => (await read(left._id)).coexistence_enabled === false);
  assert.equal((await read(left._id)).connection.status, 'CONNECTED');
});

test('an inbox stays CONNECTED when the network cannot be reached at the daily check', async () => {
  const inbox = await create(await register());
  await setFaults({ phone: [{ kind: 'http_500', times: null }] });
  await lookDaily([inbox._id]);
  await waitUntil('the look to be repeated', async () => {
    const rows = await database.sql(
      `select 1 from pgboss.job where name = $1 and data->>'inbox' = $2 and state = 'retry'`,
      [ConfirmConnection.name, inbox._id],
    );
    return rows.length > 0;
  });
  assert.equal((await read(inbox._id)).connection.status, 'CONNECTED');
  await setFaults({ phone: [] });
});

test('the result of a check is ignored when the credentials were replaced in the meantime', async () => {
  const [row] = await database.sql<{ _id: string }>('select _id from inboxes where network_address = $1', [
    overtaken.phone_number_id,
  ]);
  const { _id, connection } = await put(row?._id ?? '', { api_wap_config: await register() });
  assert.equal(connection.status, 'CONNECTED');
  await overtakenSave;
  assert.deepEqual((await read(_id)).connection, connection);
});

test('with a network that never answers, saving an inbox ends after ten seconds, and the inbox is PENDING', async () => {
  const { inbox, took, received } = await silence;
  assert.equal(inbox.connection.status, 'PENDING');
  assert.ok(took >= 9_950, `it took ${took} ms`);
  assert.equal(received, false);
});
