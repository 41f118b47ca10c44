/** Mailboxes are read from a real IMAP server: each mail once, in order, and nothing in the mailbox changes. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import {
  MAIL_LOG_IN,
  sayWithoutEnd,
  startImapServer,
  trustCertificate,
  type TestMailbox,
} from '../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { openOutside } from '../../../test/support/outside.ts';
import { checkMailbox } from './fetch.ts';
import type { FetchedMails, MailboxPosition } from './imap.ts';
import { fetchMails, MailboxFault } from './mailbox-calls.ts';
import { emailSettings, type EmailConfig } from './settings.ts';

const access = openOutside({ after });
const certificate = trustCertificate({ after });
/** How the mailbox is asked, by default with all the time of the world. */
const ask = (used: EmailConfig, signal: AbortSignal = AbortSignal.timeout(600_000)) => ({
  config: used,
  company: 'a-company',
  signal,
});

const config = (port: number, extra: Partial<EmailConfig> = {}): EmailConfig => ({
  ...emailSettings.sample,
  ...MAIL_LOG_IN,
  imap_url: `imaps://127.0.0.1:${port}`,
  ...extra,
});
const write = (text: string): string =>
  writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${text}@client.example>` }, text);
const openMailbox = (context: TestContext): Promise<TestMailbox> => startImapServer(context, certificate);
const fetch = (mailbox: TestMailbox, position: MailboxPosition | null): Promise<FetchedMails> =>
  fetchMails(access, ask(config(mailbox.port)), position);
const listTexts = ({ mails }: FetchedMails): string[] =>
  mails.map(({ source }) => source.toString().split('\r\n\r\n')[1] ?? '');

test('the first reading begins at the end, and each later one has the mails that arrived since, the oldest first', async (context) => {
  const mailbox = await openMailbox(context);
  mailbox.add(write('old'));
  const first = await fetch(mailbox, null);
  assert.deepEqual([first.mails, first.position.lastUid], [[], 1]);
  mailbox.add(write('one'));
  mailbox.add(write('two'));
  const second = await fetch(mailbox, first.position);
  assert.deepEqual(listTexts(second), ['one', 'two']);
  assert.deepEqual([second.position.lastUid, second.hasMore], [3, false]);
  assert.equal(second.mails[0]?.receivedAt?.toISOString(), '2026-11-02T13:00:05.000Z');
  const third = await fetch(mailbox, second.position);
  assert.deepEqual([listTexts(third), third.position.lastUid], [[], 3]);
});

test('a mailbox with many new mails is read in portions, and no mail is left out', async (context) => {
  const mailbox = await openMailbox(context);
  let { position } = await fetch(mailbox, null);
  const expected = Array.from({ length: 45 }, (_, index) => `mail-${index}`);
  for (const text of expected) mailbox.add(write(text));
  const read: string[] = [];
  for (let hasMore = true; hasMore;) {
    const fetched = await fetch(mailbox, position);
    assert.ok(fetched.mails.length <= 20);
    read.push(...listTexts(fetched));
    ({ position, hasMore } = fetched);
  }
  assert.deepEqual(read, expected);
});

test('when the numbers of the mailbox have changed, its latest mails are read anew', async (context) => {
  const mailbox = await openMailbox(context);
  mailbox.uidNext = 100;
  const { position } = await fetch(mailbox, null);
  Object.assign(mailbox, { uidValidity: 2, uidNext: 1 });
  mailbox.add(write('moved'));
  const next = await fetch(mailbox, position);
  assert.deepEqual(listTexts(next), ['moved']);
  assert.notEqual(next.position.numbering, position.numbering);
  assert.equal(next.position.lastUid, 1);
});

test('mails stay unread: the mailbox is opened for reading only, and their contents are peeked at', async (context) => {
  const mailbox = await openMailbox(context);
  const { position } = await fetch(mailbox, null);
  mailbox.add(write('one'));
  await fetch(mailbox, position);
  assert.ok(mailbox.commands.includes('EXAMINE INBOX'));
  assert.ok(!mailbox.commands.some((command) => /^(SELECT|STORE|UID STORE)|BODY\[/.test(command)));
});

test('the check tells a refused log-in, which needs new settings, from a server that does not answer', async (context) => {
  const mailbox = await openMailbox(context);
  mailbox.add(write('old'));
  const right = await checkMailbox(access, ask(config(mailbox.port)));
  assert.deepEqual([right.ok, right.ok && right.start?.['lastUid']], [true, 1]);
  const wrong = await checkMailbox(access, ask(config(mailbox.port, { password: 'wrong' })));
  assert.ok(!wrong.ok && !wrong.retry);
  assert.match(wrong.error, /rejected the log-in/);
  const away = await checkMailbox(access, ask(config(9)));
  assert.ok(!away.ok && away.retry);
});

test('a server with a certificate that nobody vouches for gets no password', async (context) => {
  const { makeCertificate } = await import('../../../sandbox/mail/certificate.ts');
  const mailbox = await startImapServer(context, makeCertificate());
  const result = await checkMailbox(access, ask(config(mailbox.port)));
  assert.ok(!result.ok);
  assert.deepEqual(mailbox.commands, []);
});

test('a server that never answers is given up when the time is over', async (context) => {
  const { startPeer } = await import('../../../test/support/peers.ts');
  const peer = await startPeer(context, () => undefined, false);
  await assert.rejects(fetchMails(access, ask(config(peer.port), AbortSignal.timeout(1_000)), null));
});

test('silent servers of some companies keep no other company from its mailbox, and a call that waits in vain says nothing about its server', async (context) => {
  const { startPeer } = await import('../../../test/support/peers.ts');
  const silent = await startPeer(context, () => undefined, false);
  const mailbox = await openMailbox(context);
  const ends = new AbortController();
  const held = ['a', 'a', 'b', 'b', 'c', 'c'].map((company) =>
    fetchMails(access, { ...ask(config(silent.port), ends.signal), company }, null),
  );
  const check = (company: string, signal?: AbortSignal) =>
    checkMailbox(access, { ...ask(config(mailbox.port), signal), company });
  await assert.rejects(check('a', AbortSignal.timeout(1_000)), { code: 'UNAVAILABLE' });
  assert.equal((await check('d')).ok, true);
  ends.abort();
  await Promise.allSettled(held);
  assert.equal((await check('a')).ok, true);
});

test('a mail is whole although the server estimates its size too high', async (context) => {
  const mailbox = await openMailbox(context);
  const { position } = await fetch(mailbox, null);
  mailbox.sizeError = 1_000;
  mailbox.add(write('whole'));
  assert.equal((await fetch(mailbox, position)).mails[0]?.isCut, false);
});

test('a search that the server refuses is a failure, and no mailbox without mails', async (context) => {
  const mailbox = await openMailbox(context);
  const { position } = await fetch(mailbox, null);
  mailbox.interfere = (command, tag, socket) => command.startsWith('UID SEARCH') && socket.write(`${tag} NO busy\r\n`);
  await assert.rejects(fetch(mailbox, position));
});

test('a mail that the server does not hand out loses no mail before it, and is given up after three tries', async (context) => {
  const mailbox = await openMailbox(context);
  let { position } = await fetch(mailbox, null);
  mailbox.add(write('before'));
  const broken = mailbox.add(write('broken'));
  mailbox.add(write('behind'));
  mailbox.interfere = (command, _tag, socket) =>
    command.startsWith(`UID FETCH ${broken} `) && Boolean(socket.destroy());
  const first = await fetch(mailbox, position);
  assert.deepEqual([listTexts(first), first.hasMore], [['before'], true]);
  ({ position } = first);
  for (let failure = 1; failure <= 3; failure += 1)
    await assert.rejects(fetch(mailbox, position), (error) => {
      assert.ok(error instanceof MailboxFault && error.why.failure === 'unread');
      ({ position } = error.why);
      return position.lastUid === broken - 1;
    });
  const [given, behind] = (await fetch(mailbox, position)).mails;
  assert.match(given?.failure ?? '', /three times/);
  assert.match(behind?.source.toString() ?? '', /behind/);
});

test('only a mail that is certainly not in the mailbox any more is passed over', async (context) => {
  const mailbox = await openMailbox(context);
  const { position } = await fetch(mailbox, null);
  const uid = mailbox.add(write('one'));
  const finish = (tag: string, socket: Socket): boolean => socket.write(`${tag} OK done\r\n`);
  mailbox.interfere = (command, tag, socket) => command.startsWith(`UID FETCH ${uid} `) && finish(tag, socket);
  await assert.rejects(fetch(mailbox, position), /did not return/);
  mailbox.interfere = (command, tag, socket) => {
    if (!command.startsWith(`UID FETCH ${uid} `)) return false;
    mailbox.mails.length = 0;
    return finish(tag, socket);
  };
  const { mails, position: next } = await fetch(mailbox, position);
  assert.deepEqual([mails.map(({ source }) => source.length), next.lastUid], [[0], uid]);
});

test('a server that sends without an end is disconnected', async (context) => {
  const mailbox = await openMailbox(context);
  const { position } = await fetch(mailbox, null);
  mailbox.interfere = sayWithoutEnd('UID SEARCH', `* OK ${'x'.repeat(256 * 1024)}\r\n`);
  const patience = AbortSignal.timeout(600_000);
  await assert.rejects(fetchMails(access, ask(config(mailbox.port), patience), position), {
    why: { failure: 'excess' },
  });
  assert.equal(patience.aborted, false);
});
