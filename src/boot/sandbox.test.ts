/** The start of the sandbox, and its addresses that a company may use as targets of its webhooks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../test/support/deliveries.ts';
import { startPlatform } from '../../test/support/platform.ts';
import { listDescendants, listLiving } from '../../test/support/process.ts';
import { expectProblem } from '../../test/support/refusals.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { loadConfig } from '../config.ts';
import { explainHiddenSandbox } from './entrances.ts';
import { startSandbox } from './sandbox.ts';

const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '' } });
const { call, demo, sandboxUrl } = platform;

test("a webhook or inbox may not call the sandbox's control paths, but a webhook may call its receiver", async () => {
  const { port } = new URL(sandboxUrl);
  for (const target of [
    'sandbox/reset',
    'sandbox/settings',
    'receiver/../sandbox/reset',
    'v26.0/100000000000001/messages',
    '',
  ]) {
    for (const base of [sandboxUrl, `http://localhost:${port}`, `http://[::1]:${port}`]) {
      const url = `${base}/${target}`;
      const changed = await call(400, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { url } });
      assert.deepEqual([changed.body.code, changed.body.errors[0].path], ['TARGET_NOT_ALLOWED', 'url'], url);
      const inbox = await call(400, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { webhook_url: url } });
      assert.deepEqual([inbox.body.code, inbox.body.errors[0].path], ['TARGET_NOT_ALLOWED', 'webhook_url'], url);
    }
  }
  await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { url: `${sandboxUrl}/receiver/mine` } });
});

test('a mailbox may name the mail servers of the sandbox, and no other server of this machine', async () => {
  const servers = await platform.sandbox('GET', '/sandbox/mail/servers');
  const { smtp_url, imap_url, password } = servers;
  const username = 'support@shop.example';
  const settings = { address: username, username, smtp_url, imap_url, password };
  const save = (status: number, change: object) =>
    call(status, 'POST', '/v1/inboxes', {
      body: { channel: 'EMAIL', name: 'Support', email_config: { ...settings, ...change } },
    });
  assert.equal((await save(201, {})).body.connection.status, 'CONNECTED');
  const refused = {
    smtp_url: [`smtps://127.0.0.1:${Number(new URL(smtp_url).port) + 1}`, `smtp://${new URL(sandboxUrl).host}`],
  };
  for (const url of refused.smtp_url)
    expectProblem(await save(400, { smtp_url: url }), 'TARGET_NOT_ALLOWED', 'email_config.smtp_url');
});

test('while the sandbox runs, a webhook is delivered to this machine; other addresses of a company are not, and the refusal names OUTBOUND_ALLOW', async () => {
  const receiver = await startReceiver();
  await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { url: `${receiver.url}/mine` } });
  const { _id } = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Ana' } })).body;
  await waitUntil('the delivery', () =>
    receiver.at('/mine').some(({ event, body }) => event === 'CONTACT_CREATED' && body.data._id === _id),
  );
  const agent = { name: 'a', type: 'EXTERNAL', url: receiver.url };
  const refused = await call(400, 'POST', '/v1/agents', { body: agent });
  expectProblem(refused, 'TARGET_NOT_ALLOWED', 'url');
  assert.match(refused.body.detail, /the setting OUTBOUND_ALLOW/);
  const far = await call(400, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { url: 'http://10.0.0.1/' } });
  assert.match(far.body.detail, /the setting OUTBOUND_ALLOW/);
});

test('a host that other machines reach has no sandbox, and one line says why and by which ssh command it can be used', () => {
  const line = explainHiddenSandbox(loadConfig({ HOST: '0.0.0.0', PORT: '4000', PUBLIC_URL: 'http://box.example' }));
  assert.match(line, /^Sandbox and demo are off: HOST 0\.0\.0\.0 lets other machines in[^\n]+\n$/);
  assert.match(
    line,
    /HOST=127\.0\.0\.1 .* ssh -L 4000:127\.0\.0\.1:4000 -L 4001:127\.0\.0\.1:4001 you@box\.example\n$/,
  );
  const isHidden = (env: Record<string, string>): boolean => loadConfig(env).sandboxHidden;
  assert.deepEqual(
    [
      { HOST: '0.0.0.0' },
      {},
      { HOST: '0.0.0.0', SANDBOX: 'off' },
      { HOST: '0.0.0.0', DATABASE_URL: 'postgres://a@b/c' },
    ].map(isHidden),
    [true, false, false, false],
  );
});

test('a sandbox that reports no address before the deadline is ended, and the start fails with a sentence', async () => {
  const before = listDescendants(process.pid);
  const deadline = new AbortController();
  const starting = startSandbox(platform.running.kit.config, { appSecret: '', verifyToken: '' }, deadline.signal);
  const [child = 0] = listDescendants(process.pid).filter((pid) => !before.includes(pid));
  deadline.abort();
  await assert.rejects(
    starting,
    /^Error: the sandbox has not reported its address within two minutes; .+ SANDBOX=off$/,
  );
  await waitUntil('it to end', () => listLiving([child]).length === 0);
});
