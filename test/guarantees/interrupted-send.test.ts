import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetwork, buildNotification, buildStatusElement, buildTextElement } from '../full/harness/network.ts';
import { call, withStage, createInbox } from '../full/harness/stage.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000300';

test('a message whose process dies before the network answers is not sent again, and stays QUEUED until a status arrives', () =>
  withStage({}, async (stage) => {
    const api = await stage.start('api');
    const tenant = await stage.createTenant('Sender');
    await createInbox(api, tenant, PHONE);
    const network = createNetwork(stage.appSecret);
    const post = async (element: Parameters<typeof buildNotification>[0][number]) =>
      await network.postUntilHeard(api.url, buildNotification([element]));
    await post(buildTextElement(PHONE, '5511981000001', 'wamid.in', 'Hello'));
    const [{ _id: conversationId } = { _id: '' }] = await stage.store.sql<{ _id: string }>(
      'select _id from conversations',
    );
    const settings = {
      faults: { send: [{ kind: 'hang_after_accept', ms: 60_000 }] },
      status_delays_ms: { sent: null, delivered: null, read: null },
    };
    await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: settings });
    const send = (content: string) =>
      call(201, 'POST', `${api.url}/v1/messages/send-text`, {
        key: tenant.key,
        body: { conversationId, message: { content, contentType: 'TEXT' } },
      });
    const taken = async () => (await call(200, 'GET', `${stage.sandboxUrl}/sandbox/messages`)).messages;
    const cut = assert.rejects(send('Interrupted'));
    await waitUntil('the network to take the message', async () => (await taken()).length === 1);
    await api.kill();
    await cut;

    const [message] = await stage.store.sql<{ _id: string; status: string }>(
      `select _id, status from messages where message_type = 'OUTGOING'`,
    );
    assert.ok(message);
    assert.equal(message.status, 'QUEUED');
    // Every process that could send the message again is started and does other work meanwhile.
    await Promise.all([api.restart(), stage.start('worker')]);
    assert.equal((await send('Another')).status, 'SENT');
    const read = async () =>
      (await call(200, 'GET', `${api.url}/v1/messages/${message._id}`, { key: tenant.key })) as { status: string };
    assert.equal((await read()).status, 'QUEUED');
    assert.equal((await taken()).length, 2, 'the interrupted message and the other one');

    const [{ id }] = await taken();
    const status = buildStatusElement(PHONE, id, 'delivered');
    await post({ ...status, item: { ...status.item, biz_opaque_callback_data: message._id } });
    assert.equal((await read()).status, 'DELIVERED');
    assert.equal((await taken()).length, 2, 'nothing was sent again');
    await network.close();
  }));
