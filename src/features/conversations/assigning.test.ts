/** Whom conversations are assigned to when a request or a bulk send opens them or finds them open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const agent = newId();
await database.sql(`insert into agents (company_id, _id, name) values ($1, $2, 'Bia')`, [demo._id, agent]);
const owner = (await platform.createUser(demo._id, 'OPERATOR'))._id as string;
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_owner: owner, default_agent: agent } });
await waitUntil('the templates are copied', async () => {
  const { body } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}/templates?name=hello_world`);
  return body.result.length > 0;
});

const open = async (status: number, phone_number: string, body: Json = {}): Promise<Json> =>
  (await call(status, 'POST', '/v1/conversations', { body: { inbox: demo.inbox, phone_number, ...body } })).body;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const readHistory = async (id: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/conversations/${id}/history`)).body.result;

/** Sends a template in a bulk call, and returns the id of the contact's conversation. */
async function sendBulk(phone: string, fields: Record<string, string>): Promise<string> {
  const template = { inboxId: demo.inbox, templateName: 'hello_world', languageCode: 'pt_BR' };
  const contacts = JSON.stringify([{ name: 'Ana', phone }]);
  const path = '/v1/messages/send-bulk-template';
  return (await postForm(platform, [201, path], { ...template, contacts, ...fields })).body.sentContacts[0]
    .conversationId;
}

test('a bulk send assigns an open conversation without owner and agent to those of the inbox, and a request leaves it as it is', async () => {
  const phone = makePhoneNumber();
  const { _id } = await open(201, phone, { owner: null, agent: null });
  const readAssigned = async () => {
    const { owner: assigned, agent: answering, handled_by } = await read(_id);
    return [assigned, answering, handled_by];
  };
  await open(200, phone);
  assert.deepEqual(await readAssigned(), [null, null, 'NONE']);
  await sendBulk(phone, { send_to_active_conversations: 'true', keep_existing_assignment: 'true' });
  assert.deepEqual(await readAssigned(), [owner, agent, 'AI']);
});

test('a conversation that a bulk send opens has its attendant from the beginning, so its history is empty', async () => {
  const id = await sendBulk(makePhoneNumber(), { attendant_user_id: owner });
  assert.equal((await read(id)).attendant, owner);
  assert.deepEqual(await readHistory(id), []);
});

test('a caller that opens an open conversation with another owner is named in its history and ends its mark as woken', async () => {
  const phone = makePhoneNumber();
  const { _id } = await open(201, phone, { owner: null });
  await database.sql('update conversations set woken_at = now() where _id = $1', [_id]);
  const caller = await platform.createUser(demo._id, 'ADMIN');
  const body = { inbox: demo.inbox, phone_number: phone, owner };
  const { body: opened } = await call(200, 'POST', '/v1/conversations', { key: caller.token, body });
  assert.deepEqual([opened.owner, opened.woken_at], [owner, null]);
  const [entry, ...others] = await readHistory(_id);
  assert.deepEqual([entry?.actor._id, entry?.changes.length, others], [caller._id, 1, []]);
});
