import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPhone, makePhoneNumber, type Phone } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import {
  writeAsContact,
  listNetworkMessages,
  readEvents,
  readMessage,
  sendText,
  silenceNetwork,
} from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, sandbox } = platform;

/** Connects a number whose account has these templates, and waits until they are copied. */
async function connect(...templates: Json[]): Promise<Phone> {
  const phone = await connectPhone(platform);
  for (const template of templates)
    await sandbox('POST', '/sandbox/templates', { waba_id: phone.waba, language: 'pt_BR', ...template });
  await database.sql('update template_catalogues set is_waiting = true where account = $1 and held_until is null', [
    phone.waba,
  ]);
  await waitUntil('the copy of the templates', async () => {
    const listed = await listNames(phone);
    return listed.includes('order_update') && templates.every(({ name }) => listed.includes(name));
  });
  return phone;
}

const listNames = async ({ inbox }: Phone): Promise<string[]> =>
  (await call(200, 'GET', `/v1/inboxes/${inbox}/templates?limit=100`)).body.result.map(({ name }: Json) => name);

const send = async (status: number, target: Json, template: Json, headers: Record<string, string> = {}) =>
  call(status, 'POST', '/v1/messages/send-template', { body: { ...target, message: { template } }, headers });

const HELLO = { name: 'hello_ana', components: [{ type: 'BODY', text: 'Oi, {{1}}!' }] };
const hello = (parameter: Json = { text: 'Ana' }): Json => ({
  name: 'hello_ana',
  language: 'pt_BR',
  components: [{ parameters: [parameter] }],
});

test('a template to a phone number opens the conversation, is sent without an open window, and is stored as the contact reads it', async () => {
  const phone = await connect(HELLO);
  const to = makePhoneNumber();
  const { body: sent } = await send(201, { inboxId: phone.inbox, phone: `+${to}`, name: 'Ana' }, hello());
  assert.equal(sent.status, 'SENT');
  assert.equal(sent.contentType, 'TEMPLATE');
  assert.equal(sent.content, 'Oi, Ana!');
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }];
  assert.deepEqual(sent.template, { name: 'hello_ana', language: 'pt_BR', components });
  const [wire, ...more] = await listNetworkMessages(platform, sent._id);
  assert.deepEqual(more, []);
  assert.equal(wire.body.to, to);
  assert.deepEqual(wire.body.template, { name: 'hello_ana', language: { code: 'pt_BR' }, components });
  const { body: conversation } = await call(200, 'GET', `/v1/conversations/${sent.conversation}`);
  assert.equal(conversation.status, 'OPEN');
  assert.deepEqual(await readMessage(platform, sent._id), sent);
  assert.deepEqual(await readEvents(platform, sent._id), [{ event: 'MESSAGE_SENT', data: sent }]);
  // The contact has not written, so a text is not sent.
  assert.equal((await sendText(platform, sent.conversation)).errors[0].code, 'WINDOW_EXPIRED');
});

test("a variable is filled with the contact's value; a missing value is answered 400 with its name, and nothing is stored", async () => {
  const phone = await connect(HELLO);
  const { body: contact } = await call(201, 'POST', '/v1/contacts', {
    body: { name: 'Ana Lima', phone_number: `+${makePhoneNumber()}` },
  });
  const target = { inboxId: phone.inbox, contact: contact._id };
  const refused = await send(400, target, hello({ variable_ref: 'contact.email' }));
  expectProblem(refused, 'VALIDATION_FAILED', 'message.template.components[0].parameters[0].variable_ref');
  assert.equal(refused.body.errors[0].code, 'MISSING_VARIABLE');
  assert.match(refused.body.errors[0].message, /contact\.email/);
  const { body: none } = await call(200, 'GET', `/v1/conversations?contact=${contact._id}`);
  assert.deepEqual(none.result, []);
  const { body: sent } = await send(201, target, hello({ variable_ref: 'contact.first_name' }));
  assert.equal(sent.content, 'Oi, Ana!');
  const { body: again } = await send(
    201,
    { conversationId: sent.conversation },
    hello({ variable_ref: 'contact.name' }),
  );
  assert.equal(again.content, 'Oi, Ana Lima!');
  assert.equal(again.conversation, sent.conversation);
});

test('parameters that do not fit the template are answered 400 with their place', async () => {
  const phone = await connect(HELLO);
  const target = { inboxId: phone.inbox, phone: `+${makePhoneNumber()}` };
  for (const components of [
    [],
    [{ parameters: [{ text: 'a' }, { text: 'b' }] }],
    [{ parameters: [{ imageUrl: 'https://example.com/a.png' }] }],
  ]) {
    const refused = await send(400, target, { ...hello(), components });
    expectProblem(refused, 'VALIDATION_FAILED');
    assert.match(refused.body.errors[0].path, /^message\.template\.components/);
  }
});

test('an unknown template, an unknown language and a paused template are each answered 400 with their name', async () => {
  const phone = await connect(HELLO);
  const target = { inboxId: phone.inbox, phone: `+${makePhoneNumber()}` };
  const refusals = [
    {
      template: { name: 'nothing', language: 'pt_BR' },
      code: 'VALIDATION_FAILED',
      path: 'message.template.name',
      words: /not a template/,
    },
    {
      template: { ...hello(), language: 'es' },
      code: 'VALIDATION_FAILED',
      path: 'message.template.language',
      words: /has pt_BR/,
    },
    {
      template: { name: 'spring_offer', language: 'pt_BR' },
      code: 'TEMPLATE_NOT_SENDABLE',
      path: 'message.template.name',
      words: /PAUSED/,
    },
  ];
  for (const { template, code, path, words } of refusals) {
    const refused = await send(400, target, template);
    expectProblem(refused, code, path);
    assert.match(refused.body.errors[0].message, words);
  }
});

test('a template that is sent while the account is copied for the first time is sent when the copy is complete', async () => {
  const phone = await connect(HELLO);
  const isUncopied = `update template_catalogues set fetched_at = null, is_waiting = true where account = $1`;
  await database.sql(isUncopied, [phone.waba]);
  const target = { inboxId: phone.inbox, phone: `+${makePhoneNumber()}` };
  assert.equal((await send(201, target, hello())).body.status, 'SENT');
});

test('a template of an account whose templates could not be read is answered 400 with the cause', async () => {
  await sandbox('PUT', '/sandbox/settings', { faults: { templates: [{ code: 80_007, times: 1 }] } });
  const phone = await connectPhone(platform);
  const refused = await send(400, { inboxId: phone.inbox, phone: `+${makePhoneNumber()}` }, hello());
  expectProblem(refused, 'TEMPLATE_NOT_SENDABLE', 'message.template.name');
  assert.match(refused.body.errors[0].message, /could not be read: .*80007/);
});

test('a message with a template that the network has just paused is FAILED with the cause, and the template list is copied again', async () => {
  const phone = await connect(HELLO);
  await sandbox('PATCH', '/sandbox/templates', {
    waba_id: phone.waba,
    name: 'hello_ana',
    language: 'pt_BR',
    status: 'PAUSED',
  });
  await database.sql(`update template_catalogues set claimed_at = now() - interval '1 minute' where account = $1`, [
    phone.waba,
  ]);
  const { body: sent } = await send(201, { inboxId: phone.inbox, phone: `+${makePhoneNumber()}` }, hello());
  assert.equal(sent.status, 'FAILED');
  assert.equal(sent.errors[0].code, 132015);
  assert.deepEqual(await readEvents(platform, sent._id), []);
  await waitUntil('the new copy', async () => {
    const { body } = await call(200, 'GET', `/v1/inboxes/${phone.inbox}/templates?name=hello_ana`);
    return body.result[0].status === 'PAUSED';
  });
});

test('a template to a new recipient counts toward the daily limit of the business, and is FAILED with DAILY_LIMIT beyond it', async () => {
  const phone = await connect(HELLO);
  const limit = (most: number): Promise<unknown> => database.sql('update portfolios set people_limit = $1', [most]);
  const [{ reached } = { reached: 0 }] = await database.sql<{ reached: number }>(
    `select coalesce(sum(people), 0)::int as reached from portfolio_minutes where portfolio = '1'`,
  );
  const sendTo = async (number: string): Promise<Json> =>
    (await send(201, { inboxId: phone.inbox, phone: `+${number}` }, hello())).body;
  const [refused, first, second] = [makePhoneNumber(), makePhoneNumber(), makePhoneNumber()];
  await limit(reached + 1);
  await sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131009, times: 1, to: refused }] } });
  assert.equal((await sendTo(refused)).errors[0].code, 131009);
  // The place of the refused message is free again.
  assert.equal((await sendTo(first)).status, 'SENT');
  const over = await sendTo(second);
  assert.equal(over.status, 'FAILED');
  assert.equal(over.errors[0].code, 'DAILY_LIMIT');
  assert.deepEqual(await listNetworkMessages(platform, over._id), []);
  // Who was reached within the day takes no second place, and who has written needs none.
  assert.equal((await sendTo(first)).status, 'SENT');
  const { conversation } = await writeAsContact(platform, { phone_number_id: phone.id });
  assert.equal((await send(201, { conversationId: conversation._id }, hello())).body.status, 'SENT');
  await limit(-1);
});
