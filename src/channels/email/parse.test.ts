/** Mails of all kinds are read, and none of them takes long. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, globSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { SAMPLE_HEADERS, writeMail, writeMultipart, writeTnef, type SamplePart } from '../../../test/support/mails.ts';
import { readHtml } from './html-text.ts';
import { readMailDate } from './mail-date.ts';
import { parseMail, type Mail } from './parse.ts';
import { stripQuoted } from './quoted.ts';
import { unpackTnef } from './tnef.ts';

const parse = (mail: string): Promise<Mail> => parseMail(Readable.from([Buffer.from(mail)]));

test('a plain mail is read with its sender, its recipients, its subject and its ids', async () => {
  const mail = await parse(
    writeMail(
      {
        ...SAMPLE_HEADERS,
        Subject: '=?utf-8?Q?Cad=C3=AA_meu_pedido=3F?=',
        Cc: '"Silva, Rui" <rui@client.example>, Team: a@team.example, b@team.example;',
        'Reply-To': 'ana.home@client.example',
        'In-Reply-To': '<sent@shop.example>',
        References: '<root@shop.example>\n <sent@shop.example>',
        'Content-Type': 'text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding': 'quoted-printable',
      },
      'Ol=E1!\n\nCad=EA?',
    ),
  );
  assert.deepEqual(mail.from, { address: 'ana@client.example', name: 'Ana Sá' });
  assert.equal(mail.replyTo[0]?.address, 'ana.home@client.example');
  assert.deepEqual(
    mail.cc.map(({ address }) => address),
    ['rui@client.example', 'a@team.example', 'b@team.example'],
  );
  assert.deepEqual([mail.subject, mail.text], ['Cadê meu pedido?', 'Olá!\n\nCadê?']);
  assert.equal(mail.date?.toISOString(), '2026-11-02T13:00:00.000Z');
  assert.deepEqual([mail.messageId, mail.inReplyTo], ['first@client.example', ['sent@shop.example']]);
  assert.deepEqual(mail.references, ['root@shop.example', 'sent@shop.example']);
});

test('the date of a mail is the same on every server: without a zone it is UTC, and what is not a time is none', () => {
  const readings: [string | undefined, string | null][] = [
    ['Mon, 2 Nov 2026 10:00:00\r\n -0300 (BRT)', '2026-11-02T13:00:00.000Z'],
    ['Mon Nov 2 10:00:00 -0300 2026', '2026-11-02T13:00:00.000Z'],
    ['2026-11-02T10:00:00-03:00', '2026-11-02T13:00:00.000Z'],
    ['2 Nov 2026 8:00 AM EST', '2026-11-02T13:00:00.000Z'],
    ['Mon, 2 Nov 2026 13:00:00 GMT', '2026-11-02T13:00:00.000Z'],
    ['Mon, 2 Nov 2026 13:00:00', '2026-11-02T13:00:00.000Z'],
    ['2026-11-02T13:00:00', '2026-11-02T13:00:00.000Z'],
    ['02-11-2026 1:00 PM', '2026-02-11T13:00:00.000Z'],
    ['10:00:05 02-11-2026', '2026-02-11T10:00:05.000Z'],
    ['10:00:05 2026-11-02', '2026-11-02T10:00:05.000Z'],
    ['10:00:05 02-11-2026 -0300', '2026-02-11T13:00:05.000Z'],
    ['Mon, 2 Nov 2026 10:00:05 -3', '2026-11-02T13:00:05.000Z'],
    ['2 Nov 26', '2026-11-02T00:00:00.000Z'],
    ['2026 11 02 10:00', '2026-11-02T10:00:00.000Z'],
    ['pedido 123', null],
    ['pedido 5 10:00 -03:00', null],
    ['5', null],
    ['May 5', null],
    ['Thu, 01 Jan 1970 00:00:00 +0000', null],
    ['Sun, 31 Dec 1989 23:59:59 +0000', null],
    ['Mon, 01 Jan 1990 00:00:00 +0000', '1990-01-01T00:00:00.000Z'],
    ['Fri, 31 Dec 2100 23:59:59 +0000', '2100-12-31T23:59:59.000Z'],
    ['Sat, 01 Jan 2101 00:00:00 +0000', null],
    ['ontem', null],
    ['', null],
    [undefined, null],
  ];
  const zone = process.env['TZ'];
  try {
    for (const server of ['UTC', 'America/Sao_Paulo', 'Asia/Tokyo']) {
      process.env['TZ'] = server;
      for (const [header, time] of readings)
        assert.equal(readMailDate(header)?.toISOString() ?? null, time, `${header} in ${server}`);
    }
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('a mail with text and HTML has its plain text, and its files have their part numbers, names and hashes', async () => {
  const alternatives = writeMultipart({}, 'alternative', [
    { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'Plain text' },
    { headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<p>HTML <b>text</b></p>' },
  ]).replaceAll('a-boundary', 'inner');
  const [head = '', ...rest] = alternatives.split('\r\n\r\n');
  const type = /multipart\/.*/.exec(head)?.[0] ?? '';
  const mail = await parse(
    writeMultipart(SAMPLE_HEADERS, 'mixed', [
      { headers: { 'Content-Type': type }, body: rest.join('\r\n\r\n').replaceAll('\r\n', '\n') },
      {
        headers: {
          'Content-Type': 'application/pdf; name="=?utf-8?B?T3LDp2FtZW50by5wZGY=?="',
          'Content-Disposition': 'attachment',
          'Content-Transfer-Encoding': 'base64',
        },
        body: Buffer.from('%PDF-1.7').toString('base64'),
      },
    ]),
  );
  assert.equal(mail.text, 'Plain text');
  assert.deepEqual(mail.files, [
    {
      part: '2',
      mimeType: 'application/pdf',
      fileName: 'Orçamento.pdf',
      bytes: 8,
      sha256: createHash('sha256').update('%PDF-1.7').digest('hex'),
      identity: createHash('sha256').update('%PDF-1.7').digest('hex'),
      inline: false,
      quoted: false,
    },
  ]);
});

test('a mail of HTML alone becomes text without scripts, styles and hidden parts', async () => {
  const html = `<html><head><title>No</title><style>p { color: red }</style></head><body onload="alert(1)">
    <h1>Hello &amp; welcome</h1><p>See <a href="https://shop.example/offer">the offer</a>, <a href="javascript:alert(1)">this</a>
    or <a href="https://shop.example/">shop.example</a>.</p><ul><li>one</li><li>two</li></ul><script>alert(1)</script>
    <img src="https://spy.example/pixel" alt=""><blockquote>What you wrote</blockquote></body></html>`;
  const { text } = await parse(writeMail({ ...SAMPLE_HEADERS, 'Content-Type': 'text/html' }, html));
  const expected = `Hello & welcome

See the offer (https://shop.example/offer), this or shop.example.

- one
- two

> What you wrote`;
  assert.equal(text, expected);
});

test('what a person wrote is separated from the mail that they answer, in the languages of the platform', () => {
  const replies = [
    'Thanks!\n\nOn Tue, Nov 3, 2026 at 10:00 AM Shop <support@shop.example> wrote:\n> Your order is on its way',
    'Thanks!\n\nEm ter., 3 de nov. de 2026 às 10:00, Loja <support@shop.example> escreveu:\n\n> Seu pedido',
    'Thanks!\n\nEl mar, 3 nov 2026 a las 10:00, Tienda (<support@shop.example>) escribió:\n\n> Su pedido',
    'Thanks!\n\n-----Mensagem original-----\nDe: Loja\nAssunto: Seu pedido\n\nSeu pedido',
    'Thanks!\n\nEnviado do meu iPhone',
    'Thanks!\n\n________________________________\nDe: Loja',
  ];
  for (const reply of replies) assert.equal(stripQuoted(reply), 'Thanks!', reply);
  assert.equal(stripQuoted('> Only a quotation'), '> Only a quotation');
});

test('the introduction of a quotation goes with it in any language, and so does the mail behind the headers that Outlook writes', async () => {
  const introductions = [
    '2026-11-03 10:00 GMT-03:00 Loja <support@shop.example>:',
    '2026/11/3 Loja <support@shop.example>:',
    'Loja <support@shop.example> escreveu no dia terça, 3/11/2026 à(s) 10:00:',
    'No dia 3 de novembro de 2026 às 10:00, Loja\n<support@shop.example> escreveu:',
    'Am Di., 3. Nov. 2026 um 10:00 Uhr schrieb Laden <\nsupport@shop.example>:',
    'Am 03.11.2026 um 10:00 schrieb Laden:',
    'Le mar. 3 nov. 2026 à 10:00, Boutique <support@shop.example> a écrit :',
    'wt., 3 lis 2026 o 10:00 Sklep <support@shop.example> napisał(a):',
    'вт, 3 нояб. 2026 г. в 10:00, Магазин <support@shop.example>:',
  ];
  for (const line of introductions)
    for (const gap of ['\n', '\n\n'])
      assert.equal(stripQuoted(`Obrigada!\n${gap}${line}${gap}> Seu pedido\n> chegou`), 'Obrigada!', line);
  assert.equal(stripQuoted(`Obrigada!\n${introductions[0]}\n> Seu pedido`), 'Obrigada!');
  const outlook = `<div>Minha resposta</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>De:</b> Loja
    &lt;support@shop.example&gt;<br><b>Enviado:</b> terça-feira, 3 de novembro de 2026 10:00<br><b>Para:</b> Ana<br>
    <b>Assunto:</b> Re: Pedido</div><div>mensagem citada</div>`;
  const { text } = await parse(writeMail({ ...SAMPLE_HEADERS, 'Content-Type': 'text/html; charset=utf-8' }, outlook));
  assert.equal(stripQuoted(text, 'Re: Pedido'), 'Minha resposta');
  assert.equal(stripQuoted(text, 'ENC: Pedido'), text);
  const plain = 'Segue\n\nDe: Loja <support@shop.example>\nEnviada em: 3/11/2026 10:00\nPara: Ana\n\nO pedido';
  assert.equal(stripQuoted(plain, 'RES: Pedido'), 'Segue');
  assert.equal(stripQuoted(plain, 'ENC: Pedido'), plain);
  assert.equal(stripQuoted('Danke\n\nVon: Laden\nGesendet: Dienstag\nAn: Ana\nBetreff: Paket\n\nWare'), 'Danke');
});

test('only a short block behind the last line of dashes or a greeting is a signature', () => {
  for (const signature of ['-- \nAna Sá\nLoja', '--\nAna Sá\n+55 11 98888-7777', 'Best regards,\nAna'])
    assert.equal(
      stripQuoted(`Oi\n\n${signature}\n\nOn Tue, Nov 3, 2026 at 10:00 AM Shop <a@b.example> wrote:\n> x`),
      'Oi',
    );
  const kept = [
    'Oi\n--\nItem 1: duas camisas\n--\nItem 2: uma calça\nPodem trocar?',
    'Oi\n--\nItem 1: duas camisas\n--\nItem 2: uma calça',
    'Oi\n--\nPodem trocar?',
    'Oi\n\nRegards,\nAna\n\nP.S. Please change my address',
    `Oi\n--\n${'Mais uma linha\n'.repeat(9).trim()}`,
    'Quero viajar\n\nDe: São Paulo\nData: 10/12/2026\nPara: Recife\n\nSomos dois',
    'Tenho uma dúvida sobre isto:\n> Seu pedido',
  ];
  for (const written of kept.slice(0, -1)) assert.equal(stripQuoted(written), written);
  assert.equal(stripQuoted(kept.at(-1) ?? ''), 'Tenho uma dúvida sobre isto:');
  assert.equal(stripQuoted('Oi\n--\nItem 1\n-- \nAna'), 'Oi\n--\nItem 1');
});

test('nothing that a person wrote or sends on is cut off as a signature or a quotation', () => {
  const kept = [
    'Hello\n\nGet me a refund',
    'See below\n\n---------- Forwarded message ---------\nFrom: Ana <ana@client.example>\nSubject: Bill\n\nThe bill is wrong',
    'Veja\n\n---------- Mensagem encaminhada ---------\nDe: Ana <ana@client.example>\n\nA conta\n> citada',
    'Mira\n\nBegin forwarded message:\n\nFrom: Ana <ana@client.example>\n\nThe bill',
    '---------- Forwarded message ---------\nFrom: Ana <ana@client.example>\n\nThe bill',
    'My order:\n____________________\nTwo lamps',
    'Siehe unten\n\n---------- Weitergeleitete Nachricht ---------\nVon: Ana <ana@client.example>\nDatum: 3. Nov. 2026\nAn: Rui\n\nDie Rechnung',
  ];
  for (const written of kept) assert.equal(stripQuoted(written), written);
  assert.equal(stripQuoted('Thanks!\n\nGet Outlook for iOS'), 'Thanks!');
});

test('text that the database cannot store is replaced', async () => {
  const mail = await parse(writeMail({ ...SAMPLE_HEADERS, Subject: 'a\0b' }, 'x\0y'));
  assert.deepEqual([mail.subject?.includes('\0'), mail.text], [false, 'x\ufffdy']);
});

/** Mails that are made to take long. */
const HOSTILE: Record<string, string> = {
  'nested parts': Array.from(
    { length: 3_000 },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
  ).join(''),
  'many parts': `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(10_000)}`,
  'a long header': `X-Long: ${'a'.repeat(1e6)}\r\n\r\nx`,
  'many headers': `${'To: a@b.example\r\n'.repeat(500_000)}\r\nx`,
  'a header of many lines': `To: ${'a@b.example,\r\n '.repeat(500_000)}\r\n\r\nx`,
  'headers without an end': 'a'.repeat(5e6),
  'many addresses': `To: ${'a@b.example, '.repeat(9_000)}\r\n\r\nx`,
  'open parentheses': `From: ${'('.repeat(100_000)}\r\n\r\nx`,
  'encoded words': `Subject: ${'=?utf-8?q?a?= '.repeat(9_000)}\r\n\r\nx`,
  'many parameters': `Content-Type: text/plain;${' a*0=b;'.repeat(15_000)}\r\n\r\nx`,
  'many references': `References: ${'<a@b.example> '.repeat(9_000)}\r\n\r\nx`,
  'nested HTML': `Content-Type: text/html\r\n\r\n${'<div>'.repeat(100_000)}`,
  'a broken charset': 'Content-Type: text/plain; charset="x-none"\r\n\r\nhello',
  'no content': '',
};

for (const [name, mail] of Object.entries(HOSTILE))
  test(`a mail with ${name} is read`, async () => {
    assert.ok(await parse(mail));
  });

const words: SamplePart = { headers: { 'Content-Type': 'text/plain' }, body: 'My order' };

test('of a mail with too many headers or parts the sender, the subject and the text are kept', async () => {
  const long = { 'X-Long': 'a'.repeat(200_000), Received: 'by mx.example; now\r\n\tand more', ...SAMPLE_HEADERS };
  const file = { headers: { 'Content-Type': 'application/pdf' }, body: 'x' };
  const pieces = Array.from({ length: 300 }, () => file);
  const longPart = { headers: { 'X-Long': 'a'.repeat(200_000) }, body: 'x' };
  const mails: [string, number][] = [
    [writeMultipart(long, 'mixed', [words, file]), 1],
    [writeMultipart(SAMPLE_HEADERS, 'mixed', [words, ...pieces]), 0],
    [writeMultipart(SAMPLE_HEADERS, 'mixed', [words, longPart]), 0],
    [writeMultipart(SAMPLE_HEADERS, 'mixed', [words, file, longPart]), 0],
  ];
  for (const [mail, files] of mails) {
    const read = await parse(mail);
    assert.deepEqual([read.from?.address, read.subject], ['ana@client.example', 'Where is my order?']);
    assert.deepEqual([read.text, read.files.length], ['My order', files]);
  }
});

test('a text and headers without a charset, or that are no UTF-8 although they say so, are read as windows-1252', async () => {
  const read = async (type: string, encoding: BufferEncoding): Promise<unknown[]> => {
    const headers = { ...SAMPLE_HEADERS, From: 'José <j@client.example>', Subject: 'Orçamento não lido' };
    const mail = writeMail({ ...headers, ...(type && { 'Content-Type': type }) }, 'Não recebi – podem reenviar?');
    const bytes = Buffer.from(mail.replace('–', encoding === 'latin1' ? '\x96' : '–'), encoding);
    const { subject, from, text } = await parseMail(Readable.from([bytes]));
    return [subject, from?.name, text];
  };
  const expected = ['Orçamento não lido', 'José', 'Não recebi – podem reenviar?'];
  for (const type of [
    '',
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain; charset=us-ascii',
    'text/plain; charset=x-none',
  ])
    for (const encoding of ['latin1', 'utf8'] as const) assert.deepEqual(await read(type, encoding), expected, type);
  const { subject } = await parse(writeMail({ ...SAMPLE_HEADERS, Subject: '=?utf-8?Q?N=E3o?= =?utf-8?B?w6k=?=' }, 'x'));
  assert.equal(subject, 'Nãoé');
});

test('a broken winmail.dat stays a file, and none takes long', async () => {
  const whole = writeTnef([{ name: 'a.pdf', content: Buffer.from('%PDF') }]);
  const endless = Buffer.concat([whole, Buffer.alloc(5_000_000, 0)]);
  const many = writeTnef([]).subarray(0, 6);
  const packs = [
    whole.subarray(0, 40),
    Buffer.alloc(1_000),
    Buffer.alloc(0),
    Buffer.concat([many, Buffer.alloc(1e6, 255)]),
  ];
  for (const pack of packs) assert.deepEqual(unpackTnef(pack), []);
  assert.equal(unpackTnef(endless)[0]?.fileName, 'a.pdf');
  const headers = { 'Content-Type': 'application/ms-tnef; name="winmail.dat"' };
  const { files } = await parse(writeMultipart(SAMPLE_HEADERS, 'mixed', [words, { headers, body: 'x' }]));
  assert.deepEqual([files[0]?.fileName, files[0]?.mimeType], ['winmail.dat', 'application/ms-tnef']);
});

test('of HTML that is nested too deeply or is too long, the first part is read', () => {
  for (const filling of ['<div>'.repeat(100_000), '<a href="https://a.example">'.repeat(50_000), 'x'.repeat(3_000_000)])
    assert.match(readHtml(`<p>The beginning</p>${filling}`).text, /^The beginning/);
  assert.equal(readHtml(`${'<b>'.repeat(400)}deep`).text, 'deep');
});

const fixtures = new URL('../../../../shared/fixtures/email/', import.meta.url);
const skip = existsSync(fixtures) ? false : 'the published mails are not beside this repository';

test('every mail that another project published is read', { skip }, async () => {
  const files = globSync('**/*.eml', { cwd: fixtures.pathname });
  assert.ok(files.length >= 60);
  for (const file of files) assert.ok(await parseMail(createReadStream(new URL(file, fixtures))), file);
});
