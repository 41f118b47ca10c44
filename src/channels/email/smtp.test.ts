/** Mails are sent by real SMTP servers, through TLS only, and each send ends in the outcome that it really had. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { verifyDkim } from '../../../test/support/dkim.ts';
import { flood, MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { startPeer } from '../../../test/support/peers.ts';
import { createOutbound } from '../../platform/outside/outbound.ts';
import type { OutboundMessage, SendResult } from '../channel.ts';
import { EMAIL_ADDRESS } from '../identity.ts';
import type { OutboundFile } from '../media.ts';
import { emailSettings, type EmailConfig } from './settings.ts';
import { checkSmtp, sendMail } from './smtp.ts';

const outbound = createOutbound({ allow: ['127.0.0.0/8'], trusted: [] });
after(() => outbound.close());
const network = { outbound };
const certificate = trustCertificate({ after });
const server = await startSmtpServer({ after }, certificate);

const config = (port: number, extra: Partial<EmailConfig> = {}): EmailConfig => ({
  ...emailSettings.sample,
  dkim_domain: null,
  dkim_selector: null,
  dkim_private_key: null,
  ...MAIL_LOG_IN,
  address: 'support@shop.example',
  smtp_url: `smtps://127.0.0.1:${port}`,
  ...extra,
});
const patient = (): AbortSignal => AbortSignal.timeout(600_000);

const MESSAGE: OutboundMessage = {
  messageId: '65f0a1b2c3d4e5f60718293a',
  to: { names: [EMAIL_ADDRESS.identify('Ana@client.example')] },
  content: { contentType: 'TEXT', content: 'Olá, Ana!\n\nSeu pedido saiu.' },
  file: null,
  replyTo: null,
};
const OWN_ID = 'parley.65f0a1b2c3d4e5f60718293a@shop.example';

test('a message is sent to its recipient alone, with an id made from its own', async () => {
  const result = await sendMail(network, MESSAGE, config(server.port), patient());
  assert.deepEqual(result, { outcome: 'accepted', externalId: OWN_ID, person: MESSAGE.to });
  const mail = server.taken.at(-1);
  assert.deepEqual([mail?.from, mail?.to], ['support@shop.example', ['Ana@client.example']]);
  const parsed = await simpleParser(mail?.raw ?? '');
  assert.deepEqual([parsed.subject, parsed.messageId], ['Olá, Ana!', `<${OWN_ID}>`]);
  assert.deepEqual(parsed.from?.value, [{ address: 'support@shop.example', name: 'The shop' }]);
  assert.equal(parsed.text?.trim(), 'Olá, Ana!\n\nSeu pedido saiu.');
});

test("the subject of a first mail is its first line, without the operator's name before it", async () => {
  const text = 'Olga Operator\nSeu pedido saiu.\nAté logo!';
  const content = { contentType: 'TEXT', content: text } as const;
  await sendMail(network, { ...MESSAGE, content, nameLine: 'Olga Operator' }, config(server.port), patient());
  const parsed = await simpleParser(server.taken.at(-1)?.raw ?? '');
  assert.deepEqual([parsed.subject, parsed.text?.trim()], ['Seu pedido saiu.', text]);
});

test('the id that a server gives to a mail in the place of ours is read from its answer', async () => {
  const readAlias = async (answer: string): Promise<string | undefined> => {
    server.answer = answer;
    const result = await sendMail(network, MESSAGE, config(server.port), patient());
    server.answer = null;
    assert.ok(result.outcome === 'accepted');
    return result.alias;
  };
  const given = '0100018c5d3f0a2b-6f1c2d3e-4a5b-000000';
  assert.equal(await readAlias(`Ok ${given}`), given);
  assert.equal(await readAlias(`2.0.0 OK: <${given}@email.amazonses.com>`), given);
  assert.equal(await readAlias('2.0.0 Ok: <20261102.0123456789@relay.example>'), '20261102.0123456789@relay.example');
  for (const other of [`Ok <${OWN_ID}>`, '2.0.0 Ok: queued as 4F3B21C00A', 'OK 1700000000 a1-2002sm12.45 - gsmtp'])
    assert.equal(await readAlias(other), undefined);
});

test('an answer has the subject of its thread once more, and refers to its mails', async () => {
  const thread = {
    subject: 'RE: Re: Pedido 17',
    ids: ['first@client.example', 'second@client.example#2'],
    replyTo: [],
  };
  const message = { ...MESSAGE, thread, replyTo: 'second@client.example#2' };
  await sendMail(network, message, config(server.port), patient());
  const parsed = await simpleParser(server.taken.at(-1)?.raw ?? '');
  assert.equal(parsed.subject, 'Re: Pedido 17');
  assert.equal(parsed.inReplyTo, '<second@client.example>');
  assert.deepEqual(parsed.references, ['<first@client.example>', '<second@client.example>']);
});

test('what a program wrote goes to the contact’s own address, whatever Reply-To says', async () => {
  const thread = { subject: null, ids: [], replyTo: ['stranger@elsewhere.example'] };
  const listTaken = async (extra: Partial<OutboundMessage>): Promise<unknown> => {
    await sendMail(network, { ...MESSAGE, thread, ...extra }, config(server.port), patient());
    return server.taken.at(-1)?.to;
  };
  assert.deepEqual(await listTaken({}), ['stranger@elsewhere.example']);
  for (const written of [{ isAutomatic: true as const }, { unsubscribe: 'https://chat.shop.example/u' }])
    assert.notDeepEqual(await listTaken(written), ['stranger@elsewhere.example']);
});

test('a mail that a program of the business wrote says so, so that no program answers it', async () => {
  const read = async (extra: Partial<OutboundMessage>): Promise<(string | undefined)[]> => {
    await sendMail(network, { ...MESSAGE, ...extra }, config(server.port), patient());
    const { headers } = await simpleParser(server.taken.at(-1)?.raw ?? '');
    return ['auto-submitted', 'x-auto-response-suppress'].map((name) => headers.get(name) as string | undefined);
  };
  assert.deepEqual(await read({ isAutomatic: true }), ['auto-replied', 'All']);
  assert.deepEqual(await read({}), [undefined, undefined]);
});

test('a mail that many get names its list, and the page and the mail by which its reader unsubscribes; only a page behind https is called in one click', async () => {
  const read = async (unsubscribe: string): Promise<(string | undefined)[]> => {
    const address = 'news+weekly@shop.example';
    await sendMail(
      network,
      { ...MESSAGE, isAutomatic: true, unsubscribe },
      config(server.port, { address }),
      patient(),
    );
    const { headerLines } = await simpleParser(server.taken.at(-1)?.raw ?? '');
    const names = ['list-id', 'list-unsubscribe', 'list-unsubscribe-post', 'precedence', 'auto-submitted'];
    return names.map((name) =>
      headerLines
        .find(({ key }) => key === name)
        ?.line.replace(/^[^:]+:\s*/, '')
        .replaceAll(/\s+/g, ' '),
    );
  };
  const mailto = `<mailto:news%2Bweekly@shop.example?subject=${encodeURIComponent(`unsubscribe ${OWN_ID}`)}>`;
  const shared = (link: string, post: string | undefined) => [
    '<news-weekly.shop.example>',
    `<${link}>, ${mailto}`,
    post,
    'bulk',
    'auto-generated',
  ];
  const [open, safe] = ['http://chat.example/unsubscribe/a', 'https://chat.example/unsubscribe/a'];
  assert.deepEqual(await read(safe), shared(safe, 'List-Unsubscribe=One-Click'));
  assert.deepEqual(await read(open), shared(open, undefined));
});

const makeFile = (open: OutboundFile['open']): OutboundFile => ({
  mimeType: 'application/pdf',
  fileName: 'Orçamento "2026".pdf',
  bytes: 8,
  url: 'https://files.example.test/1',
  voice: false,
  networkId: null,
  open,
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const DKIM = {
  dkim_domain: 'shop.example',
  dkim_selector: 'parley',
  dkim_private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
};

test('a mail is signed by the key of its domain, with its list headers and its file, and a changed one does not fit', async () => {
  const file = makeFile(() => Promise.resolve(Readable.from([Buffer.alloc(100_000, 'x')])));
  const content = { contentType: 'DOCUMENT' as const, content: 'Olá!  \n\n.\n\tSeu pedido\n\n' };
  const unsubscribe = 'https://chat.example/unsubscribe/a';
  await sendMail(network, { ...MESSAGE, content, file, unsubscribe }, config(server.port, DKIM), patient());
  const raw = server.taken.at(-1)?.raw ?? '';
  const tags = verifyDkim(raw, publicKey);
  assert.deepEqual([tags?.get('d'), tags?.get('s')], ['shop.example', 'parley']);
  const signed = tags?.get('h')?.split(':') ?? [];
  for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'])
    assert.ok(signed.includes(name), name);
  for (const changed of [raw.replace('shop.example', 'evil.example'), raw.replace('One-Click', 'Two-Click'), `${raw}x`])
    assert.equal(verifyDkim(changed, publicKey), null);
  assert.equal(verifyDkim(raw, generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey), null);
});

test('a signed mail is rejected when its file breaks off or its server refuses it, and its outcome is unknown after its end', async () => {
  const before = server.taken.length;
  const broken = makeFile(() => Promise.resolve(Readable.from([Buffer.from('%PDF')]).destroy(new Error('the disk'))));
  const failed = await sendMail(network, { ...MESSAGE, file: broken }, config(server.port, DKIM), patient());
  assert.deepEqual([failed.outcome, server.taken.length], ['rejected', before]);
  const cutting = await startSmtpServer(
    { after },
    {
      ...certificate,
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('early')) return done(new Error('No such user'));
        return done();
      },
      onData: (stream) => stream.resume().on('end', () => cutting.breakConnections()),
    },
  );
  const send = (to: string): Promise<SendResult> => {
    const message = { ...MESSAGE, to: { names: [EMAIL_ADDRESS.identify(to)] } };
    return sendMail(network, message, config(cutting.port, DKIM), patient());
  };
  assert.equal((await send('early@client.example')).outcome, 'rejected');
  assert.equal((await send('late@client.example')).outcome, 'unknown');
});

test('settings of a signature that cannot work are refused with the field named', () => {
  const find = (extra: Partial<EmailConfig>): string | undefined =>
    emailSettings.findFault?.({ ...config(1), ...DKIM, ...extra })?.path;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const short = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  assert.equal(find({}), undefined);
  assert.equal(find({ address: 'a@mail.shop.example' }), undefined);
  assert.equal(find({ dkim_private_key: '••••----' }), undefined);
  assert.equal(find({ dkim_domain: null, dkim_selector: null, dkim_private_key: null }), undefined);
  assert.equal(find({ address: 'a@othershop.example' }), 'dkim_domain');
  assert.equal(find({ dkim_selector: null }), 'dkim_selector');
  assert.equal(find({ dkim_domain: null }), 'dkim_domain');
  for (const dkim_private_key of ['no key', ec, short, null])
    assert.equal(find({ dkim_private_key }), 'dkim_private_key');
});

test('a file is sent with its caption, its name and its type', async () => {
  const file = makeFile(() => Promise.resolve(Readable.from([Buffer.from('%PDF-1.7')])));
  const content = { contentType: 'DOCUMENT' as const, content: 'See the file' };
  const result = await sendMail(network, { ...MESSAGE, content, file }, config(server.port), patient());
  assert.equal(result.outcome, 'accepted');
  const { attachments, text } = await simpleParser(server.taken.at(-1)?.raw ?? '');
  assert.equal(text?.trim(), 'See the file');
  const [sent] = attachments;
  assert.deepEqual([sent?.filename, sent?.contentType], ['Orçamento "2026".pdf', 'application/pdf']);
  assert.equal(sent?.content.toString(), '%PDF-1.7');
});

test('a file that cannot be read to its end is not sent', async () => {
  const before = server.taken.length;
  async function* breakOff(): AsyncGenerator<Buffer> {
    yield Buffer.from('%PDF');
    throw new Error('the disk');
  }
  const message = { ...MESSAGE, file: makeFile(() => Promise.resolve(Readable.from(breakOff()))) };
  const result = await sendMail(network, message, config(server.port), patient());
  assert.equal(result.outcome, 'rejected');
  assert.equal(server.taken.length, before);
});

test('words of a caller make no header, no recipient and no command', async () => {
  const before = server.taken.length;
  const evil = 'Hi\r\nBcc: spy@evil.example\r\n\r\n.\r\nMAIL FROM:<spy@evil.example>\r\n';
  const message = {
    ...MESSAGE,
    content: { contentType: 'TEXT' as const, content: evil },
    thread: { subject: evil, ids: ['a>\r\nBcc: x@y.example <b'], replyTo: [] },
  };
  const from_name = 'Shop\r\nBcc: spy@evil.example';
  await sendMail(network, message, config(server.port, { from_name }), patient());
  const [sent, ...more] = server.taken.slice(before);
  assert.deepEqual(more, []);
  assert.deepEqual(sent?.to, ['Ana@client.example']);
  const parsed = await simpleParser(sent?.raw ?? '');
  assert.equal(parsed.bcc, undefined);
  assert.match(parsed.text ?? '', /MAIL FROM:<spy@evil\.example>/);
});

test('a mail that the server refuses is rejected with the words and the code of the server', async (context) => {
  const refusing = await startSmtpServer(context, {
    ...certificate,
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('No such user'), { responseCode: 550 })),
  });
  const result = await sendMail(network, MESSAGE, config(refusing.port), patient());
  assert.ok(result.outcome === 'rejected' && result.network);
  assert.deepEqual([result.error.code, /No such user/.test(result.error.message)], [550, true]);
  const full = await startSmtpServer(context, {
    ...certificate,
    onData: (stream, _session, done) => {
      stream.resume().on('end', () => done(Object.assign(new Error('Mailbox full'), { responseCode: 552 })));
    },
  });
  const late = await sendMail(network, MESSAGE, config(full.port), patient());
  assert.ok(late.outcome === 'rejected' && late.network);
  assert.equal(late.error.code, 552);
});

test('a mail is rejected when the connection breaks before its end, and its outcome is unknown afterwards', async (context) => {
  const early = await startSmtpServer(context, {
    ...certificate,
    onMailFrom: () => early.breakConnections(),
  });
  const refused = await sendMail(network, MESSAGE, config(early.port), patient());
  assert.ok(refused.outcome === 'rejected' && !refused.network);
  assert.equal(refused.error.code, 'PROVIDER_UNREACHABLE');
  const late = await startSmtpServer(context, {
    ...certificate,
    onData: (stream) => void stream.resume().on('end', () => late.breakConnections()),
  });
  const unknown = await sendMail(network, MESSAGE, config(late.port), patient());
  assert.deepEqual(unknown, { outcome: 'unknown' });
});

test('nothing is sent without TLS, or to a server with a certificate that nobody vouches for', async (context) => {
  const started = await startSmtpServer(context, { ...certificate, secure: false });
  const accepted = await sendMail(
    network,
    MESSAGE,
    config(0, { smtp_url: `smtp://127.0.0.1:${started.port}` }),
    patient(),
  );
  assert.equal(accepted.outcome, 'accepted');
  assert.equal(started.taken.length, 1);
  const plain = await startSmtpServer(context, { secure: false, hideSTARTTLS: true, allowInsecureAuth: true });
  const refused = await sendMail(
    network,
    MESSAGE,
    config(0, { smtp_url: `smtp://127.0.0.1:${plain.port}` }),
    patient(),
  );
  assert.equal(refused.outcome, 'rejected');
  const unknown = await startSmtpServer(context, {});
  const distrusted = await sendMail(network, MESSAGE, config(unknown.port), patient());
  assert.equal(distrusted.outcome, 'rejected');
  assert.deepEqual([plain.taken.length, unknown.taken.length], [0, 0]);
});

test('a server that says something without an end is disconnected', async (context) => {
  for (const line of ['\r\n', '250-more\r\n', 'x'.repeat(1_000)]) {
    const peer = await startPeer(context, (socket) => flood(socket, line), false);
    const settings = config(peer.port, { smtp_url: `smtp://127.0.0.1:${peer.port}` });
    const patience = patient();
    assert.equal((await sendMail(network, MESSAGE, settings, patience)).outcome, 'rejected');
    assert.equal(patience.aborted, false);
  }
});

test('the check tells a refused log-in, which needs new settings, from a server that does not answer', async () => {
  assert.deepEqual(await checkSmtp(network, config(server.port), patient()), { ok: true, coexistence: null });
  const wrong = await checkSmtp(network, config(server.port, { password: 'wrong' }), patient());
  assert.ok(!wrong.ok && !wrong.retry);
  assert.match(wrong.error, /rejected the log-in/);
  const away = await checkSmtp(network, config(9), patient());
  assert.ok(!away.ok && away.retry);
});

test('a server inside of the network of the platform is not connected to', async () => {
  const guarded = createOutbound({ allow: [], trusted: [] });
  const result = await sendMail({ outbound: guarded }, MESSAGE, config(server.port), patient());
  assert.equal(result.outcome, 'rejected');
  const check = await checkSmtp({ outbound: guarded }, config(server.port), patient());
  assert.ok(!check.ok && !check.retry);
  await guarded.close();
});
