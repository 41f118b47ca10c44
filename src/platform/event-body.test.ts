/** Events of records that are larger than an event may be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { readEvents, writeAsContact } from '../../test/support/traffic.ts';

const platform = await startPlatform();
const { call, database } = platform;

const readBodies = (id: string): Promise<{ event: string; body: string }[]> =>
  database.sql('select event, body from deliveries where resource_id = $1 order by seq', [id]);

test('an event has at most 256 kB: fields that are too large are left out and named, and the rest is sent', async () => {
  const field = { title: 'Old', slug: 'old', context: 'contact', type: 'LIST' };
  const { _id: fieldId } = (await call(201, 'POST', '/v1/custom-fields', { body: field })).body;
  const contact = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Maria', tags: ['vip'] } })).body;
  await database.sql('update contacts set custom_fields = $2 where _id = $1', [
    contact._id,
    JSON.stringify({ [fieldId]: Array.from({ length: 20_000 }, () => 'á'.repeat(100)) }),
  ]);
  const changed = (await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: { name: 'Maria Silva' } })).body;
  const delivery = (await readBodies(contact._id)).at(-1);
  assert.equal(delivery?.event, 'CONTACT_UPDATED');
  assert.ok(Buffer.byteLength(delivery?.body ?? '') <= 256 * 1024);
  const body = JSON.parse(delivery?.body ?? '') as Json;
  assert.deepEqual(body.omitted, ['custom_fields']);
  assert.deepEqual(body.data, { ...changed, custom_fields: [] });
});

test('a message that is larger than an event is stored completely, and its event leaves out the largest field', async () => {
  const text = 'á'.repeat(200_000);
  const { message } = await writeAsContact(platform, { text });
  const [delivery] = await readBodies(message._id);
  const body = JSON.parse(delivery?.body ?? '') as Json;
  assert.equal(body.event, 'MESSAGE_RECEIVED');
  assert.ok(Buffer.byteLength(delivery?.body ?? '') <= 256 * 1024);
  assert.deepEqual(body.omitted, ['content']);
  assert.equal(body.data.content, null);
  assert.equal(body.data._id, message._id);
  assert.equal(message.content, text);
});

test('an event that is small enough has no property `omitted`', async () => {
  const contact = (await call(201, 'POST', '/v1/contacts', { body: { name: 'Slim' } })).body;
  const [delivery] = await readBodies(contact._id);
  assert.deepEqual(Object.keys(JSON.parse(delivery?.body ?? '')), ['event', 'timestamp', 'data']);
  assert.equal((await readEvents(platform, contact._id)).length, 1);
});
