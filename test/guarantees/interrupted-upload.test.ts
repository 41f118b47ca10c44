import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildNotification, createNetwork, buildTextElement } from '../full/harness/network.ts';
import { call, withStage, createInbox } from '../full/harness/stage.ts';
import { makePng } from '../support/media-samples.ts';
import { buildForm } from '../support/sheets.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000310';

test('a message whose process dies in the middle of the upload of its file is sent to nobody, and the next send uploads the file', () =>
  withStage({}, async (stage) => {
    const api = await stage.start('api');
    const tenant = await stage.createTenant('Sender');
    await createInbox(api, tenant, PHONE);
    const network = createNetwork(stage.appSecret);
    const greeting = buildTextElement(PHONE, '5511981000001', 'wamid.in', 'Hello');
    await network.postUntilHeard(api.url, buildNotification([greeting]));
    const [{ _id: conversationId } = { _id: '' }] = await stage.store.sql<{ _id: string }>(
      'select _id from conversations',
    );
    const response = await fetch(`${api.url}/v1/resource/upload-attachment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}` },
      body: buildForm({ file: { name: 'a.png', data: makePng() } }),
    });
    const { _id: attachment } = (await response.json()) as { _id: string };
    const sandbox = (method: string, path: string, body?: object) =>
      call(200, method, `${stage.sandboxUrl}/sandbox/${path}`, body ? { body } : {});
    await sandbox('PUT', 'settings', { faults: { media: [{ kind: 'hang', ms: 60_000 }] } });
    const send = () =>
      call(201, 'POST', `${api.url}/v1/messages/send-image`, {
        key: tenant.key,
        body: { conversationId, message: { attachment } },
      });
    const cut = assert.rejects(send());
    await waitUntil(
      'the network to take the file',
      async () => (await sandbox('GET', 'settings')).faults.media.length === 0,
    );
    await api.kill();
    await cut;
    assert.deepEqual((await sandbox('GET', 'messages')).messages, []);

    await Promise.all([api.restart(), stage.start('worker')]);
    assert.equal((await send()).status, 'SENT');
    const statuses = await stage.store.sql<{ status: string }>(
      `select status from messages where message_type = 'OUTGOING' order by created_at`,
    );
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['QUEUED', 'SENT'],
    );
    assert.equal((await sandbox('GET', 'messages')).messages.length, 1);
    await network.close();
  }));
