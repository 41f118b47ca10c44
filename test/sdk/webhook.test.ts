import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import {
  createClient,
  parseWebhook,
  WebhookError,
  type IncomingRequest,
  type ParsedWebhook,
} from '../../sdk/src/index.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const secret = { name: 'X-Parley-Secret', value: 'a long random text' };
const event = { event: 'CONTACT_UPDATED', timestamp: '2026-11-20T12:00:37.000Z', data: { _id: 'a', name: 'José' } };
const body = JSON.stringify(event);
const headers = { 'x-parley-secret': secret.value };
const address = 'https://crm.example.com/parley';

async function expectRefusal(code: WebhookError['code'], status: number, request: Request | IncomingRequest) {
  await assert.rejects(
    parseWebhook(request, secret),
    (error) => error instanceof WebhookError && error.code === code && error.status === status,
  );
}

test('a delivery of the platform is read with its event, its id, and the delivery that it repeats', async () => {
  const platform = await startPlatform();
  const received: ParsedWebhook[] = [];
  const receiver = createServer((request, response) => {
    parseWebhook(request, secret).then(
      (delivery) => received.push(delivery) && response.writeHead(204).end(),
      (error: unknown) => response.writeHead(error instanceof WebhookError ? error.status : 500).end(),
    );
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  after(() => receiver.close());
  const parley = createClient({ url: platform.url, token: platform.demo.key });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/parley`;
  const change = (value: string) =>
    parley.webhooks.update(platform.demo.webhook, { url, custom_headers: { [secret.name]: value } });
  await change(secret.value);
  const { message } = await writeAsContact(platform, { text: 'Olá' });
  const find = (match: (delivery: ParsedWebhook) => boolean) => waitUntil('the delivery', () => received.find(match));
  const first = await find((delivery) => delivery.event === 'MESSAGE_RECEIVED');
  // The event decides the type of the data.
  assert.equal(first.event === 'MESSAGE_RECEIVED' && first.data.content, 'Olá');
  assert.deepEqual(first.data, message);
  assert.equal(first.replayOf, null);
  const logged = await waitUntil('its line in the log', async () => {
    const { result } = await parley.webhooks.listDeliveries({ event: 'MESSAGE_RECEIVED', status: 'DELIVERED' });
    return result[0];
  });
  assert.equal(logged._id, first.deliveryId);
  const replay = await parley.webhooks.replayDelivery(logged._id);
  const repeated = await find((delivery) => delivery.replayOf === logged._id);
  assert.deepEqual([repeated.deliveryId, repeated.data], [replay._id, first.data]);
  // With another secret the receiver answers 401, which the log shows.
  await change('another text');
  const refused = await parley.webhooks.replayDelivery(logged._id);
  await waitUntil('the refused delivery', async () => {
    const { result } = await parley.webhooks.listDeliveries({ status: 'FAILED' });
    return result.some(({ _id, response_status }) => _id === refused._id && response_status === 401);
  });
});

test('a request of the web and a body that was already read as text, bytes or a value give the same event', async () => {
  const expected = { ...event, deliveryId: 'd1', replayOf: null };
  const all = { ...headers, 'x-webhook-delivery': 'd1' };
  for (const request of [
    new Request(address, { method: 'POST', headers: all, body }),
    { headers: all, body },
    { headers: all, body: Buffer.from(body) },
    { headers: all, body: event },
    { headers: { 'X-PARLEY-SECRET': [secret.value], 'X-Webhook-Delivery': 'd1' }, body },
  ])
    assert.deepEqual(await parseWebhook(request, secret), expected);
});

test('an event that this version does not know is passed on', async () => {
  const later = { ...event, event: 'LATER_EVENT' };
  const delivery = await parseWebhook({ headers, body: later }, secret);
  assert.equal(delivery.event as string, 'LATER_EVENT');
});

test('a missing or wrong secret is refused with 401 before the body is read', async () => {
  for (const value of ['', 'a long random tex', 'a long random text ', 'A long random text', 'b', 'x'.repeat(10_000)])
    await expectRefusal('WRONG_SECRET', 401, { headers: { 'x-parley-secret': value }, body });
  await expectRefusal('WRONG_SECRET', 401, { headers: {}, body });
  const request = new Request(address, { method: 'POST', body });
  await expectRefusal('WRONG_SECRET', 401, request);
  assert.equal(request.bodyUsed, false);
});

test('a body that is no event, or larger than the platform sends, is refused with 400', async () => {
  for (const wrong of ['', '{', 'null', '[]', '"text"', '{"event":"CONTACT_UPDATED"}', { ...event, data: null }, 7])
    await expectRefusal('UNREADABLE_BODY', 400, { headers, body: wrong });
  await expectRefusal('UNREADABLE_BODY', 400, new Request(address, { headers }));
  const large = JSON.stringify({ ...event, data: 'x'.repeat(2 ** 20) });
  await expectRefusal('UNREADABLE_BODY', 400, new Request(address, { method: 'POST', headers, body: large }));
});
