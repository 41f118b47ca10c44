/** Messages for a suspended company are still stored, and nothing leaves the company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../../test/support/deliveries.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  buildNotification,
  openNetwork,
  secondsAgo,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const receiver = await startReceiver();
const company = await platform.createCompany('Suspended');
const phone = await connectPhone(platform, { company });
const { sql } = platform.database;
const { key } = company;

await platform.call(201, 'POST', '/v1/webhooks', {
  key,
  body: { url: `${receiver.url}/hook`, events: ['MESSAGE_RECEIVED', 'MESSAGE_DELIVERED', 'CONTACT_CREATED'] },
});
const setStatus = (status: 'ACTIVE' | 'SUSPENDED') =>
  platform.call(200, 'PATCH', `/v1/companies/${company._id}`, { key: platform.globalKey, body: { status } });
const deliveries = () => sql<Json>('select event, status, error from deliveries where company_id = $1', [company._id]);

async function receive(message: Json): Promise<Json> {
  const id = makeMessageId();
  await network.post(200, buildMessageNotification(phone, { ...message, id }));
  const [row] = await sql<Json>('select * from messages where inbox_id = $1 and external_id = $2', [phone.inbox, id]);
  assert.ok(row, 'the message was not stored');
  return row;
}

test('messages and statuses for a suspended company are stored without events or agent turns, and deliveries in its queue are not sent', async () => {
  const agent = newId();
  await sql(`insert into agents (company_id, _id, name, type) values ($1, $2, 'Ada', 'AI')`, [company._id, agent]);
  await sql('update inboxes set default_agent = $2 where _id = $1', [phone.inbox, agent]);
  await setStatus('SUSPENDED');
  const from = makePhoneNumber();
  const message = await receive({ from });
  assert.deepEqual(await deliveries(), []);
  assert.deepEqual(await sql('select 1 from pending_turns where company_id = $1', [company._id]), []);

  const sent = makeMessageId();
  await sql(
    `update messages set message_type = 'OUTGOING', sender_type = 'AGENT', origin = 'API', status = 'SENT', external_id = $2 where _id = $1`,
    [message._id, sent],
  );
  const statuses = [{ id: sent, status: 'delivered', timestamp: secondsAgo(0), recipient_id: from }];
  await network.post(200, buildNotification({ phone, value: { statuses } }));
  const [settled] = await sql<Json>('select status from messages where _id = $1', [message._id]);
  assert.equal(settled?.status, 'DELIVERED');
  assert.deepEqual(await deliveries(), []);

  await setStatus('ACTIVE');
  assert.equal((await platform.call(200, 'GET', `/v1/messages/${message._id}`, { key })).body.status, 'DELIVERED');
  await receive({ from });
  await waitUntil('the event of an active company', () => receiver.received.length === 1);
  assert.equal((await sql('select 1 from pending_turns where company_id = $1', [company._id])).length, 1);

  await sql(`update companies set status = 'SUSPENDED' where _id = $1`, [company._id]);
  await sql(
    `insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, queued_at, body)
      select company_id, $2, webhook_id, webhook_epoch, event, resource_id, now(), body from deliveries where company_id = $1 limit 1`,
    [company._id, newId()],
  );
  const refused = await waitUntil('the queued event to be refused', async () =>
    (await deliveries()).find((delivery) => delivery.status === 'FAILED'),
  );
  assert.equal(refused.error, 'WEBHOOK_INACTIVE');
  assert.equal(receiver.received.length, 1);
});
