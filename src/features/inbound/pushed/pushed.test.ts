/** A mail server pushes mails to the path of an inbox; they become messages as if they had been fetched. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  MAIL_LOG_IN,
  startImapServer,
  startSmtpServer,
  trustCertificate,
} from '../../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail, writeMultipart, writeTnef } from '../../../../test/support/mails.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
const { call, database } = platform;
const mailbox = await startImapServer({ after }, certificate);
const smtp = await startSmtpServer({ after }, certificate);
const SECRET = 'a-secret-of-the-mail-server-1234';
const config = {
  ...MAIL_LOG_IN,
  address: 'Support@shop.example',
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  imap_url: `imaps://127.0.0.1:${mailbox.port}`,
  hook_secret: SECRET,
};
const createInbox = async (email_config: Json): Promise<Json> =>
  (await call(201, 'POST', '/v1/inboxes', { body: { channel: 'EMAIL', name: 'Support', email_config } })).body;
const inbox = await createInbox(config);

interface Push {
  to?: string;
  secret?: string | null;
  type?: string;
}

const push = (status: number, raw: string | Buffer, { to = inbox['_id'], secret = SECRET, type }: Push = {}) =>
  call(status, 'POST', `/hooks/email/${to}`, {
    key: null,
    raw,
    headers: { 'content-type': type ?? 'message/rfc822', ...(secret !== null && { 'x-hook-secret': secret }) },
  });

const listMessages = async (of = inbox): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/messages?inbox=${of['_id']}&limit=100`)).body.result;
const findMessage = async (id: string): Promise<Json> =>
  (await listMessages()).find(({ external_id }) => external_id === id);

let number = 0;
function makeHeaders(extra: Record<string, string> = {}): { headers: Record<string, string>; id: string } {
  number += 1;
  const id = `pushed-${number}@client.example`;
  return { headers: { ...SAMPLE_HEADERS, 'Message-ID': `<${id}>`, ...extra }, id };
}

const FILE = Buffer.from(`%PDF-1.7\n${'x'.repeat(200_000)}\n%%EOF\n`);
const writeWithFile = (headers: Record<string, string>): string =>
  writeMultipart(headers, 'mixed', [
    { headers: { 'Content-Type': 'text/plain' }, body: 'The contract' },
    {
      headers: { 'Content-Type': 'application/pdf; name="contract.pdf"', 'Content-Transfer-Encoding': 'base64' },
      body: FILE.toString('base64').replaceAll(/.{76}/g, '$&\n'),
    },
  ]);

test('a pushed mail is a message of its sender when the push is answered, and its file is stored like every file of a contact', async () => {
  const { headers, id } = makeHeaders();
  await push(200, writeWithFile(headers));
  const message = await findMessage(id);
  assert.deepEqual([message?.['content'], message?.['status']], ['The contract', 'RECEIVED']);
  const { body: contact } = await call(200, 'GET', `/v1/contacts/${message?.['contact']}`);
  assert.equal(contact.email, 'ana@client.example');
  const withFile = await findMessage(`${id}#1`);
  const media = await waitUntil('the file', async () => {
    const { body } = await call(200, 'GET', `/v1/messages/${withFile?.['_id']}`);
    return (body.media.size !== null || body.media.error) && body.media;
  });
  assert.deepEqual([media.fileName, media.error], ['contract.pdf', undefined]);
  assert.deepEqual(Buffer.from(await (await fetch(media.url)).arrayBuffer()), FILE);
});

test('the files in winmail.dat are files of the mail, whether it was pushed or is in the mailbox', async () => {
  const files = [
    { name: 'Orçamento.pdf', content: FILE },
    { name: 'planilha.csv', content: Buffer.from('a;b\n1;2\n') },
  ];
  const pack = {
    headers: {
      'Content-Type': 'application/ms-tnef; name="winmail.dat"',
      'Content-Disposition': 'attachment; filename="winmail.dat"',
      'Content-Transfer-Encoding': 'base64',
    },
    body: writeTnef(files).toString('base64').replaceAll(/.{76}/g, '$&\n'),
  };
  const write = (headers: Record<string, string>): string =>
    writeMultipart(headers, 'mixed', [{ headers: { 'Content-Type': 'text/plain' }, body: 'See the files' }, pack]);
  const [pushed, fetched] = [makeHeaders(), makeHeaders()];
  await push(200, write(pushed.headers));
  mailbox.add(write(fetched.headers));
  for (const { id } of [pushed, fetched])
    for (const [index, { name, content }] of files.entries()) {
      const file = await waitUntil('the file', async () => {
        const stored = await findMessage(`${id}#${index + 1}`);
        const { body } = stored?.attachment
          ? await call(200, 'GET', `/v1/resource/attachments/${stored.attachment}`)
          : { body: null };
        return body?.meta.sha256 === undefined ? null : body;
      });
      const type = name.endsWith('csv') ? ['csv', 'text/csv'] : ['pdf', 'application/pdf'];
      assert.deepEqual([file.meta.fileName, file.extension, file.meta.mimeType], [name, ...type]);
      const answer = await fetch(file.external_url);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), content);
    }
});

test('a mail with a file that is pushed again leaves nothing behind', async () => {
  const folder = join(platform.dataDir, 'files', platform.demo._id, 'pushed');
  const { headers, id } = makeHeaders();
  await push(200, writeWithFile(headers));
  const kept = await readdir(folder);
  await push(200, writeWithFile(headers));
  assert.deepEqual(await readdir(folder), kept);
  assert.ok(await findMessage(`${id}#1`));
});

/** Waits until the platform has read all mails of the mailbox. */
async function waitForMailbox(): Promise<void> {
  const last = makeHeaders();
  mailbox.add(writeMail(last.headers, 'Behind them'));
  await waitUntil('the mailbox to be read', async () => {
    const due = `update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING'`;
    await database.sql(due, [inbox['_id']]);
    return findMessage(last.id);
  });
}

test('a mail that is pushed twice and lies in the mailbox as well is stored once', async () => {
  const { headers, id } = makeHeaders();
  const mail = writeMail(headers, 'Once');
  await push(200, mail);
  await push(200, mail);
  mailbox.add(mail);
  await waitForMailbox();
  const stored = (await listMessages()).filter(({ external_id }) => external_id.startsWith(id));
  assert.equal(stored.length, 1);
});

test('a mail with an unreadable Date and one without a Date and a Message-ID are stored once each, however often they arrive', async () => {
  const { headers, id } = makeHeaders({ Date: 'ontem' });
  const { 'Message-ID': _id, ...others } = headers;
  const words = ['Qual o prazo?', 'Sem identificação'];
  for (const written of [writeMail(headers, words[0] ?? ''), writeMail({ ...others, Date: '' }, words[1] ?? '')]) {
    const mail = `Received: from home by mx.client.example; Mon, 02 Nov 2026 10:00:02 -0300\r\n${written}`;
    await push(200, mail);
    await push(200, mail);
    // The copy of the mailbox has come through another server.
    mailbox.add(`Received: from mx.client.example; Mon, 02 Nov 2026 10:00:05 -0300\r\n${mail}`);
  }
  await waitForMailbox();
  const stored = (await listMessages()).filter(({ content }) => words.includes(content));
  assert.deepEqual(new Set(stored.map(({ content }) => content)), new Set(words));
  assert.ok(stored.some(({ external_id }) => external_id === id));
});

test('visitors who send the same words through a form without Date and Message-ID are stored once each, as contacts of their own', async () => {
  const words = 'Quero saber o preço';
  const visitors = ['maria@client.example', 'joao@client.example'];
  const headers = { From: 'support@shop.example', To: 'support@shop.example', Subject: 'Contato', Date: '' };
  for (const visitor of [...visitors, ...visitors])
    await push(200, writeMail({ ...headers, 'Reply-To': visitor }, words));
  const stored = (await listMessages()).filter(({ content }) => content === words);
  const contacts = stored.map(async ({ contact }) => (await call(200, 'GET', `/v1/contacts/${contact}`)).body.email);
  assert.equal(stored.length, 2);
  assert.deepEqual(new Set(await Promise.all(contacts)), new Set(visitors));
});

test('mails that programs have written badly are stored with their words', async () => {
  const odd: [Record<string, string>, Buffer, string][] = [
    [
      { 'Content-Type': 'text/plain; charset=iso-2022-jp' },
      Buffer.from('\x1b$B$3$s$K$A$O\x1b(B', 'latin1'),
      'こんにちは',
    ],
    [{ 'Content-Type': 'text/plain; charset=iso-8859-1' }, Buffer.from('Atenção', 'latin1'), 'Atenção'],
    [{ 'Content-Type': 'text/html', 'Content-Transfer-Encoding': '7-bit' }, Buffer.from('<p>Olá<br>Rui'), 'Olá\nRui'],
    [{ 'Content-Type': 'text/plain;', 'Content-Disposition': '' }, Buffer.from('Half a header'), 'Half a header'],
    [{ 'Content-Type': 'multipart/mixed; boundary=never' }, Buffer.from('No part at all'), 'Where is my order?'],
    [{ Date: 'yesterday', To: '<>', 'In-Reply-To': '' }, Buffer.from('No date'), 'No date'],
  ];
  for (const [extra, body, words] of odd) {
    const { headers, id } = makeHeaders(extra);
    await push(200, Buffer.concat([Buffer.from(writeMail(headers, '')), body]));
    assert.equal((await findMessage(id))?.['content'], words, JSON.stringify(extra));
  }
});

test('a message of a mail shows what its author wrote, and the whole text can be read, also of a message that is whole', async () => {
  const words = 'Thanks!\n\nOn Mon, Nov 2, 2026 at 9:00 AM Shop <support@shop.example> wrote:\n> Your order';
  const [shortened, whole] = [makeHeaders(), makeHeaders()];
  await push(200, writeMail(shortened.headers, words));
  await push(200, writeMail(whole.headers, 'All of it'));
  const read = async (id: string, body: string, isShortened: boolean): Promise<string> => {
    const message = await findMessage(id);
    assert.equal(message?.['email'].is_shortened, isShortened);
    assert.deepEqual((await call(200, 'GET', `/v1/messages/${message?.['_id']}/body`)).body, { content: body });
    return message?.['_id'];
  };
  const message = await read(shortened.id, words, true);
  await read(whole.id, 'All of it', false);
  const other = await platform.createCompany();
  for (const [id, key] of [
    [message, other.key],
    ['65f0a1b2c3d4e5f60718293a', undefined],
  ] as const)
    expectProblem(await call(404, 'GET', `/v1/messages/${id}/body`, key === undefined ? {} : { key }), 'NOT_FOUND');
});

test('the whole texts of mails count towards what the company stores, and go with their contact', async () => {
  const readUsage = async (): Promise<number> =>
    (await call(200, 'GET', `/v1/companies/${platform.demo._id}`)).body.usage.stored_bytes;
  const before = await readUsage();
  const { headers, id } = makeHeaders({ From: 'Zoe <zoe@client.example>' });
  await push(
    200,
    writeMail(headers, `Yes\n\nOn Mon, Nov 2, 2026 at 9:00 AM Shop <a@shop.example> wrote:\n> ${'x'.repeat(50_000)}`),
  );
  assert.ok((await readUsage()) > before + 50_000);
  const { contact } = await findMessage(id);
  await call(200, 'DELETE', `/v1/contacts/${contact}`);
  assert.ok((await readUsage()) < before + 50_000);
  assert.deepEqual(await database.sql(`select 1 from message_bodies where content like 'Yes%'`), []);
});

test('a mail that cannot be read is kept aside, and its server is not asked to repeat it', async () => {
  const reason = await database.sql('select 1 from callbacks_aside');
  await push(200, 'no mail at all');
  assert.equal((await database.sql('select 1 from callbacks_aside')).length, reason.length + 1);
});

test('no one pushes without the secret of the inbox, whether or not it takes mails', async () => {
  const before = (await listMessages()).length;
  const username = 'closed@shop.example';
  const { hook_secret: _secret, ...rest } = config;
  const closed = await createInbox({ ...rest, username });
  const mail = writeMail(makeHeaders().headers, 'Forged');
  const refused = [
    await push(401, mail, { secret: null }),
    await push(401, mail, { secret: `${SECRET}x` }),
    await push(401, mail, { to: closed['_id'], secret: SECRET }),
    await push(401, mail, { to: closed['_id'], secret: '' }),
    await push(401, mail, { to: platform.demo.inbox }),
    await push(401, mail, { to: '65f0a1b2c3d4e5f60718293a' }),
    await push(401, mail, { to: 'no-id' }),
  ];
  for (const answer of refused) expectProblem(answer, 'BAD_SIGNATURE');
  assert.equal((await listMessages()).length, before);
});

test('what is no mail is refused before it is kept', async () => {
  const mail = writeMail(makeHeaders().headers, 'x');
  expectProblem(await push(415, mail, { type: 'multipart/form-data; boundary=x' }), 'UNSUPPORTED_MEDIA_TYPE');
  expectProblem(await push(400, ''), 'MALFORMED_BODY');
  expectProblem(await push(413, Buffer.alloc(30 * 1024 * 1024 + 1, 'x')), 'BODY_TOO_LARGE');
});

test('the secret is shown masked, and is kept when a server of the mailbox changes', async () => {
  const other = await startImapServer({ after }, certificate);
  const { body: shown } = await call(200, 'GET', `/v1/inboxes/${inbox['_id']}`);
  assert.equal(shown.email_config.hook_secret, '••••1234');
  const moved = { ...config, imap_url: `imaps://127.0.0.1:${other.port}`, hook_secret: shown.email_config.hook_secret };
  await call(200, 'PUT', `/v1/inboxes/${inbox['_id']}`, { body: { email_config: moved } });
  const { headers, id } = makeHeaders();
  await push(200, writeMail(headers, 'Still open'));
  assert.ok(await findMessage(id));
});

test('an inbox without a mailbox takes what is pushed with its secret, sends answers, and needs one of the two', async () => {
  const { imap_url: _imap, ...sending } = { ...config, address: 'Sales@shop.example' };
  const { hook_secret: _secret, ...neither } = sending;
  const bare = { channel: 'EMAIL', name: 'Sales', email_config: neither };
  const refused = await call(400, 'POST', '/v1/inboxes', { body: bare });
  expectProblem(refused, 'VALIDATION_FAILED', 'email_config.imap_url');
  const sales = await createInbox(sending);
  assert.equal(sales['connection'].status, 'CONNECTED');
  const taken = { ...bare, email_config: sending };
  expectProblem(await call(409, 'POST', '/v1/inboxes', { body: taken }), 'CHANNEL_IN_USE');
  const { headers, id } = makeHeaders({ To: 'sales@shop.example' });
  await push(200, writeMail(headers, 'How much is it?'), { to: sales['_id'] });
  const [message] = await listMessages(sales);
  assert.deepEqual([message?.['external_id'], message?.['content']], [id, 'How much is it?']);
  const body = { conversationId: message?.['conversation'], message: { content: 'Ten' } };
  const { body: sent } = await call(201, 'POST', '/v1/messages/send-text', { body });
  assert.equal(sent.status, 'SENT');
  assert.match(smtp.taken.at(-1)?.raw ?? '', /^From: .*sales@shop\.example/im);
  const read = await waitUntil('a turn of the mailbox', async () => {
    await database.sql("update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1", [sales['_id']]);
    const [row] = await database.sql<Json>('select failures from inbox_fetches where inbox_id = $1 and turn > 0', [
      sales['_id'],
    ]);
    return row;
  });
  assert.equal(read['failures'], 0);
});

test('an inbox that its servers refuse puts mails off, and a deleted one drops them', async () => {
  const refusing = await createInbox({ ...config, username: 'unknown@shop.example' });
  assert.equal(refusing['connection'].status, 'ERROR');
  const mail = writeMail(makeHeaders().headers, 'Too early');
  const answer = await push(503, mail, { to: refusing['_id'] });
  assert.ok(answer.headers.get('retry-after'));
  await call(200, 'PUT', `/v1/inboxes/${refusing['_id']}`, { body: { status: 'DELETED' } });
  await push(200, mail, { to: refusing['_id'] });
  assert.deepEqual(await listMessages(refusing), []);
});
