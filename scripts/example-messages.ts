import type { Json, Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

/** Records the deletion of a message in a web chat. */
export async function recordRevocation(take: Take, { call }: Platform, contact: string): Promise<void> {
  const post = async (path: string, body: Json): Promise<Json> => (await call(201, 'POST', path, { body })).body;
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { external_id: 'customer-17' } });
  const inbox = await post('/v1/inboxes', { channel: 'WEB_V2', name: 'Shop' });
  const conversation = await post('/v1/conversations', { inbox: inbox._id, contact });
  const message = { content: 'Your order is in the wrong hands', contentType: 'TEXT' };
  const sent = await post('/v1/messages/send-text', { conversationId: conversation._id, message });
  await take('POST /v1/messages/{id}/revoke', sent._id);
}
