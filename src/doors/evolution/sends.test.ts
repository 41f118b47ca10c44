/** Sends through the door for clients of Evolution API. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openEvolution } from '../../../test/support/evolution.ts';
import { makeJpg, makePdf, makePng, makeWebp } from '../../../test/support/media-samples.ts';
import type { Json } from '../../../test/support/platform.ts';
import { readMessage, writeAsContact } from '../../../test/support/traffic.ts';

const { platform, name, ask } = await openEvolution();
const { demo, call } = platform;
const { contact, message: written } = await writeAsContact(platform, { text: 'Is it there?' });
const number: string = contact.phone_number.slice(1);
const jid = `${number}@s.whatsapp.net`;

const send = (status: number, route: string, body: object, headers = {}): Promise<Json> =>
  ask(status, 'POST', `message/${route}/${name}`, { body, headers });
const findStored = async ({ key }: Json): Promise<Json> => {
  const { body } = await call(200, 'GET', `/v1/messages?inbox=${demo.inbox}&external_id=${encodeURIComponent(key.id)}`);
  assert.equal(body.result.length, 1);
  return body.result[0];
};

test('sendText in both forms sends one text, and answers as Evolution does', async () => {
  const answer = await send(201, 'sendText', {
    number: `+${number.slice(0, 2)} (${number.slice(2, 4)}) ${number.slice(4)}`,
    text: 'Yes.',
    unknown: 1,
  });
  const stored = await findStored(answer);
  assert.deepEqual(answer, {
    key: { remoteJid: jid, fromMe: true, id: stored.external_id },
    pushName: '',
    status: 'PENDING',
    messageType: 'conversation',
    message: { conversation: 'Yes.' },
    contextInfo: null,
    messageTimestamp: Math.floor(Date.parse(stored.sent_at) / 1000),
    instanceId: demo.inbox,
    source: 'unknown',
  });
  assert.deepEqual([stored.content, stored.conversation, stored.origin], ['Yes.', written.conversation, 'API']);
  const old = { number: jid, options: { delay: '5', presence: 'composing' }, textMessage: { text: 12 } };
  assert.equal((await findStored(await send(201, 'sendText', old))).content, '12');
  const { body: audit } = await call(200, 'GET', '/v1/audit?limit=1&action=messages.create');
  assert.equal(audit.result[0]?.via, 'EVOLUTION');
});

test('JSON inside of a text, as a form has it, is refused with NUL or half of a surrogate pair in it', async () => {
  for (const bad of [String.raw`{"text":"a\u0000b"}`, String.raw`{"text":"\ud800"}`])
    await send(400, 'sendText', { number, textMessage: bad });
  const taken = await send(201, 'sendText', { number, textMessage: '{"text":"Yes."}' });
  assert.equal((await findStored(taken)).content, 'Yes.');
});

test("a quoted message is answered by the network's id and by its own; one that is unknown is left out", async () => {
  for (const id of [written.external_id, written._id]) {
    const answer = await send(201, 'sendText', {
      number,
      text: 'Yes.',
      quoted: { key: { id }, message: { conversation: 'x' } },
    });
    assert.equal((await findStored(answer)).reply_to, written._id);
    assert.deepEqual(answer.contextInfo, {
      stanzaId: written.external_id,
      quotedMessage: { conversation: 'Is it there?' },
    });
  }
  const { message: other } = await writeAsContact(platform);
  for (const id of ['wamid.unknown', other._id]) {
    const answer = await send(201, 'sendText', { number, text: 'Yes.', quoted: { key: { id } } });
    assert.equal((await findStored(answer)).reply_to, null);
  }
});

test('a file is sent from base64, a data URL, an address behind a redirect, and a form', async () => {
  const server = createServer((request, response) =>
    request.url === '/moved'
      ? response.writeHead(302, { location: '/files/m%C3%A3o.pdf' }).end()
      : response.writeHead(200).end(makePdf()),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  after(() => server.close());
  const picture = makeJpg();
  const inBase64 = {
    number,
    mediatype: 'image',
    media: picture.toString('base64'),
    caption: 'A box',
    fileName: 'the "box".jpg',
  };
  const answer = await send(201, 'sendMedia', inBase64);
  const { mediaUrl, imageMessage } = answer.message;
  assert.deepEqual(
    [answer.messageType, imageMessage.mimetype, imageMessage.caption, imageMessage.fileLength, imageMessage.url],
    ['imageMessage', 'image/jpeg', 'A box', String(picture.length), mediaUrl],
  );
  const dataUrl = `data:image/png;base64,${makePng().toString('base64')}`;
  const old = await send(201, 'sendMedia', { number, mediaMessage: { mediatype: 'image', media: dataUrl } });
  assert.equal((await findStored(old)).contentType, 'IMAGE');
  const fetched = await send(201, 'sendMedia', {
    number,
    mediatype: 'document',
    media: `http://127.0.0.1:${port}/moved`,
    fileName: 'Fatura.pdf',
  });
  assert.deepEqual([fetched.messageType, fetched.message.documentMessage.fileName], ['documentMessage', 'Fatura.pdf']);
  const sticker = await send(201, 'sendSticker', { number, sticker: makeWebp().toString('base64') });
  assert.equal((await findStored(sticker)).contentType, 'STICKER');

  const form = new FormData();
  for (const [part, value] of Object.entries({
    number,
    mediatype: 'document',
    caption: 'Por favor',
    delay: '1',
    other: 'x',
  }))
    form.set(part, value);
  form.set('file', new Blob([Uint8Array.from(makePdf())]), 'a.pdf');
  const response = await fetch(`${platform.url}/evolution/message/sendMedia/${name}`, {
    method: 'POST',
    body: form,
    headers: { apikey: demo.key },
  });
  assert.equal(response.status, 201);
  const stored = await findStored((await response.json()) as Json);
  assert.deepEqual([stored.contentType, stored.content, stored.media.fileName], ['DOCUMENT', 'Por favor', 'a.pdf']);
});

test("what cannot be sent is refused in Evolution's words", async () => {
  const expectError = async (route: string, body: object, ...message: unknown[]): Promise<void> => {
    const { status, error, response } = await send(400, route, body);
    assert.deepEqual([status, error, response.message], [400, 'Bad Request', message]);
  };
  await expectError('sendText', { text: 'x' }, ['instance requires property "number"']);
  await expectError('sendText', { number: '', text: 'x' }, ['instance requires property "number"']);
  await expectError('sendText', { number }, ['instance requires property "text"']);
  await expectError('sendText', { number, text: ' ' }, 'Text is required');
  await expectError(
    'sendText',
    { number: '123', text: 'x' },
    { jid: '123@s.whatsapp.net', exists: false, number: '123' },
  );
  const refusal = 'Method not available on WhatsApp Business API';
  await expectError('sendText', { number: '1203630@g.us', text: 'x' }, refusal);
  await expectError('sendPoll', { number, name: 'x', values: ['a', 'b'] }, refusal);
  await expectError('sendMedia', { number, mediatype: 'image' }, 'Owned media must be a url or base64');
  await expectError(
    'sendMedia',
    { number, mediatype: 'image', media: 'no base64!' },
    'Owned media must be a url or base64',
  );
  await expectError(
    'sendMedia',
    { number, mediatype: 'document', media: makePdf().toString('base64') },
    'For base64 the file name must be informed.',
  );
});

test('a send that fails at once answers 400 with the cause, and stays stored', async () => {
  const [phone] = [`+5511977${String(Date.now()).slice(-6)}`];
  const { response } = await send(400, 'sendText', { number: phone, text: 'Hello' });
  assert.match(response.message[0], /^WINDOW_EXPIRED: ./);
  const stored = await readMessage(platform, response.parley._id);
  assert.deepEqual([stored.status, stored.content, response.parley.code], ['FAILED', 'Hello', 'WINDOW_EXPIRED']);
});

test('a repeated send with the same Idempotency-Key sends nothing, also with a file', async () => {
  for (const [route, body] of [
    ['sendText', { number, text: 'Once' }],
    ['sendMedia', { number, mediatype: 'image', media: makeJpg().toString('base64') }],
  ] as const) {
    const headers = { 'idempotency-key': `n8n-${route}` };
    const [first, second] = [await send(201, route, body, headers), await send(201, route, body, headers)];
    assert.deepEqual(first.key, second.key);
  }
  assert.notDeepEqual(
    (await send(201, 'sendText', { number, text: 'Twice' })).key,
    (await send(201, 'sendText', { number, text: 'Twice' })).key,
  );
});

test('the body of a send may have 30 MB, and that of another route one', async () => {
  const media = Buffer.alloc(2 * 1024 * 1024).toString('base64');
  // The file is read, and has no format that is known.
  const { response } = await send(400, 'sendMedia', { number, mediatype: 'document', media, fileName: 'x' });
  assert.match(response.message[0], /VALIDATION_FAILED/);
  const large = await ask(413, 'POST', `message/sendText/${name}`, { raw: Buffer.alloc(31 * 1024 * 1024, 32) });
  assert.deepEqual([large.status, large.error], [413, 'Payload Too Large']);
  await ask(413, 'POST', `group/create/${name}`, { raw: Buffer.alloc(2 * 1024 * 1024, 32) });
});

test('of the large bodies of a company one at a time is in memory; small ones do not wait', async (t) => {
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    server.emit('asked');
    void (request.url === '/first' ? held.promise : Promise.resolve()).then(() => response.writeHead(404).end());
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sendFrom = (path: string, unread = ''): Promise<Json> =>
    send(400, 'sendMedia', { number, mediatype: 'image', media: `http://127.0.0.1:${port}${path}`, unread });
  const large = 'x'.repeat(300 * 1024);
  const [arrived, first] = [once(server, 'asked'), sendFrom('/first', large)];
  await arrived;
  const second = sendFrom('/second', large);
  // Together they take far longer than the second one would.
  const small = Array.from({ length: 20 }, (_, place) => `/${place}`);
  for (const path of small) await sendFrom(path);
  assert.deepEqual(asked, ['/first', ...small]);
  held.resolve();
  await Promise.all([first, second]);
  assert.equal(asked.at(-1), '/second');
});

test('a template is sent with its components', async () => {
  const { body } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}/templates?limit=100`);
  const template = body.result.find(
    ({ status, parameters }: Json) =>
      status === 'APPROVED' &&
      parameters.length > 0 &&
      parameters.every(
        ({ component, name: own, type }: Json) => component === 'BODY' && own === null && type === 'TEXT',
      ),
  );
  const parameters = template.parameters.map(() => ({ type: 'text', text: 'seven' }));
  const answer = await send(201, 'sendTemplate', {
    number,
    name: template.name,
    language: template.language,
    components: [{ type: 'body', parameters }],
  });
  assert.deepEqual([answer.messageType, /seven/.test(answer.message.conversation)], ['conversation', true]);
});

test('a place, contact cards, a reaction, buttons and a list are sent as the network has them', async () => {
  const place = { latitude: '-23.5', longitude: -46.6, name: 'Shop', address: 'Street 1' };
  const located = await send(201, 'sendLocation', { number, ...place });
  assert.deepEqual(located.message.locationMessage, {
    degreesLatitude: -23.5,
    degreesLongitude: -46.6,
    name: 'Shop',
    address: 'Street 1',
  });
  const cards = [{ fullName: 'Ana', phoneNumber: '+55 11 91111-2222', organization: 'Shop', wuid: 'x' }];
  for (const body of [
    { number, contact: cards },
    { number, contactMessage: cards },
  ]) {
    const { messageType, message } = await send(201, 'sendContact', body);
    assert.equal(messageType, 'contactMessage');
    assert.match(message.contactMessage.vcard, /FN:Ana\n.*ORG:Shop\nTEL;type=CELL;waid=5511911112222:/s);
  }
  const key = { remoteJid: jid, fromMe: false, id: written.external_id };
  for (const emoji of ['👍', '']) {
    const { message } = await send(201, 'sendReaction', { key, reaction: emoji });
    assert.deepEqual(message.reactionMessage, { key, text: emoji });
  }
  const buttons = [
    { type: 'reply', displayText: 'Yes', id: 'y' },
    { type: 'reply', displayText: 'No', id: 'n' },
  ];
  const asked = await findStored(
    await send(201, 'sendButtons', { number, title: 'Order', description: 'Is it right?', footer: 'Shop', buttons }),
  );
  assert.deepEqual(
    [
      asked.content,
      asked.interactive.offer.header,
      asked.interactive.offer.footer,
      asked.interactive.offer.action.buttons[1],
    ],
    [
      'Is it right?',
      { type: 'text', text: 'Order' },
      { text: 'Shop' },
      { type: 'reply', reply: { id: 'n', title: 'No' } },
    ],
  );
  const link = [{ type: 'url', displayText: 'Open', url: 'https://shop.example/' }];
  assert.equal(
    (await findStored(await send(201, 'sendButtons', { number, title: 'Order', buttons: link }))).interactive.type,
    'cta_url',
  );
  const rows = [{ title: 'Cake', rowId: 'c', description: 'With cream' }];
  const list = {
    number,
    title: 'Menu',
    description: 'What?',
    buttonText: 'Open',
    sections: [{ title: 'Sweets', rows }],
  };
  const listed = await findStored(await send(201, 'sendList', list));
  assert.deepEqual(listed.interactive.offer.action.sections, [
    { title: 'Sweets', rows: [{ id: 'c', title: 'Cake', description: 'With cream' }] },
  ]);
  for (const refused of [
    [{ type: 'pix' }],
    [{ type: 'call', displayText: 'Call', phoneNumber: '1' }],
    [...buttons, ...link],
  ])
    assert.deepEqual((await send(400, 'sendButtons', { number, title: 'Order', buttons: refused })).response.message, [
      'Method not available on WhatsApp Business API',
    ]);
});

test('a file whose server fails, breaks off or is not public is refused, and the send answers', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': 1000 }).write('half', () => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  after(() => server.close());
  for (const [media, why] of [
    [`http://127.0.0.1:${port}/missing`, /answered 404/],
    [`http://127.0.0.1:${port}/half`, /cannot be fetched/],
    ['http://10.1.2.3/x', /not a public Internet address/],
  ] as const) {
    const { response } = await send(400, 'sendMedia', { number, mediatype: 'document', media });
    assert.match(response.message[0], why);
  }
});
