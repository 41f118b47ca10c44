import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { simpleParser, type ParsedMail } from 'mailparser';
import { makeMessageId } from '../../src/channels/email/message-id.ts';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail, writeMultipart } from '../support/mails.ts';
import { waitUntil } from '../support/wait.ts';
import type { OpenScene } from './scene.ts';

const ADDRESS = 'support@shop.example';
const SECRET = 'a-secret-of-the-mail-server-1234';

export const openMail: OpenScene = async (platform) => {
  const certificate = trustCertificate({ after });
  const [mailbox, smtp] = [
    await startImapServer({ after }, certificate),
    await startSmtpServer({ after }, certificate),
  ];
  const email_config = {
    ...MAIL_LOG_IN,
    address: ADDRESS,
    smtp_url: `smtps://127.0.0.1:${smtp.port}`,
    imap_url: `imaps://127.0.0.1:${mailbox.port}`,
    hook_secret: SECRET,
  };
  const body = { channel: 'EMAIL', name: 'Support', email_config };
  const { body: inbox } = await platform.call(201, 'POST', '/v1/inboxes', { body });
  /** Puts a mail into the mailbox, and waits until the platform has read it. */
  const receive = async (mail: string): Promise<void> => {
    const uid = mailbox.add(mail);
    await waitUntil('the mail to be read', async () => {
      const [row] = await platform.database.sql<{ uid: number }>(
        `with due as (
           update inbox_fetches set state = 'WAITING', due_at = null where inbox_id = $1 and state = 'RESTING'
         ) select coalesce((position ->> 'lastUid')::int, 0) as uid from inbox_fetches where inbox_id = $1`,
        [inbox._id],
      );
      return row && row.uid >= uid;
    });
  };
  const listMails = (person: string): Promise<ParsedMail[]> =>
    Promise.all(
      smtp.taken.filter(({ to }) => to.includes(person)).map(({ raw }) => simpleParser(Buffer.from(raw, 'latin1'))),
    );
  return {
    inbox: inbox._id,
    makePerson: async () => `${randomUUID()}@client.example`,
    describeContact: (person, name) => ({ name, email: person }),
    write: async ({ from, name = 'Ana', id = `${randomUUID()}@client.example`, text = '', picture }) => {
      const headers = { ...SAMPLE_HEADERS, From: `${name} <${from}>`, 'Message-ID': `<${id}>` };
      const file = {
        headers: { 'Content-Type': 'image/jpeg; name="a.jpg"', 'Content-Transfer-Encoding': 'base64' },
        body: picture?.toString('base64') ?? '',
      };
      const words = { headers: { 'Content-Type': 'text/plain' }, body: 'See the picture' };
      await receive(picture ? writeMultipart(headers, 'mixed', [words, file]) : writeMail(headers, text));
      // Each file of a mail is a message behind that of its text.
      return picture ? `${id}#1` : id;
    },
    listTaken: async (person) => (await listMails(person)).map(({ text }) => text?.trim() ?? ''),
    readTaken: async (person) => (await listMails(person)).at(-1)?.attachments[0]?.content ?? Buffer.alloc(0),
    olga: { before: 'Olga Operator\n', counts: false },
    // A server only reports that it could not deliver a mail.
    reports: ['FAILED'],
    report: ({ _id = '', person }) => {
      const headers = {
        ...SAMPLE_HEADERS,
        From: 'mailer-daemon@client.example',
        'X-Failed-Recipients': person,
        'Message-ID': `<${randomUUID()}@client.example>`,
      };
      return receive(writeMail(headers, `550 5.1.1 No such user\n\nMessage-ID: <${makeMessageId(_id, ADDRESS)}>`));
    },
    returnOwn: ({ external_id: id }) =>
      receive(writeMail({ ...SAMPLE_HEADERS, From: ADDRESS, 'Message-ID': `<${id}>` }, 'as it was sent')),
    writeElsewhere: null,
    breakNext: async (fault) => void (smtp.fault = fault),
    awaitFault: () => waitUntil('the server to be called', () => smtp.fault === null),
    post: async (raw) => {
      const headers = { 'content-type': 'message/rfc822', 'x-hook-secret': SECRET };
      return (await fetch(`${platform.url}/hooks/email/${inbox._id}`, { method: 'POST', headers, body: raw })).status;
    },
    broken: [
      writeMail({ Subject: 'No sender' }, 'text'),
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(1_000)}`,
    ],
    templates: null,
  };
};
