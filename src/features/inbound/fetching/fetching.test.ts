/** The mails of a mailbox become messages: each one once, whatever fails in between. The mail servers are real ones on loopback. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  MAIL_LOG_IN,
  sayWithoutEnd,
  startImapServer,
  startSmtpServer,
  trustCertificate,
} from '../../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail, writeMultipart } from '../../../../test/support/mails.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { makeMessageId } from '../../../channels/email/message-id.ts';
import { requeueDue } from './queries.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
const { call, database } = platform;
const mailbox = await startImapServer({ after }, certificate);
const smtp = await startSmtpServer({ after }, certificate);
const ADDRESS = 'support@shop.example';

const config = {
  ...MAIL_LOG_IN,
  address: ADDRESS,
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  imap_url: `imaps://127.0.0.1:${mailbox.port}`,
};
const { body: inbox } = await call(201, 'POST', '/v1/inboxes', {
  body: { channel: 'EMAIL', name: 'Support', email_config: config },
});
// No turn has read the mailbox yet.
const AT_ONCE = 'at-once@client.example';
mailbox.add(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${AT_ONCE}>` }, 'You are connected!'));

async function readRow(): Promise<Json> {
  const rows = await database.sql<Json>('select * from inbox_fetches where inbox_id = $1', [inbox._id]);
  return rows[0];
}

/** Makes the inbox due at once, unless it is halted. */
const makeDue = (): Promise<unknown> =>
  database.sql(
    `update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING' and due_at is not null`,
    [inbox._id],
  );

/** Makes the inbox due at once, again and again, until the test has what it waits for. */
async function waitForFetch<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  return waitUntil(what, async () => {
    await makeDue();
    return look();
  });
}

const listMessages = async (): Promise<Json[]> => {
  const { body } = await call(200, 'GET', `/v1/messages?inbox=${inbox._id}&limit=100`);
  return body.result;
};
const waitForMessage = (externalId: string): Promise<Json> =>
  waitForFetch(externalId, async () => (await listMessages()).find(({ external_id }) => external_id === externalId));
const waitForFailure = (message: string): Promise<Json> =>
  waitForFetch('the failure', async () => {
    const { body } = await call(200, 'GET', `/v1/messages/${message}`);
    return body.status === 'FAILED' && body;
  });

let number = 0;
function makeHeaders(extra: Record<string, string> = {}): { headers: Record<string, string>; id: string } {
  number += 1;
  const id = `mail-${number}@client.example`;
  return { headers: { ...SAMPLE_HEADERS, 'Message-ID': `<${id}>`, ...extra }, id };
}

test('the inbox is connected as soon as both servers have accepted its log-in', () => {
  assert.equal(inbox.connection.status, 'CONNECTED');
});

test('a mail that arrives right after the inbox was connected is read', async () => {
  const message = await waitForMessage(AT_ONCE);
  assert.equal(message['content'], 'You are connected!');
});

test('the mailbox of another user is read from the moment at which the inbox was connected to it', async () => {
  const { username } = MAIL_LOG_IN;
  const connectAs = (user: string): Promise<unknown> => {
    MAIL_LOG_IN.username = user;
    return call(200, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { email_config: { ...config, username: user } } });
  };
  await connectAs('other@shop.example');
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'To the other user'));
  await waitForMessage(id);
  await connectAs(username);
});

test('a mail that is fetched twice is stored once', async () => {
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Once'));
  await waitForMessage(id);
  const before = (await listMessages()).length;
  const { headers: next, id: nextId } = makeHeaders();
  await database.sql(`update inbox_fetches set position = jsonb_set(position, '{lastUid}', '0') where inbox_id = $1`, [
    inbox._id,
  ]);
  mailbox.add(writeMail(next, 'Again'));
  await waitForMessage(nextId);
  assert.equal((await listMessages()).length, before + 1);
});

test('an answer of somebody in Cc joins the conversation also when it is read together with the mail that it answers', async () => {
  const people = ['asker', 'helper', 'lawyer'].map((name) => `${name}@client.example`);
  const ids: string[] = [];
  for (const [index, From] of people.entries()) {
    const { headers, id } = makeHeaders();
    const answered = ids.at(-1);
    ids.push(id);
    const Cc = people[index + 1] ?? '';
    mailbox.add(
      writeMail(
        { ...headers, From, ...(Cc && { Cc }), ...(answered !== undefined && { 'In-Reply-To': `<${answered}>` }) },
        `By ${From}`,
      ),
    );
  }
  await waitForMessage(ids.at(-1) ?? '');
  const stored = (await listMessages()).filter(({ external_id }) => ids.includes(external_id)).toReversed();
  assert.equal(new Set(stored.map(({ conversation }) => conversation)).size, 1);
  assert.deepEqual(
    stored.map(({ email }) => email.from?.address),
    [undefined, people[1], people[2]],
  );
});

test('another mail with the id of a stored one is stored as well, and each of the two once', async () => {
  const { headers, id } = makeHeaders();
  const addAll = async (): Promise<void> => {
    for (const words of ['The first', 'The second', 'The first']) mailbox.add(writeMail(headers, words));
    const last = makeHeaders();
    mailbox.add(writeMail(last.headers, 'The end'));
    await waitForMessage(last.id);
  };
  await addAll();
  await addAll();
  const stored = (await listMessages()).filter(({ external_id }) => external_id.startsWith(id));
  assert.deepEqual(
    stored.map(({ content }) => content),
    ['The second', 'The first'],
  );
});

test('mails whose ids have spaces and other odd characters are told apart, and answers find them', async () => {
  const odd = ['odd id one@client.example', 'odd id two@client.example', 'odd#1', 'odd,ção "q"@client.example'];
  for (const [index, id] of odd.entries())
    mailbox.add(
      writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${id}>`, References: `<${odd[index - 1] ?? 'none'}>` }, id),
    );
  const { headers, id: last } = makeHeaders();
  mailbox.add(writeMail(headers, 'Behind them'));
  await waitForMessage(last);
  const stored = (await listMessages()).filter(({ content }) => odd.includes(content)).toReversed();
  assert.deepEqual(
    stored.map(({ content }) => content),
    odd,
  );
  assert.deepEqual(
    stored.map(({ reply_to }) => reply_to),
    [null, ...stored.slice(0, -1).map(({ _id }) => _id)],
  );
  const body = {
    conversationId: stored[2]?.['conversation'],
    message: { content: 'Seen' },
    replyTo: stored[2]?.['_id'],
  };
  await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.match(smtp.taken.at(-1)?.raw ?? '', /^In-Reply-To: <odd#1>\r$/m);
});

test('a mailbox whose worker has died is read again', async () => {
  const { headers, id } = makeHeaders();
  await waitUntil('a rest', async () => (await readRow()).state === 'RESTING');
  await database.sql(
    `update inbox_fetches set state = 'RUNNING', turn = turn + 1, due_at = now() - interval '1 second' where inbox_id = $1`,
    [inbox._id],
  );
  mailbox.add(writeMail(headers, 'Nobody reads it'));
  await waitForMessage(id);
});

test('when the server numbers its mails again, each mail of the time since the last reading is stored once', async () => {
  const { headers, id } = makeHeaders();
  mailbox.uidValidity += 1;
  mailbox.add(writeMail(headers, 'Another number'));
  await waitForMessage(id);
  const ids = (await listMessages()).map(({ external_id }) => external_id);
  assert.equal(new Set(ids).size, ids.length);
});

test('an answer is sent to the sender with the subject of the mail, and a report that it was returned makes it FAILED', async () => {
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Hello?'), new Date());
  const message = await waitForMessage(id);
  assert.equal(message['email'].subject, 'Where is my order?');
  const body = { conversationId: message['conversation'], message: { content: 'On its way' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.equal(sent.status, 'SENT');
  const mail = smtp.taken.at(-1);
  assert.deepEqual(mail?.to, ['ana@client.example']);
  assert.match(mail?.raw ?? '', /^Subject: Re: Where is my order\?\r$/m);
  assert.match(mail?.raw ?? '', new RegExp(`^In-Reply-To: <${id}>\r$`, 'm'));
  mailbox.add(writeBounce(sent._id, 'ana@client.example').mail);
  assert.equal((await waitForFailure(sent._id))['errors'][0].code, '5.1.1');
});

test('a person’s reply goes to all addresses in Reply-To, the message shows them, and a report that one of them returned it makes it FAILED', async () => {
  const { headers, id } = makeHeaders({ 'Reply-To': 'Ana at home <ana@home.example>, rui@home.example' });
  mailbox.add(writeMail(headers, 'Write to us at home'), new Date());
  const message = await waitForMessage(id);
  assert.deepEqual(message['email'].reply_to, ['ana@home.example', 'rui@home.example']);
  assert.equal(message['contact_summary'].email, 'ana@client.example');
  const body = { conversationId: message['conversation'], message: { content: 'With pleasure' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.deepEqual(smtp.taken.at(-1)?.to, ['ana@home.example', 'rui@home.example']);
  mailbox.add(writeBounce(sent._id, 'rui@home.example').mail);
  await waitForFailure(sent._id);
});

test('a report that a chosen recipient returned a mail makes it FAILED, however its address is written', async () => {
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Please ask the team'));
  const { conversation } = await waitForMessage(id);
  const body = { conversationId: conversation, message: { content: 'Hello' }, email: { to: ['Team@client.example'] } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.equal(sent.status, 'SENT');
  mailbox.add(writeBounce(sent._id, 'team@client.example').mail);
  await waitForFailure(sent._id);
});

test('in test mode a reply goes to the contact’s own address, whatever Reply-To says', async () => {
  const { headers, id } = makeHeaders({ 'Reply-To': 'stranger@elsewhere.example' });
  mailbox.add(writeMail(headers, 'A test'));
  const { conversation } = await waitForMessage(id);
  const setTestMode = (enabled: boolean) =>
    call(200, 'PUT', `/v1/inboxes/${inbox._id}`, {
      body: { test_mode: { enabled, test_numbers: ['ana@client.example'] } },
    });
  await setTestMode(true);
  const body = { conversationId: conversation, message: { content: 'It works' } };
  await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.deepEqual(smtp.taken.at(-1)?.to, ['ana@client.example']);
  await setTestMode(false);
});

/** Writes the report of a server that could not deliver the mail of this message to this recipient. */
function writeBounce(message: string, recipient: string): { mail: string; id: string } {
  const { headers, id } = makeHeaders({ From: 'mailer-daemon@client.example', 'X-Failed-Recipients': recipient });
  const copy = `Message-ID: <${makeMessageId(message, ADDRESS)}>`;
  return { mail: writeMail(headers, `550 5.1.1 No such user\n\n${copy}`), id };
}

function writeComplaint(message: string): { mail: string; id: string } {
  const { headers, id } = makeHeaders({ From: 'abuse@client.example' });
  const original = `Message-ID: <${makeMessageId(message, ADDRESS)}>\n`;
  const mail = writeMultipart(headers, 'report; report-type=feedback-report', [
    { headers: { 'Content-Type': 'text/plain' }, body: 'A complaint' },
    {
      headers: { 'Content-Type': 'message/feedback-report' },
      body: 'Feedback-Type: abuse\nOriginal-Rcpt-To: <ana@client.example>\n',
    },
    { headers: { 'Content-Type': 'text/rfc822-headers' }, body: original },
  ]);
  return { mail, id };
}

test('a forged report changes no message and no contact: it counts only for a message that the inbox sent to its recipient', async () => {
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Are you there?'));
  const { conversation, contact } = await waitForMessage(id);
  const body = { conversationId: conversation, message: { content: 'Yes' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  const forged = [
    writeBounce(sent._id, 'somebody@elsewhere.example'),
    writeBounce('65f0a1b2c3d4e5f60718293a', 'ana@client.example'),
    writeComplaint('65f0a1b2c3d4e5f60718293a'),
  ];
  for (const { mail } of forged) mailbox.add(mail);
  for (const { id: stored } of forged) await waitForMessage(stored);
  const { body: message } = await call(200, 'GET', `/v1/messages/${sent._id}`);
  const readContact = async (): Promise<Json> => (await call(200, 'GET', `/v1/contacts/${contact}`)).body;
  assert.deepEqual([message.status, (await readContact())['opted_out']], ['SENT', false]);
  mailbox.add(writeComplaint(sent._id).mail);
  await waitForFetch('the opt-out', async () => (await readContact())['opted_out'] === true);
  await call(200, 'PATCH', `/v1/contacts/${contact}`, { body: { opted_out: false } });
});

test('a mail that names the id of a mail to someone else answers nothing', async () => {
  const first = makeHeaders({ From: 'bea@client.example' });
  mailbox.add(writeMail(first.headers, 'My secret'));
  await waitForMessage(first.id);
  const answer = makeHeaders({ From: 'eve@elsewhere.example', 'In-Reply-To': `<${first.id}>` });
  mailbox.add(writeMail(answer.headers, 'I know your id'));
  assert.equal((await waitForMessage(answer.id))['reply_to'], null);
});

test('a contact who never wrote gets a mail that is called after its first line, and the answer is in the same conversation', async () => {
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: { email: 'Rui@client.example' } });
  const opening = { contact: contact._id, inbox: inbox._id };
  const { body: conversation } = await call(201, 'POST', '/v1/conversations', { body: opening });
  const body = { conversationId: conversation._id, message: { content: 'Your invoice\n\nIt is due on Monday.' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  const mail = smtp.taken.at(-1);
  assert.match(mail?.raw ?? '', /^Subject: Your invoice\r$/m);
  assert.equal(sent.external_id, makeMessageId(sent._id, ADDRESS));
  const { headers, id } = makeHeaders({ From: 'rui@client.example', 'In-Reply-To': `<${sent.external_id}>` });
  mailbox.add(writeMail(headers, 'Paid'));
  const answer = await waitForMessage(id);
  assert.deepEqual([answer['conversation'], answer['reply_to']], [conversation._id, sent._id]);
});

test('answers and reports that name a mail by the id that its server gave it find the message', async () => {
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Do you rewrite ids?'));
  const { conversation } = await waitForMessage(id);
  const given = '0100018c5d3f0a2b-6f1c2d3e-4a5b-000000';
  smtp.answer = `Ok ${given}`;
  const body = { conversationId: conversation, message: { content: 'My server does' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  smtp.answer = null;
  const answer = makeHeaders({ 'In-Reply-To': `<${given}@eu-west-1.amazonses.com>` });
  mailbox.add(writeMail(answer.headers, 'So it does'));
  assert.equal((await waitForMessage(answer.id))['reply_to'], sent._id);
  const copy = `Message-ID: <${given}@eu-west-1.amazonses.com>`;
  const writeReport = (recipient: string): { mail: string; id: string } => {
    const from = { From: 'mailer-daemon@amazonses.com', 'X-Failed-Recipients': recipient };
    const made = makeHeaders(from);
    return { mail: writeMail(made.headers, `550 5.1.1 No such user\n\n${copy}`), id: made.id };
  };
  const forged = writeReport('somebody@elsewhere.example');
  mailbox.add(forged.mail);
  await waitForMessage(forged.id);
  assert.equal((await call(200, 'GET', `/v1/messages/${sent._id}`)).body.status, 'SENT');
  mailbox.add(writeReport('ana@client.example').mail);
  await waitForFailure(sent._id);
});

test('a mail that is no message is listed in the health of its inbox, and the mails behind it are stored', async () => {
  mailbox.add(writeMail({ Subject: 'No sender' }, 'text'));
  const copy = '\n\nMessage-ID: <other@elsewhere.example>';
  mailbox.add(writeMail({ ...SAMPLE_HEADERS, From: 'MAILER-DAEMON <>' }, `550 5.1.1 No such user${copy}`));
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Behind it'));
  await waitForMessage(id);
  const { body: health } = await call(200, 'GET', `/v1/inboxes/${inbox._id}/health`);
  assert.deepEqual(
    health.unreadable.map(({ reason }: Json) => reason),
    ['The mail has no sender', 'The mail has no sender'],
  );
});

test('mails are read while other callers use all places of those who wait for a file', async () => {
  const { readers } = platform.running.kit;
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const held = ['first', 'second'].map((company) => readers.admit(company, () => end));
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Beside them'));
  await waitForMessage(id);
  resolve();
  await Promise.all(held);
});

test('a mail that the server does not hand out in three tries is kept aside, and the mails behind it are stored', async () => {
  await waitUntil('a rest', async () => (await readRow()).state === 'RESTING');
  const broken = mailbox.add(writeMail(makeHeaders().headers, 'Broken'));
  mailbox.interfere = (command, _tag, socket) =>
    command.startsWith(`UID FETCH ${broken} `) && Boolean(socket.destroy());
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Behind'));
  await waitForMessage(id);
  mailbox.interfere = null;
  const asides = await database.sql<Json>(`select reason from callbacks_aside where reason like '%three times.'`);
  assert.equal(asides.length, 1);
});

test('a server that sends without end is not asked again until the inbox is saved', async () => {
  mailbox.interfere = sayWithoutEnd('UID FETCH', '* 1 EXISTS\r\n');
  mailbox.add(writeMail(makeHeaders().headers, 'Never read'));
  const readInbox = async (): Promise<Json> => (await call(200, 'GET', `/v1/inboxes/${inbox._id}`)).body;
  const { connection } = await waitForFetch('the error', async () => {
    const shown = await readInbox();
    return shown.connection.status === 'ERROR' && shown;
  });
  assert.match(connection.error, /not read again until the inbox is saved/);
  mailbox.interfere = null;
  await platform.running.kit.database.systemTx('upkeep', (tx) => requeueDue(tx, 1_000));
  const { state, due_at } = await readRow();
  assert.deepEqual({ state, due_at }, { state: 'RESTING', due_at: null });
  const { headers, id } = makeHeaders();
  mailbox.add(writeMail(headers, 'Read once it is saved'));
  await call(200, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { email_config: config } });
  await waitUntil('the mail', async () => (await listMessages()).some(({ external_id }) => external_id === id));
});

test('when the server refuses the log-in, the inbox shows it', async () => {
  const { password } = MAIL_LOG_IN;
  MAIL_LOG_IN.password = 'another one';
  const shown = await waitForFetch('the error', async () => {
    const { body } = await call(200, 'GET', `/v1/inboxes/${inbox._id}`);
    return body.connection.status === 'ERROR' && body.connection;
  });
  MAIL_LOG_IN.password = password;
  assert.match(shown.error, /rejected the log-in/);
});
