/** What a company may call of the sandbox that runs beside the platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../test/support/platform.ts';

// As a developer runs it who wants webhooks on this machine.
const platform = await startPlatform({ env: { OUTBOUND_ALLOW: '127.0.0.0/8,::1' } });
const { call, demo, sandboxUrl } = platform;

test("the sandbox's control paths are no target of a webhook or of an inbox, its receiver is one of a webhook", async () => {
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
