/** The start of the sandbox, and its addresses that a company may use as targets of its webhooks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../test/support/platform.ts';
import { listDescendants, listLiving } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { startSandbox } from './sandbox.ts';

// A developer who runs a webhook receiver on this machine sets OUTBOUND_ALLOW like this.
const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8,::1' } });
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
