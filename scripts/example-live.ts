/** Records the example of the live stream: the event of a conversation that changes. */
import { openLive } from '../test/support/live.ts';
import type { Json, Platform } from '../test/support/platform.ts';

// A cursor names transactions, so it would differ in every recording.
const CURSOR = '1793577600.741:741:';

export async function recordLive(platform: Platform, conversation: string): Promise<Json> {
  const live = await openLive(platform);
  await platform.call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { tags: ['order', 'cake'] } });
  const data = await live.waitFor('conversation', (changed) => changed._id === conversation);
  await live.close();
  return { event: 'conversation', id: CURSOR, data };
}
