/** A mail is stored as soon as its server says that it has arrived. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  MAIL_LOG_IN,
  sayWithoutEnd,
  startImapServer,
  startSmtpServer,
  trustCertificate,
} from '../../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../../../test/support/mails.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
const { call, database } = platform;
const mailbox = await startImapServer({ after }, certificate);
mailbox.canIdle = true;
const smtp = await startSmtpServer({ after }, certificate);
const email_config = {
  ...MAIL_LOG_IN,
  address: 'support@shop.example',
  smtp_url: `smtps://127.0.0.1:${smtp.port}`,
  imap_url: `imaps://127.0.0.1:${mailbox.port}`,
};
const body = { channel: 'EMAIL', name: 'Support', email_config };
const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body });

const waitForIdle = (): Promise<unknown> => waitUntil('the mailbox to be watched', async () => mailbox.idlers.size > 0);

/** The mailbox is read in an hour, unless something makes it due before. */
const putOff = (): Promise<unknown> =>
  waitUntil('the inbox to rest', async () => {
    const rows = await database.sql<Json>(
      `update inbox_fetches set due_at = now() + interval '1 hour' where inbox_id = $1 and state = 'RESTING' returning 1`,
      [inbox._id],
    );
    return rows.length > 0;
  });

let number = 0;
function addMail(): string {
  number += 1;
  const id = `watched-${number}@client.example`;
  mailbox.add(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${id}>` }, 'Hello'));
  return id;
}
const waitForMessage = (id: string): Promise<unknown> =>
  waitUntil(id, async () => {
    const { body: list } = await call(200, 'GET', `/v1/messages?inbox=${inbox._id}&limit=100`);
    return list.result.some(({ external_id }: Json) => external_id === id);
  });

test('a mail is stored when the server says that it has arrived, however long the mailbox is not due', async () => {
  await waitForIdle();
  await waitForMessage(addMail());
  await putOff();
  await waitForMessage(addMail());
  assert.equal(mailbox.idlers.size, 1);
});

test('what arrives while the mailbox is read makes it due again', async () => {
  await putOff();
  await database.sql(
    `update inbox_fetches set has_news = false, state = 'RUNNING', turn = turn + 1 where inbox_id = $1`,
    [inbox._id],
  );
  const id = addMail();
  await waitUntil('the news', async () => {
    const [row] = await database.sql<Json>('select has_news from inbox_fetches where inbox_id = $1', [inbox._id]);
    return row.has_news;
  });
  await database.sql(`update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1`, [inbox._id]);
  await waitForMessage(id);
});

test('a mailbox whose connection has broken is read when it is due, and watched again', async () => {
  for (const socket of mailbox.idlers.keys()) socket.destroy();
  const readRow = async (): Promise<Json> =>
    (await database.sql<Json>('select * from inbox_fetches where inbox_id = $1', [inbox._id]))[0];
  await waitUntil('the end of the watch', async () => (await readRow()).watched_by === null);
  const id = addMail();
  await waitUntil('the mail', async () => {
    const due = `update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING'`;
    await database.sql(due, [inbox._id]);
    const { body: list } = await call(200, 'GET', `/v1/messages?inbox=${inbox._id}&limit=100`);
    return list.result.some(({ external_id }: Json) => external_id === id);
  });
  await database.sql('update inbox_fetches set watched_until = null where inbox_id = $1', [inbox._id]);
  await waitForIdle();
});

test('a changed inbox is watched again, and a deleted one no more', async () => {
  const [before] = mailbox.idlers.keys();
  await call(200, 'PUT', `/v1/inboxes/${inbox._id}`, {
    body: { email_config: { ...email_config, from_name: 'Shop' } },
  });
  await waitUntil('another connection', async () => {
    const [now] = mailbox.idlers.keys();
    return now !== undefined && now !== before;
  });
  await call(200, 'PUT', `/v1/inboxes/${inbox._id}`, { body: { status: 'DELETED' } });
  await waitUntil('the end of the watch', async () => mailbox.idlers.size === 0);
});

test('an inbox whose server never stops saying that mails have arrived is an ERROR until a user saves it', async () => {
  const hostile = await startImapServer({ after }, certificate);
  hostile.canIdle = true;
  hostile.interfere = sayWithoutEnd('IDLE', '* 1 EXISTS\r\n', '+ idling\r\n');
  const imap_url = `imaps://127.0.0.1:${hostile.port}`;
  const settings = { ...email_config, address: 'hostile@shop.example', imap_url };
  const { body: made } = await call(201, 'POST', '/v1/inboxes', { body: { ...body, email_config: settings } });
  const path = `/v1/inboxes/${made._id}`;
  const { connection } = await waitUntil('the error', async () => {
    const { body: read } = await call(200, 'GET', path);
    return read.connection.status === 'ERROR' && read;
  });
  assert.match(connection.error, /far more data than a mailbox should/);
  hostile.interfere = null;
  await call(200, 'PUT', path, { body: { name: 'Mended' } });
  await database.sql('update inbox_fetches set watched_until = null where inbox_id = $1', [made._id]);
  await waitUntil('the mailbox to be watched', async () => hostile.idlers.size > 0);
});
