/** A server says on an open connection that a mail has arrived. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutDovecot, startDovecot } from '../../../test/support/dovecot.ts';
import { MAIL_LOG_IN, sayWithoutEnd, startImapServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { openOutside } from '../../../test/support/outside.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { watchItems } from './fetch.ts';
import { emailSettings } from './settings.ts';

const access = openOutside({ after });
const certificate = trustCertificate({ after });
const mailbox = await startImapServer({ after }, certificate);
mailbox.canIdle = true;

/** Watches the mailbox at this port, and counts the news. */
function watch(port = mailbox.port) {
  const config = { ...emailSettings.sample, ...MAIL_LOG_IN, imap_url: `imaps://127.0.0.1:${port}` };
  const ending = new AbortController();
  const seen = { news: 0 };
  const asking = { config, signal: ending.signal };
  const ended = watchItems(access, asking, () => (seen.news += 1));
  const outcome = ended.then((end) => end.outcome);
  return { seen, outcome, end: () => ending.abort() };
}

const waitForIdle = (): Promise<unknown> => waitUntil('the client to wait', async () => mailbox.idlers.size > 0);

test('each mail that arrives is news, and nothing in the mailbox is changed', async () => {
  const { seen, outcome, end } = watch();
  await waitForIdle();
  // The first news are for what arrived before the connection was there.
  for (const news of [1, 2, 3]) {
    await waitUntil('the news', async () => seen.news === news);
    mailbox.add(writeMail(SAMPLE_HEADERS, 'Hello'));
  }
  end();
  assert.equal(await outcome, 'ended');
  await waitUntil('the connection to end', async () => mailbox.idlers.size === 0);
  assert.ok(mailbox.commands.includes('EXAMINE INBOX'));
  assert.deepEqual(
    mailbox.commands.filter((command) => /^(SELECT|FETCH|STORE)/.test(command)),
    [],
  );
});

test('a watch ends with the connection', async () => {
  const { outcome } = watch();
  await waitForIdle();
  for (const socket of mailbox.idlers.keys()) socket.destroy();
  assert.equal(await outcome, 'ended');
});

test('a server that ends every wait at once is left alone', async () => {
  mailbox.interfere = (command, tag, socket) =>
    command === 'IDLE' && socket.write(`+ idling\r\n${tag} OK done\r\n`) !== undefined;
  assert.equal(await watch().outcome, 'ended');
  mailbox.interfere = null;
});

test('a server that offers no watch and a log-in that is refused are told apart', async () => {
  mailbox.canIdle = false;
  assert.equal(await watch().outcome, 'not offered');
  mailbox.canIdle = true;
  mailbox.interfere = (command, tag, socket) =>
    command.startsWith('LOGIN') && socket.write(`${tag} NO [AUTHENTICATIONFAILED] wrong\r\n`) !== undefined;
  assert.equal(await watch().outcome, 'ended');
  mailbox.interfere = null;
});

test('a server that never stops saying that mails have arrived is not asked again', async () => {
  mailbox.interfere = sayWithoutEnd('IDLE', '* 1 EXISTS\r\n', '+ idling\r\n');
  assert.equal(await watch().outcome, 'stopped');
  mailbox.interfere = null;
});

test('dovecot says that a mail has arrived', { skip: skipWithoutDovecot }, async (context) => {
  const server = await startDovecot(context, certificate);
  const { seen, outcome, end } = watch(server.port);
  await waitUntil('the first news', async () => seen.news === 1);
  await waitUntil('the news of the mail', async () => {
    server.deliver(writeMail(SAMPLE_HEADERS, 'Hello'));
    return seen.news > 1;
  });
  end();
  assert.equal(await outcome, 'ended');
});
