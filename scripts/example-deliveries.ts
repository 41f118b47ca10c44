/** The steps that record the examples of the log of deliveries and of replays. */
import { buildMessageNotification, connectPhone, makeMessageId, openNetwork } from '../test/support/network.ts';
import type { Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

export async function recordDeliveries(take: Take): Promise<void> {
  const { result } = await take('GET /v1/webhooks/deliveries', '?event=MESSAGE_SENT');
  await take('POST /v1/webhooks/deliveries/{id}/replay', result[0]._id);
  const period = { status: 'FAILED', from: '2026-01-31T08:00:00.000Z', to: '2026-01-31T12:00:00.000Z' };
  const replay = await take('POST /v1/webhooks/deliveries/replay', '', { body: period });
  await take('GET /v1/webhooks/deliveries/replay');
  await take('GET /v1/webhooks/deliveries/replay/{id}', replay._id);
  await take('POST /v1/webhooks/deliveries/replay/{id}/cancel', replay._id);
}

/** The steps of the webhook that a client of another system sets. */
export async function recordDoorWebhooks(take: Take, { inbox, url }: { inbox: string; url: string }): Promise<void> {
  const { _id } = await take('PUT /v1/door-webhooks', '', {
    body: { door: 'EVOLUTION', inbox, url, events: ['MESSAGES_UPSERT'], options: { base64: true } },
  });
  await take('PATCH /v1/door-webhooks/{id}', _id, { body: { status: 'INACTIVE' } });
  await take('DELETE /v1/door-webhooks/{id}', _id);
}

/** Makes the network report what no operation can: an inbox is connected, and a contact edits a message and deletes it. */
export async function emitNews(platform: Platform): Promise<void> {
  const phone = await connectPhone(platform);
  const network = await openNetwork(platform);
  const from = '5511955554444';
  const id = makeMessageId();
  const message = { type: 'text', text: { body: 'A cake for ten, please' } };
  const about = { original_message_id: id };
  for (const news of [{ id }, { type: 'edit', edit: { ...about, message } }, { type: 'revoke', revoke: about }])
    await network.post(200, buildMessageNotification(phone, { from, ...news }));
}
