import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  listDescendants,
  listLiving,
  makeDataFolder,
  readyUrl,
  spawnProgram,
  type Program,
} from '../../test/support/process.ts';
import type { Json } from '../../test/support/platform.ts';
import { waitUntil } from '../../test/support/wait.ts';

interface Credentials {
  base_url: string;
  company_id: string;
  company_key: string;
  global_key: string;
  user: { email: string; password: string };
}

interface Installation {
  folder: string;
  program: Program;
  url: string;
  credentials: Credentials;
}

const PLANTED = {
  token: 'planted-business-token-7c1',
  header: 'planted-header-9d2',
  words: 'planted-words-3e4',
  name: 'Planted Name',
  phone: '5511977770001',
};

async function startInstallation(t: TestContext, folder: string): Promise<Installation> {
  const program = spawnProgram(t, { env: { DATA_DIR: folder, LOG_LEVEL: 'trace' } });
  const url = await readyUrl(program);
  const credentials = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Credentials;
  return { folder, program, url, credentials };
}

async function call(at: Installation, path: string, init: { method?: string; body?: unknown; key?: string } = {}) {
  const { method = 'GET', body, key = at.credentials.company_key } = init;
  const response = await fetch(at.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-company-id': at.credentials.company_id,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

test('one installation goes through its first start, a kill -9, a second start and an orderly stop', async (t) => {
  const folder = await makeDataFolder(t);
  const first = await startInstallation(t, folder);

  await t.test(
    'the first start writes a credentials file that only its owner can read, with the documented fields and working keys',
    () => checkCredentials(first),
  );
  await t.test(
    'a second process on the same data folder is refused, and the first one goes on serving',
    async (inner) => {
      // Its port is the same, too, as when someone starts the program twice; the folder explains why that port is taken.
      const second = spawnProgram(inner, { env: { DATA_DIR: folder, PORT: new URL(first.url).port } });
      assert.equal(await second.ended, 1);
      assert.match(second.stderr(), /^parley: another Parley \(pid \d+\) is running on .*\n$/);
      assert.equal((await call(first, '/v1/inboxes')).status, 200);
    },
  );
  await t.test('the first start logs how many migrations ran, and no list of them', () => {
    assert.match(first.program.stdout(), /"migrations":\d+/);
    assert.doesNotMatch(first.program.stdout(), /0001_companies/);
  });
  const before = await storeSecretsAndRecords(first);
  // The log is written every 100 ms. The later check for secrets would prove nothing about lines that kill -9 has discarded.
  await waitUntil('the run to be logged', () => first.program.stdout().includes('"route":"/v1/webhooks/:id"'));
  const firstProcesses = listDescendants(first.program.pid);
  first.program.child.kill('SIGKILL');
  await first.program.ended;

  const second = await startInstallation(t, folder);
  await t.test('after a kill -9 the next start has the same data and the same keys', async () => {
    assert.deepEqual(second.credentials, first.credentials);
    // The sandbox now listens on another port, and the URL of the demo webhook has been changed to it.
    const { url, updatedAt, ...webhook } = (await call(second, '/v1/webhooks')).body;
    const { url: formerUrl, updatedAt: _before, ...former } = before.webhook;
    assert.deepEqual(webhook, former);
    assert.deepEqual([new URL(url).pathname, typeof updatedAt], [new URL(formerUrl).pathname, 'string']);
    // The settings of the demo name the ports of the sandbox, with which each start connects again. The network rates the number when it likes.
    const MOVING = ['web_config', 'email_config', 'partner_api_config', 'connection', 'standing', 'updatedAt'];
    const withoutPlaces = ({ result }: Json): Json[] =>
      result.map((inbox: Json) => Object.fromEntries(Object.entries(inbox).filter(([name]) => !MOVING.includes(name))));
    const { body: inboxes } = await call(second, '/v1/inboxes');
    assert.deepEqual(withoutPlaces(inboxes), withoutPlaces(before.inboxes));
  });
  await t.test("after a kill -9 the sandbox's phone shows what was said before", async () => {
    const webhook = (await call(second, '/v1/webhooks')).body;
    const query = new URLSearchParams({ phone_number_id: '100000000000001', contact: PLANTED.phone });
    const { origin } = new URL(webhook.url);
    const { items } = (await (await fetch(`${origin}/sandbox/conversation?${query.toString()}`)).json()) as Json;
    const shown = items.map(({ direction, message, body }: Json) => [direction, (message ?? body).text.body]);
    assert.deepEqual(shown, [
      ['out', PLANTED.words],
      ['in', PLANTED.words],
    ]);
  });
  await t.test('a start logs a warning as long as the credentials file exists', async () => {
    const warnings = await waitUntil('the warning', () => {
      const lines = second.program.stdout().split('\n');
      const found = lines.filter(
        (line) => line.includes('"level":40') && line.includes(join(folder, 'credentials.json')),
      );
      return found.length > 0 && found;
    });
    assert.equal(warnings.length, 1);
  });

  const processes = listDescendants(second.program.pid);
  second.program.child.kill('SIGTERM');
  await t.test(
    'after SIGTERM the program exits with 0, and neither its database nor its sandbox keeps running',
    async () => {
      assert.equal(await second.program.ended, 0);
      // The second run took over the database server of the first one.
      if (process.platform === 'linux') assert.ok(firstProcesses.length >= 2, 'a database and a sandbox were running');
      await waitUntil('the last child to end', () => listLiving([...processes, ...firstProcesses]).length === 0);
    },
  );
  await t.test('no key, token, password, header value or message text is in the log of either run', async () => {
    const secrets = JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')) as Record<string, string>;
    const { company_key, global_key, user } = first.credentials;
    const log = [first, second].map(({ program }) => program.stdout() + program.stderr()).join('');
    assert.ok(log.includes('"route":"/v1/webhooks/:id"'), 'the run was logged');
    const password = await readFile(join(folder, 'postgres/cluster/password'), 'utf8');
    const planted = [company_key, global_key, user.password, password, ...Object.values(secrets)];
    for (const secret of [...planted, ...Object.values(PLANTED)]) {
      assert.ok(!log.includes(secret), `${secret.slice(0, 12)}… is in the log`);
    }
  });
});

async function checkCredentials(at: Installation): Promise<void> {
  const { credentials } = at;
  assert.deepEqual(Object.keys(credentials), ['base_url', 'company_id', 'company_key', 'global_key', 'user']);
  assert.deepEqual(Object.keys(credentials.user), ['email', 'password']);
  assert.equal(credentials.base_url, at.url);
  assert.ok(credentials.user.password.length >= 16);
  for (const name of ['credentials.json', 'secrets.json']) {
    if (process.platform !== 'win32') assert.equal((await stat(join(at.folder, name))).mode & 0o777, 0o600);
  }
  for (const key of [credentials.company_key, credentials.global_key]) {
    const { status, body } = await call(at, '/v1/webhooks', { key });
    assert.deepEqual([status, body['company']], [200, credentials.company_id]);
  }
}

/** Stores records that must survive the kill, and sends secrets and texts that must not appear in the log. */
async function storeSecretsAndRecords(at: Installation): Promise<{ webhook: Json; inboxes: Json }> {
  const webhook = (await call(at, '/v1/webhooks')).body;
  await exchangeMessages(at, new URL(webhook.url).origin);
  const custom_headers = { 'x-secret': PLANTED.header };
  const update = { url: `${webhook.url}-2`, custom_headers };
  assert.equal((await call(at, `/v1/webhooks/${webhook._id}`, { method: 'PUT', body: update })).status, 200);
  const [inbox] = (await call(at, '/v1/inboxes')).body.result;
  // The sandbox refuses this token. The platform stores the answer, but must not log the token.
  const api_wap_config = { ...inbox.api_wap_config, business_token: PLANTED.token };
  assert.equal((await call(at, `/v1/inboxes/${inbox._id}`, { method: 'PUT', body: { api_wap_config } })).status, 200);
  const unknown = { conversationId: PLANTED.words, message: { content: PLANTED.words } };
  assert.equal((await call(at, '/v1/messages/send-text', { method: 'POST', body: unknown })).status, 400);
  assert.equal((await call(at, `/v1/contacts/${PLANTED.words}?x=${PLANTED.words}`)).status, 404);
  assert.equal((await call(at, '/v1/inboxes', { key: `${at.credentials.company_key}x` })).status, 401);
  return { webhook: (await call(at, '/v1/webhooks')).body, inboxes: (await call(at, '/v1/inboxes')).body };
}

/** Lets a contact write and the company answer, and waits until the webhook has received both events. */
async function exchangeMessages(at: Installation, sandbox: string): Promise<void> {
  const { words: text, name, phone: from } = PLANTED;
  await fetch(`${sandbox}/sandbox/inbound`, { method: 'POST', body: JSON.stringify({ text, name, from }) });
  const awaitDelivery = (event: string) =>
    waitUntil(event, async () => {
      const { deliveries } = (await (await fetch(`${sandbox}/sandbox/deliveries?event=${event}`)).json()) as Json;
      return deliveries.length > 0 && JSON.parse(deliveries[0].body);
    });
  const received: Json = await awaitDelivery('MESSAGE_RECEIVED');
  const answer = { conversationId: received.data.conversation, message: { content: text } };
  const { status, body } = await call(at, '/v1/messages/send-text', { method: 'POST', body: answer });
  assert.deepEqual([status, body.status], [201, 'SENT']);
  await awaitDelivery('MESSAGE_READ');
}
