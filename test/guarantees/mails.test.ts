import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callUntilAccepted, withStage } from '../full/harness/stage.ts';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../support/mails.ts';
import { HURRIED } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const KILLS = 2;
/** The mails that arrive before each kill. A turn reads 20. */
const MAILS = 24;

test('each mail of a mailbox is stored once, in order, although its workers are killed again and again', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mails-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const certificate = trustCertificate(context);
  const authority = join(folder, 'certificate.pem');
  await writeFile(authority, certificate.cert);
  const mailbox = await startImapServer(context, certificate);
  const smtp = await startSmtpServer(context, certificate);
  await withStage({}, async (stage) => {
    const env = { DATA_DIR: folder, NODE_EXTRA_CA_CERTS: authority, ...HURRIED };
    const api = await stage.start('api', env);
    const tenant = await stage.createTenant('Receiver');
    const urls = { smtp_url: `smtps://127.0.0.1:${smtp.port}`, imap_url: `imaps://127.0.0.1:${mailbox.port}` };
    const email_config = { ...MAIL_LOG_IN, ...urls, address: 'support@shop.example' };
    const body = { channel: 'EMAIL', name: 'Support', email_config };
    const inbox = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes`, { key: tenant.key, body });
    assert.equal(inbox.connection.status, 'CONNECTED');

    const worker = await stage.start('worker', env);
    await waitUntil('the first position', async () => (await readRow())?.position);
    const expected: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const fetched = countFetched();
      for (let count = 0; count < MAILS; count += 1) {
        const id = `mail-${kill}-${count}@client.example`;
        expected.push(id);
        mailbox.add(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${id}>` }, id));
      }
      await queueAgain();
      await waitUntil('the worker to read', () => countFetched() >= fetched + MAILS / 2);
      await worker.kill();
      await worker.restart();
    }
    await queueAgain();
    const stored = await waitUntil('all mails', async () => {
      const rows = await stage.store.sql<{ external_id: string }>(
        `select external_id from messages where inbox_id = '${inbox._id}' order by created_at, _id`,
      );
      return rows.length >= expected.length && rows.map(({ external_id }) => external_id);
    });
    assert.deepEqual(stored, expected);

    /** Does at once what the loop does when the claim of a dead worker has ended. */
    async function queueAgain(): Promise<void> {
      await stage.store.sql(`update inbox_fetches set state = 'WAITING', due_at = null`);
    }
    async function readRow(): Promise<{ position: unknown } | undefined> {
      return (await stage.store.sql<{ position: unknown }>('select position from inbox_fetches'))[0];
    }
  });

  function countFetched(): number {
    return mailbox.commands.filter((command) => command.startsWith('UID FETCH')).length;
  }
});
