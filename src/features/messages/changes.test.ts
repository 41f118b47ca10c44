/** Tests which changes of messages the change feed announces, even when no webhook listens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Change } from '../../platform/store/changes/change.ts';

const platform = await startPlatform();
const { call, demo, receive } = platform;

test('received messages, sent messages and their statuses are announced to followers together with their conversation', async () => {
  await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { status: 'INACTIVE' } });
  const changes: Change[] = [];
  platform.running.kit.changes.follow(demo._id, {
    changed: (some) => void changes.push(...some),
    missed: () => undefined,
    ended: () => undefined,
  });
  const hears = (kind: Change['kind'], id: string): boolean =>
    changes.some((change) => change.kind === kind && (change.ids?.includes(id) ?? true));
  await receive({ text: 'Is the shop open?' });
  const { body: conversations } = await call(200, 'GET', '/v1/conversations?limit=1');
  const conversation = conversations.result[0]._id as string;
  const { body: messages } = await call(200, 'GET', `/v1/messages/conversation/${conversation}`);
  await waitUntil('the arrival', () => hears('MESSAGE', messages.result[0]._id) && hears('CONVERSATION', conversation));
  const body = { conversationId: conversation, message: { content: 'Until six' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  await waitUntil('the message sent', () => hears('MESSAGE', sent._id));
  changes.length = 0;
  await waitUntil('a status of it', () => hears('MESSAGE', sent._id));
  const { body: read } = await call(200, 'GET', `/v1/messages/${sent._id}`);
  assert.notEqual(read.status, 'QUEUED');
});
