import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFile } from '../../../test/support/attachments.ts';
import { makePng } from '../../../test/support/media-samples.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { listNetworkMessages, readEvents, writeAsContact } from '../../../test/support/traffic.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;

const send = (status: number, kind: string, body: Json, headers: Record<string, string> = {}) =>
  call(status, 'POST', `/v1/messages/send-${kind}`, { body, headers });
const TEXT = { message: { content: 'Hello' } };
const TEMPLATE = { message: { template: { name: 'hello_world', language: 'pt_BR' } } };

test('a text or a file to a contact or a number in an inbox goes into their open conversation', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id: attachment } = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' });
  const { inbox: inboxId, contact } = conversation;
  const { body: known } = await call(200, 'GET', `/v1/contacts/${contact}`);
  for (const person of [{ contact }, { phone: known.phone_number }])
    for (const [kind, body] of [['text', TEXT] as const, ['image', { message: { attachment } }] as const]) {
      const { body: sent } = await send(201, kind, { inboxId, ...person, ...body });
      assert.deepEqual([sent.status, sent.conversation], ['SENT', conversation._id]);
      assert.equal((await listNetworkMessages(platform, sent._id)).length, 1);
    }
});

test('a text to an unknown number makes the contact and its conversation, and says that the reply window is closed', async () => {
  const phone = `+${makePhoneNumber()}`;
  const request = { inboxId: demo.inbox, phone, name: 'Ana', ...TEXT };
  const key = { 'idempotency-key': phone };
  const { body: sent } = await send(201, 'text', request, key);
  assert.deepEqual([sent.status, sent.errors[0].code], ['FAILED', 'WINDOW_EXPIRED']);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${sent.contact}`);
  assert.deepEqual([contact.name, contact.phone_number], ['Ana', phone]);
  const [created] = await readEvents(platform, sent.conversation);
  assert.equal(created?.event, 'CONVERSATION_CREATED');
  assert.equal((await send(201, 'text', request, key)).body._id, sent._id);
});

test('a recipient is a conversation, or a contact or a number in an inbox, always of the same company', async () => {
  const { conversation } = await writeAsContact(platform);
  const { _id: attachment } = await uploadFile(platform, { data: makePng(), fileType: 'IMAGE' });
  const { inbox: inboxId, contact } = conversation;
  const strange = 'a'.repeat(24);
  const refusals: [Json, string, string][] = [
    [{}, 'VALIDATION_FAILED', 'conversationId'],
    [{ contact }, 'VALIDATION_FAILED', 'conversationId'],
    [{ inboxId }, 'VALIDATION_FAILED', 'contact'],
    [{ inboxId, contact, phone: '+5511987654321' }, 'VALIDATION_FAILED', 'phone'],
    [{ inboxId, phone: '123' }, 'VALIDATION_FAILED', 'phone'],
    [{ conversationId: conversation._id, inboxId }, 'VALIDATION_FAILED', 'inboxId'],
    [{ conversationId: strange }, 'UNKNOWN_REFERENCE', 'conversationId'],
    [{ inboxId: strange, phone: '+5511987654321' }, 'UNKNOWN_REFERENCE', 'inboxId'],
    [{ inboxId, contact: strange }, 'UNKNOWN_REFERENCE', 'contact'],
  ];
  const contents = { text: TEXT, image: { message: { attachment } }, template: TEMPLATE };
  for (const [recipient, code, path] of refusals)
    for (const [kind, content] of Object.entries(contents))
      expectProblem(await send(400, kind, { ...recipient, ...content }), code, path);
});

test('a send that is refused leaves no contact and no conversation', async () => {
  const phone = `+${makePhoneNumber()}`;
  const refused = await send(400, 'text', { inboxId: demo.inbox, phone, replyTo: 'a'.repeat(24), ...TEXT });
  expectProblem(refused, 'UNKNOWN_REFERENCE', 'replyTo');
  assert.deepEqual(await database.sql('select _id from contacts where phone_number = $1', [phone]), []);
});
