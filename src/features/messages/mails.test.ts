/** A mail has the subject and the recipients that its writer chooses, and the signature of its inbox. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { simpleParser, type ParsedMail } from 'mailparser';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { sendJson, startModel } from '../../../test/support/model.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { createPerson } from '../../../test/support/people.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform({ env: { AGENT_WAIT: '1s' } });
const { call, demo } = platform;
const smtp = await startSmtpServer({ after }, certificate);
const HOOK_SECRET = 'a-secret-of-the-mail-server-9012';
const email_config = {
  ...MAIL_LOG_IN,
  address: 'support@shop.example',
  signature: '{{user.name}}\nThe shop',
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  hook_secret: HOOK_SECRET,
};
const { body: inbox } = await call(201, 'POST', '/v1/inboxes', {
  body: { channel: 'EMAIL', name: 'Support', email_config },
});

const send = async (body: Json, key?: string, status = 201): Promise<Json> =>
  (
    await call(status, 'POST', '/v1/messages/send-text', {
      body: { message: { content: 'Hello' }, ...body },
      ...(key && { key }),
    })
  ).body;

async function createConversation(email: string): Promise<string> {
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: { email } });
  const body = { inbox: inbox._id, contact: contact._id };
  return (await call(201, 'POST', '/v1/conversations', { body })).body._id;
}

let mails = 0;

/** Lets a person write a mail to an inbox, which may answer another one, and returns its message. */
async function receive(headers: Record<string, string>, to = inbox, key = demo.key): Promise<Json> {
  mails += 1;
  const id = `mail-${mails}@client.example`;
  const mail = writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${id}>`, ...headers }, `Mail ${mails}`);
  await pushMail(`${platform.url}/hooks/email/${to._id}`, HOOK_SECRET, mail);
  return (await call(200, 'GET', `/v1/messages?inbox=${to._id}&external_id=${id}`, { key })).body.result[0];
}

const readLast = (): Promise<ParsedMail> => simpleParser(smtp.taken.at(-1)?.raw ?? '');
const listAddresses = (parsed: ParsedMail, field: 'to' | 'cc' | 'bcc'): (string | undefined)[] =>
  [parsed[field] ?? []].flat().flatMap(({ value }) => value.map(({ address }) => address));

test('a mail has the chosen subject and goes to all chosen recipients, of whom no one sees those in Bcc', async () => {
  const conversationId = await createConversation('ana@client.example');
  const email = { subject: 'Your order 17', cc: ['boss@client.example'], bcc: ['Archive@shop.example'] };
  const message = await send({ conversationId, email });
  assert.deepEqual(message['email'], { ...email, to: [], reply_to: [], is_shortened: false });
  assert.deepEqual((await call(200, 'GET', `/v1/messages/${message['_id']}`)).body.email, message['email']);
  assert.deepEqual(smtp.taken.at(-1)?.to, ['ana@client.example', 'boss@client.example', 'Archive@shop.example']);
  const parsed = await readLast();
  assert.equal(parsed.subject, 'Your order 17');
  assert.deepEqual(
    [listAddresses(parsed, 'to'), listAddresses(parsed, 'cc'), listAddresses(parsed, 'bcc')],
    [['ana@client.example'], ['boss@client.example'], []],
  );
  await send({ conversationId, email: { to: ['team@client.example'] } });
  assert.deepEqual(smtp.taken.at(-1)?.to, ['team@client.example']);
  assert.equal((await readLast()).subject, 'Re: Your order 17');
});

test('a scheduled mail has the chosen subject and goes to all chosen recipients', async () => {
  const conversation = await createConversation('lea@client.example');
  const email = { subject: 'Your order 18', cc: ['boss@client.example'], bcc: ['archive@shop.example'] };
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { conversation, message: { content: 'Hello', email }, send_at };
  const { body: scheduled } = await call(201, 'POST', '/v1/scheduled-messages', { body });
  const { body: sent } = await call(201, 'POST', `/v1/scheduled-messages/${scheduled._id}/send`);
  assert.equal(sent.status, 'SENT');
  assert.deepEqual(smtp.taken.at(-1)?.to, ['lea@client.example', ...email.cc, ...email.bcc]);
  assert.equal((await readLast()).subject, email.subject);
});

test('a reply goes where the last received mail wants it, also after a mail with a chosen subject', async () => {
  const received = await receive({ From: 'rui@client.example', 'Reply-To': 'desk@client.example' });
  const conversationId = received['conversation'];
  for (const email of [{ subject: 'About your order' }, null]) {
    await send({ conversationId, email });
    assert.deepEqual(smtp.taken.at(-1)?.to, ['desk@client.example']);
  }
});

test('the answers of other recipients join the conversation of the contact, whom a reply still reaches', async () => {
  const { conversation, contact } = await receive({ From: 'Joana <joana@client.example>', Cc: 'Boss@client.example' });
  const sent = await send({
    conversationId: conversation,
    email: { cc: ['law@client.example'], bcc: ['tax@client.example'] },
  });
  const authors = ['boss@client.example', 'law@client.example', 'tax@client.example'];
  for (const [index, From] of [`The Boss <${authors[0]}>`, ...authors.slice(1)].entries()) {
    const answered = index === 0 ? `mail-${mails}@client.example` : sent['external_id'];
    const joined = await receive({ From, 'In-Reply-To': `<${answered}>` });
    assert.deepEqual([joined['conversation'], joined['contact']], [conversation, contact]);
    assert.deepEqual(joined['email'].from, { address: authors[index], name: index === 0 ? 'The Boss' : null });
  }
  // Their answers are answered in turn.
  const again = await receive({
    From: authors[1] ?? '',
    'In-Reply-To': `<mail-${mails - 1}@client.example>`,
    'Reply-To': 'assistant@client.example',
  });
  assert.equal(again['conversation'], conversation);
  await send({ conversationId: conversation });
  assert.deepEqual(smtp.taken.at(-1)?.to, ['joana@client.example']);
  assert.equal((await call(200, 'GET', `/v1/contacts/${contact}`)).body.name, 'Joana');
});

test('the author of another recipient’s answer is named to the owner, to agents and in a transcript', async () => {
  const server = await startModel();
  server.answer((_call, response) => sendJson(response, { text: 'Noted' }));
  const robot = { name: 'Robot', type: 'EXTERNAL', url: server.url };
  const { body: agent } = await call(201, 'POST', '/v1/agents', { body: robot });
  const owner = await createPerson(platform, demo._id, 'OPERATOR');
  const { conversation } = await receive({ From: 'Yara <yara@client.example>', Cc: 'Max <max@client.example>' });
  const path = `/v1/conversations/${conversation}`;
  await call(200, 'PATCH', path, { body: { owner: owner._id } });
  await receive({ From: 'Max <max@client.example>', 'In-Reply-To': `<mail-${mails}@client.example>` });
  const { body } = await call(200, 'GET', '/v1/notifications?kind=REPLIED', { key: owner.token });
  assert.deepEqual(body.result[0].author, { address: 'max@client.example', name: 'Max' });
  assert.match(
    (await call(200, 'GET', `${path}/transcript`)).body,
    new RegExp(`\\bMax\\b[^\n]*\n?[^\n]*Mail ${mails}\\b`),
  );
  await call(200, 'PATCH', path, { body: { handled_by: 'AI', agent: agent._id } });
  await receive({ From: 'Yara <yara@client.example>', 'In-Reply-To': `<mail-${mails}@client.example>` });
  const asked = await waitUntil('the agent to be asked', () => server.calls.at(-1));
  assert.deepEqual(
    asked.body.before.map(({ text }: Json) => text),
    [`Mail ${mails - 2}`, `[max@client.example] Mail ${mails - 1}`],
  );
  await call(200, 'PATCH', path, { body: { handled_by: 'HUMAN' } });
});

test('the address that wanted the replies answers in the conversation of the contact', async () => {
  const first = await receive({ From: 'shop-form@client.example', 'Reply-To': 'Desk <desk2@client.example>' });
  const sent = await send({ conversationId: first['conversation'] });
  const joined = await receive({ From: 'desk2@client.example', 'In-Reply-To': `<${sent['external_id']}>` });
  assert.equal(joined['conversation'], first['conversation']);
});

test('an answer of somebody whom the mail does not name, or in another inbox or company, opens a conversation with its author', async () => {
  const first = await receive({ From: 'nuno@client.example', Cc: 'mia@client.example' });
  const answer = { From: 'mia@client.example', 'In-Reply-To': `<mail-${mails}@client.example>` };
  const stranger = await receive({ ...answer, From: 'ia@client.example' });
  const other = await platform.createCompany();
  const make = async (key: string, name: string): Promise<Json> => {
    const body = { channel: 'EMAIL', name, email_config: { ...email_config, address: `${name}@shop.example` } };
    return (await call(201, 'POST', '/v1/inboxes', { key, body })).body;
  };
  const second = await receive(answer, await make(demo.key, 'second'));
  for (const { contact, conversation, email } of [stranger, second]) {
    assert.notEqual(contact, first['contact']);
    assert.notEqual(conversation, first['conversation']);
    assert.equal(email.from, undefined);
  }
  const theirs = await receive(answer, await make(other.key, 'theirs'), other.key);
  assert.deepEqual([theirs['email'].from, theirs['reply_to']], [undefined, null]);
});

test('only what a user writes has the signature of the inbox, with the name of the user', async () => {
  const conversationId = await createConversation('eva@client.example');
  const olga = await createPerson(platform, demo._id, 'OPERATOR');
  await call(200, 'PATCH', `/v1/users/${olga._id}`, { body: { name: 'Olga $& Operator' } });
  await send({ conversationId }, olga.token);
  assert.equal((await readLast()).text?.trim(), 'Hello\n\n-- \nOlga $& Operator\nThe shop');
  await send({ conversationId });
  assert.equal((await readLast()).text?.trim(), 'Hello');
});

test('the own signature of a user replaces that of the inbox', async () => {
  const conversationId = await createConversation('ida@client.example');
  const otto = await createPerson(platform, demo._id, 'OPERATOR');
  await call(200, 'PATCH', `/v1/users/${otto._id}`, { body: { name: 'Otto', signature: '{{user.name}}, sales' } });
  await send({ conversationId }, otto.token);
  assert.equal((await readLast()).text?.trim(), 'Hello\n\n-- \nOtto, sales');
  const send_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { conversation: conversationId, message: { content: 'Later' }, send_at };
  const { body: scheduled } = await call(201, 'POST', '/v1/scheduled-messages', { key: otto.token, body });
  await call(201, 'POST', `/v1/scheduled-messages/${scheduled._id}/send`);
  assert.equal((await readLast()).text?.trim(), 'Later\n\n-- \nOtto, sales');
  await call(200, 'PATCH', `/v1/users/${otto._id}`, { body: { signature: null } });
  await send({ conversationId }, otto.token);
  assert.equal((await readLast()).text?.trim(), 'Hello\n\n-- \nOtto\nThe shop');
});

test('in test mode no mail goes to an address that is not among those of the tests', async () => {
  const conversationId = await createConversation('tess@client.example');
  const setTestMode = (test_mode: Json): Promise<unknown> =>
    call(200, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { test_mode } });
  await setTestMode({ enabled: true, test_numbers: ['tess@client.example', 'copy@client.example'] });
  const before = smtp.taken.length;
  for (const field of ['to', 'cc', 'bcc']) {
    assert.equal((await send({ conversationId, email: { [field]: ['Copy@client.example'] } }))['status'], 'SENT');
    const message = await send({ conversationId, email: { [field]: ['copy@client.example', 'else@client.example'] } });
    assert.deepEqual([message['status'], message['errors'][0].code], ['FAILED', 'TEST_MODE_BLOCKED']);
  }
  await setTestMode({ enabled: false, test_numbers: [] });
  assert.equal(smtp.taken.length, before + 3);
});

test('a subject or recipients are refused on other channels, and recipients in a mass mail', async () => {
  const conversationId = await createConversation('max@client.example');
  const refused: Json[] = [
    { inboxId: demo.inbox, phone: '+5511988887766', email: { subject: 'Hi' } },
    { conversationId, unsubscribe: true, email: { cc: ['boss@client.example'] } },
    { conversationId, email: { subject: 'Hi\r\nBcc: stranger@elsewhere.example' } },
    { conversationId, email: { cc: ['nobody'] } },
  ];
  const paths = ['email', 'email', 'email.subject', 'email.cc[0]'];
  for (const [index, body] of refused.entries()) {
    const message = { content: 'Hello' };
    const answer = await call(400, 'POST', '/v1/messages/send-text', { body: { message, ...body } });
    expectProblem(answer, 'VALIDATION_FAILED', paths[index]);
  }
  const subject = await send({ conversationId, unsubscribe: true, email: { subject: 'News' } });
  assert.equal(subject['status'], 'SENT');
});
