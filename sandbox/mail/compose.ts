import { toText, type Json } from '../exchange.ts';
import { readPhoneFile, storeForPage } from '../phone/file.ts';
import type { Sandbox } from '../state.ts';
import { deliver } from './imap.ts';
import { showMail } from './shown.ts';
import { keepMail, makeMailId, openMailbox, type Mail } from './state.ts';

const ADDRESS = /^[^\s<>@",;:]{1,64}@[^\s<>@",;:]{1,190}$/;
const ANSWER = /^\s*(re|res|aw)\s*:/i;

/**
 * Plays a person who writes a mail: `contact`, `name`, `account` (the mailbox), `subject`, `text`, `html` (the text is HTML), `media` and
 * `context` (the mail that it answers). Returns an error sentence when it cannot be written.
 */
export async function writeMail(sandbox: Sandbox, note: Json): Promise<{ id: string; delivered: null } | string> {
  const [contact = '', mailbox = ''] = [toText(note['contact']), toText(note['account'])].map((text) =>
    text?.toLowerCase(),
  );
  if (!ADDRESS.test(contact) || !ADDRESS.test(mailbox))
    return 'A mail goes from one address (contact) to another one (account).';
  const file = readPhoneFile(note, { seed: sandbox.mail.counter, isPhone: false });
  if (typeof file === 'string') return file;
  const answered = sandbox.mail.mails.get(toText(note['context']) ?? '');
  const id = makeMailId(sandbox.mail);
  const written = {
    id,
    subject: chooseSubject(toText(note['subject']) ?? '', answered),
    text: toText(note['text']) ?? '',
    is_html: note['html'] === true,
    in_reply_to: answered?.id ?? null,
    created_at: new Date().toISOString(),
  };
  const files = file ? [{ ...file, media_id: storeForPage(sandbox, file) }] : [];
  const raw = await compose(written, {
    from: { name: toText(note['name']) ?? '', address: contact },
    to: mailbox,
    files,
  });
  const uid = deliver(openMailbox(sandbox.mail, mailbox), raw);
  const mail: Mail = { ...written, mailbox, contact, direction: 'out', uid, files, delivered: null, returned: null };
  keepMail(sandbox.mail, mail);
  showMail(sandbox, mail);
  return { id, delivered: null };
}

/** As mail programs do, an answer has the subject of its mail. */
function chooseSubject(given: string, answered: Mail | undefined): string {
  if (given !== '' || !answered) return given;
  return ANSWER.test(answered.subject) ? answered.subject : `Re: ${answered.subject}`;
}

type Written = Pick<Mail, 'id' | 'subject' | 'text' | 'is_html' | 'in_reply_to'>;
type Around = {
  from: { name: string; address: string };
  to: string;
  files: { mimetype: string; file_name: string; bytes: Buffer }[];
};

/** The library is loaded with the first mail. */
async function compose(
  { id, subject, text, is_html, in_reply_to }: Written,
  { from, to, files }: Around,
): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const mail = new MailComposer({
    from,
    to,
    subject,
    messageId: `<${id}>`,
    ...(in_reply_to !== null && { inReplyTo: `<${in_reply_to}>`, references: `<${in_reply_to}>` }),
    ...(is_html ? { html: text } : { text }),
    attachments: files.map(({ mimetype, file_name, bytes }) => ({
      filename: file_name,
      contentType: mimetype,
      content: bytes,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return (await mail.compile().build()).toString();
}

/** Plays a mail server that returns a mail to its sender (RFC 3464). Returns false when the company sent no such mail. */
export function returnMail(
  sandbox: Sandbox,
  id: string,
  { code, message }: { code: number; message: string },
): boolean {
  const mail = sandbox.mail.mails.get(id);
  if (mail?.direction !== 'in') return false;
  mail.returned = { code, message };
  showMail(sandbox, mail);
  deliver(openMailbox(sandbox.mail, mail.mailbox), describeReturn(mail, makeMailId(sandbox.mail)));
  return true;
}

function describeReturn({ id, contact, mailbox, subject, returned }: Mail, ownId: string): string {
  const boundary = 'returned-by-the-sandbox';
  const part = (type: string, lines: string[]): string[] => [
    `--${boundary}`,
    `Content-Type: ${type}`,
    '',
    ...lines,
    '',
  ];
  const words = `${returned?.code} 5.1.1 ${returned?.message}`;
  return [
    'From: Mail Delivery System <mailer-daemon@sandbox.example>',
    `To: ${mailbox}`,
    'Subject: Undelivered Mail Returned to Sender',
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${ownId}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    ...part('text/plain; charset=utf-8', [`Your mail to ${contact} could not be delivered: ${words}`]),
    ...part('message/delivery-status', [
      'Reporting-MTA: dns; sandbox.example',
      '',
      `Final-Recipient: rfc822; ${contact}`,
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; ${words}`,
    ]),
    ...part('text/rfc822-headers', [
      `Message-ID: <${id}>`,
      `To: ${contact}`,
      `Subject: ${subject.replaceAll(/[^\x20-\x7e]/g, '?')}`,
    ]),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}
