import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emit } from '../../src/platform/store/events.ts';
import { newId } from '../../src/platform/values/ids.ts';
import { buildNotification, buildStatusElement, buildTextElement } from '../full/harness/network.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const { sql } = platform.database;
const countDeliveries = async (where = 'true') =>
  (await sql<{ count: number }>(`select count(*)::int as count from deliveries where ${where}`))[0]?.count;

/** Makes the database refuse a commit, after all statements of the transaction, when a changed row of the table meets this condition. */
async function refuseAtCommit(table: string, condition: string): Promise<void> {
  await sql(`create function refuse_${table}() returns trigger language plpgsql as
    $$ begin if ${condition} then raise exception 'refused at commit'; end if; return null; end $$`);
  await sql(`create constraint trigger refuse_${table} after insert or update on ${table}
    deferrable initially deferred for each row execute function refuse_${table}()`);
}

test('an event whose change is rolled back leaves no delivery', async () => {
  const before = await countDeliveries();
  const data = { _id: newId(), company: platform.demo._id };
  const change = (outcome: () => void) =>
    platform.running.kit.database.tenantTx(platform.demo._id, async (tx) => {
      await emit(tx, [{ event: 'CONTACT_UPDATED', data }]);
      outcome();
    });
  const fail = () => {
    throw new Error('the change fails');
  };
  await assert.rejects(change(fail), /the change fails/);
  assert.equal(await countDeliveries(), before);
  await change(() => undefined);
  assert.equal(await countDeliveries(`resource_id = '${data._id}'`), 1);
});

test('a message whose commit the database refuses emits no event, and other messages of the same callback emit theirs', async () => {
  await refuseAtCommit('messages', `new.content = 'poison'`);
  const phone = '100000000000001';
  const texts = ['before', 'poison', 'after'];
  const elements = texts.map((text, index) => buildTextElement(phone, `551198200000${index}`, `wamid.${text}`, text));
  const { status } = await platform.sandbox('POST', '/sandbox/notify', {
    body: JSON.parse(buildNotification(elements)),
  });
  assert.equal(status, 200);
  const stored = await sql<{ content: string; deliveries: number; _id: string }>(
    `select m.content, m._id, (select count(*)::int from deliveries d where d.resource_id = m._id) as deliveries
      from messages m where content = any($1) order by content`,
    [texts],
  );
  assert.deepEqual(
    stored.map(({ content, deliveries }) => [content, deliveries]),
    [
      ['after', 1],
      ['before', 1],
    ],
  );
  assert.equal(await countDeliveries(`body like '%poison%' or body like '%5511982000001%'`), 0);
});

test('a message whose outcome cannot be committed emits no event, and its answer does not suggest sending it again', async () => {
  await platform.receive({ from: '5511982000009', text: 'Hello' });
  const [conversation] = await sql<{ _id: string }>(
    `select conversation_id as _id from messages where content = 'Hello'`,
  );
  await platform.sandbox('PUT', '/sandbox/settings', { status_delays_ms: { sent: null, delivered: null, read: null } });
  await sql(`drop trigger refuse_messages on messages`);
  await sql(`drop function refuse_messages`);
  await refuseAtCommit('messages', `new.status = 'SENT'`);
  const body = { conversationId: conversation?._id, message: { content: 'Taken', contentType: 'TEXT' } };
  const answer = await platform.call(201, 'POST', '/v1/messages/send-text', { body });
  assert.equal(answer.body.status, 'QUEUED');
  assert.equal(await countDeliveries(`resource_id = '${answer.body._id}'`), 0);
  await sql(`drop trigger refuse_messages on messages`);

  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  assert.equal(messages.length, 1);
  const status = buildStatusElement('100000000000001', messages[0].id, 'read');
  const told = { ...status, item: { ...status.item, biz_opaque_callback_data: answer.body._id } };
  await platform.sandbox('POST', '/sandbox/notify', { body: JSON.parse(buildNotification([told])) });
  const events = await sql<{ event: string }>('select event from deliveries where resource_id = $1 order by seq', [
    answer.body._id,
  ]);
  assert.deepEqual(
    events.map((row) => row.event),
    ['MESSAGE_SENT', 'MESSAGE_READ'],
  );
});
