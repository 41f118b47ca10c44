/** Tests that the change feed announces what a network reports, even when no webhook listens. */
import { test } from 'node:test';
import { startPlatform } from '../../../test/support/platform.ts';
import { reportStatuses, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { changes } = platform.running.kit;

/** Resolves when the company is announced for something that `act` does. */
async function expectAnnounced<T>(company: string, act: () => Promise<T>): Promise<T> {
  const follow = async (followed: string, begin: () => unknown): Promise<void> => {
    let heard = false;
    const end = changes.follow(followed, { changed: () => (heard = true), ended: () => undefined });
    await begin();
    await waitUntil('the announcement', () => heard);
    end();
  };
  // What was committed before is announced together with this.
  await follow('nobody', () => changes.publish(['nobody']));
  let result: T | undefined;
  await follow(company, async () => (result = await act()));
  return result as T;
}

test('received messages and statuses are announced even when no webhook listens', async () => {
  const { call, demo } = platform;
  await call(200, 'PUT', `/v1/webhooks/${demo.webhook}`, { body: { status: 'INACTIVE' } });
  const { conversation } = await expectAnnounced(demo._id, () => writeAsContact(platform));
  const { external_id: id } = await sendText(platform, conversation._id);
  await expectAnnounced(demo._id, () => reportStatuses(platform, { id, status: 'delivered' }));
});
