/** A mail becomes messages, or news about a mail of ours. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { SAMPLE_HEADERS, writeMail, writeMultipart, type SamplePart } from '../../../test/support/mails.ts';
import type { Inbound, InboundReport } from '../channel.ts';
import { listParts, textOf } from '../content.ts';
import { toInbound } from './inbound.ts';
import { findOwnMessage, makeMessageId } from './message-id.ts';
import { parseMail } from './parse.ts';

const INBOX = 'support@shop.example';
const ADDRESS = 'support imap.shop.example:993';
const MESSAGE = '65f0a1b2c3d4e5f60718293a';
const OWN_ID = makeMessageId(MESSAGE, INBOX);

async function translate(mail: string): Promise<(Inbound | null)[]> {
  const parsed = await parseMail(Readable.from([Buffer.from(mail)]));
  const receivedAt = new Date('2026-11-02T13:00:05Z');
  return [
    ...toInbound(parsed, { address: ADDRESS, recipient: INBOX, receivedAt, nameFile: ({ part }) => `1.7.${part}` }),
  ];
}

async function translateMessages(mail: string) {
  const elements = await translate(mail);
  return elements.map((element) => {
    assert.ok(element?.kind === 'message');
    return { ...element, ...listParts(element) };
  });
}

const pdf = (disposition: string, bytes: number): SamplePart => ({
  headers: {
    'Content-Type': 'application/pdf; name="Order.pdf"',
    'Content-Disposition': disposition,
    'Content-Transfer-Encoding': 'base64',
  },
  body: Buffer.alloc(bytes, 'x').toString('base64'),
});
const text = (body: string): SamplePart => ({ headers: { 'Content-Type': 'text/plain' }, body });

test('a mail is a message of its sender, without the quoted mail, which answers the mail that it refers to', async () => {
  const headers = { ...SAMPLE_HEADERS, 'In-Reply-To': `<${OWN_ID}>`, References: `<root@shop.example> <${OWN_ID}>` };
  const body = 'Thanks!\n\nOn Mon, Nov 2, 2026 at 9:00 AM Shop <support@shop.example> wrote:\n> Your order';
  const [message, ...more] = await translateMessages(writeMail(headers, body));
  assert.deepEqual(more, []);
  assert.equal(message?.content, 'Thanks!');
  assert.deepEqual([message?.externalId, message?.replyTo], ['first@client.example', OWN_ID]);
  assert.deepEqual(message?.person, {
    names: [{ kind: 'EMAIL', value: 'ana@client.example', address: 'ana@client.example' }],
    displayName: 'Ana Sá',
  });
  assert.equal(message?.timestamp.toISOString(), '2026-11-02T13:00:05.000Z');
  assert.equal(message?.isAutomatic, undefined);
  assert.deepEqual(message?.email, {
    subject: 'Where is my order?',
    to: [INBOX],
    cc: [],
    reply_to: [],
    is_shortened: true,
  });
});

test('the whole text of a mail is kept where its message shows only a part of it, and not otherwise', async () => {
  const quoted =
    'Thanks!\n\nOn Mon, Nov 2, 2026 at 9:00 AM Shop <support@shop.example> wrote:\n> Your order\n\n-- \nAna';
  const read = async (body: string): Promise<unknown[]> => {
    const [message] = await translateMessages(writeMail(SAMPLE_HEADERS, body));
    return [message?.content, message?.body, message?.email?.is_shortened];
  };
  assert.deepEqual(await read(quoted), ['Thanks!', quoted, true]);
  assert.deepEqual(await read('Just  this\n\n\n\nand that'), ['Just  this\n\nand that', undefined, false]);
  assert.deepEqual(await read(''), ['Where is my order?', undefined, false]);
  const [content, body, isShortened] = await read('long '.repeat(60_000));
  assert.deepEqual([String(content).length, String(body).length, isShortened], [32_768, 262_144, true]);
});

test('a picture inside of the text is one message, however often the text shows it, and those of the quoted mail are left out', async () => {
  const picture = (name: string): SamplePart => ({
    headers: {
      'Content-Type': `image/png; name="${name}.png"`,
      'Content-Disposition': 'inline',
      'Content-ID': `<${name}@client.example>`,
      'Content-Transfer-Encoding': 'base64',
    },
    body: Buffer.alloc(9_000, name).toString('base64'),
  });
  const show = (name: string): string => `<img src="cid:${name}@client.example">`;
  const html = `<p>Look: ${show('own')} ${show('own')}</p><blockquote>${show('quoted')} ${show('own')}</blockquote>`;
  const mail = writeMultipart(SAMPLE_HEADERS, 'related', [
    { headers: { 'Content-Type': 'text/html' }, body: html },
    ...['own', 'quoted', 'unshown'].map(picture),
  ]);
  const messages = await translateMessages(mail);
  assert.deepEqual(
    messages.map(({ content, media }) => media?.fileName ?? content),
    ['Look:', 'own.png', 'unshown.png'],
  );
});

test('each file of a mail is a message of its own, and the mail keeps its id when it has no text', async () => {
  const withText = writeMultipart(SAMPLE_HEADERS, 'mixed', [text('Two files'), pdf('attachment', 5), pdf('inline', 6)]);
  const messages = await translateMessages(withText);
  assert.deepEqual(
    messages.map(({ contentType, externalId, media }) => [contentType, externalId, media?.networkId ?? null]),
    [
      ['TEXT', 'first@client.example', null],
      ['DOCUMENT', 'first@client.example#1', '1.7.2'],
      ['DOCUMENT', 'first@client.example#2', '1.7.3'],
    ],
  );
  const [only] = await translateMessages(writeMultipart(SAMPLE_HEADERS, 'mixed', [pdf('attachment', 5)]));
  assert.deepEqual([only?.externalId, only?.media?.fileName], ['first@client.example', 'Order.pdf']);
});

test('a mail without a text and without files has its subject as its text', async () => {
  const [message] = await translateMessages(writeMail(SAMPLE_HEADERS, ''));
  assert.equal(message?.content, 'Where is my order?');
});

test('a mail that somebody sends on inside of their own is a file', async () => {
  const inner = { headers: { 'Content-Type': 'message/rfc822' }, body: writeMail(SAMPLE_HEADERS, 'The first mail') };
  const messages = await translateMessages(writeMultipart(SAMPLE_HEADERS, 'mixed', [text('See below'), inner]));
  assert.deepEqual(
    messages.map(({ contentType, content, media }) => [contentType, content, media?.mimeType]),
    [
      ['TEXT', 'See below', undefined],
      ['DOCUMENT', null, 'message/rfc822'],
    ],
  );
});

test('a small picture that the text shows is decoration, and a large one is a message', async () => {
  const picture = (bytes: number): SamplePart => ({
    headers: { 'Content-Type': 'image/png', 'Content-ID': '<logo>', 'Content-Transfer-Encoding': 'base64' },
    body: Buffer.alloc(bytes, 1).toString('base64'),
  });
  const html: SamplePart = { headers: { 'Content-Type': 'text/html' }, body: '<p>Hi <img src="cid:logo"></p>' };
  const types = async (bytes: number): Promise<string[]> => {
    const messages = await translateMessages(writeMultipart(SAMPLE_HEADERS, 'related', [html, picture(bytes)]));
    return messages.map(({ contentType }) => contentType);
  };
  assert.deepEqual(await types(500), ['TEXT']);
  assert.deepEqual(await types(50_000), ['TEXT', 'IMAGE']);
});

/** The id and the digest under which the first message of a mail is stored. */
async function identify(mail: string): Promise<[string | undefined, string | undefined]> {
  const [first] = await translateMessages(mail);
  return [first?.externalId, first?.distinct?.digest];
}
const NO_ID = { From: 'Ana <ana@client.example>', To: INBOX, Subject: 'Order' };

test('a mail is known again by its bytes alone: with an unreadable or empty Date, without a Message-ID, and by what was stored before', async () => {
  // These values are in the databases of installations.
  const stored: [string, string, string][] = [
    [
      writeMail(SAMPLE_HEADERS, 'Hi'),
      'first@client.example',
      '2c8f7a7c76fbd0de98c69c590922afc18f579bb0f9b1125e03292e0da794d3c5',
    ],
    [
      writeMail({ ...NO_ID, 'Message-ID': '<bad-date@client.example>', Date: 'ontem' }, 'Hi'),
      'bad-date@client.example',
      'd59fdabe275a1707a0d6aae7f85cb8250665764913ebce085370a77730b8b273',
    ],
    [
      writeMail({ ...NO_ID, Date: '' }, 'Hi'),
      'hash-343efc79134462c31108f22d85d8ba7c96c14f4a9cbb0bab046a89248d1ae6b4',
      'b6430110df1be7ee67626d18a0b3fc7d906ac43c5115b2cb19f0cfc80cfa0012',
    ],
    [
      writeMail(NO_ID, 'Hi'),
      'hash-343efc79134462c31108f22d85d8ba7c96c14f4a9cbb0bab046a89248d1ae6b4',
      'b6430110df1be7ee67626d18a0b3fc7d906ac43c5115b2cb19f0cfc80cfa0012',
    ],
    [
      writeMail({ ...NO_ID, Date: 'Mon, 02 Nov 2026 10:00:00 -0300', 'Reply-To': 'rui@client.example' }, 'a  \nb'),
      'hash-665aa859196f404a536a90cd87cfc83066b24347a86712386f715e83ed4b43b1',
      'bff6eb4cbd26faf65e21b44cfdce94bf8dd6f53bc0b0047d26d348ca76924704',
    ],
  ];
  for (const [mail, id, digest] of stored) assert.deepEqual(await identify(mail), [id, digest], mail);
});

const RECEIVED = 'Received: from home (home [192.0.2.7])\r\n by mx.client.example; Mon, 02 Nov 2026 10:00:05 -0300';

test('copies of a mail that came another way are the same mail: with further headers of servers, and with other line ends', async () => {
  const csv = {
    headers: { 'Content-Type': 'text/csv; name="a.csv"', 'Content-Disposition': 'attachment' },
    body: 'a,b\nc,d\n',
  };
  const html = { headers: { 'Content-Type': 'text/html' }, body: '<p>Hi</p>\n<p>there</p>' };
  for (const parts of [[text('Hi\nthere'), csv], [html]]) {
    const mail = `${RECEIVED}\r\n${writeMultipart({ ...NO_ID, Date: 'ontem' }, 'mixed', parts)}`;
    const another = `Return-Path: <ana@client.example>\nDelivered-To: ${INBOX}\nReceived: by mx.example; now\n${mail.replaceAll('\r\n', '\n')}`;
    assert.deepEqual(await identify(mail), await identify(mail));
    assert.deepEqual(await identify(another), await identify(mail));
  }
});

test('blanks do not count in a mail without an id and a readable Date', async () => {
  const write = (body: string): string => writeMail({ ...NO_ID, Date: '' }, body);
  assert.deepEqual(await identify(write('a  \r\nb')), await identify(write('a\r\nb')));
});

test('the encoding of a file is read in capitals and in small letters', async () => {
  const bytes = Buffer.from('a\nb\r\nc');
  const identities = ['base64', 'BASE64', 'Base64 '].map(async (encoding) => {
    const headers = { ...pdf('attachment', 1).headers, 'Content-Transfer-Encoding': encoding };
    const mail = writeMultipart(SAMPLE_HEADERS, 'mixed', [{ headers, body: bytes.toString('base64') }]);
    const [file] = (await parseMail(Readable.from([Buffer.from(mail)]))).files;
    return [file?.bytes, file?.identity === file?.sha256];
  });
  for (const identity of await Promise.all(identities)) assert.deepEqual(identity, [bytes.length, true]);
});

const writeUndated = (headers: Record<string, string>): string =>
  writeMail({ ...NO_ID, Date: '', ...headers }, 'Quero saber o preço');
const writeAlternative = (html: string): string =>
  writeMultipart(NO_ID, 'alternative', [
    text('Seu programa não mostra HTML.'),
    { headers: { 'Content-Type': 'text/html' }, body: html },
  ]);
const CLOCKLESS = 'Thu, 01 Jan 1970 00:00:00 +0000';
const FORM = `The shop <${INBOX}>`;

/** Mails of two people or of two times that have no readable Date, and that are the same but for one header or for their HTML. */
const TWINS: Record<string, [string, string]> = {
  'in the mail that they answer': [
    writeUndated({ 'In-Reply-To': '<a@shop.example>' }),
    writeUndated({ 'In-Reply-To': '<b@shop.example>' }),
  ],
  'in References': [writeUndated({ References: '<a@shop.example>' }), writeUndated({ References: '<b@shop.example>' })],
  'in their oldest Received': [
    writeUndated({ Received: 'by mx.client.example id 1; Mon, 02 Nov 2026 10:00:05 -0300' }),
    writeUndated({ Received: 'by mx.client.example id 2; Mon, 02 Nov 2026 10:00:09 -0300' }),
  ],
  'in their oldest Received, of a device without a clock': [
    writeUndated({ Date: CLOCKLESS, Received: 'by mx.client.example; Mon, 02 Nov 2026 10:00:05 -0300' }),
    writeUndated({ Date: CLOCKLESS, Received: 'by mx.client.example; Tue, 03 Nov 2026 10:00:05 -0300' }),
  ],
  'in the HTML behind a stub of plain text': [writeAlternative('<p>Fatura 1</p>'), writeAlternative('<p>Fatura 2</p>')],
  'in the address of a remote picture': [
    writeMail({ ...NO_ID, 'Content-Type': 'text/html' }, '<img src="https://client.example/1.png">'),
    writeMail({ ...NO_ID, 'Content-Type': 'text/html' }, '<img src="https://client.example/2.png">'),
  ],
  'in the person whom a form names in Reply-To': [
    writeUndated({ From: FORM, 'Reply-To': 'maria@client.example' }),
    writeUndated({ From: FORM, 'Reply-To': 'joao@client.example' }),
  ],
  'in the name of the person whom a form names': [
    writeUndated({ From: 'Ana <form@x.example>', 'Message-ID': '<c@x>' }),
    writeUndated({ From: 'Bia <form@x.example>', 'Message-ID': '<c@x>' }),
  ],
  'in To': [writeUndated({ To: `Ana <${INBOX}>` }), writeUndated({ To: `Bia <${INBOX}>` })],
  'in Cc': [writeUndated({ Cc: 'ana@client.example' }), writeUndated({ Cc: 'bia@client.example' })],
};

for (const [difference, [one, other]] of Object.entries(TWINS))
  test(`mails without a readable Date that differ only ${difference} are different mails, with and without a Message-ID`, async () => {
    const withId = (mail: string): string => (mail.includes('Message-ID:') ? mail : `Message-ID: <c@x>\r\n${mail}`);
    for (const write of [(mail: string) => mail, withId]) {
      const [first, second] = [await identify(write(one)), await identify(write(other))];
      assert.deepEqual(await identify(write(one)), first);
      assert.notEqual(first[1], second[1]);
      if (!write(one).includes('Message-ID:')) assert.notEqual(first[0], second[0]);
    }
  });

test('other headers and HTML do not count in mails with a readable Date, whose digests are stored', async () => {
  const dated = (headers: Record<string, string>): string =>
    writeUndated({ Date: SAMPLE_HEADERS['Date'] ?? '', ...headers });
  assert.deepEqual(
    await identify(dated({ 'In-Reply-To': '<a@shop.example>', Received: 'by one; now' })),
    await identify(dated({ 'In-Reply-To': '<b@shop.example>', Received: 'by two; now' })),
  );
});

test('mails without an id that differ in their text, in a file or in the words of an unreadable Date are different mails', async () => {
  const write = (date: string, body: string, bytes: number): string =>
    writeMultipart({ ...NO_ID, Date: date }, 'mixed', [text(body), pdf('attachment', bytes)]);
  const mails = [
    write('ontem', 'Hi', 100),
    write('hoje', 'Hi', 100),
    write('ontem', 'Hello', 100),
    write('ontem', 'Hi', 101),
  ];
  const known = await Promise.all(mails.map(async (mail) => (await identify(mail)).join(' ')));
  assert.equal(new Set(known).size, mails.length);
});

test('a mail is its sender’s, and nobody writes into the conversation of another person by naming them in Reply-To', async () => {
  const [message] = await translateMessages(writeMail({ ...SAMPLE_HEADERS, 'Reply-To': 'rui@client.example' }, 'Hi'));
  assert.equal(message?.person.names[0]?.value, 'ana@client.example');
});

test('a mail that a form of a website sends from the address of the inbox is of the person in Reply-To', async () => {
  const headers = { ...SAMPLE_HEADERS, From: `The shop <${INBOX}>`, 'Reply-To': 'Visitor <visitor@client.example>' };
  const [message] = await translateMessages(writeMail(headers, 'A question'));
  assert.deepEqual(
    [message?.content, message?.person.names[0]?.value, message?.person.displayName],
    ['A question', 'visitor@client.example', 'Visitor'],
  );
  for (const ignored of [{ 'Reply-To': INBOX }, { 'Message-ID': `<${OWN_ID}>` }])
    assert.deepEqual(await translate(writeMail({ ...headers, ...ignored }, 'A question')), [null]);
});

test('behind a program the person in Reply-To is the contact, and replies go to what Reply-To names besides the inbox and the list', async () => {
  const read = async (headers: Record<string, string>): Promise<unknown[]> => {
    const [message] = await translateMessages(writeMail({ ...SAMPLE_HEADERS, ...headers }, 'Hi'));
    return [message?.person.names[0]?.value, message?.email?.reply_to];
  };
  const named = { 'Reply-To': `Bia <bia@home.example>, <rui@home.example>, ${INBOX}` };
  const replies = ['bia@home.example', 'rui@home.example'];
  assert.deepEqual(await read(named), ['ana@client.example', replies]);
  for (const program of ['no-reply@forms.example', 'naoresponda@site.example', 'notifications@x.example'])
    assert.deepEqual(await read({ ...named, From: `Form <${program}>` }), ['bia@home.example', replies]);
  const list = { 'List-Post': '<mailto:group@lists.example>', 'Reply-To': 'group@lists.example' };
  assert.deepEqual(await read(list), ['ana@client.example', []]);
  const through = { ...list, From: 'group@lists.example', 'Reply-To': 'bia@home.example' };
  assert.deepEqual(await read(through), ['bia@home.example', ['bia@home.example']]);
  for (const address of ['ana@client.example', INBOX])
    assert.deepEqual(await read({ 'Reply-To': address }), ['ana@client.example', []]);
});

const AUTOMATIC: Record<string, Record<string, string>> = {
  'an out-of-office notice': { 'Auto-Submitted': 'auto-replied' },
  'a notice of a program': { 'Auto-Submitted': 'auto-generated; reason=x' },
  'a newsletter': { 'List-Id': '<news.shop.example>' },
  'a mail in bulk': { Precedence: 'bulk' },
  'a mail that wants no answer': { 'X-Auto-Response-Suppress': 'OOF, AutoReply' },
  'a mail of a server': { From: 'MAILER-DAEMON@client.example' },
  'a mail that no error may be returned to': { 'Return-Path': '<>' },
  'a mail of no-reply': { From: 'No-Reply@client.example' },
};

for (const [name, headers] of Object.entries(AUTOMATIC))
  test(`${name} is stored, and marked so that no agent answers it`, async () => {
    const [message] = await translateMessages(writeMail({ ...SAMPLE_HEADERS, ...headers }, 'I am away'));
    assert.equal(message?.isAutomatic, true);
  });

test('a mail that says that it was not submitted automatically is a mail of a person', async () => {
  const [message] = await translateMessages(writeMail({ ...SAMPLE_HEADERS, 'Auto-Submitted': 'no' }, 'Hi'));
  assert.equal(message?.isAutomatic, undefined);
});

const DAEMON = 'mailer-daemon@client.example';

const report = (action: string, status: string, id = OWN_ID): string =>
  writeMultipart({ ...SAMPLE_HEADERS, From: DAEMON }, 'report; report-type=delivery-status', [
    text('Your mail could not be delivered.'),
    {
      headers: { 'Content-Type': 'message/delivery-status' },
      body: `Reporting-MTA: dns; mx.client.example\n\nFinal-Recipient: rfc822; Bob@Client.example\nAction: ${action}\nStatus: ${status}\nDiagnostic-Code: smtp; 550 No such\n user here\n`,
    },
    { headers: { 'Content-Type': 'text/rfc822-headers' }, body: `Message-ID: <${id}>\nSubject: Hello\n` },
  ]);

async function translateReport(mail: string): Promise<InboundReport> {
  const [element] = await translate(mail);
  assert.ok(element?.kind === 'report');
  return element;
}

test('the report of a failed delivery makes the message that it names FAILED, with the code and the words of the server', async () => {
  const read = await translateReport(report('failed', '5.1.1'));
  assert.deepEqual(read.own, { messageId: MESSAGE, externalId: OWN_ID });
  assert.deepEqual(
    read.recipients.map(({ value }) => value),
    ['bob@client.example'],
  );
  const [error] = read.errors ?? [];
  assert.deepEqual([error?.code, error?.message], ['5.1.1', 'smtp; 550 No such user here']);
});

test('a report of a delay or of a success changes nothing', async () => {
  assert.deepEqual(await translate(report('delayed', '4.2.2')), [null]);
  assert.deepEqual(await translate(report('delivered', '2.0.0')), [null]);
});

test('a report about a mail that is not ours is stored as an automatic message', async () => {
  for (const action of ['failed', 'delayed'])
    for (const id of ['somebody@elsewhere.example', makeMessageId(MESSAGE, 'x@elsewhere.example')]) {
      const [element] = await translate(report(action, '5.1.1', id));
      const [message] = element?.kind === 'report' ? element.mail : [element];
      assert.ok(message?.kind === 'message' && !(element?.kind === 'report' && element.own));
      assert.deepEqual([message.isAutomatic, textOf(message)], [true, 'Your mail could not be delivered.']);
    }
});

test('the reports of servers that do not use the standard are understood as well', async () => {
  const old = { ...SAMPLE_HEADERS, From: DAEMON, Subject: 'failure notice' };
  const copy = `--- Below this line is a copy\n\nMessage-ID: <${OWN_ID}>\nSubject: Hello`;
  const body = `I wasn't able to deliver your message.\n\n<bob@client.example>:\n550 5.1.1 No such user\n\n${copy}`;
  const named = { ...old, 'X-Failed-Recipients': 'bob@client.example' };
  assert.equal((await translateReport(writeMail(old, body))).own?.messageId, MESSAGE);
  const read = await translateReport(writeMail(named, `Delivery failed.\n\n${copy}`));
  assert.deepEqual([read.own?.messageId, read.recipients[0]?.value], [MESSAGE, 'bob@client.example']);
});

const writeOriginal = (id: string): string =>
  writeMail({ 'Message-ID': `<${id}>`, From: INBOX, Subject: 'Atraso' }, 'Olá');

test('mails that servers return are failures: with an attached original, an empty status, no sender or no code', async () => {
  const returned = { ...SAMPLE_HEADERS, From: 'MAILER-DAEMON <>', Subject: 'Undelivered Mail' };
  const copy = `\n\n------ This is a copy of your message ------\n\n${writeOriginal(OWN_ID)}`;
  const attached = { headers: { 'Content-Type': 'message/rfc822' }, body: writeOriginal(OWN_ID) };
  const asFile = { headers: { ...attached.headers, 'Content-Disposition': 'attachment' }, body: attached.body };
  const status = (body: string): SamplePart => ({ headers: { 'Content-Type': 'message/delivery-status' }, body });
  const failed = status('Reporting-MTA: dns; mx.client.example\n\nAction: failed\nStatus: 5.2.2\n');
  const global = { headers: { 'Content-Type': 'message/global-delivery-status' }, body: failed.body };
  const google = { ...returned, From: 'mailer-daemon@google.example' };
  const type = 'report; report-type=delivery-status';
  const mails: [string, string][] = [
    [writeMultipart(google, type, [text('failed'), failed, asFile]), '5.2.2'],
    [writeMultipart(google, type, [text('failed'), global, asFile]), '5.2.2'],
    [writeMultipart(google, type, [text('550 5.7.1 refused'), status(''), attached]), '5.7.1'],
    [writeMail(returned, `550 5.4.1 Recipient address rejected${copy}`), '5.4.1'],
    [writeMail(returned, `The mailbox does not exist.${copy}`), '5.0.0'],
    [writeMultipart(google, 'mixed', [text('Não foi entregue'), asFile]), '5.0.0'],
  ];
  for (const [mail, code] of mails) {
    const { own, errors } = await translateReport(mail);
    assert.deepEqual([own?.messageId, errors?.[0]?.code], [MESSAGE, code], mail);
  }
});

test('what a server sends without a failure is no failure: a delay, a receipt of a delivery or of reading', async () => {
  const headers = { ...SAMPLE_HEADERS, From: DAEMON, 'In-Reply-To': `<${OWN_ID}>` };
  const copy = `\n\n------ This is a copy of your message ------\n\n${writeOriginal(OWN_ID)}`;
  const receipt = { headers: { 'Content-Type': 'message/disposition-notification' }, body: 'Disposition: displayed' };
  const attached = { headers: { 'Content-Type': 'text/rfc822-headers' }, body: writeOriginal(OWN_ID) };
  const mails = [
    writeMail({ ...headers, Subject: 'Warning: message 1abc delayed 24 hours' }, `Not delivered so far.${copy}`),
    writeMail(headers, `A entrega está atrasada.${copy}`),
    writeMail(headers, `The mail was delivered.${copy}`),
    writeMultipart({ ...headers, From: 'bob@client.example' }, 'report', [text('It was read'), receipt, attached]),
  ];
  for (const mail of mails) assert.equal((await translate(mail))[0]?.kind, 'message', mail);
});

test('an answer of a person at the address of a server is a message, whatever numbers it has', async () => {
  const headers = { ...SAMPLE_HEADERS, From: 'postmaster@client.example', 'In-Reply-To': `<${OWN_ID}>` };
  const extras: Record<string, string>[] = [{}, { 'X-Failed-Recipients': 'bob@client.example' }];
  for (const extra of extras) {
    const [message] = await translateMessages(writeMail({ ...headers, ...extra }, 'Please send me 551 pieces'));
    assert.equal(message?.content, 'Please send me 551 pieces');
  }
});

const complain = (original: string): string =>
  writeMultipart({ ...SAMPLE_HEADERS, From: 'abuse@client.example' }, 'report; report-type=feedback-report', [
    text('This is a complaint.'),
    {
      headers: { 'Content-Type': 'message/feedback-report' },
      body: 'Feedback-Type: abuse\nOriginal-Rcpt-To: <bob@client.example>\n',
    },
    { headers: { 'Content-Type': 'text/rfc822-headers' }, body: `Message-ID: <${original}>\nSubject: Hello\n` },
  ]);

test('a complaint is only about the mail of ours that is attached to it, whatever address it names', async () => {
  const { own, errors, recipients } = await translateReport(complain(OWN_ID));
  assert.deepEqual([own?.messageId, errors, recipients], [MESSAGE, null, []]);
  const forged = await translateReport(complain('forged@elsewhere.example'));
  const [message] = forged.mail;
  assert.ok(message?.kind === 'message');
  assert.deepEqual([forged.own, message.isAutomatic, textOf(message)], [null, true, 'This is a complaint.']);
});

test('a mail of the inbox to itself is ignored, and a mail without a sender is kept aside', async () => {
  assert.deepEqual(await translate(writeMail({ ...SAMPLE_HEADERS, From: INBOX }, 'Hi')), [null]);
  const { From: _from, ...headers } = SAMPLE_HEADERS;
  assert.equal((await translate(writeMail(headers, 'Hi')))[0]?.kind, 'unreadable');
});

test('only the id of a mail that an address of the same domain sent names one of our messages', () => {
  assert.equal(findOwnMessage(OWN_ID, INBOX), MESSAGE);
  for (const id of [`x${OWN_ID}`, OWN_ID.replace('shop', 'other'), 'parley.1@shop.example', ''])
    assert.equal(findOwnMessage(id, INBOX), null, id);
});
