/** The platform's own mails, sent to real SMTP servers and written as files. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from '../../../sandbox/mail/certificate.ts';
import { createMailer, smtpOptions, type Mail, type Mailer } from './mail.ts';

const from = 'Parley <no-reply@parley.example>';
const link = 'https://parley.example/set-password#token=Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9v';
const mail: Mail = {
  to: 'ana@padaria.example',
  subject: 'Olá: sua senha 🔑 para a Padaria São João, com um assunto que não cabe em uma única linha',
  text: `Olá,\n\n${link}\n\n.\nFrom aqui em diante: até já =3D\n`,
  html: `<p>Olá, <a href="${link}">senha</a> 🔑</p>\n`,
};

interface Taken {
  from: string;
  to: string[];
  raw: string;
}

type ServerOptions = ConstructorParameters<typeof SMTPServer>[0];

/** Starts a real SMTP server that keeps the mails it receives. */
async function openServer(options: ServerOptions = {}): Promise<{ port: number; taken: Taken[] }> {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    onData: async (stream, session, done) => {
      const raw = Buffer.concat(await stream.toArray()).toString();
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw });
      done();
    },
    ...makeCertificate(),
    ...options,
  });
  // A client that refuses the certificate closes the connection, which is an expected error here.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, taken };
}

/** Starts a TCP server that sends only what the test tells it to. */
async function openSpeaker(speak: (say: (words: string) => void) => void): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    speak((words) => void (socket.writable && socket.write(words)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, server };
}

function openMailer(smtpUrl: string | null, options: { folder?: string; timeoutMs?: number } = {}): Mailer {
  const mailer = createMailer({ smtpUrl, folder: '/nowhere', from, timeoutMs: 600_000, ...options });
  after(() => mailer.close());
  return mailer;
}

/** The whole second in which the tests began, because the date of a mail has no smaller parts. */
const BEGAN_MS = Math.floor(Date.now() / 1_000) * 1_000;

/** Checks the content of a mail, which must be the same by SMTP and in a file. */
async function checkContent(raw: string): Promise<void> {
  const parsed = await simpleParser(raw);
  assert.equal(parsed.subject, mail.subject);
  assert.equal(parsed.text?.trimEnd(), mail.text.trimEnd());
  assert.equal(String(parsed.html).trimEnd(), mail.html.trimEnd());
  assert.deepEqual(parsed.from?.value, [{ address: 'no-reply@parley.example', name: 'Parley' }]);
  assert.ok(parsed.to && !Array.isArray(parsed.to));
  assert.deepEqual(parsed.to.value, [{ address: mail.to, name: '' }]);
  assert.equal(parsed.headers.get('auto-submitted'), 'auto-generated');
  assert.equal(parsed.headers.get('mime-version'), '1.0');
  assert.match(parsed.messageId ?? '', /^<[\w-]+@parley\.example>$/);
  const writtenMs = parsed.date?.getTime() ?? 0;
  assert.ok(writtenMs >= BEGAN_MS && writtenMs <= Date.now(), 'a date of now');
  assert.equal(parsed.attachments.length, 0);
  assert.doesNotMatch(raw, /^(x-mailer|bcc|cc|received):/im);
}

describe('mails with an SMTP server', () => {
  test('a mail arrives unchanged at its single recipient', async () => {
    const { port, taken } = await openServer();
    await openMailer(`smtp://127.0.0.1:${port}`).send(mail);
    assert.equal(taken.length, 1);
    assert.deepEqual([taken[0]?.from, taken[0]?.to], ['no-reply@parley.example', [mail.to]]);
    await checkContent(taken[0]?.raw ?? '');
  });

  test('the mailer logs in with the user and password of SMTP_URL; a wrong password is an error, and nothing is sent', async () => {
    const { port, taken } = await openServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'parley@relay' && password === 'p:w/d ü' ? done(null, { user: 1 }) : done(new Error('Who?')),
    });
    const right = new URL(`smtp://127.0.0.1:${port}`);
    right.username = encodeURIComponent('parley@relay');
    right.password = encodeURIComponent('p:w/d ü');
    await openMailer(right.href).send(mail);
    await assert.rejects(openMailer(`smtp://parley:wrong@127.0.0.1:${port}`).send(mail), /EAUTH 535$/);
    await assert.rejects(openMailer(`smtp://127.0.0.1:${port}`).send(mail), /530/);
    assert.equal(taken.length, 1);
  });

  const refusal = (code: number) => Object.assign(new Error('Not today'), { responseCode: code });
  const REFUSALS: [string, ServerOptions][] = [
    ['of the sender', { onMailFrom: (_address, _session, done) => done(refusal(550)) }],
    ['of the recipient', { onRcptTo: (_address, _session, done) => done(refusal(550)) }],
    ['of the content', { onData: (stream, _session, done) => stream.resume().on('end', () => done(refusal(554))) }],
    ['for now', { onRcptTo: (_address, _session, done) => done(refusal(451)) }],
    ['of everybody', { onConnect: (_session, done) => done(refusal(554)) }],
  ];
  for (const [what, options] of REFUSALS) {
    test(`an SMTP refusal ${what} reaches the caller with the server’s code, and without text of the server or the mail`, async () => {
      const { port, taken } = await openServer(options);
      const error = await openMailer(`smtp://127.0.0.1:${port}`)
        .send(mail)
        .catch((refused: unknown) => refused as Error);
      assert.ok(error instanceof Error);
      assert.match(error.message, /^the mail server 127\.0\.0\.1:\d+: E[A-Z]+ (550|554|451)$/);
      assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /token=|Zm9v/);
      assert.equal(taken.length, 0);
    });
  }

  test('an SMTP server that is unreachable, silent or endlessly slow fails the mail', async () => {
    const silent = await openSpeaker(() => undefined);
    const gone = await openSpeaker(() => undefined);
    gone.server.close();
    await once(gone.server, 'close');
    await assert.rejects(openMailer(`smtp://127.0.0.1:${gone.port}`).send(mail), /ECONNREFUSED/);
    await assert.rejects(
      openMailer(`smtp://127.0.0.1:${silent.port}`, { timeoutMs: 200 }).send(mail),
      /:\d+: (Timeout|Greeting|.*aborted)/,
    );
    const timers: NodeJS.Timeout[] = [];
    const trickling = await openSpeaker((say) => {
      say('220 here\r\n');
      timers.push(setInterval(() => say('250-wait\r\n'), 50));
    });
    after(() => timers.forEach(clearInterval));
    // The limit for the whole mail ends this transfer; on a slow machine, a pause between two lines may end it earlier.
    await assert.rejects(
      openMailer(`smtp://127.0.0.1:${trickling.port}`, { timeoutMs: 200 }).send(mail),
      /aborted|Timeout|Greeting/,
    );
    const options = smtpOptions('smtp://mail.example', 10_000);
    for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'] as const) {
      assert.equal(options[name], 10_000, name);
    }
  });

  test('closing the mailer aborts mails that are being sent', async () => {
    const { port, server } = await openSpeaker(() => undefined);
    const mailer = openMailer(`smtp://127.0.0.1:${port}`, { timeoutMs: 600_000 });
    const connected = once(server, 'connection');
    const sending = assert.rejects(mailer.send(mail));
    await connected;
    mailer.close();
    await sending;
    await assert.rejects(mailer.send(mail));
  });
});

describe('the security of SMTP', () => {
  test('smtps:// accepts only certificates that this machine trusts', async () => {
    const certificate = makeCertificate();
    const { port, taken } = await openServer({ secure: true, ...certificate });
    await assert.rejects(openMailer(`smtps://127.0.0.1:${port}`).send(mail), /self-signed certificate/);
    assert.equal(taken.length, 0);
    const usual = getCACertificates();
    setDefaultCACertificates([...usual, certificate.cert]);
    try {
      await openMailer(`smtps://localhost:${port}`).send(mail);
      assert.equal(taken.length, 1);
    } finally {
      setDefaultCACertificates(usual);
    }
  });

  test('an SMTP password is sent to other machines through TLS only, and no parameter of the URL changes that', () => {
    const remote = smtpOptions('smtp://u:p@mail.example?requireTLS=false&tls.rejectUnauthorized=false&logger=true', 1);
    assert.deepEqual([remote.requireTLS, remote.ignoreTLS, remote.secure], [true, false, false]);
    assert.deepEqual(remote.tls, { minVersion: 'TLSv1.2' });
    assert.equal(remote.logger, false);
    assert.equal(remote.port, 587);
    // Without a password STARTTLS is used when the server offers it.
    const open = smtpOptions('smtp://relay.internal:25', 1);
    assert.deepEqual([open.requireTLS, open.ignoreTLS, open.port, open.auth], [false, false, 25, undefined]);
    const secure = smtpOptions('smtps://u:p@[2001:db8::1]', 1);
    assert.deepEqual([secure.secure, secure.port, secure.host], [true, 465, '2001:db8::1']);
    for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '[::1]']) {
      assert.equal(smtpOptions(`smtp://u:p@${host}`, 1).ignoreTLS, true, host);
      assert.equal(smtpOptions(`smtps://u:p@${host}`, 1).ignoreTLS, false, host);
    }
    assert.equal(smtpOptions('smtp://u:p@127.0.0.1.evil.example', 1).requireTLS, true);
    assert.throws(() => smtpOptions('smtp://', 1), /SMTP_URL names no host|Invalid URL/);
    assert.throws(() => smtpOptions('smtp://u:100%@mail.example', 1), /SMTP_URL has a %/);
  });
});

describe('a hostile recipient or subject', () => {
  test('a recipient that is not exactly one plain address is refused before a connection is made', async () => {
    const { port, taken } = await openServer();
    const mailer = openMailer(`smtp://127.0.0.1:${port}`);
    for (const to of [
      '',
      'ana',
      '@b.example',
      'a@',
      'a@b@c.example',
      'a@b.example, c@d.example',
      'a@b.example;c@d.example',
      'a@b.example\r\nBcc: c@d.example',
      'a@b.example\nRCPT TO:<c@d.example>',
      'a@b.example\0',
      'a@b.example\u2028x',
      '<a@b.example>',
      'Ana <a@b.example>',
      '"c@d.example x"@b.example',
      'a(c@d.example)@b.example',
      'group:a@b.example;',
      'a@b.example SIZE=1',
      `${'a'.repeat(65)}@b.example`,
    ]) {
      await assert.rejects(mailer.send({ ...mail, to }), /no single address/, JSON.stringify(to));
    }
    await mailer.send({ ...mail, to: "o'neil+parley=x@sub-1.b.example" });
    assert.deepEqual(
      taken.map(({ to }) => to),
      [["o'neil+parley=x@sub-1.b.example"]],
    );
  });

  test('a subject with line breaks cannot add headers to the mail', async () => {
    const { port, taken } = await openServer();
    const subject = 'Acme\r\nBcc: all@evil.example\r\n\r\n<b>x</b>\nX-Evil: 1\0\rX-Evil: 2';
    await openMailer(`smtp://127.0.0.1:${port}`).send({ ...mail, subject });
    const parsed = await simpleParser(taken[0]?.raw ?? '');
    assert.equal(parsed.headers.get('x-evil'), undefined);
    assert.equal(parsed.bcc, undefined);
    assert.match(parsed.subject ?? '', /^Acme Bcc: all@evil\.example <b>x<\/b> X-Evil: 1 X-Evil: 2$/);
    assert.deepEqual(taken[0]?.to, [mail.to]);
  });
});

describe('mails without an SMTP server', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  after(() => rm(parent, { recursive: true, force: true }));

  test('without an SMTP server a mail is a file that only its owner can read, with its links in plain text', async () => {
    const folder = join(parent, 'data', 'mail');
    const mailer = openMailer(null, { folder });
    await mailer.send(mail);
    const [name = '', ...more] = await readdir(folder);
    assert.deepEqual(more, []);
    assert.match(name, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{24}\.eml$/);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    const raw = await readFile(join(folder, name), 'utf8');
    await checkContent(raw);
    assert.ok(raw.includes(`\r\n${link}\r\n`));
  });

  test('a mail file is never visible half-written, and the file names sort by time', async () => {
    const folder = join(parent, 'many');
    const mailer = openMailer(null, { folder });
    const writing = new AbortController();
    const looking = (async () => {
      while (!writing.signal.aborted) {
        const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
        for (const name of names) assert.match(await readFile(join(folder, name), 'utf8'), /<p>\d+<\/p>\s+--\S+--\s*$/);
      }
    })();
    for (let number = 0; number < 40; number++) await mailer.send({ ...mail, html: `<p>${number}</p>` });
    writing.abort();
    await looking;
    const names = (await readdir(folder)).toSorted();
    assert.equal(names.length, 40);
    const order = await Promise.all(
      names.map(async (name) => /<p>(\d+)<\/p>/.exec(await readFile(join(folder, name), 'utf8'))?.[1]),
    );
    assert.deepEqual(
      order,
      names.map((_, index) => String(index)),
    );
  });

  test('when the mail folder is not writable, the caller gets the error', async () => {
    const file = join(parent, 'a-file');
    await writeFile(file, '');
    await assert.rejects(openMailer(null, { folder: join(file, 'mail') }).send(mail), /ENOTDIR/);
    await assert.rejects(openMailer(null, { folder: parent }).send({ ...mail, to: 'a, b' }), /no single address/);
    assert.deepEqual(
      (await readdir(parent)).filter((name) => name.endsWith('.part')),
      [],
    );
  });
});
