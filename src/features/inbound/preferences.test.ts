/** Reports of the network besides messages: opt-outs of people, and the business-scoped ids under which it knows them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makeBsuid,
  makePhoneNumber,
  buildNotification,
  openNetwork,
  postAndReadMessage,
  secondsAgo,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const receive = (message: Json): Promise<Json> => postAndReadMessage({ platform, network, phone }, message);

function postWish(preference: Json): Promise<unknown> {
  const change = buildNotification({ phone, value: { user_preferences: [preference] } });
  change.entry[0].changes[0].field = 'user_preferences';
  return network.post(200, change);
}

test('a person who tells the network to stop is opted out, and opted in again on resume; the newest choice counts, in whatever order the choices arrive', async () => {
  const from = makePhoneNumber();
  const { contact } = await receive({ from });
  const optedOut = async () => (await platform.call(200, 'GET', `/v1/contacts/${contact}`)).body.opted_out;
  await postWish({ wa_id: from, value: 'stop', timestamp: secondsAgo(60) });
  assert.equal(await optedOut(), true);
  await postWish({ wa_id: from, value: 'stop', timestamp: secondsAgo(60) });
  await postWish({ wa_id: from, value: 'resume', timestamp: secondsAgo(90) });
  assert.equal(await optedOut(), true);
  await postWish({ wa_id: from, value: 'resume', timestamp: secondsAgo(30) });
  assert.equal(await optedOut(), false);
  assert.deepEqual(await listEventNames(platform, contact), ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_UPDATED']);
});

test('an opt-out of an unknown person creates no contact', async () => {
  const count = async () =>
    (await platform.database.sql<{ n: number }>('select count(*)::int as n from contacts'))[0]?.n;
  const before = await count();
  await postWish({ wa_id: makePhoneNumber(), value: 'stop', timestamp: secondsAgo(0) });
  assert.equal(await count(), before);
});

test('the business-scoped id of a recipient in a status is stored, and a message with that id belongs to the same contact', async () => {
  const [from, bsuid] = [makePhoneNumber(), makeBsuid()];
  const heard = await receive({ from });
  const body = { conversationId: heard.conversation, message: { content: 'Oi' } };
  const { body: sent } = await platform.call(201, 'POST', '/v1/messages/send-text', { body });
  assert.equal(sent.status, 'SENT');
  const status = {
    id: sent.external_id,
    status: 'delivered',
    timestamp: 'soon',
    recipient_id: from,
    recipient_user_id: bsuid,
  };
  await network.post(200, buildNotification({ phone, value: { statuses: [status] } }));
  // The status has no usable time, so it counts from its arrival.
  const { body: delivered } = await platform.call(200, 'GET', `/v1/messages/${sent._id}`);
  assert.equal(delivered.status, 'DELIVERED');
  assert.equal((await receive({ from_user_id: bsuid })).contact, heard.contact);
});
